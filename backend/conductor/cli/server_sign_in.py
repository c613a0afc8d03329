"""`conductor servers sign-in` and `sign-out`: signs the user in to an MCP server, or out of it."""

import argparse
import contextlib

from conductor.cli.client import SocketClient
from conductor.cli.server_text import format_status
from conductor.cli.text import sanitize_line
from conductor.errors import ConductorError

SIGN_IN_START_TIMEOUT_S = 120.0
SIGN_IN_EXTRA_TIMEOUT_S = 60.0
"""The time that this client waits longer than the app, so that the app reports a timeout with its reason."""
SIGN_IN_INSTRUCTIONS = "To sign in to {0} at {1}, open this address in a browser on this computer:"
SIGN_IN_WAITING_NOTE = "Waiting up to {0:g} minutes for you to sign in; Ctrl+C to cancel."


def sign_in(args: argparse.Namespace) -> int:
    """Print the address for signing in to an MCP server, and wait until the user has signed in.

    Return the exit code.
    """
    client, name = SocketClient(), str(args.name)
    client.set_timeout(SIGN_IN_START_TIMEOUT_S)
    sign_in = client.call_method("terminal.servers.sign_in", name=name)
    print(sanitize_line(SIGN_IN_INSTRUCTIONS.format(name, sign_in["host"])))
    print(f"\n    {sanitize_line(sign_in['address'])}\n")
    print(sanitize_line(SIGN_IN_WAITING_NOTE.format(sign_in["within_s"] / 60)), flush=True)
    client.set_timeout(sign_in["within_s"] + SIGN_IN_EXTRA_TIMEOUT_S)
    try:
        server = client.call_method("terminal.servers.signed_in", name=name)
    except KeyboardInterrupt:
        with contextlib.suppress(ConductorError):
            SocketClient().call_method("terminal.servers.cancel_sign_in", name=name)
        raise
    print("\n".join(format_status(server)))
    return 0 if server["sign_in"] == "done" else 1


def sign_out(args: argparse.Namespace) -> int:
    """Sign out of an MCP server and delete its tokens. Return the exit code."""
    client, name = SocketClient(), str(args.name)
    client.set_timeout(SIGN_IN_START_TIMEOUT_S)
    server = client.call_method("terminal.servers.sign_out", name=name)
    print(sanitize_line(f"Signed out of {name}; its tokens are deleted."))
    print("\n".join(format_status(server)))
    return 0
