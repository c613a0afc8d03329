"""Publishes the path of the socket for the command line and the stdio proxy."""

import logging
from pathlib import Path

from conductor.base.paths import SOCKET_PATH_FILE

log = logging.getLogger(__name__)


def publish_socket(home: Path, socket: Path) -> None:
    """Write the path of the socket to a file in the home folder.

    If the file does not exist, clients try the default path.
    """
    file = home / SOCKET_PATH_FILE
    try:
        file.parent.mkdir(mode=0o700, exist_ok=True)
        file.write_text(str(socket), encoding="utf-8")
    except OSError as error:
        # a full disk leaves an empty file, which would be read as a path
        file.unlink(missing_ok=True)
        log.warning("%s cannot be written: %s; make room on its disk", file, error.strerror)
