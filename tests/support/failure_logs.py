"""Prints the logs of a Conductor whose test has failed: its home is deleted after the test."""

import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

SHOWN_CHARACTERS = 4_000
"""How much of the end of each log file is printed."""


@contextmanager
def logs_on_failure(place: Path) -> Generator[None]:
    """Print the end of a log file, or of each one in a folder, if the block fails; pytest shows it with the test."""
    try:
        yield
    except Exception:
        for file in [place] if place.is_file() else sorted(place.glob("*.log")):
            text = file.read_text(errors="replace")[-SHOWN_CHARACTERS:]
            sys.stdout.write(f"--- end of {file.name}\n{text}\n")
        raise
