"""Extracts the text of a PDF file or a web page in a separate process with a time limit."""

import json
import subprocess
from typing import cast

from conductor.base.json_types import JsonObject
from conductor.base.program import build_command
from conductor.capabilities.extract_process import PageText, PdfText
from conductor.errors import NotAvailable

WITHIN_S = 25.0
PAGE_CHARACTERS = 400_000


def extract_pdf_text(content: bytes, first: int, at_most: int) -> PdfText:
    """Return the text of a PDF file, starting at page `first`. Blocks until the process has ended.

    Raises:
        NotAvailable: the PDF cannot be read; the message says why.
    """
    return cast(PdfText, _run_extraction(["pdf", str(first), str(at_most)], content))


def extract_page_text(content: bytes, charset: str | None) -> PageText:
    """Return the title and the main text of a web page. Blocks until the process has ended.

    Raises:
        NotAvailable: the page cannot be read; the message says why.
    """
    return cast(PageText, _run_extraction(["page", charset or "-", str(PAGE_CHARACTERS)], content))


def _run_extraction(what: list[str], content: bytes) -> JsonObject:
    try:
        done = subprocess.run(
            [*build_command(), "--extract-process", *what],
            input=content,
            capture_output=True,
            check=False,
            timeout=WITHIN_S,
            start_new_session=True,
        )
        found: JsonObject = json.loads(done.stdout)
    except subprocess.TimeoutExpired:
        raise NotAvailable(f"it could not be read within {WITHIN_S:g} s") from None
    except (OSError, ValueError):
        raise NotAvailable("it cannot be read: its reader ended without a result") from None
    if "error" in found:
        raise NotAvailable(f"it cannot be read: {found['error']}")
    return found
