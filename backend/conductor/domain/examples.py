"""Defines examples: gestures with their expected actions, and the state that is saved with them.

A saved example must keep its meaning, so it contains everything that influenced its result: devices and
channels, mode, app, times, and the effects down to the system calls.
"""

from typing import Any

from pydantic import Field, field_validator

from conductor.base.json_types import JsonObject
from conductor.domain.conditions import Scalar
from conductor.domain.devices import Matcher
from conductor.domain.value import Value

DEFAULT_TIME_TOLERANCE_MS = 20.0
"""The tolerance in milliseconds of an `at_ms` that the author of an example wrote."""
PINNED_TIME_TOLERANCE_MS = 10.0
"""The tolerance in milliseconds of a measured time. A small tolerance is possible because a simulation has
no jitter, and needed to detect that a tap of 20 ms now waits for its release because of a new long press."""


class ExpectedAction(Value):
    """An action that an example expects to be performed. Omitted fields are not compared."""

    type: str = Field(min_length=1)
    at_ms: float | None = None
    """When the action fires, within the tolerance. Left out: measured when the example is saved."""
    tolerance_ms: float | None = Field(default=None, ge=0)
    """The tolerance of the time. Left out: 20 ms."""
    any_time: bool = False
    """Whether the action may fire at any time, even after the example is saved."""
    fields: JsonObject = Field(default_factory=JsonObject)
    """Fields of the action, such as `keys`, that must be equal: as configured, or as the numbers that
    the control gives for this gesture."""


class Clock(Value):
    """The weekday and the minute of the day at which an example is played."""

    weekday: int = Field(ge=1, le=7)
    """The day of the week; 1 is Monday, 7 is Sunday."""
    minute: int = Field(ge=0, le=1439)
    """The minute of the day, from 0 to 1439."""


class AppInFront(Value):
    """The app that is in the foreground while an example is played. A plain text is taken as the executable."""

    executable: str = ""
    bundle_id: str = ""
    title: str = ""

    def get_app_names(self) -> tuple[str, str, str]:
        """Return the executable, the bundle id and the window title, as the engine represents an app."""
        return (self.executable, self.bundle_id, self.title)

    def get_display_name(self) -> str:
        """Return the name of the app for display."""
        return self.executable or self.bundle_id or self.title or "no app"


class TimeSpan(Value):
    """A range of minutes on some weekdays. A saved example must pass at each of these times."""

    days: tuple[int, ...]
    first: int
    last: int


class PlayedControl(Value):
    """The device and channel of a control, for an example that plays several controls."""

    control: str
    """The class and number of the control, such as `note 36`."""
    device: str
    channel: int = 0


class PinnedDevice(Value):
    """The device that a name referred to when the example was saved. The name may refer to another device
    later.
    """

    name: str
    matchers: tuple[Matcher, ...] = ()
    port: str | None = None
    """The port name, if the device was plugged in when the example was saved."""


class ObservedEffect(Value):
    """An effect that occurred when the example was saved, with its system calls."""

    kind: str
    at_ms: float | None = None
    calls: tuple[Any, ...] = ()


class Example(Value):
    """A gesture and the actions that it must cause."""

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
    """The mode in which the gesture is played. Left out: the start mode."""
    device: str | None = None
    """The device of events that name none. Left out: the device of the mapping."""
    channel: int | None = Field(default=None, ge=1, le=16)
    """The channel of events that name none. Left out: the channel of the mapping."""
    variables: dict[str, Scalar] = Field(default_factory=dict[str, Scalar])
    """The variables that are set before the gesture is played."""
    app: AppInFront | None = None
    """The app in front. Left out: every app for which the example passes when it is saved."""
    clock: Clock | None = None
    """The local time. Left out: every time at which the example passes when it is saved."""
    pinned: bool = False
    """True for a saved example: the fields below were recorded then, and nothing is assumed."""
    from_start: bool = False
    """Whether the mode of the example was the start mode when it was saved."""
    controls: tuple[PlayedControl, ...] = ()
    """The controls of the gesture that are on another device or channel than `device` and `channel`."""
    devices: tuple[PinnedDevice, ...] = ()
    not_in_apps: tuple[AppInFront, ...] = ()
    """The apps in which the example did not pass when it was saved."""
    times: tuple[TimeSpan, ...] = ()
    """The times at which the example passed when it was saved."""
    done: tuple[ObservedEffect, ...] | None = None
    """The effects that the gesture had when the example was saved."""
    done_tolerance_ms: float = PINNED_TIME_TOLERANCE_MS
    ends_in: str | None = None
    """The mode that was active after the gesture, if it was another one than before."""

    @field_validator("app", mode="before")
    @classmethod
    def _accept_executable(cls, raw: Any) -> Any:
        return {"executable": raw} if isinstance(raw, str) else raw


class ExampleResult(Value):
    """The result of playing an example in the simulator: whether it passed, and what happened."""

    example: Example
    passed: bool
    fired: tuple[str, ...] = ()
    """The actions that fired, as text for the user."""
    problem: str | None = None
