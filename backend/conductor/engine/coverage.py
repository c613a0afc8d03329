"""Which mappings of a change were played in what was recorded, and what gestures showed, in a line."""

from collections.abc import Iterable, Sequence

from conductor.domain.coverage import Coverage
from conductor.domain.events import CONTROL_CLASS, Control, InputEvent
from conductor.domain.impact import ANY_NUMBER
from conductor.domain.recording import Recording
from conductor.domain.renames import Renames
from conductor.domain.row_phrases import action_phrase, trigger_phrase
from conductor.engine.impact.rows import Place, Row
from conductor.engine.replay import Comparison
from conductor.engine.touches import Touches, control_of


def find_touches(found: Comparison, recording: Recording, renames: Renames) -> Touches:
    """Return where controls were touched in a recording that was compared under two configs.

    What was not played again, or played otherwise than it really was, leaves open in which mode it was.
    """
    clear = [
        one for one in found.chains if one.cannot_tell is None and one.reached == len(one.chain.fed)
    ]
    known = {id(segment) for one in clear for segment in one.chain.segments}
    unclear = (
        entry.input
        for segment in recording.segments
        if id(segment) not in known
        for entry in segment.entries
        if isinstance(entry.input, InputEvent) and entry.input.kind in CONTROL_CLASS
    )
    return Touches(
        old=frozenset(
            touch.renamed(renames) for one in clear for touch in one.played_before.touches
        ),
        new=frozenset(touch for one in clear for touch in one.touches_after),
        unclear=frozenset(control_of(event) for event in unclear),
    )


def check_played(side: int, row: Row, touches: Touches) -> bool | None:
    """Check whether each control of a mapping was touched where the mapping could hear it.

    That is on its device and channel, and while its mode or profile was active. None when it is not known.
    """
    heard = {
        touch.control
        for touch in (touches.new if side else touches.old)
        if _is_in_force(row, touch.mode, touch.profile)
    }
    if all(any(_hears(row, place, one) for one in heard) for place in row.places):
        return True
    anywhere = (*heard, *touches.unclear)
    return None if all(_may_be(row, place, anywhere) for place in row.places) else False


def _is_in_force(row: Row, mode: str, profile: str | None) -> bool:
    match row.kind:
        case "mode":
            return row.owner == mode
        case "profile":
            return row.owner == profile
        case "global":
            return True


def _hears(row: Row, place: Place, control: Control) -> bool:
    return row.device in (None, control.device) and _is_at(row, place, control)


def _may_be(row: Row, place: Place, controls: Iterable[Control]) -> bool:
    """Check for a touch whatever its device was called: an alias may have had another port then."""
    return any(_is_at(row, place, control) for control in controls)


def _is_at(row: Row, place: Place, control: Control) -> bool:
    control_class, number = place
    return (
        control.control_class == control_class
        and number in (control.number, ANY_NUMBER)
        and row.channel in (None, control.channel)
    )


def describe_row(row: Row) -> str:
    """Return what a row is called, or its trigger and action."""
    mapping = row.mapping
    phrase = f"{trigger_phrase(mapping.trigger)} -> {action_phrase(mapping.action)}"
    return mapping.description or phrase


def summarize_coverage(found: Coverage) -> str:
    """Return what the gestures showed in a line: `12,480 gestures, 3 differ`."""
    not_played = [one.words for one in found.changed if one.played is False]
    unplayed = f"Not in what was recorded: {_first(not_played)}. " if not_played else ""
    if not found.gestures_played:
        return unplayed.strip() if found.finished or unplayed else ""
    verb = "differs" if found.differing == 1 else "differ"
    figures = f"{found.gestures_played:,} gestures, {found.differing:,} {verb}"
    if not found.finished:
        return f"{unplayed}{figures} so far ({found.progress:.0%})."
    scope = f"all of up to {found.depth} touches" if not found.cut_short else "the time ran out"
    return f"{unplayed}{figures} ({scope})."


def _first(names: Sequence[str], most: int = 5) -> str:
    listed = ", ".join(f"`{name}`" for name in names[:most])
    return listed if len(names) <= most else f"{listed} and {len(names) - most} more"
