"""Sends the requests of a second `conductor` process to the Conductor that already runs."""

import os
import threading
from typing import Any

from conductor.app.second_start import DESKTOP_SESSION_VARIABLES
from conductor.base.clock import now
from conductor.base.json_types import JsonObject
from conductor.cli.client import SocketClient
from conductor.errors import AlreadyRunning, NotRunning
from conductor.mcp.server.methods import PAGE_METHOD, WINDOW_METHOD

CONNECT_TIMEOUT_S = 30.0
"""The time for connecting.

It is long, because the running Conductor may still be starting, with its socket not open yet.
"""
CONNECT_RETRY_INTERVAL_S = 0.2
RESPONSE_TIMEOUT_S = 30.0


def show_window() -> None:
    """Ask the running Conductor to show its window.

    Raises:
        ConductorError: The window cannot be shown. The message says why.
    """
    session = {name: os.environ[name] for name in DESKTOP_SESSION_VARIABLES if name in os.environ}
    _send_request("show its window", WINDOW_METHOD, session=session)


def request_page_address() -> tuple[str, int]:
    """Ask the running Conductor for the address of a new page. Return the address and the number of the page.

    Raises:
        ConductorError: No address can be provided. The message says why.
    """
    answer = _send_request("provide an address of its page", PAGE_METHOD)
    return answer["address"], answer["number"]


def _send_request(purpose: str, method: str, **params: Any) -> JsonObject:
    deadline = now() + CONNECT_TIMEOUT_S
    while True:
        try:
            client = SocketClient(timeout_s=RESPONSE_TIMEOUT_S)
            break
        except NotRunning:
            if now() > deadline:
                raise AlreadyRunning(
                    f"Conductor is already running but did not {purpose}; see `conductor status`"
                ) from None
            threading.Event().wait(CONNECT_RETRY_INTERVAL_S)
    return client.call_method(method, **params)
