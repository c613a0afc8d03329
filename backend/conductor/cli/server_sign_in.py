"""`conductor servers sign-in` and `sign-out`: where it leads is printed, and the user opens it."""

import argparse
import contextlib

from conductor.cli.client import Client
from conductor.cli.server_words import list_lines
from conductor.cli.words import plain_line
from conductor.errors import ConductorError

BEGINS_WITHIN_S = 120.0
MORE_S = 60.0
ASKED = "{0} asks you to sign in at {1}. Open this address in a browser on this computer:"
WAITING = "Waiting for you to sign in, for up to {0:g} minutes; Ctrl+C ends it."


def sign_in(args: argparse.Namespace) -> int:
    """Print the address to open, and wait until the user has signed in."""
    client, name = Client(), str(args.name)
    client.set_timeout(BEGINS_WITHIN_S)
    asked = client.call("terminal.servers.sign_in", name=name)
    print(plain_line(ASKED.format(name, asked["host"])))
    print(f"\n    {plain_line(asked['address'])}\n")
    print(plain_line(WAITING.format(asked["within_s"] / 60)), flush=True)
    client.set_timeout(asked["within_s"] + MORE_S)
    try:
        server = client.call("terminal.servers.signed_in", name=name)
    except KeyboardInterrupt:
        with contextlib.suppress(ConductorError):
            Client().call("terminal.servers.cancel_sign_in", name=name)
        raise
    print("\n".join(list_lines(server)))
    return 0 if server["sign_in"] == "done" else 1


def sign_out(args: argparse.Namespace) -> int:
    """Delete what the server gave at the sign-in."""
    client, name = Client(), str(args.name)
    client.set_timeout(BEGINS_WITHIN_S)
    server = client.call("terminal.servers.sign_out", name=name)
    print(plain_line(f"You are signed out of {name}; what it gave is deleted here."))
    print("\n".join(list_lines(server)))
    return 0
