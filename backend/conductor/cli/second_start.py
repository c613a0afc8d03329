"""A second start of `conductor`: what it asks of the one that runs already."""

import os
import threading
from typing import Any

from conductor.app.second_start import PAGE, SESSION, WINDOW
from conductor.base.clock import now
from conductor.cli.client import Client
from conductor.errors import AlreadyRunning, NotRunning

STARTS_WITHIN_S = 30.0
"""The lock is taken at once; the socket answers when the parts behind it are made."""
LOOK_EVERY_S = 0.2
SHOWN_WITHIN_S = 30.0


def show_window() -> None:
    """Ask the running Conductor to show its window.

    Raises:
        ConductorError: it cannot; says why.
    """
    session = {name: os.environ[name] for name in SESSION if name in os.environ}
    _ask("show its window", WINDOW, session=session)


def page_address() -> tuple[str, int]:
    """Return a new address of the running Conductor's page, and the number of the page.

    Raises:
        ConductorError: it gives none; says why.
    """
    answer = _ask("give an address of its page", PAGE)
    return answer["address"], answer["number"]


def _ask(what: str, method: str, **params: Any) -> dict[str, Any]:
    until = now() + STARTS_WITHIN_S
    while True:
        try:
            client = Client(timeout_s=SHOWN_WITHIN_S)
            break
        except NotRunning:
            if now() > until:
                raise AlreadyRunning(
                    f"Conductor is already running here and does not {what};"
                    " `conductor status` tells more"
                ) from None
            threading.Event().wait(LOOK_EVERY_S)
    return client.call(method, **params)
