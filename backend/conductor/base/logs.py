"""Logging: one line an entry, to standard error and to files in the home folder's `logs`."""

import logging
import os
import sys
from logging.handlers import RotatingFileHandler
from pathlib import Path

from conductor.base.redact import redact

FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"


class Redacted(logging.Formatter):
    """Takes what looks like a key out of every entry, its traceback as well."""

    def format(self, record: logging.LogRecord) -> str:
        return redact(super().format(record))


def to_stderr() -> None:
    """Log warnings, or as `CONDUCTOR_LOG` says, to standard error."""
    handler = logging.StreamHandler()
    handler.setFormatter(Redacted("%(levelname)s %(name)s: %(message)s"))
    wanted = os.environ.get("CONDUCTOR_LOG", "WARNING").upper()
    level = wanted if wanted in logging.getLevelNamesMapping() else "WARNING"
    handler.setLevel(level)  # the file beside it may take more
    logging.basicConfig(level=level, handlers=[handler])


class _QuietFile(RotatingFileHandler):
    """Loses entries while its folder is gone or full: a traceback for each would bury the others."""

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802
        if not isinstance(sys.exc_info()[1], OSError):
            super().handleError(record)


def to_file(folder: Path, name: str = "conductor.log", level: int = logging.INFO) -> None:
    """Also log to a file of at most 1 MB, with three old ones kept; each process has its own.

    Where no file can be, that is said and nothing else is different.
    """
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        logging.getLogger(__name__).warning("the log goes to no file: %s", error)
        return
    handler = _QuietFile(
        folder / name, maxBytes=1_000_000, backupCount=3, encoding="utf-8", delay=True
    )
    handler.setLevel(level)
    handler.setFormatter(Redacted(FORMAT))
    root = logging.getLogger()
    root.addHandler(handler)
    root.setLevel(min(root.level, level))
    logging.getLogger("watchdog").setLevel(logging.WARNING)
