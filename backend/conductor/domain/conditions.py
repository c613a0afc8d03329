"""Defines the conditions that triggers and `Conditional` actions can have."""

from typing import Annotated, Any, Literal, Protocol

from pydantic import BeforeValidator, Field, field_validator
from typing_extensions import TypeAliasType

from conductor.domain.keys import canonicalize_button
from conductor.domain.value import Value

Scalar = bool | int | float | str


class Situation(Protocol):
    """The state that conditions test: mode, app, time, variables and held controls.

    Implemented by the engine's state.
    """

    @property
    def mode(self) -> str: ...
    @property
    def app(self) -> tuple[str, str, str]:
        """Return the executable, the bundle id and the window title of the foreground app;
        unknown values are empty.
        """
        ...

    def get_wall_clock(self) -> tuple[int, int]:
        """Return the local time as the ISO weekday (1 is Monday) and the minute of the day (0 to 1439)."""
        ...

    def get_variable(self, name: str) -> Scalar | None: ...
    def is_held(self, control_class: str, number: int | str, device: str | None) -> bool: ...


class Always(Value):
    """Always true."""

    type: Literal["Always"] = "Always"

    def is_met(self, now: Situation) -> bool:
        return True


class Never(Value):
    """Never true."""

    type: Literal["Never"] = "Never"

    def is_met(self, now: Situation) -> bool:
        return False


class ModeIs(Value):
    """The active mode has this name."""

    type: Literal["ModeIs"] = "ModeIs"
    mode: str = Field(min_length=1, json_schema_extra={"format": "mode"})
    """The name of the mode."""

    def is_met(self, now: Situation) -> bool:
        return now.mode == self.mode


class AppFrontmost(Value):
    """The app in front has this executable or bundle id, or this text in its title."""

    type: Literal["AppFrontmost"] = "AppFrontmost"
    app: str = Field(min_length=1)
    """For example `code`, `com.apple.logic10` or a part of the title; case does not matter."""

    def is_met(self, now: Situation) -> bool:
        wanted = self.app.casefold()
        executable, bundle_id, title = now.app
        return wanted in (executable.casefold(), bundle_id.casefold()) or (
            bool(title) and wanted in title.casefold()
        )


ClockTime = Annotated[str, Field(pattern=r"^([01]\d|2[0-3]):[0-5]\d$")]


class TimeRange(Value):
    """The local time is between `start` and `end`, both HH:MM; past midnight when start is later."""

    type: Literal["TimeRange"] = "TimeRange"
    start: ClockTime
    """The first minute of the range, such as `09:00`."""
    end: ClockTime
    """The last minute of the range, such as `17:30`."""

    def is_met(self, now: Situation) -> bool:
        minute = now.get_wall_clock()[1]
        start, end = _parse_minute(self.start), _parse_minute(self.end)
        return start <= minute <= end if start <= end else minute >= start or minute <= end


def _parse_minute(clock_time: str) -> int:
    return int(clock_time[:2]) * 60 + int(clock_time[3:])


class DayOfWeek(Value):
    """Today is one of these days: 1 is Monday, 7 is Sunday."""

    type: Literal["DayOfWeek"] = "DayOfWeek"
    days: tuple[Annotated[int, Field(ge=1, le=7)], ...] = Field(min_length=1)
    """The days, such as `[1, 2, 3, 4, 5]` for working days."""

    def is_met(self, now: Situation) -> bool:
        return now.get_wall_clock()[0] in self.days


class ControlHeld(Value):
    """Another control is held down: a note, a CC at 64 or more, or a gamepad button."""

    type: Literal["ControlHeld"] = "ControlHeld"
    note: int | None = Field(default=None, ge=0, le=127, json_schema_extra={"format": "note"})
    """The number of a note that must be held."""
    cc: int | None = Field(default=None, ge=0, le=127, json_schema_extra={"format": "cc"})
    """The number of a controller that must be at 64 or more, such as 64, the sustain pedal."""
    button: str | None = Field(default=None, json_schema_extra={"format": "gamepad_button"})
    """The name of a gamepad button that must be held."""
    device: str | None = Field(default=None, json_schema_extra={"format": "device"})
    """The alias of the device. Left out: any device."""

    @field_validator("button", mode="before")
    @classmethod
    def _canonicalize_button(cls, name: Any) -> Any:
        return canonicalize_button(name) if isinstance(name, int | str) else name

    def model_post_init(self, _context: Any) -> None:
        if sum(field is not None for field in (self.note, self.cc, self.button)) != 1:
            raise ValueError("ControlHeld takes exactly one of `note`, `cc` and `button`")

    def get_control(self) -> tuple[str, int | str]:
        """Return the class and the number of the control that must be held, such as `("note", 36)`."""
        if self.note is not None:
            return "note", self.note
        if self.cc is not None:
            return "cc", self.cc
        return "button", self.button or ""

    def is_met(self, now: Situation) -> bool:
        return now.is_held(*self.get_control(), self.device)


