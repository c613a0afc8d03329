"""Sets up logging to standard error and to files in the `logs` folder of the home folder."""

import logging
import os
import sys
from logging.handlers import RotatingFileHandler
from pathlib import Path

from conductor.base.redact import redact_secrets

LOG_FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"


class RedactingFormatter(logging.Formatter):
    """A formatter that removes secrets from entries and their tracebacks."""

    def format(self, record: logging.LogRecord) -> str:
        return redact_secrets(super().format(record))


def log_to_stderr() -> None:
    """Log to standard error, at the level in `CONDUCTOR_LOG` or else at WARNING."""
    handler = logging.StreamHandler()
    handler.setFormatter(RedactingFormatter("%(levelname)s %(name)s: %(message)s"))
    wanted = os.environ.get("CONDUCTOR_LOG", "WARNING").upper()
    level = wanted if wanted in logging.getLevelNamesMapping() else "WARNING"
    handler.setLevel(level)  # the log file may have a lower level
    logging.basicConfig(level=level, handlers=[handler])


class _QuietLogFile(RotatingFileHandler):
    """A log file that drops entries while its folder is missing or full.

    The default prints a traceback for each, which would bury everything else on standard error.
    """

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802
        if not isinstance(sys.exc_info()[1], OSError):
            super().handleError(record)


def log_to_file(folder: Path, name: str = "conductor.log", level: int = logging.INFO) -> None:
    """Also log to a file, rotated at 1 MB with three backups; each process has its own file.

    If the folder cannot be created, log a warning and continue without a file.
    """
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        logging.getLogger(__name__).warning("cannot write a log file: %s", error)
        return
    handler = _QuietLogFile(
        folder / name, maxBytes=1_000_000, backupCount=3, encoding="utf-8", delay=True
    )
    handler.setLevel(level)
    handler.setFormatter(RedactingFormatter(LOG_FORMAT))
    root = logging.getLogger()
    root.addHandler(handler)
    root.setLevel(min(root.level, level))
    logging.getLogger("watchdog").setLevel(logging.WARNING)
