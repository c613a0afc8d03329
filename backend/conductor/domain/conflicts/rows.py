"""Groups mappings by control for the search for conflicts, and formats their names for its messages."""

from collections.abc import Iterable
from typing import NamedTuple

from conductor.domain.conditions import Condition
from conductor.domain.config import Config
from conductor.domain.conflicts.conditions import are_mutually_exclusive, find_required_conditions
from conductor.domain.control_labels import ControlLabel, LabelledControl, label_controls
from conductor.domain.control_names import NO_CONTROL_NAMES, ControlNames, format_name_with_numbers
from conductor.domain.mapping_names import (
    format_mapping_key,
    format_mapping_name,
    format_place_name,
)
from conductor.domain.plan import Overlap, OverlapKind, Severity, TapWait
from conductor.domain.row_phrases import (
    format_action_phrase,
    format_trigger_phrase,
    get_trigger_control_name,
)
from conductor.domain.trace import MappingRef
from conductor.domain.triggers.base import Gesture, TriggerBase

ANY_NUMBER = "*"
MAX_COMPARED_MAPPINGS = 64
"""The maximum number of mappings on the same control with which a mapping is compared. No
handwritten config has more."""
MAX_NAMED_MAPPINGS = 6
_CONTROL_CLASS_WORDS = {
    "cc": "CC",
    "nrpn": "NRPN",
    "rpn": "RPN",
    "poly_pressure": "pressure of note",
    "program_change": "program",
    "gamepad_trigger": "trigger",
    "osc": "OSC",
}
_NUMBERLESS_CONTROLS = {
    "pitch_bend": "pitch bend",
    "channel_pressure": "pressure",
    "sysex": "the SysEx message",
}


class MappingRow(NamedTuple):
    """A mapping that is enabled and can fire, with the conditions under which it fires."""

    order: int
    """The position in the whole config; of two mappings in a scope, the lower position has precedence."""
    ref: MappingRef
    trigger: TriggerBase
    when: frozenset[Condition]
    """The conditions of the mapping that its scope does not already imply."""
    names: ControlNames = NO_CONTROL_NAMES
    """The control names that messages about this mapping use."""

    @property
    def scope(self) -> str:
        return self.ref.scope

    @property
    def gesture(self) -> Gesture:
        return self.trigger.gesture

    def describe_position(self) -> str:
        return format_mapping_key(self.ref.scope, self.ref.index)

    def describe_control(self) -> str:
        """Return the control and the device of the mapping as text, such as `note 36 on pads`.

        If the control has a name, it comes first: `Pad 1 (note 36) on pads`. A name that no other control
        has is enough.
        """
        trigger = self.trigger
        controls = trigger.list_controls()
        name = get_trigger_control_name(trigger, self.names)
        if name is not None and self._has_unique_name():
            return f"{name}{self._format_device()}"
        words = _describe_control(*controls[0])
        if len(controls) > 1 and self.gesture == "chord":
            words += "".join(f"+{number}" for _, number in controls[1:])
        words = format_name_with_numbers(name, words)
        device = f" on {trigger.device}" if trigger.device else ""
        return f"{words}{device}{f' channel {trigger.channel}' if trigger.channel else ''}"

    def describe_mapping(self) -> str:
        """Return the name and the place of the mapping, such as `Undo, mapping 2 of mode Default`."""
        scope, index, mapping = self.ref.scope, self.ref.index, self.ref.mapping
        name = get_trigger_control_name(self.trigger, self.names)
        if not mapping.description and name is not None and self._has_unique_name():
            phrase = format_trigger_phrase(mapping.trigger, self.names)
            if name in phrase:
                return f"{phrase}{self._format_device()}, {format_place_name(scope, index)}"
        return format_mapping_name(scope, index, mapping, self.names)

    def describe_by_action(self) -> str:
        """Return the place and description of the mapping, or its action: `Ctrl+C, mapping 2 of mode Default`.

        This tells mappings with the same trigger apart.
        """
        mapping = self.ref.mapping
        name = mapping.description or format_action_phrase(mapping.action, "Cmd")
        return f"{name}, {format_place_name(self.ref.scope, self.ref.index)}"

    def describe_one_control(self, control_class: str, number: int | str) -> str:
        """Return one of the controls of the mapping as text, without its device."""
        name = self.find_control_name(control_class, number)
        if name is not None and self.names.is_unique(name, self.trigger.device):
            return name
        return format_name_with_numbers(name, _describe_control(control_class, number))

    def _has_unique_name(self) -> bool:
        """Return whether the names of the controls are enough to tell them from all others of their device."""
        names = [self.find_control_name(*control) for control in self.trigger.list_controls()]
        return all(name and self.names.is_unique(name, self.trigger.device) for name in names)

    def _format_device(self) -> str:
        """Return the device as a phrase if another device has a control with one of the names."""
        names = [self.find_control_name(*control) for control in self.trigger.list_controls()]
        is_known = all(name and self.names.is_unique(name) for name in names)
        return "" if is_known or not self.trigger.device else f" on {self.trigger.device}"

    def find_control_name(self, control_class: str, number: int | str) -> str | None:
        """Return the name of one of the controls of the mapping, or None if it has no name."""
        return self.names.find_control_name(
            self.trigger.device, control_class, number, self.trigger.channel
        )