class VariableIs(Value):
    """Compares a variable with a value. A variable never set is false, 0 and empty."""

    type: Literal["VariableIs"] = "VariableIs"
    name: str = Field(min_length=1, max_length=64, json_schema_extra={"format": "variable"})
    """The name of the variable."""
    operator: Literal["==", "!=", "<", "<=", ">", ">="] = "=="
    """How the variable is compared with `value`."""
    value: Scalar = True
    """The value to compare with."""

    def is_met(self, now: Situation) -> bool:
        actual = now.get_variable(self.name)
        if actual is None:
            actual = type(self.value)()
        if self.operator in ("==", "!="):
            return (actual == self.value) == (self.operator == "==")
        if isinstance(actual, str) != isinstance(self.value, str):
            return False
        left, right = (
            (actual, self.value) if isinstance(actual, str) else (float(actual), float(self.value))
        )
        return {
            "<": left < right,  # pyright: ignore[reportOperatorIssue] - both str or both float
            "<=": left <= right,  # pyright: ignore[reportOperatorIssue]
            ">": left > right,  # pyright: ignore[reportOperatorIssue]
            ">=": left >= right,  # pyright: ignore[reportOperatorIssue]
        }[self.operator]


class And(Value):
    """All of the conditions hold."""

    type: Literal["And"] = "And"
    conditions: tuple["Condition", ...] = Field(min_length=1)
    """The conditions; each may be of any kind, also `Or` and `Not`."""

    def is_met(self, now: Situation) -> bool:
        return all(condition.is_met(now) for condition in self.conditions)


class Or(Value):
    """At least one of the conditions holds."""

    type: Literal["Or"] = "Or"
    conditions: tuple["Condition", ...] = Field(min_length=1)
    """The conditions; each may be of any kind, also `And` and `Not`."""

    def is_met(self, now: Situation) -> bool:
        return any(condition.is_met(now) for condition in self.conditions)


class Not(Value):
    """The condition does not hold."""

    type: Literal["Not"] = "Not"
    condition: "Condition"
    """The condition that must not hold."""

    def is_met(self, now: Situation) -> bool:
        return not self.condition.is_met(now)


_OLDER_FIELD_NAMES = {
    "Mode": "ModeIs",
    "App": "AppFrontmost",
    "Time": "TimeRange",
    "Held": "ControlHeld",
} | {"Variable": "VariableIs"}


def _canonicalize_condition(raw: Any) -> Any:
    """Return raw condition data in its current form; accepts bare names, `{ TimeRange = {...}
    }` and older field names.
    """
    if isinstance(raw, str):
        raw = {"type": raw}
    if isinstance(raw, dict) and "type" not in raw and len(raw) == 1:
        name, fields = next(iter(raw.items()))
        if isinstance(fields, list):
            fields = {"conditions": fields}
        if name == "Not" and (isinstance(fields, str) or "condition" not in fields):
            fields = {"condition": fields}
        if isinstance(fields, dict):
            raw = {"type": name, **fields}
    if isinstance(raw, dict):
        raw = {("app" if key == "app_name" else key): item for key, item in raw.items()}
        raw["type"] = _OLDER_FIELD_NAMES.get(str(raw.get("type")), raw.get("type"))
        if raw["type"] == "TimeRange":
            raw.pop("inclusive", None)
    return raw


Condition = TypeAliasType(
    "Condition",
    Annotated[
        Always
        | Never
        | ModeIs
        | AppFrontmost
        | TimeRange
        | DayOfWeek
        | ControlHeld
        | VariableIs
        | And
        | Or
        | Not,
        Field(discriminator="type"),
        BeforeValidator(_canonicalize_condition),
    ],
)

for _composite in (And, Or, Not):
    _composite.model_rebuild()


_NESTING_CONDITIONS = frozenset((And, Or, Not))


def walk_conditions(condition: Condition) -> list[Condition]:
    """Return a condition together with all conditions that are nested inside it."""
    if type(condition) not in _NESTING_CONDITIONS:
        return [condition]
    match condition:
        case And() | Or():
            return [condition, *(part for c in condition.conditions for part in walk_conditions(c))]
        case Not():
            return [condition, *walk_conditions(condition.condition)]
        case _:
            return [condition]


def describe_condition(condition: Condition) -> str:
    """Return a condition as a short phrase, such as `mode is DJ`."""
    match condition:
        case ModeIs():
            return f"mode is {condition.mode}"
        case AppFrontmost():
            return f"app in front is {condition.app}"
        case TimeRange():
            return f"time is {condition.start}-{condition.end}"
        case DayOfWeek():
            return f"day is one of {', '.join(map(str, condition.days))}"
        case ControlHeld():
            return "{} {} is held".format(*condition.get_control())
        case VariableIs():
            return f"{condition.name} {condition.operator} {condition.value}"
        case And() | Or():
            joint = " and " if isinstance(condition, And) else " or "
            return joint.join(describe_condition(part) for part in condition.conditions)
        case Not():
            return f"not ({describe_condition(condition.condition)})"
        case _:
            return condition.type.lower()
