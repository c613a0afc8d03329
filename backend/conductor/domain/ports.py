"""Protocols for the outputs that actions use: keyboard, mouse, programs, volume, MIDI, OSC and MCP tools. The
packages `system` and `devices` implement these protocols; tests use ports that record the calls.

Every method raises `ActionFailed` with a reason that tells the user what to do.
"""

from collections.abc import Callable, Sequence
from typing import Protocol

from conductor.domain.events import InputEvent
from conductor.domain.lights import Light


class Keyboard(Protocol):
    """Presses keys and types text.

    Keys have the names in `domain.keys`. The keys of a chord are released in reverse order.
    """

    def press_keys(self, keys: Sequence[str]) -> None: ...
    def release_keys(self, keys: Sequence[str]) -> None: ...
    def type_text(self, text: str) -> None: ...


class Mouse(Protocol):
    def click(self, button: str, count: int) -> None: ...
    def move_to(self, x: int, y: int) -> None: ...
    def move_by(self, dx: int, dy: int) -> None: ...
    def scroll(self, dx: int, dy: int) -> None:
        """Scroll by a number of notches. Positive `dy` is up, positive `dx` is right."""
        ...


class Programs(Protocol):
    def launch(self, app: str, args: Sequence[str]) -> None:
        """Open an app or file without waiting until it is ready."""
        ...

    def run(self, argv: Sequence[str], timeout_s: float, cancelled: Callable[[], bool]) -> str:
        """Run a program without a shell until it ends. Return the first 4,000 characters of its output."""
        ...


class Volume(Protocol):
    def change_volume(self, operation: str, percent: int) -> None:
        """Change the volume of the default output.

        `operation` is Up or Down (by `percent`), Set (to `percent`), Mute, Unmute or Toggle.
        """
        ...


class MidiOut(Protocol):
    def send(self, port: str, message: bytes) -> None:
        """Send a MIDI message to an output. `port` is a device alias, or a part of the port's name."""
        ...


class LightsOut(Protocol):
    def show_light(self, device: str, light: Light) -> None:
        """Light a control. `device` is a device alias, or a part of the output's name."""
        ...


class OscOut(Protocol):
    def send(self, host: str, port: int, address: str, args: Sequence[object]) -> None: ...


PluginAnswer = Callable[[str | None], None]
"""A callback that receives the outcome of a call: None on success, or the reason of a failure."""
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
        """Start a call of an MCP server's tool for the mapping named `by`, without waiting for its answer.

        `answer` is called once with the outcome, from any thread. The returned function withdraws the
        call.
        """
        ...


class Ports(Protocol):
    """All outputs that an action can use."""

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


class EventSource(Protocol):
    """A source of input events that the engine thread can wait for with `select`."""

    def fileno(self) -> int: ...
    def read_events(self) -> list[InputEvent]:
        """Return the events that have arrived, oldest first. Does not block.

        Raises:
            EOFError: the source is gone for good and should be closed.
        """
        ...
