"""Extracts the text of a PDF file or a web page in a separate process with a time limit."""

import json
import subprocess
from pathlib import Path
from typing import cast

from conductor.base.json_types import JsonObject
from conductor.base.program import build_command
from conductor.capabilities.extract_process import PageText, PdfText
from conductor.capabilities.pdf_pages import PdfPages
from conductor.errors import NotAvailable

EXTRACTION_TIMEOUT_S = 25.0
MAX_PAGE_CHARACTERS = 400_000


def extract_pdf_text(content: bytes, first_page: int, max_characters: int) -> PdfText:
    """Return the text of a PDF file, starting at page `first_page`. Blocks until the process has ended.

    Raises:
        NotAvailable: the PDF cannot be read; the message says why.
    """
    return cast(PdfText, _run_extraction(["pdf", str(first_page), str(max_characters)], content))


def extract_pdf_pages(path: Path, first_page: int, count: int) -> PdfPages:
    """Return at most `count` pages of a PDF file, starting at page `first_page`.

    Blocks until the process has ended.

    Raises:
        NotAvailable: the PDF cannot be read; the message says why.
    """
    return cast(
        PdfPages, _run_extraction(["manual", str(first_page), str(count)], str(path).encode())
    )


def extract_page_text(
    content: bytes, charset: str | None, max_characters: int = MAX_PAGE_CHARACTERS
) -> PageText:
    """Return the title and the main text of a web page. Blocks until the process has ended.

    Raises:
        NotAvailable: the page cannot be read; the message says why.
    """
    return cast(PageText, _run_extraction(["page", charset or "-", str(max_characters)], content))


def _run_extraction(arguments: list[str], content: bytes) -> JsonObject:
    try:
        process = subprocess.run(
            [*build_command(), "--extract-process", *arguments],
            input=content,
            capture_output=True,
            check=False,
            timeout=EXTRACTION_TIMEOUT_S,
            start_new_session=True,
        )
        result: JsonObject = json.loads(process.stdout)
    except subprocess.TimeoutExpired:
        raise NotAvailable(
            f"it could not be read within {EXTRACTION_TIMEOUT_S:g} s; try again, or split it"
        ) from None
    except (OSError, ValueError):
        raise NotAvailable(
            "it cannot be read: its reader ended without a result; try again, or save it in another format"
        ) from None
    if "error" in result:
        raise NotAvailable(f"it cannot be read: {result['error']}")
    return result
