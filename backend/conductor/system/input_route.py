"""Defines what an input route on Linux offers, which is a way to send keys and mouse
movements to other programs.
"""

from typing import Protocol, TypeGuard

from conductor.domain.engine_replies import InputConsent
from conductor.domain.ports import Keyboard, Mouse

HOW_TO_ASK = "choose Ask now in Settings > Input and output or run `conductor desktop ask`"
"""How the user can be asked for consent at any time, as the end of a sentence."""


class InputRoute(Protocol):
    """A way to send keys and mouse movements to other programs, such as the X server or a desktop portal."""

    @property
    def name(self) -> str: ...
    @property
    def reach_description(self) -> str:
        """A description for the user: which programs the route reaches, and which text it can type."""
        ...

    @property
    def reaches_all(self) -> bool:
        """Whether keys sent by this route reach every program, and not only those of one kind."""
        ...

    @property
    def keys_outlive_process(self) -> bool:
        """Whether keys may stay down after the death of the process that pressed them."""
        ...

    @property
    def keyboard(self) -> Keyboard: ...
    @property
    def mouse(self) -> Mouse: ...
    @property
    def is_lost(self) -> bool:
        """Whether the connection is closed, so that the routes must be probed again."""
        ...

    @property
    def needs_consent(self) -> bool:
        """Whether the next key would ask the user for consent."""
        ...

    def get_unavailable_reason(self) -> str | None:
        """Return why the session does not offer the route, or None if it does. Never asks for consent."""
        ...

    def connect(self) -> None:
        """Connect to the session, so that the first key is not delayed.

        Raises:
            ActionFailed: The connection failed.
        """
        ...

    def close(self) -> None:
        """Release held keys and disconnect. The next use connects again."""
        ...


class ConsentRoute(InputRoute, Protocol):
    """An input route that needs the user's consent."""

    @property
    def consent(self) -> InputConsent: ...

    def ask_for_consent(self) -> None:
        """Ask the user for consent now, even after a refusal.

        Does nothing if the user has consented or is being asked.
        """
        ...

    def wait_for_consent(self, timeout_s: float) -> None:
        """Wait until the user has answered the request for consent, but at most `timeout_s` seconds."""
        ...


def is_consent_route(route: InputRoute) -> TypeGuard[ConsentRoute]:
    return hasattr(route, "ask_for_consent")
