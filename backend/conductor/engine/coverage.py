"""Determines which changed mappings were used in the recording, and summarizes the generated gestures."""

from collections.abc import Iterable, Sequence

from conductor.domain.control_names import NO_CONTROL_NAMES, ControlNames
from conductor.domain.coverage import Coverage
from conductor.domain.events import CONTROL_CLASS, Control, InputEvent
from conductor.domain.impact import ANY_NUMBER
from conductor.domain.recording import Recording
from conductor.domain.renames import Renames
from conductor.domain.row_phrases import format_mapping_action, format_trigger_phrase
from conductor.engine.impact.rows import ControlKey, ImpactRow
from conductor.engine.replay import Comparison
from conductor.engine.touches import PlayedTouches, get_event_control


def collect_touches(
    comparison: Comparison, recording: Recording, renames: Renames
) -> PlayedTouches:
    """Return which controls were used, and in which mode, in a recording that was played under two configs.

    The mode is unknown where a part was not replayed, or where the replay differed
    from the recorded effects.
    """
    clear = [
        compared
        for compared in comparison.chains
        if compared.cannot_tell is None and compared.reached == len(compared.chain.fed_entries)
    ]
    known_segments = {id(segment) for compared in clear for segment in compared.chain.segments}
    unclear = (
        entry.input
        for segment in recording.segments
        if id(segment) not in known_segments
        for entry in segment.entries
        if isinstance(entry.input, InputEvent) and entry.input.kind in CONTROL_CLASS
    )
    return PlayedTouches(
        old=frozenset(
            touch.apply_renames(renames)
            for compared in clear
            for touch in compared.played_before.touches
        ),
        new=frozenset(touch for compared in clear for touch in compared.touches_after),
        unclear=frozenset(get_event_control(event) for event in unclear),
    )


def was_row_played(side: int, row: ImpactRow, touches: PlayedTouches) -> bool | None:
    """Return whether the user played a mapping in the recording: each of its controls on the right device
    and channel, while its mode or profile was active.

    Returns None if it is unknown which mode or profile was active.
    """
    touched = {
        touch.control
        for touch in (touches.new if side else touches.old)
        if _is_row_active(row, touch.mode, touch.profile)
    }
    if all(
        any(_listens_to_control(row, place, control) for control in touched) for place in row.places
    ):
        return True
    anywhere = (*touched, *touches.unclear)
    return None if all(_may_listen_to(row, place, anywhere) for place in row.places) else False


def _is_row_active(row: ImpactRow, mode: str, profile: str | None) -> bool:
    match row.kind:
        case "mode":
            return row.owner == mode
        case "profile":
            return row.owner == profile
        case "global":
            return True


def _listens_to_control(row: ImpactRow, place: ControlKey, control: Control) -> bool:
    return row.device in (None, control.device) and _is_on_device(row, place, control)


def _may_listen_to(row: ImpactRow, place: ControlKey, controls: Iterable[Control]) -> bool:
    """Return whether any of the used controls may belong to a mapping, on whatever device.

    The device is ignored, because the alias may have meant another port at that time.
    """
    return any(_is_on_device(row, place, control) for control in controls)


def _is_on_device(row: ImpactRow, place: ControlKey, control: Control) -> bool:
    control_class, number = place
    return (
        control.control_class == control_class
        and number in (control.number, ANY_NUMBER)
        and row.channel in (None, control.channel)
    )


def describe_row(row: ImpactRow, names: ControlNames = NO_CONTROL_NAMES) -> str:
    """Return the description of a mapping or, if it has none, its trigger and its action as text."""
    mapping = row.mapping
    trigger = format_trigger_phrase(mapping.trigger, names, with_numbers=True)
    action = format_mapping_action(mapping)
    return mapping.description or f"{trigger} -> {action}"


def summarize_coverage(coverage: Coverage) -> str:
    """Return the results of the gestures as one line, such as `Tried 12,480 gestures; 3 now
    do something else (...).`
    """
    not_played = [mapping.words for mapping in coverage.changed if mapping.played is False]
    unplayed = (
        f"You have not played {_list_first_names(not_played)} recently. " if not_played else ""
    )
    if not coverage.gestures_played:
        return unplayed.strip() if coverage.finished or unplayed else ""
    tried = (
        f"Tried {coverage.gestures_played:,} gesture{'' if coverage.gestures_played == 1 else 's'}"
    )
    verb = "does" if coverage.differing == 1 else "do"
    result = f"{coverage.differing:,} now {verb} something else"
    if not coverage.differing:
        result = "all still do the same"
    if not coverage.finished:
        return f"{unplayed}{tried} so far ({coverage.progress:.0%}); {result}."
    touches = f"{coverage.depth} touch{'' if coverage.depth == 1 else 'es'}"
    scope = f"every gesture with up to {touches}"
    if coverage.cut_short:
        scope = "stopped at the limit; longer gestures were not tried"
    return f"{unplayed}{tried}; {result} ({scope})."


def _list_first_names(names: Sequence[str], most: int = 5) -> str:
    listed = ", ".join(f"`{name}`" for name in names[:most])
    return listed if len(names) <= most else f"{listed} and {len(names) - most} more"
