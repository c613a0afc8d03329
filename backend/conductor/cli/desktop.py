"""`conductor desktop`: asks for the permission to press keys, and installs the extension of GNOME Shell."""

import argparse
import sys

from conductor.cli.client import SocketClient
from conductor.system.desktop_extension import install_extension, remove_extension

ASKED_MESSAGE = (
    "The desktop is asking whether Conductor may press keys. Allow it in the dialog; `conductor status` then"
    " shows how keys are sent."
)
ASKED_ON_MAC_MESSAGE = (
    "macOS is asking. Turn Conductor on in System Settings > Privacy & Security > Accessibility, then restart"
    " Conductor."
)


def run(args: argparse.Namespace) -> int:
    """Ask for permission, or install or remove the extension."""
    match args.verb:
        case "ask":
            SocketClient().call_method("terminal.desktop.ask")
            print(ASKED_ON_MAC_MESSAGE if sys.platform == "darwin" else ASKED_MESSAGE)
        case "install-extension":
            print(install_extension())
        case _:
            remove_extension()
            print("The extension is removed.")
    return 0
