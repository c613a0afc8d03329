"""Which mappings of a change were played lately, and what gestures showed, in a line."""

from collections.abc import Iterable, Sequence

from conductor.domain.coverage import Coverage
from conductor.domain.events import CONTROL_CLASS, Control, InputEvent
from conductor.domain.impact import ANY_NUMBER
from conductor.domain.row_phrases import action_phrase, trigger_phrase
from conductor.engine.impact_rows import Row


def touched_controls(events: Iterable[InputEvent]) -> frozenset[Control]:
    """Return the controls of some events."""
    return frozenset(
        Control(event.device, event.channel, CONTROL_CLASS[event.kind], event.number)
        for event in events
        if event.kind in CONTROL_CLASS
    )


def was_played(row: Row, touched: frozenset[Control]) -> bool:
    """Check whether each control of a mapping was touched, on a device and channel that it hears."""
    return all(
        any(
            control.control_class == control_class
            and number in (control.number, ANY_NUMBER)
            and row.device in (None, control.device)
            and row.channel in (None, control.channel)
            for control in touched
        )
        for control_class, number in row.places
    )


def row_words(row: Row) -> str:
    """Return what a row is called, or its trigger and action."""
    mapping = row.mapping
    phrase = f"{trigger_phrase(mapping.trigger)} -> {action_phrase(mapping.action)}"
    return mapping.description or phrase


def summarise_coverage(found: Coverage) -> str:
    """Return what the gestures showed in a line: `12,480 gestures, 3 differ`."""
    not_played = [one.words for one in found.changed if one.played is False]
    lately = f"Not played lately: {_first(not_played)}. " if not_played else ""
    if not found.gestures_played:
        return lately.strip() if found.finished or lately else ""
    verb = "differs" if found.differing == 1 else "differ"
    figures = f"{found.gestures_played:,} gestures, {found.differing:,} {verb}"
    if not found.finished:
        return f"{lately}{figures} so far ({found.progress:.0%})."
    scope = f"all of up to {found.depth} touches" if not found.cut_short else "the time ran out"
    return f"{lately}{figures} ({scope})."


def _first(names: Sequence[str], most: int = 5) -> str:
    listed = ", ".join(f"`{name}`" for name in names[:most])
    return listed if len(names) <= most else f"{listed} and {len(names) - most} more"
