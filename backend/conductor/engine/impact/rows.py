"""Represents the mappings of a config by the controls they listen to and the state that they read and write."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from conductor.domain.actions import Action, walk_actions
from conductor.domain.actions.flow import RepeatAction
from conductor.domain.actions.keystroke import KeystrokeAction
from conductor.domain.actions.midi_forward import MidiForwardAction
from conductor.domain.actions.push_to_talk import PushToTalkAction
from conductor.domain.actions.send_midi import SendMidiAction
from conductor.domain.conditions import Condition, ControlHeld, ModeIs, VariableIs
from conductor.domain.conditions import walk_conditions as condition_parts
from conductor.domain.config import Config, Mapping
from conductor.domain.events import ControlClass
from conductor.domain.scopes import format_mode_scope, parse_scope
from conductor.domain.triggers.base import Gesture

ControlKey = tuple[ControlClass, int | str]
ScopeKind = Literal["profile", "mode", "global"]
PRESS_CLASSES: frozenset[ControlClass] = frozenset(("note", "button"))
DELAYING_GESTURES: frozenset[Gesture] = frozenset(("long_press", "double_tap", "chord"))
"""Gestures that delay a press, and therefore affect every other gesture on the same control."""


@dataclass(frozen=True)
class StateReads:
    """The variables, modes and held controls that a set of conditions tests."""

    variables: frozenset[str] = frozenset()
    modes: frozenset[str] = frozenset()
    held: tuple[ControlHeld, ...] = ()


class ModeWrite(NamedTuple):
    """A change of the mode that an action may make."""

    behaviour: str
    target: str | None
    is_late: bool
    """Whether the change may happen later than the firing, when another mode may be active."""


@dataclass(eq=False, slots=True)
class ImpactRow:
    """An enabled mapping of a config, with the state that it reads and writes."""

    scope: str
    kind: ScopeKind
    owner: str
    """The name of the mode or profile that contains the mapping; empty for a global mapping."""
    index: int
    mapping: Mapping
    trigger_key: int
    """A number for the trigger, which is equal for equal triggers of both configs."""
    action_key: int
    places: tuple[ControlKey, ...]
    device: str | None
    channel: int | None
    gesture: Gesture
    when: StateReads
    action_reads: StateReads
    """The state that conditions inside the action test."""
    sets: frozenset[str]
    """The names of the variables that the action sets."""
    mode_writes: tuple[ModeWrite, ...]
    parts: tuple[Action, ...] = field(repr=False)
    is_late: bool = False
    """Whether the mapping may fire in another mode than the one in which its control was pressed."""

    @property
    def key(self) -> tuple[int, int]:
        return self.trigger_key, self.action_key

    def get_active_modes(self) -> frozenset[str] | None:
        """Return the modes in which the mapping is active, or None if it is active in every mode."""
        return frozenset((self.owner,)) if self.kind == "mode" else None

    def get_active_profile(self) -> str | None:
        """Return the profile for which the mapping is active, or None if it does not depend on a profile."""
        return self.owner if self.kind == "profile" else None

    def has_lasting_effect(self) -> bool:
        """Return whether an effect of the mapping lasts until its control is released or the mode changes."""
        return any(
            isinstance(part, MidiForwardAction | PushToTalkAction)
            or (isinstance(part, KeystrokeAction) and part.hold == "while_held")
            or (isinstance(part, SendMidiAction) and part.holds_note)
            or (isinstance(part, RepeatAction) and part.until_release)
            for part in self.parts
        )

    def keeps_order(self) -> bool:
        """Return whether the gesture, while it is undecided, makes events of other
        controls of the device wait.
        """
        return bool(getattr(self.mapping.trigger, "keep_order", False))

    def remembers_across_modes(self) -> bool:
        """Return whether a press or value in an earlier mode may influence if the mapping fires."""
        return self.gesture != "change" or self.depends_on_history()

    def depends_on_history(self) -> bool:
        """Return whether earlier events may influence if the mapping fires, or which effects it releases."""
        if self.gesture == "tap":
            return self.has_lasting_effect()
        if self.gesture == "change":
            return self.mapping.trigger.type not in ("ProgramChange", "Sysex")
        return True


class RowProperties(NamedTuple):
    """The properties of a mapping that do not depend on its place in the config."""

    mapping: Mapping
    trigger_key: int
    action_key: int
    places: tuple[ControlKey, ...]
    when: StateReads
    action_reads: StateReads
    sets: frozenset[str]
    mode_writes: tuple[ModeWrite, ...]
    parts: tuple[Action, ...]


class MappingNumbering:
    """Assigns numbers to triggers and actions, so that equal ones in both configs have equal numbers."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._known: dict[int, RowProperties] = {}

    def get_properties(self, mapping: Mapping) -> RowProperties:
        """Return the properties of a mapping.

        They are cached by its id, because two configs share most mappings.
        """
        facts = self._known.get(id(mapping))
        if facts is None:
            trigger = self._get_text_number(mapping.trigger.model_dump_json())
            action = self._get_text_number(mapping.action.model_dump_json())
            # The cached properties keep a reference to the mapping, so its id is not reused.
            facts = self._known[id(mapping)] = _build_properties(mapping, trigger, action)
        return facts

    def _get_text_number(self, text: str) -> int:
        return self._numbers.setdefault(text, len(self._numbers))


