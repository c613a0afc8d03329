"""Examples: gestures with their expected actions, and the state that is pinned when an example is saved.

A saved example must keep its meaning. So everything that it was played with is stored in it: devices and
channels, mode, app, times, and the effects down to the system calls.
"""

from typing import Any

from pydantic import Field, field_validator

from conductor.base.json_types import JsonObject
from conductor.domain.conditions import Scalar
from conductor.domain.devices import Matcher
from conductor.domain.value import Value

TOLERANCE_MS = 20.0
"""The tolerance of a written `at_ms`."""
PINNED_TOLERANCE_MS = 10.0
"""The tolerance of a measured time. It is small, because a simulation has no jitter, and because a tap of 20 ms
that starts to wait for its release, due to a new long press, must be detected.
"""


class ExpectedAction(Value):
    """An action that an example expects. Omitted fields are not compared."""

    type: str = Field(min_length=1)
    at_ms: float | None = None
    """When it fires, within the tolerance. Left out: measured when the example is saved."""
    tolerance_ms: float | None = Field(default=None, ge=0)
    """The tolerance of the time. Left out: 20 ms."""
    any_time: bool = False
    """It may fire at any time, even after the example is saved."""
    fields: JsonObject = Field(default_factory=JsonObject)
    """Fields of the action, such as `keys`, that must be equal: as configured, or as the numbers that
    the control gives for this gesture."""


class Clock(Value):
    """A weekday and minute of the day."""

    weekday: int = Field(ge=1, le=7)
    """1 is Monday, 7 is Sunday."""
    minute: int = Field(ge=0, le=1439)
    """The minute of the day."""


class AppInFront(Value):
    """The app in front while an example is played. A bare text is its executable."""

    executable: str = ""
    bundle_id: str = ""
    title: str = ""

    def to_names(self) -> tuple[str, str, str]:
        """Return executable, bundle id and window title, as the engine uses them."""
        return (self.executable, self.bundle_id, self.title)

    def describe(self) -> str:
        """Return the display name."""
        return self.executable or self.bundle_id or self.title or "no app"


class TimeSpan(Value):
    """A span of minutes on some weekdays, during all of which a saved example must pass."""

    days: tuple[int, ...]
    first: int
    last: int


class PlayedControl(Value):
    """The device and channel of one control of an example that plays several."""

    control: str
    """Its class and number, such as `note 36`."""
    device: str
    channel: int = 0


class KeptDevice(Value):
    """The device behind a name in a saved example: an alias may be renamed or assigned to another port."""

    name: str
    matchers: tuple[Matcher, ...] = ()
    port: str | None = None
    """The port name, if the device was plugged in when the example was saved."""


class DoneEffect(Value):
    """An effect observed when the example was saved, with its system calls."""

    kind: str
    at_ms: float | None = None
    calls: tuple[Any, ...] = ()


class Example(Value):
    """A gesture and its expected actions."""

    name: str = Field(min_length=1, max_length=200)
    gesture: str = Field(min_length=1, max_length=10_000)
    """An event script, such as `down 36; wait 600; up 36`."""
    expect: tuple[ExpectedAction, ...] = ()
    """The expected actions, in order; empty: nothing may fire."""
    effects: tuple[ExpectedAction, ...] | None = None
    """The expected single effects, in order, such as the parts of a Sequence or the chosen branch of a
    Conditional. Left out: not compared.
    """
    mode: str | None = None
    """The mode to play it in. Left out: the one that is active at the start."""
    device: str | None = None
    """The device of events that name none. Left out: the device of the mapping."""
    channel: int | None = Field(default=None, ge=1, le=16)
    """The channel of events that name none. Left out: the channel of the mapping."""
    variables: dict[str, Scalar] = Field(default_factory=dict[str, Scalar])
    """Variables to set before it is played."""
    app: AppInFront | None = None
    """The app in front. Left out: any for which it passes when it is saved."""
    clock: Clock | None = None
    """The local time. Left out: any at which it passes when it is saved."""
    pinned: bool = False
    """True for a saved example: the fields below were recorded then, and nothing is assumed."""
    from_start: bool = False
    """Its mode is the start mode."""
    controls: tuple[PlayedControl, ...] = ()
    """Controls that are not on `device` and `channel`."""
    devices: tuple[KeptDevice, ...] = ()
    not_in_apps: tuple[AppInFront, ...] = ()
    """Apps in which it did not pass when it was saved."""
    times: tuple[TimeSpan, ...] = ()
    """The times at which it passed."""
    done: tuple[DoneEffect, ...] | None = None
    """The observed effects."""
    done_tolerance_ms: float = PINNED_TOLERANCE_MS
    ends_in: str | None = None
    """The mode that was active afterwards, if it changed."""

    @field_validator("app", mode="before")
    @classmethod
    def _accept_executable(cls, raw: Any) -> Any:
        return {"executable": raw} if isinstance(raw, str) else raw


class ExampleResult(Value):
    """The result of an example played in the simulator."""

    example: Example
    passed: bool
    fired: tuple[str, ...] = ()
    """The actions that fired, in words."""
    problem: str | None = None
