"""Compiles a config to a table with the mappings of each control, in order of precedence.

An event costs the same with ten mappings as with ten thousand: mappings are indexed by scope, control,
device and channel, and the few mappings of a control are cached after the first lookup.
"""

from collections.abc import Iterator

from conductor.domain.actions import walk_actions
from conductor.domain.actions.midi_forward import MidiForwardAction
from conductor.domain.conditions import ControlHeld
from conductor.domain.conditions import walk_conditions as condition_parts
from conductor.domain.config import Config, Profile
from conductor.domain.events import Control
from conductor.domain.scopes import format_mode_scope, format_profile_scope
from conductor.domain.trace import MappingRef
from conductor.domain.triggers.base import GESTURE_KINDS, Gesture
from conductor.domain.triggers.double_tap import DoubleTapTrigger
from conductor.domain.triggers.gamepad_button_chord import GamepadButtonChordTrigger
from conductor.domain.triggers.long_press import LongPressTrigger
from conductor.domain.triggers.note_chord import NoteChordTrigger

MAX_CACHED_GROUPS = 16_384
WAITING_GESTURES: tuple[Gesture, ...] = ("long_press", "double_tap", "chord")

TableKey = tuple[str, str, int | str, str | None, int | None]
"""A key of the index: scope, control class, number, device and channel; None stands
for any device or channel."""


class CompiledMapping:
    """A mapping with everything that is computed in advance, so that events are matched quickly."""

    __slots__ = (
        "action",
        "can_be_held",
        "fires_when_complete",
        "forwards",
        "gesture",
        "has_options",
        "id",
        "idle_s",
        "keeps_order",
        "ref",
        "trigger",
        "when",
    )

    def __init__(self, number: int, ref: MappingRef) -> None:
        self.id = number
        self.ref = ref
        self.trigger = ref.mapping.trigger
        self.action = ref.mapping.action
        self.gesture: Gesture = self.trigger.gesture
        self.can_be_held = self.trigger.can_be_held()
        self.when = self.trigger.when
        self.forwards = any(type(part) is MidiForwardAction for part in walk_actions(self.action))
        self.idle_s = 0.0
        """Seconds before a press in which no other control may have been pressed (`require_prior_idle_ms`)."""
        self.keeps_order = False
        self.fires_when_complete = False
        self.has_options = False
        """Whether earlier presses or other controls can influence this gesture."""
        if self.gesture in WAITING_GESTURES:
            self._read_gesture_options()

    def _read_gesture_options(self) -> None:
        trigger = self.trigger
        match trigger:
            case LongPressTrigger():
                early = trigger.hold_on_other_press or trigger.permissive_hold
                self.has_options = early or trigger.quick_tap_ms > 0
            case NoteChordTrigger() | GamepadButtonChordTrigger():
                self.fires_when_complete = trigger.fire_when_complete
            case DoubleTapTrigger():
                pass
            case _:
                return
        self.idle_s = trigger.require_prior_idle_ms / 1000
        self.keeps_order = trigger.keep_order
        self.has_options = self.has_options or self.keeps_order or self.idle_s > 0


class ControlMappingGroup:
    """The mappings on one control in one mode and profile: by gesture, and then in order of precedence."""

    __slots__ = (
        "change",
        "chord",
        "double_tap",
        "empty",
        "has_options",
        "in_force",
        "instant",
        "long_press",
        "release",
        "tap",
    )

    def __init__(
        self, members: list[CompiledMapping], in_force: tuple[str, str | None] | None = None
    ) -> None:
        self.in_force = in_force
        """The mode and the profile for which the group was built; None for the empty group."""
        by_gesture: dict[Gesture, tuple[CompiledMapping, ...]] = {
            gesture: tuple(member for member in members if member.gesture == gesture)
            for gesture in GESTURE_KINDS
        }
        self.tap = by_gesture["tap"]
        self.long_press = by_gesture["long_press"]
        self.double_tap = by_gesture["double_tap"]
        self.chord = by_gesture["chord"]
        self.release = by_gesture["release"]
        self.change = by_gesture["change"]
        self.instant = not (self.long_press or self.double_tap or self.chord)
        """Whether a tap never has to wait for another gesture."""
        self.has_options = any(member.has_options for member in members)
        """Whether earlier presses or other controls can influence any mapping of the group."""
        self.empty = not members


EMPTY_MAPPING_GROUP = ControlMappingGroup([])