def _describe_control(control_class: str, number: int | str) -> str:
    if control_class in _NUMBERLESS_CONTROLS:
        return _NUMBERLESS_CONTROLS[control_class]
    return f"{_CONTROL_CLASS_WORDS.get(control_class, control_class)} {number}"


RowBucket = list[MappingRow]


def list_rows(config: Config, names: ControlNames = NO_CONTROL_NAMES) -> list[MappingRow]:
    """Return a row for each mapping that is enabled and whose conditions can all be true."""
    rows: list[MappingRow] = []
    for order, (scope, index, mapping) in enumerate(config.list_all_mappings()):
        if not mapping.enabled:
            continue
        when = find_required_conditions(mapping.trigger.when, scope)
        if when is not None:
            rows.append(
                MappingRow(order, MappingRef(scope, index, mapping), mapping.trigger, when, names)
            )
    return rows


def group_by_control(rows: Iterable[MappingRow]) -> dict[tuple[str, int | str], RowBucket]:
    """Return the mappings on each control; those for any number are included for every number in use."""
    buckets: dict[tuple[str, int | str], RowBucket] = {}
    for row in rows:
        for control in row.trigger.list_controls():
            buckets.setdefault(control, []).append(row)
    for (control_class, number), anywhere in list(buckets.items()):
        if number == ANY_NUMBER:
            for control, bucket in buckets.items():
                if control[0] == control_class and control[1] != ANY_NUMBER:
                    bucket.extend(anywhere)
                    bucket.sort(key=_get_scope_order)
    return buckets


def _get_scope_order(row: MappingRow) -> int:
    return row.order


def can_share_input(first: MappingRow, second: MappingRow) -> bool:
    """Return whether two mappings can both receive an event, judged by their devices and channels."""
    a, b = first.trigger, second.trigger
    return (a.device is None or b.device is None or a.device == b.device) and (
        a.channel is None or b.channel is None or a.channel == b.channel
    )


def covers_input_of(wide: MappingRow, narrow: MappingRow) -> bool:
    """Return whether a mapping receives events from every device and channel that another one listens to."""
    a, b = wide.trigger, narrow.trigger
    return (a.device is None or a.device == b.device) and (
        a.channel is None or a.channel == b.channel
    )


def has_same_input(first: MappingRow, second: MappingRow) -> bool:
    """Return whether two mappings listen to the same device and channel."""
    a, b = first.trigger, second.trigger
    return (a.device, a.channel) == (b.device, b.channel)


def can_match_together(first: MappingRow, second: MappingRow) -> bool:
    """Return whether one event can match both mappings, judged by device, channel and conditions."""
    if not can_share_input(first, second):
        return False
    if not (first.when or second.when):
        return True
    scope = first.scope if first.scope.startswith("mode:") else second.scope
    some, others = (
        find_required_conditions(first.when, scope),
        find_required_conditions(second.when, scope),
    )
    return some is not None and others is not None and not are_mutually_exclusive(some, others)


def can_be_active_together(first: str, second: str) -> bool:
    """Return whether two scopes (modes, profiles or global) can be active at the same time."""
    # scopes of the same kind exclude each other; the kinds `mode`, `profile` and `global`
    # differ in their first letters
    return first == second or first[0] != second[0]


def list_row_names(*rows: MappingRow) -> list[str]:
    """Return the names of mappings as a phrase for a message."""
    return [f"`{row.describe_mapping()}`" for row in rows]


def format_descriptions(*rows: MappingRow) -> str:
    """Return the names of mappings in parentheses, or nothing if a message already contains them.

    The name of a mapping without a description is its control and gesture.
    """
    if not any(row.ref.mapping.description for row in rows):
        return ""
    return f" ({join_phrases(list_row_names(*rows))})"


def join_phrases(words: Iterable[str]) -> str:
    """Return phrases as a list with commas and a final `and`, shortened if there are many."""
    every = list(words)
    if len(every) > MAX_NAMED_MAPPINGS:
        every = [*every[: MAX_NAMED_MAPPINGS - 1], f"{len(every) - MAX_NAMED_MAPPINGS + 1} more"]
    *most, last = every
    return f"{', '.join(most)} and {last}" if most else last


def build_overlap(
    kind: OverlapKind,
    severity: Severity,
    message: str,
    *rows: MappingRow,
    tap_wait: TapWait | None = None,
) -> Overlap:
    return Overlap(
        kind=kind,
        severity=severity,
        message=message,
        places=tuple(row.describe_position() for row in rows),
        control_names=_label_controls(rows),
        tap_wait=tap_wait,
    )


def _label_controls(rows: tuple[MappingRow, ...]) -> tuple[ControlLabel, ...]:
    # The gesture of a conflict is played on a device that one of the mappings names.
    device = next((row.trigger.device for row in rows if row.trigger.device), None)
    return label_controls(
        (
            LabelledControl(
                row.trigger.device or device, control_class, number, row.trigger.channel
            )
            for row in rows
            for control_class, number in row.trigger.list_controls()
        ),
        rows[0].names,
    )