class RowTable:
    """The enabled mappings of a config, indexed by scope and by control."""

    def __init__(self, config: Config, keys: MappingNumbering) -> None:
        self.config = config
        self.modes = tuple(mode.name for mode in config.modes)
        self.rows: list[ImpactRow] = []
        self.by_place: dict[ControlKey, list[ImpactRow]] = {}
        """The mappings on each control in order of precedence: profiles, modes, global;
        within each in file order."""
        self.in_scope: dict[str, dict[ControlKey, list[ImpactRow]]] = {}
        enabled = {profile.name for profile in config.profiles if profile.enabled}
        for scope, index, mapping in config.list_all_mappings():
            kind, owner = parse_scope(scope)
            if mapping.enabled and (kind != "profile" or owner in enabled):
                self._add_row(_build_row(scope, kind, owner, index, keys.get_properties(mapping)))

        for row in self.rows:
            if self._may_mode_change_before_decision(row):
                row.is_late = True
                row.mode_writes = tuple(write._replace(is_late=True) for write in row.mode_writes)

    def _may_mode_change_before_decision(self, row: ImpactRow) -> bool:
        """Return whether the mode may change after a press and before its gesture is decided."""
        if row.gesture == "tap":
            return any(
                rival.gesture in DELAYING_GESTURES
                for place in row.places
                for rival in self.find_listeners(place)
            )
        return row.gesture != "change"

    def _add_row(self, row: ImpactRow) -> None:
        self.rows.append(row)
        here = self.in_scope.setdefault(row.scope, {})
        for place in row.places:
            self.by_place.setdefault(place, []).append(row)
            here.setdefault(place, []).append(row)

    def find_listeners(self, place: ControlKey) -> Iterator[ImpactRow]:
        """Yield the mappings that listen to a control; the number `*` stands for all controls of the class."""
        yield from self.by_place.get(place, ())
        if place[1] != "*":
            yield from self.by_place.get((place[0], "*"), ())
        else:
            for (control_class, number), rows in self.by_place.items():
                if control_class == place[0] and number != "*":
                    yield from rows

    def list_mode_rows(self, mode: str, place: ControlKey) -> tuple[tuple[int, int], ...]:
        """Return the keys of the mappings that a mode has on a control, in order."""
        return tuple(
            row.key for row in self.in_scope.get(format_mode_scope(mode), {}).get(place, ())
        )

    def find_mode_after(self, mode: str, step: int) -> str:
        """Return the mode that is `step` places after a mode in the file, continuing with
        the first after the last.
        """
        if mode not in self.modes:
            return self.config.get_start_mode()
        return self.modes[(self.modes.index(mode) + step) % len(self.modes)]


def _build_row(
    scope: str, kind: ScopeKind, owner: str, index: int, facts: RowProperties
) -> ImpactRow:
    mapping = facts.mapping
    return ImpactRow(
        scope=scope,
        kind=kind,
        owner=owner,
        index=index,
        mapping=mapping,
        trigger_key=facts.trigger_key,
        action_key=facts.action_key,
        places=facts.places,
        device=mapping.trigger.device,
        channel=mapping.trigger.channel,
        gesture=mapping.trigger.gesture,
        when=facts.when,
        action_reads=facts.action_reads,
        sets=facts.sets,
        mode_writes=facts.mode_writes,
        parts=facts.parts,
    )


def _build_properties(mapping: Mapping, trigger_key: int, action_key: int) -> RowProperties:
    trigger, parts = mapping.trigger, tuple(walk_actions(mapping.action))
    conditions = [part.condition for part in parts if part.type == "Conditional"]
    changes = [part for part in parts if part.type == "ModeChange"]
    # After a delay or an earlier change of the mode, it is unknown in which mode the next change happens.
    is_late = len(changes) > 1 or any(
        part.type in ("Delay", "Repeat") or part.blocking for part in parts
    )
    return RowProperties(
        mapping=mapping,
        trigger_key=trigger_key,
        action_key=action_key,
        places=trigger.list_controls(),
        when=_collect_state_reads(trigger.when),
        action_reads=_collect_state_reads(conditions),
        sets=frozenset(part.name for part in parts if part.type == "SetVariable"),
        mode_writes=tuple(ModeWrite(part.behaviour, part.mode, is_late) for part in changes),
        parts=parts,
    )


_NO_STATE_READS = StateReads()


def _collect_state_reads(conditions: tuple[Condition, ...] | list[Condition]) -> StateReads:
    if not conditions:
        return _NO_STATE_READS
    parts = [part for condition in conditions for part in condition_parts(condition)]
    return StateReads(
        frozenset(part.name for part in parts if isinstance(part, VariableIs)),
        frozenset(part.mode for part in parts if isinstance(part, ModeIs)),
        tuple(part for part in parts if isinstance(part, ControlHeld)),
    )