class MappingTable:
    """A config that is compiled so that the mappings of a control are found quickly.

    A table never changes, except for its lookup cache.
    """

    def __init__(self, config: Config) -> None:
        self.config = config
        self.modes = tuple(mode.name for mode in config.modes)
        self.profiles: tuple[Profile, ...] = tuple(p for p in config.profiles if p.enabled)
        self.muted = frozenset(device.alias for device in config.devices if not device.enabled)
        self.watched: set[tuple[str, int | str]] = set()
        """The controls whose state is kept in every mode, because a condition tests whether they are held,
        or because a mapping compares their value with previous ones."""
        self._index: dict[TableKey, list[CompiledMapping]] = {}
        self._any_number: set[str] = set()
        self._groups: dict[tuple[str, str | None], dict[Control, ControlMappingGroup]] = {}
        self.compiled: list[CompiledMapping] = []
        self.needs_recent_presses = False
        """Whether any gesture depends on how long ago another control was pressed."""
        for ref in _iterate_mapping_refs(config):
            self._add_mapping(ref)

    def _add_mapping(self, ref: MappingRef) -> None:
        compiled = CompiledMapping(len(self.compiled), ref)
        self.compiled.append(compiled)
        self.needs_recent_presses = self.needs_recent_presses or compiled.idle_s > 0
        trigger = compiled.trigger
        for control_class, number in trigger.list_controls():
            key = (ref.scope, control_class, number, trigger.device, trigger.channel)
            self._index.setdefault(key, []).append(compiled)
            if number == "*":
                self._any_number.add(control_class)
            if compiled.gesture == "change":
                self.watched.add((control_class, number))
        for condition in (part for when in compiled.when for part in condition_parts(when)):
            if isinstance(condition, ControlHeld):
                self.watched.add(condition.get_control())
        for action in walk_actions(compiled.action):
            for condition in (
                condition_parts(action.condition) if action.type == "Conditional" else ()
            ):
                if isinstance(condition, ControlHeld):
                    self.watched.add(condition.get_control())

    @property
    def size(self) -> int:
        return len(self.compiled)

    def get_cached_groups(
        self, mode: str, profile: str | None
    ) -> dict[Control, ControlMappingGroup]:
        """Return the cache of a mode and profile, to which `find_group` adds the groups that it looks up."""
        return self._groups.setdefault((mode, profile), {})

    def find_group(
        self,
        cache: dict[Control, ControlMappingGroup],
        mode: str,
        profile: str | None,
        control: Control,
    ) -> ControlMappingGroup:
        """Return the mappings on a control in order of precedence: profile, then mode, then global.

        The result is added to `cache`.
        """
        members: list[CompiledMapping] = []
        scopes = (
            [format_mode_scope(mode), "global"]
            if profile is None
            else [format_profile_scope(profile), format_mode_scope(mode), "global"]
        )
        for scope in scopes:
            members.extend(sorted(self.find_listeners(scope, control), key=_get_file_order))
        control_class = control.control_class
        watched = self.watched
        if not members and watched.isdisjoint(
            ((control_class, control.number), (control_class, "*"))
        ):
            # Nothing is evicted to make room, so that a stream of unmapped OSC
            # addresses cannot empty the cache.
            if len(cache) < MAX_CACHED_GROUPS:
                cache[control] = EMPTY_MAPPING_GROUP
            return EMPTY_MAPPING_GROUP
        if len(cache) >= MAX_CACHED_GROUPS:
            cache.clear()
        cache[control] = group = ControlMappingGroup(members, (mode, profile))
        return group

    def find_listeners(self, scope: str, control: Control) -> Iterator[CompiledMapping]:
        """Yield the mappings in one scope that listen to a control, in no particular order."""
        numbers: tuple[int | str, ...] = (control.number,)
        if control.control_class in self._any_number:
            numbers = (control.number, "*")
        for number in numbers:
            for device in (control.device, None):
                for channel in (control.channel, None):
                    yield from self._index.get(
                        (scope, control.control_class, number, device, channel), ()
                    )


def _get_file_order(compiled: CompiledMapping) -> int:
    return compiled.id


def _iterate_mapping_refs(config: Config) -> Iterator[MappingRef]:
    for scope, index, mapping in config.list_all_mappings():
        if mapping.enabled:
            yield MappingRef(scope, index, mapping)


def compile_table(config: Config) -> MappingTable:
    """Return the table of a config. Compiling takes about 10 us for each mapping."""
    return MappingTable(config)
