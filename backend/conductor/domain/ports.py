"""What actions may ask of the computer. `system` and `devices` implement these; tests record them.

Every method raises `ActionFailed` with a reason a person can act on.
"""

from collections.abc import Callable, Sequence
from typing import Protocol

from conductor.domain.events import InputEvent


class Keyboard(Protocol):
    """Keys by the names in `domain.keys`; chords are pressed in order and let go in reverse."""

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
        """Open an app or file and return once it is on its way."""
        ...

    def run(self, argv: Sequence[str], timeout_s: float, cancelled: Callable[[], bool]) -> str:
        """Run a program to its end without a shell and give what it printed (first 4,000 characters)."""
        ...


class Volume(Protocol):
    def change(self, operation: str, percent: int) -> None:
        """Do Up, Down, Set (by or to `percent`), Mute, Unmute or Toggle on the default output."""
        ...


class MidiOut(Protocol):
    def send(self, port: str, message: bytes) -> None:
        """Send to the output whose device alias or port name (part) is `port`."""
        ...


class OscOut(Protocol):
    def send(self, host: str, port: int, address: str, args: Sequence[object]) -> None: ...


PluginAnswer = Callable[[str | None], None]
"""Takes None, or the reason of a failure."""
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
        """Have a tool of an MCP server called for a mapping, which `by` names, without waiting.

        `answer` is told once how it ended, from any thread; what is given back withdraws the call.
        """
        ...


class Ports(Protocol):
    """All of them, as one thing to hand to an action."""

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
    """Something the engine thread can wait on beside its own timer."""

    def fileno(self) -> int: ...
    def read(self) -> list[InputEvent]:
        """Return what has arrived, oldest first, without blocking.

        Raises:
            EOFError: the source is gone for good and should be closed.
        """
        ...
