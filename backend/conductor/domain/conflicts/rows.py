"""Mappings filed by control, so that only those that can meet are compared, and how they are named."""

from collections.abc import Iterable
from typing import NamedTuple

from conductor.domain.conditions import Condition
from conductor.domain.config import Config
from conductor.domain.conflicts.conditions import demands, exclude
from conductor.domain.plan import Overlap, OverlapKind, Severity
from conductor.domain.trace import MappingRef
from conductor.domain.triggers.base import Gesture, TriggerBase

ANY_NUMBER = "*"
RIVALS = 64
"""One mapping is compared with so many others of its control: no hand-made config has more."""
NAMED = 6
_CONTROL_WORDS = {
    "cc": "CC",
    "nrpn": "NRPN",
    "rpn": "RPN",
    "poly_pressure": "pressure of note",
    "program_change": "program",
    "gamepad_trigger": "trigger",
    "osc": "OSC",
}
_WITHOUT_NUMBER = {
    "pitch_bend": "pitch bend",
    "channel_pressure": "pressure",
    "sysex": "the SysEx message",
}


class Row(NamedTuple):
    """One enabled mapping that can fire, with what it demands."""

    order: int
    """Its place in the whole config: of two that tie, the lower wins within a scope."""
    ref: MappingRef
    trigger: TriggerBase
    when: frozenset[Condition]
    """Conditions that are not settled by its scope alone."""

    @property
    def scope(self) -> str:
        return self.ref.scope

    @property
    def gesture(self) -> Gesture:
        return self.trigger.gesture

    def place(self) -> str:
        return f"{self.ref.scope} #{self.ref.index}"

    def control(self) -> str:
        """Return its control as a person says it: `note 36 on pads`."""
        trigger = self.trigger
        controls = trigger.controls()
        words = _control_words(*controls[0])
        if len(controls) > 1 and self.gesture == "chord":
            words += "".join(f"+{number}" for _, number in controls[1:])
        device = f" on {trigger.device}" if trigger.device else ""
        return f"{words}{device}{f' channel {trigger.channel}' if trigger.channel else ''}"


def _control_words(control_class: str, number: int | str) -> str:
    if control_class in _WITHOUT_NUMBER:
        return _WITHOUT_NUMBER[control_class]
    return f"{_CONTROL_WORDS.get(control_class, control_class)} {number}"


Bucket = list[Row]


def rows_of(config: Config) -> list[Row]:
    """Return the mappings that can fire at all."""
    rows: list[Row] = []
    for order, (scope, index, mapping) in enumerate(config.all_mappings()):
        if not mapping.enabled:
            continue
        when = demands(mapping.trigger.when, scope)
        if when is not None:
            rows.append(Row(order, MappingRef(scope, index, mapping), mapping.trigger, when))
    return rows


def by_control(rows: Iterable[Row]) -> dict[tuple[str, int | str], Bucket]:
    """File rows by class and number; those for any number are filed with each number in use."""
    buckets: dict[tuple[str, int | str], Bucket] = {}
    for row in rows:
        for control in row.trigger.controls():
            buckets.setdefault(control, []).append(row)
    for (control_class, number), anywhere in list(buckets.items()):
        if number == ANY_NUMBER:
            for control, bucket in buckets.items():
                if control[0] == control_class and control[1] != ANY_NUMBER:
                    bucket.extend(anywhere)
                    bucket.sort(key=_order)
    return buckets


def _order(row: Row) -> int:
    return row.order


def reach_alike(one: Row, other: Row) -> bool:
    """Return whether some device and channel reach both."""
    a, b = one.trigger, other.trigger
    return (a.device is None or b.device is None or a.device == b.device) and (
        a.channel is None or b.channel is None or a.channel == b.channel
    )


def reaches_all_of(wide: Row, narrow: Row) -> bool:
    """Return whether whatever reaches the one reaches the other too."""
    a, b = wide.trigger, narrow.trigger
    return (a.device is None or a.device == b.device) and (
        a.channel is None or a.channel == b.channel
    )


def same_place(one: Row, other: Row) -> bool:
    a, b = one.trigger, other.trigger
    return (a.device, a.channel) == (b.device, b.channel)


def meet(one: Row, other: Row) -> bool:
    """Return whether one event can be for both: a device, a channel and conditions allow it."""
    if not reach_alike(one, other):
        return False
    if not (one.when or other.when):
        return True
    scope = one.scope if one.scope.startswith("mode:") else other.scope
    some, others = demands(one.when, scope), demands(other.when, scope)
    return some is not None and others is not None and not exclude(some, others)


def in_force_together(one: str, other: str) -> bool:
    """Check whether two scopes can be active at once."""
    # the kinds, `mode`, `profile` and `global`, differ in their first letters
    return one == other or one[0] != other[0]


def names(*rows: Row) -> list[str]:
    """Return what each is called: its description when no other here has it, else its place."""
    given = [row.ref.name() for row in rows]
    return [
        f"`{name}`" if given.count(name) == 1 else f"`{row.place()}`"
        for name, row in zip(given, rows, strict=True)
    ]


def listed(words: Iterable[str]) -> str:
    """Join words with commas and a last `and`; many are cut short."""
    every = list(words)
    if len(every) > NAMED:
        every = [*every[: NAMED - 1], f"{len(every) - NAMED + 1} more"]
    *most, last = every
    return f"{', '.join(most)} and {last}" if most else last


def overlap(kind: OverlapKind, severity: Severity, message: str, *rows: Row) -> Overlap:
    return Overlap(
        kind=kind,
        severity=severity,
        message=message,
        places=tuple(row.place() for row in rows),
    )
