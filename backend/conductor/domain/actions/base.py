"""The base of all actions: immutable config data that performs itself through the output ports.

The engine distinguishes three families (`engine/play.py`):

- plain actions do one thing through `Ports`; `blocking` actions do it on a worker thread;
- `Sequence`, `Delay`, `Repeat` and `Conditional` are scheduled by the engine itself;
- `ModeChange` and `SetVariable` change the engine's own state.
"""

from typing import Annotated, Any, ClassVar, NamedTuple

from pydantic import Field

from conductor.base.json_types import JsonObject
from conductor.domain.curves import FromControl
from conductor.domain.ports import Ports
from conductor.domain.value import Value


class Fire(NamedTuple):
    """A firing of a mapping, with the value and the MIDI message of the control that caused it."""

    value: float
    """The value of the control, scaled to the range from 0.0 to 1.0."""
    steps: int = 0
    """The number of steps of an encoder turn, negative for a turn to the left; 0 for all other controls."""
    message: bytes = b""
    """The MIDI message that fired the mapping, which may be forwarded; empty for other inputs."""
    release_message: bytes = b""
    """The MIDI message that will end `message`, such as a note-off; empty if there is none."""
    cancelled: Any = None
    """An object like `threading.Event` that is set when a running action must stop."""


class ActionBase(Value):
    blocking: ClassVar[bool] = False
    """True if the action may have to wait for something; it then runs on a worker thread with a time limit."""

    def run(self, fire: Fire, ports: Ports) -> None:
        """Perform the action through the output ports of the computer.

        Raises:
            ActionFailed: the action failed; the message says why.
        """
        raise NotImplementedError

    def runs_command(self) -> bool:
        """Return whether the action can run any command of the system; such actions are disabled by default."""
        return False

    def resolve_to_plain(self, fire: Fire) -> JsonObject:
        """Return the action as JSON data, in which values that come from the control are numbers."""
        given = {
            name: self.resolve_field(name, fire)
            for name in type(self).model_fields
            if isinstance(getattr(self, name), FromControl)
        }
        return {**self.to_plain(), **given}

    def resolve_field(self, name: str, fire: Fire) -> int | float:
        """Return the value of a field as a number: the fixed value in the config, or the
        one that the control gives.
        """
        return resolve_integer(getattr(self, name), fire)


SevenBit = Annotated[int, Field(ge=0, le=127)]
SevenBitOrControl = SevenBit | FromControl


def clamp_magnitude(value: int, limit: int) -> int:
    """Return a number, limited to the range from `-limit` to `limit`."""
    return min(limit, max(-limit, value))


def resolve_integer(
    value: int | float | FromControl, fire: Fire, low: int = 0, high: int = 127
) -> int:
    """Return a fixed value, or one that comes from the control, as a whole number from `low` to `high`.

    A value from the control is scaled to the range from `low` to `high`, unless the
    config defines another range.
    """
    if not isinstance(value, FromControl):
        return int(value)
    return int(value.compute_number(fire.value, fire.steps, low, high, decimals=0))
