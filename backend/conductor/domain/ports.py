"""Protocols for the outputs that actions use. `system` and `devices` implement them; tests record calls.

Every method raises `ActionFailed` with a reason that the user can act on.
"""

from collections.abc import Callable, Sequence
from typing import Protocol

from conductor.domain.events import InputEvent


class Keyboard(Protocol):
    """Keyboard output, with the key names of `domain.keys`; chords are released in reverse order."""

    def press(self, keys: Sequence[str]) -> None: ...
    def release(self, keys: Sequence[str]) -> None: ...
    def text(self, text: str) -> None: ...


class Mouse(Protocol):
    def click(self, button: str, count: int) -> None: ...
    def move_to(self, x: int, y: int) -> None: ...
    def move_by(self, dx: int, dy: int) -> None: ...
    def scroll(self, dx: int, dy: int) -> None:
        """Scroll by notches: positive `dy` is up, positive `dx` is right."""
        ...


class Programs(Protocol):
    def launch(self, app: str, args: Sequence[str]) -> None:
        """Open an app or file, without waiting until it is ready."""
        ...

    def run(self, argv: Sequence[str], timeout_s: float, cancelled: Callable[[], bool]) -> str:
        """Run a program to its end without a shell; return its output (first 4,000 characters)."""
        ...


class Volume(Protocol):
    def change(self, operation: str, percent: int) -> None:
        """Apply Up, Down, Set (by or to `percent`), Mute, Unmute or Toggle to the default output."""
        ...


class MidiOut(Protocol):
    def send(self, port: str, message: bytes) -> None:
        """Send a MIDI message to an output; `port` is a device alias or a part of the port's name."""
        ...


class OscOut(Protocol):
    def send(self, host: str, port: int, address: str, args: Sequence[object]) -> None: ...


PluginAnswer = Callable[[str | None], None]
"""A callback for the outcome: None, or the reason of a failure."""
Withdraw = Callable[[], None]


class Plugins(Protocol):
    def call(
        self,
        server: str,
        tool: str,
        args: dict[str, object],
        timeout_s: float,
        by: str,
        answer: PluginAnswer,
    ) -> Withdraw:
        """Start a call of an MCP server's tool for the mapping named `by`, without waiting.

        `answer` is called once with the outcome, from any thread; the returned function withdraws the call.
        """
        ...


class Ports(Protocol):
    """All outputs, as passed to an action."""

    @property
    def keyboard(self) -> Keyboard: ...
    @property
    def mouse(self) -> Mouse: ...
    @property
    def programs(self) -> Programs: ...
    @property
    def volume(self) -> Volume: ...
    @property
    def midi(self) -> MidiOut: ...
    @property
    def osc(self) -> OscOut: ...
    @property
    def plugins(self) -> Plugins: ...


class EventSource(Protocol):
    """A source of events that the engine thread can wait on with `select`."""

    def fileno(self) -> int: ...
    def read(self) -> list[InputEvent]:
        """Return the events that have arrived, oldest first, without blocking.

        Raises:
            EOFError: the source is gone for good and should be closed.
        """
        ...
