"""Explains why an expected action of an example did not fire, from the traces of its gesture."""

from collections.abc import Iterator

from conductor.domain.config import Config
from conductor.domain.gesture_phrases import describe_trigger
from conductor.domain.reasons import get_reason_kind, render_reason
from conductor.domain.scopes import format_mode_scope, format_profile_scope
from conductor.domain.trace import Candidate, MappingRef, Trace
from conductor.engine.examples.match import ExpectedActionMatcher

_CONTROL_CLASS_WORDS = {
    "cc": "CC",
    "osc": "OSC",
    "gamepad_trigger": "trigger",
    "program_change": "program",
}
_NUMBERLESS_CONTROLS = {
    "pitch_bend": "pitch bend",
    "channel_pressure": "pressure",
    "sysex": "SysEx",
}


def explain_missing_action(
    config: Config, traces: list[Trace], wanted: ExpectedActionMatcher
) -> str:
    """Return the last reason why a mapping with the expected action did not fire during the gesture."""
    found = [
        (trace, candidate)
        for trace in traces
        for candidate in _find_rejected_candidates(trace, wanted)
    ]
    if found:
        trace, candidate = found[-1]
        return f"{_format_trace_control(trace, candidate)}{_describe_rejection(candidate)}"
    muted = next(
        (trace for trace in traces if trace.note and get_reason_kind(trace.note) == "muted"), None
    )
    if muted is not None and muted.note is not None:
        return render_reason(muted.note)
    return _explain_without_candidate(config, traces, wanted)


def _find_rejected_candidates(trace: Trace, wanted: ExpectedActionMatcher) -> Iterator[Candidate]:
    for candidate in trace.candidates:
        if candidate.outcome in ("no", "shadowed") and wanted.matches_action(
            candidate.ref.mapping.action
        ):
            yield candidate


def _describe_rejection(candidate: Candidate) -> str:
    words = render_reason(candidate.reason)
    match get_reason_kind(candidate.reason):
        case "too_short" | "too_long":
            return f" {words}"
        case "no_second_press" | "half_chord" | "chord_consumed":
            return f": {words}"
        case _:
            return f" was played: {words}"


def _format_trace_control(trace: Trace, candidate: Candidate) -> str:
    control_class, number = candidate.ref.mapping.trigger.list_controls()[0]
    if candidate.ref.mapping.trigger.gesture == "chord" or control_class in _NUMBERLESS_CONTROLS:
        return _NUMBERLESS_CONTROLS.get(
            control_class, describe_trigger(candidate.ref.mapping.trigger)
        )
    if trace.event.kind != "timer" or trace.event.number:
        number = trace.event.number
    return f"{_CONTROL_CLASS_WORDS.get(control_class, control_class)} {number}"


def _explain_without_candidate(
    config: Config, traces: list[Trace], wanted: ExpectedActionMatcher
) -> str:
    """Return why no event of the gesture reached a mapping with the expected action."""
    refs = [
        (MappingRef(scope, index, mapping))
        for scope, index, mapping in config.list_all_mappings()
        if wanted.matches_action(mapping.action)
    ]
    if not refs:
        return f"no mapping does {wanted.describe()}"
    modes = dict.fromkeys(trace.mode for trace in traces)
    active = {format_mode_scope(mode) for mode in modes} | {"global"}
    active |= {format_profile_scope(trace.profile) for trace in traces if trace.profile}
    ref = min(refs, key=lambda ref: (not ref.mapping.enabled, ref.scope not in active))
    name, phrase = f"`{ref.describe()}`", describe_trigger(ref.mapping.trigger)
    if not ref.mapping.enabled:
        return f"{name} does it, but is not enabled"
    if ref.scope not in active:
        scope = ref.scope.replace(":", " ", 1)
        return f"{name} does it in {scope}, but mode {', '.join(modes)} was active"
    if any(fired == ref for trace in traces for fired in trace.fired):
        return f"{name}, which waits for {phrase}, does it, and fired at no other time"
    return f"{name} does it on {phrase}, which the gesture does not play"
