"""Examples: gestures with what should come of them, and what is pinned when one is kept.

A kept example must mean the same for as long as it is kept. So everything it was played with is written
into it: devices and channels, mode, app, times, and what was done down to the calls.
"""

from typing import Any

from pydantic import Field, field_validator

from conductor.domain.conditions import Scalar
from conductor.domain.devices import Matcher
from conductor.domain.value import Value

TOLERANCE_MS = 20.0
"""How far off a written `at_ms` may be."""
PINNED_TOLERANCE_MS = 10.0
"""How far off a measured time may be. A simulation has no jitter. A script's tap lasts 20 ms, and a tap that
begins to wait for its release, because of a long press beside it, fires that much later: it must be seen."""


class ExpectedAction(Value):
    """What an example expects to fire. Fields that are left out are not compared."""

    type: str = Field(min_length=1)
    at_ms: float | None = None
    """When, give or take the tolerance. Left out: measured when the example is kept."""
    tolerance_ms: float | None = Field(default=None, ge=0)
    """How far off the time may be. Left out: 20 ms."""
    any_time: bool = False
    """It may fire at any time, also once the example is kept."""
    fields: dict[str, Any] = Field(default_factory=dict[str, Any])
    """Fields of the action, such as `keys`, that must be equal: as configured, or as the numbers that
    the control gives for this gesture."""


class Clock(Value):
    """A time of the week."""

    weekday: int = Field(ge=1, le=7)
    """1 is Monday, 7 is Sunday."""
    minute: int = Field(ge=0, le=1439)
    """The minute of the day."""


class AppInFront(Value):
    """The app in front while an example is played. A bare text is its executable."""

    executable: str = ""
    bundle_id: str = ""
    title: str = ""

    def names(self) -> tuple[str, str, str]:
        """Return it as the engine knows apps."""
        return (self.executable, self.bundle_id, self.title)

    def words(self) -> str:
        """Return what a person calls it."""
        return self.executable or self.bundle_id or self.title or "no app"


class TimeSpan(Value):
    """Minutes of some days of the week, at any of which a kept example must hold."""

    days: tuple[int, ...]
    first: int
    last: int


class PlayedControl(Value):
    """The device and channel of one control, where an example plays several."""

    control: str
    """Its class and number, such as `note 36`."""
    device: str
    channel: int = 0


class KeptDevice(Value):
    """What a device's name in a kept example stood for: an alias may be renamed or given to another port."""

    name: str
    matchers: tuple[Matcher, ...] = ()
    port: str | None = None
    """The name of the port, where it was plugged in when the example was kept."""


class DoneEffect(Value):
    """One thing that was done when the example was kept, down to the calls."""

    kind: str
    at_ms: float | None = None
    calls: tuple[Any, ...] = ()


class Example(Value):
    """A gesture, and what should come of it."""

    name: str = Field(min_length=1, max_length=200)
    gesture: str = Field(min_length=1, max_length=10_000)
    """An event script, such as `down 36; wait 600; up 36`."""
    expect: tuple[ExpectedAction, ...] = ()
    """In order; none means that nothing may fire."""
    effects: tuple[ExpectedAction, ...] | None = None
    """Each single thing that must be done, in order, such as the parts of a Sequence or the branch that a
    Conditional takes. Left out: not compared."""
    mode: str | None = None
    """The mode to play it in. Left out: the one that is active at the start."""
    device: str | None = None
    """The device of the events that name none. Left out: the one that the mapping asks for."""
    channel: int | None = Field(default=None, ge=1, le=16)
    """The channel of the events that name none. Left out: the one that the mapping asks for."""
    variables: dict[str, Scalar] = Field(default_factory=dict[str, Scalar])
    """Variables that are set before it is played."""
    app: AppInFront | None = None
    """The app in front. Left out: any, unless it acts otherwise there when it is kept."""
    clock: Clock | None = None
    """The local time. Left out: any at which it holds when it is kept."""
    pinned: bool = False
    """It is kept: what follows was written then, and nothing is assumed any more."""
    from_start: bool = False
    """Its mode is the one that is active at the start."""
    controls: tuple[PlayedControl, ...] = ()
    """Controls that are not on `device` and `channel`."""
    devices: tuple[KeptDevice, ...] = ()
    not_in_apps: tuple[AppInFront, ...] = ()
    """Apps in which it did not hold when it was kept."""
    times: tuple[TimeSpan, ...] = ()
    """When it held."""
    done: tuple[DoneEffect, ...] | None = None
    """What was done."""
    done_tolerance_ms: float = PINNED_TOLERANCE_MS
    ends_in: str | None = None
    """The mode that was active afterwards, where it was another one."""

    @field_validator("app", mode="before")
    @classmethod
    def _executable(cls, raw: Any) -> Any:
        return {"executable": raw} if isinstance(raw, str) else raw


class ExampleResult(Value):
    """An example that was played in the simulator."""

    example: Example
    passed: bool
    fired: tuple[str, ...] = ()
    """What fired, in words."""
    problem: str | None = None
