"""Defines protocols for the outputs that actions use: keyboard, mouse, programs, volume, MIDI, OSC, MCP tools.

The packages `system` and `devices` implement these protocols; tests use outputs that record the calls.

Each method raises `ActionFailed` with a reason that tells the user what to do.
"""

from collections.abc import Callable, Sequence
from typing import Protocol

from conductor.domain.events import InputEvent
from conductor.domain.lights import Light


class Keyboard(Protocol):
    """Presses keys, by their names in `domain.keys`, and types text.

    Keys that were pressed together are released in reverse order.
    """

    def press_keys(self, keys: Sequence[str]) -> None: ...
    def release_keys(self, keys: Sequence[str]) -> None: ...
    def type_text(self, text: str) -> None: ...


class Mouse(Protocol):
    def click(self, button: str, count: int) -> None: ...
    def move_to(self, x: int, y: int) -> None: ...
    def move_by(self, dx: int, dy: int) -> None: ...
    def scroll(self, dx: int, dy: int) -> None:
        """Scroll by a number of wheel notches; positive `dy` scrolls up, positive `dx` scrolls right."""
        ...


class Programs(Protocol):
    def launch(self, app: str, args: Sequence[str]) -> None:
        """Open an app or a file, without waiting until it has started."""
        ...

    def run(self, argv: Sequence[str], timeout_s: float, cancelled: Callable[[], bool]) -> str:
        """Run a program, without a shell, until it ends; return the first 4,000 characters of its output."""
        ...


class Volume(Protocol):
    def change_volume(self, operation: str, percent: int) -> None:
        """Change the volume of the default output.

        `operation` is Up or Down (by `percent`), Set (to `percent`), Mute, Unmute or Toggle.
        """
        ...


class MidiOut(Protocol):
    def send(self, port: str, message: bytes) -> None:
        """Send a MIDI message to an output, which is named by its device alias or a part of its name."""
        ...


class LightsOut(Protocol):
    def show_light(self, device: str, light: Light) -> None:
        """Show a light on a device, which is named by its alias or a part of its output's name."""
        ...


class OscOut(Protocol):
    def send(self, host: str, port: int, address: str, args: Sequence[object]) -> None: ...


PluginAnswer = Callable[[str | None], None]
"""A function that is called with the outcome of a tool call: None on success, or the reason for its failure."""
WithdrawCall = Callable[[], None]


class Plugins(Protocol):
    def call_tool(
        self,
        server: str,
        tool: str,
        args: dict[str, object],
        timeout_s: float,
        by: str,
        answer: PluginAnswer,
    ) -> WithdrawCall:
        """Call a tool of an MCP server for the mapping `by`, without waiting for the answer.

        `answer` is called once with the outcome, from any thread. The returned function cancels the call.
        """
        ...


class Voice(Protocol):
    """Listens to the microphone of this computer."""

    def start_listening(self, by: str) -> None:
        """Open the microphone for the mapping `by`; each call must be followed by `stop_listening`."""
        ...

    def stop_listening(self) -> None:
        """Close the microphone and recognise what was said."""
        ...


class Ports(Protocol):
    """All outputs that an action can use on this computer."""

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
    def lights(self) -> LightsOut: ...
    @property
    def osc(self) -> OscOut: ...
    @property
    def plugins(self) -> Plugins: ...
    @property
    def voice(self) -> Voice: ...


class EventSource(Protocol):
    """A source of input events, on which the engine thread waits with `select`."""

    def fileno(self) -> int: ...
    def read_events(self) -> list[InputEvent]:
        """Return the events that have arrived, oldest first, without waiting for more.

        Raises:
            EOFError: the source is gone for good and should be closed.
        """
        ...
