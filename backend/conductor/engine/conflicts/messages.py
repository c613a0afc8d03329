"""Describes the conflicts that were found by playing gestures, in messages for the user."""

from collections.abc import Sequence
from typing import NamedTuple

from conductor.domain.conflicts.actions import sends_midi
from conductor.domain.conflicts.rows import (
    MappingRow,
    build_overlap,
    has_same_input,
    join_phrases,
    list_row_names,
)
from conductor.domain.plan import Overlap, Severity
from conductor.domain.scopes import parse_scope
from conductor.domain.triggers.double_tap import DoubleTapTrigger
from conductor.domain.triggers.gamepad_button_chord import GamepadButtonChordTrigger
from conductor.domain.triggers.long_press import LongPressTrigger
from conductor.domain.triggers.note_chord import NoteChordTrigger
from conductor.engine.conflicts.play import PairVerdict


class Interference(NamedTuple):
    """The effect of one mapping, the culprit, on another, the victim, with a gesture that demonstrates it."""

    culprit: MappingRow
    victim: MappingRow
    verdict: PairVerdict
    gesture: str


def build_interference(effects: Sequence[Interference]) -> Overlap:
    """Return the conflict of two mappings, of which one affects the other or each affects the other."""
    message = "; ".join(dict.fromkeys(_describe_effect(effect) for effect in effects))
    severity: Severity = (
        "warning" if any(_is_serious_effect(effect) for effect in effects) else "info"
    )
    first = effects[0]
    found = build_overlap("interferes", severity, message, first.culprit, first.victim)
    return found.model_copy(update={"gesture": first.gesture})


def build_never_fires_conflict(
    takers: Sequence[MappingRow], victim: MappingRow, gesture: str
) -> Overlap:
    """Return the conflict for a mapping that never fires, because other mappings use up all its events."""
    *first, name = list_row_names(*takers, victim)
    take = "takes" if len(first) == 1 else "take"
    each = ", whenever it could fire" if len(first) == 1 else ", one or the other whenever it could"
    events = _describe_all_events(victim)
    message = f"{name} never fires: {join_phrases(first)} {take} {events} of {victim.describe_control()}{each}"
    found = build_overlap("never_fires", "error", message, *takers, victim)
    return found.model_copy(update={"gesture": gesture})


def build_parameter_conflict(row: MappingRow, parameter: MappingRow) -> Overlap:
    """Return the conflict between a mapping on a CC and a mapping on the NRPN or RPN
    that this CC belongs to.
    """
    name, other = list_row_names(row, parameter)
    message = (
        f"{name} also fires when {parameter.describe_control()} ({other}) changes: "
        f"a device sends it as CC 99 and 98, or 101 and 100, then 6 and 38"
    )
    return build_overlap("interferes", "info", message, row, parameter)


def _is_serious_effect(effect: Interference) -> bool:
    """Return whether an effect is probably unintended: MIDI that is sent late, or two
    kinds of trigger on a knob.
    """
    culprit, victim = effect.culprit, effect.victim
    if not effect.verdict.is_lost:
        return sends_midi(victim.ref.mapping.action)
    return (
        culprit.gesture == "change"
        and culprit.scope == victim.scope
        and culprit.trigger.type != victim.trigger.type  # pyright: ignore[reportAttributeAccessIssue]
    )


def _describe_all_events(row: MappingRow) -> str:
    return {
        "tap": "every press",
        "release": "every release",
        "change": "every value",
        "long_press": "every long press",
        "double_tap": "every double tap",
        "chord": "every chord",
    }[row.gesture]


def _describe_effect(effect: Interference) -> str:
    culprit, victim = effect.culprit, effect.victim
    cause, name = list_row_names(culprit, victim)
    if culprit.gesture == victim.gesture and culprit.gesture != "long_press":
        if culprit.gesture != "chord":
            return _describe_shared_events(culprit, victim, cause, name)
        return _describe_chords(effect, cause, name)
    match culprit.trigger:
        case LongPressTrigger(duration_ms=duration):
            kind, moment = f"a long press ({duration} ms)", f"once it is held for {duration} ms"
        case DoubleTapTrigger(timeout_ms=timeout):
            kind, moment = f"a double tap ({timeout} ms)", f"on two presses within {timeout} ms"
        case NoteChordTrigger(timeout_ms=timeout) | GamepadButtonChordTrigger(timeout_ms=timeout):
            why = f"{cause} is the chord {culprit.describe_control()}, which uses up its notes"
            if not effect.verdict.is_lost:
                return f"{name} waits up to {timeout} ms because {why}"
            return (
                f"{name} does not fire when {victim.describe_control()} is part of a chord: {why}"
            )
        case _:
            kind, moment = f"a {_format_gesture_name(culprit)}", "sometimes"
    if effect.verdict.is_lost:
        control = culprit.describe_control()
        return f"{name} ({_format_gesture_name(victim)}) does not fire {moment}: {cause} is {kind} of {control}"
    late = f" up to {effect.verdict.late_ms:g} ms" if effect.verdict.late_ms > 0 else ""
    return f"{name} waits{late} because {cause} is {kind} of {culprit.describe_control()}"


def _format_gesture_name(row: MappingRow) -> str:
    return {"long_press": "long press", "double_tap": "double tap"}.get(row.gesture, row.gesture)


def _describe_shared_events(culprit: MappingRow, victim: MappingRow, cause: str, name: str) -> str:
    """Return a sentence about events that fit two mappings, and which of the two receives the events."""
    nouns = {"tap": "a press", "release": "a release", "double_tap": "a double tap"}
    shared = _describe_shared_control(culprit, victim)
    event = nouns.get(culprit.gesture, "a value")
    kind, owner = parse_scope(culprit.scope)
    if culprit.scope != victim.scope:
        where = f"in mode {owner}" if kind == "mode" else f"while profile {owner} is active"
        return f"{where} only {cause} fires when {event} of {shared} fits it and {name} too"
    return (
        f"when {event} of {shared} fits both {cause} and {name}, only {cause} fires: it comes first"
    )


def _describe_chords(effect: Interference, cause: str, name: str) -> str:
    culprit, victim = effect.culprit, effect.victim
    theirs = victim.trigger.list_controls()
    shared = " and ".join(
        str(number)
        if culprit.find_control_name(control_class, number) is None
        else culprit.describe_one_control(control_class, number)
        for control_class, number in culprit.trigger.list_controls()
        if (control_class, number) in theirs
    )
    chords = f"the chords {culprit.describe_control()} ({cause}) and {victim.describe_control()} ({name})"
    if not effect.verdict.is_lost:
        return f"{chords} share {shared}: {name} waits longer because {cause} may still come"
    return f"{chords} share {shared}: where both are possible, {cause} consumes it"


def _describe_shared_control(first: MappingRow, second: MappingRow) -> str:
    if has_same_input(first, second):
        return first.describe_control()
    device = first.trigger.device or second.trigger.device
    channel = first.trigger.channel or second.trigger.channel
    shared = first.trigger.model_copy(update={"device": device, "channel": channel})
    return first._replace(trigger=shared).describe_control()


def build_limit_conflict(row: MappingRow, examined: int, every: int) -> Overlap:
    """Return the conflict that reports a control with too many mappings to examine all of their pairs."""
    return Overlap(
        kind="interferes",
        severity="info",
        message=f"the search for conflicts reached its limit before every pair of mappings of"
        f" {row.describe_control()} was examined: {examined:,} of up to {every:,}",
        places=(row.describe_position(),),
    )
