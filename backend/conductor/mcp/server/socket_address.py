"""Where the socket is, written down for the command line and the bridge of agents."""

import logging
from pathlib import Path

from conductor.base.paths import SOCKET_FILE

log = logging.getLogger(__name__)


def publish_socket(home: Path, socket: Path) -> None:
    """Write the socket's place into the home folder; without it, the usual place is tried."""
    place = home / SOCKET_FILE
    try:
        place.parent.mkdir(mode=0o700, exist_ok=True)
        place.write_text(str(socket), encoding="utf-8")
    except OSError as error:  # an empty one would lead astray
        place.unlink(missing_ok=True)
        log.warning("%s cannot be written: %s; make room on its disk", place, error.strerror)
