"""What an action is: saved data, and `run` against the ports of the computer.

Three families, told apart by the engine (`engine/play.py`):

- plain actions do one thing through `Ports`; `blocking` ones do it on a worker;
- `Sequence`, `Delay`, `Repeat` and `Conditional` are played out in time by the engine itself;
- `ModeChange` and `SetVariable` change the engine's own state.
"""

from typing import Annotated, Any, ClassVar, NamedTuple

from pydantic import Field

from conductor.domain.curves import FromControl
from conductor.domain.ports import Ports
from conductor.domain.value import Value


class Fire(NamedTuple):
    """One firing of a mapping: what the control said, for actions that use it."""

    value: float
    """0.0 to 1.0."""
    steps: int = 0
    """How far an encoder turned, signed; 0 for other controls."""
    message: bytes = b""
    """The MIDI message that fired, for forwarding; empty when it was none."""
    release_message: bytes = b""
    """The message that ends it, such as a note-off; empty when there is none."""
    cancelled: Any = None
    """A `threading.Event`-like object that is set when a running action should stop."""


class ActionBase(Value):
    blocking: ClassVar[bool] = False
    """True when it may wait on something outside: it then runs on a worker with a time limit."""

    def run(self, fire: Fire, ports: Ports) -> None:
        """Do it.

        Raises:
            ActionFailed: it could not be done; the message says why.
        """
        raise NotImplementedError

    def runs_command(self) -> bool:
        """Check whether it may do whatever its author wrote into it: such actions are off by default."""
        return False

    def done(self, fire: Fire) -> dict[str, Any]:
        """Return what is done as JSON-ready data: values that the control gives are numbers."""
        given = {
            name: self.resolved(name, fire)
            for name in type(self).model_fields
            if isinstance(getattr(self, name), FromControl)
        }
        return {**self.to_plain(), **given}

    def resolved(self, name: str, fire: Fire) -> int | float:
        """Return the number that a field comes to for one firing."""
        return resolve(getattr(self, name), fire)


SevenBit = Annotated[int, Field(ge=0, le=127)]
SevenBitOrControl = SevenBit | FromControl


def within(value: int, limit: int) -> int:
    """Return a number that a control gave within the limit, on either side of 0, of one written down."""
    return min(limit, max(-limit, value))


def resolve(value: int | float | FromControl, fire: Fire, low: int = 0, high: int = 127) -> int:
    """Return a whole number: as written, or from the control, on `low` to `high` where it names no range."""
    if not isinstance(value, FromControl):
        return int(value)
    return int(value.number(fire.value, fire.steps, low, high, decimals=0))
