"""Logging: one line an entry, to standard error and to `logs/conductor.log` in the home folder."""

import logging
import os
import re
from logging.handlers import RotatingFileHandler
from pathlib import Path

FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"
_SECRET = re.compile(r"\b(sk-[A-Za-z0-9_-]{8,}|AIza[A-Za-z0-9_-]{20,}|Bearer\s+\S+)")


class Scrub(logging.Filter):
    """Takes what looks like a key out of every entry."""

    def filter(self, record: logging.LogRecord) -> bool:
        message = record.getMessage()
        clean = _SECRET.sub("[secret]", message)
        if clean != message:
            record.msg, record.args = clean, ()
        return True


def to_stderr() -> None:
    """Log warnings, or as `CONDUCTOR_LOG` says, to standard error."""
    handler = logging.StreamHandler()
    handler.addFilter(Scrub())
    handler.setFormatter(logging.Formatter("%(levelname)s %(name)s: %(message)s"))
    level = os.environ.get("CONDUCTOR_LOG", "WARNING").upper()
    logging.basicConfig(
        level=level if level in logging.getLevelNamesMapping() else "WARNING", handlers=[handler]
    )


def to_file(folder: Path) -> None:
    """Also log to a file of at most 1 MB, with three old ones kept."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    handler = RotatingFileHandler(
        folder / "conductor.log", maxBytes=1_000_000, backupCount=3, encoding="utf-8"
    )
    handler.addFilter(Scrub())
    handler.setFormatter(logging.Formatter(FORMAT))
    root = logging.getLogger()
    root.addHandler(handler)
    root.setLevel(min(root.level, logging.INFO))
    logging.getLogger("watchfiles").setLevel(logging.WARNING)
