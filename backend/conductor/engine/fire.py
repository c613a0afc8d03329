"""Fires mappings: checks their conditions, chooses between competing mappings, and
computes the control's value.
"""

from collections.abc import Sequence
from typing import Literal

from conductor.domain import reasons
from conductor.domain.actions.base import Fire
from conductor.domain.condition_facts import capture_unmet_condition
from conductor.domain.events import InputEvent
from conductor.domain.reasons import Reason
from conductor.domain.trace import Candidate, Trace
from conductor.engine import play
from conductor.engine.state import ControlState, EngineState, Firing
from conductor.engine.table import CompiledMapping

_SEVEN_BIT_EVENT_KINDS = frozenset(
    ("note_on", "note_off", "cc", "poly_pressure", "channel_pressure")
)
_STATUS_BYTES = {
    "note_on": 0x90,
    "note_off": 0x80,
    "poly_pressure": 0xA0,
    "cc": 0xB0,
    "program_change": 0xC0,
    "channel_pressure": 0xD0,
    "pitch_bend": 0xE0,
}


def find_rejection_reason(
    state: EngineState, compiled: CompiledMapping, event: InputEvent
) -> Reason | None:
    """Return the reason why a mapping may not fire for an event, or None if it may fire."""
    for condition in compiled.when:
        if not condition.is_met(state):
            return (reasons.UNMET_CONDITION, capture_unmet_condition(condition, state))
    return compiled.trigger.check_press(event)


def find_first_allowed_mapping(
    state: EngineState,
    trace: Trace,
    members: Sequence[CompiledMapping],
    event: InputEvent,
    *,
    chosen: Literal["waiting"] | None = None,
) -> CompiledMapping | None:
    """Return the first mapping that may fire for an event, or None.

    `members` must be in order of precedence. Every member gets a candidate in the trace, so that an
    explanation can name the reason.
    """
    winner: CompiledMapping | None = None
    for member in members:
        reason = find_rejection_reason(state, member, event)
        if reason is not None:
            trace.candidates.append(Candidate(member.ref, "no", reason))
        elif winner is None:
            winner = member
            if chosen is not None:
                reason = ("the gesture is not decided yet",)
                trace.candidates.append(Candidate(member.ref, chosen, reason))
        else:
            reason = (reasons.SHADOWED_BY_MAPPING, winner.ref)
            trace.candidates.append(Candidate(member.ref, "shadowed", reason))
    return winner


def fire_mapping(
    state: EngineState,
    trace: Trace,
    compiled: CompiledMapping,
    event: InputEvent,
    holders: tuple[ControlState, ...],
    reason: Reason,
    steps: int = 0,
    presses: tuple[int, ...] = (),
) -> None:
    """Fire a mapping: play its action with the value of the event, and record this in the trace."""
    trace.candidates.append(Candidate(compiled.ref, "fired", reason, presses))
    message, release_message = _build_midi_messages(event) if compiled.forwards else (b"", b"")
    values = Fire(normalize_value(event), steps, message, release_message)
    play.start_action(state, trace, Firing(compiled, values, holders, presses))


def normalize_value(event: InputEvent) -> float:
    """Return the value of an event, scaled to the range from 0.0 to 1.0."""
    value, kind = event.value, event.kind
    # The common case first, because this function runs for every firing.
    if kind in _SEVEN_BIT_EVENT_KINDS:
        return value / 127
    match kind:
        case "button_down" | "button_up":
            return float(value)
        case "axis":
            return (value + 1) / 2
        case "gamepad_trigger" | "osc":
            return min(1.0, max(0.0, float(value)))
        case "pitch_bend" | "nrpn" | "rpn":
            return value / 16_383
        case "sysex":
            return 1.0
        case _:
            return value / 127


def _build_midi_messages(event: InputEvent) -> tuple[bytes, bytes]:
    """Return the MIDI message of an event and the message that ends it; a missing message is empty."""
    if event.kind == "sysex":
        return bytes(event.data), b""
    status = _STATUS_BYTES.get(event.kind)
    if status is None or not isinstance(event.number, int):
        return b"", b""
    status |= max(0, event.channel - 1)
    value = int(event.value)
    match event.kind:
        case "program_change" | "channel_pressure":
            return bytes((status, value)), b""
        case "pitch_bend":
            return bytes((status, value & 0x7F, value >> 7)), b""
        case "note_on":
            off = bytes((0x80 | (status & 0x0F), event.number, 0))
            return bytes((status, event.number, value)), off
        case _:
            return bytes((status, event.number, value)), b""
