"""Checks the Accessibility permission, without which macOS drops keys and clicks, and asks the user for it.

macOS grants it to a signed app, not to a file: every update of an app that is signed ad hoc needs it again,
even though the switch still seems to be on (docs/platforms.md).
"""

from importlib import import_module
from typing import Any

from conductor.errors import ActionFailed

GRANT_ADVICE = (
    "turn Conductor on in System Settings > Privacy & Security > Accessibility; if it is on, remove it"
    " there and add it again"
)


def is_trusted() -> bool:
    """Return whether macOS lets this program press keys.

    Raises:
        ActionFailed: The check is not possible.
    """
    return bool(_load_accessibility().AXIsProcessTrusted())


def require_trust() -> None:
    """Check that macOS lets this program press keys. Otherwise it would drop them without an error.

    Raises:
        ActionFailed: It does not.
    """
    if not is_trusted():
        raise ActionFailed(f"macOS does not let Conductor press keys: {GRANT_ADVICE}")


def ask_for_trust() -> None:
    """Make macOS ask the user for the permission, in a dialog that opens the settings. Does nothing if the
    permission is already granted.

    Raises:
        ActionFailed: macOS cannot ask.
    """
    accessibility = _load_accessibility()
    accessibility.AXIsProcessTrustedWithOptions({accessibility.kAXTrustedCheckOptionPrompt: True})


def _load_accessibility() -> Any:
    try:
        return import_module("ApplicationServices")
    except ImportError as error:
        raise ActionFailed(f"PyObjC is missing ({error}): install Conductor again") from error
