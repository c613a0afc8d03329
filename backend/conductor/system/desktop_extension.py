"""Installs and checks Conductor's desktop extension, which reveals the foreground app; only
GNOME on Wayland needs it.
"""

import sys

from conductor.errors import ActionFailed
from conductor.system.gnome.status import ExtensionStatus

_NO_EXTENSION_MESSAGE = "only GNOME on Wayland needs an extension"


def read_extension_status() -> ExtensionStatus | None:
    """Return the state of the extension, or None if this session needs none.

    The call blocks until the desktop answers.
    """
    if not _is_wayland_on_linux():
        return None
    from conductor.system.gnome.extension import read_session_status

    return read_session_status()


def install_extension() -> str:
    """Install and enable the extension, and return an instruction that tells the user what is left to do.

    Raises:
        ActionFailed: This session needs no extension, or it cannot be installed.
    """
    if read_extension_status() is None:
        raise ActionFailed(_NO_EXTENSION_MESSAGE)
    from conductor.system.gnome import extension

    return extension.install_extension()


def remove_extension() -> None:
    """Disable and delete the extension, also in a session that does not need it.

    Raises:
        ActionFailed: The extension cannot be removed.
    """
    if sys.platform != "linux":
        raise ActionFailed(_NO_EXTENSION_MESSAGE)
    from conductor.system.gnome import extension

    extension.remove_extension()


def _is_wayland_on_linux() -> bool:
    if sys.platform != "linux":
        return False
    from conductor.system.wayland.connection import is_wayland_session

    return is_wayland_session()
