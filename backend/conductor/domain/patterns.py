"""Suggests triggers for captured events, such as long presses, chords, velocity layers and encoders."""

import math
from collections.abc import Sequence
from itertools import pairwise

from conductor.base.json_types import JsonObject
from conductor.domain.control_names import NO_CONTROL_NAMES, ControlNames
from conductor.domain.events import (
    CONTROL_CLASS,
    PRESS_EVENT_KINDS,
    RELEASE_EVENT_KINDS,
    Control,
    InputEvent,
)
from conductor.domain.settings import LearnSettings
from conductor.domain.triggers.encoder_coding import (
    EncoderCoding,
    decode_relative_steps,
    detect_coding,
)
from conductor.domain.value import Value

RELEASE_KIND_BY_PRESS = dict(zip(PRESS_EVENT_KINDS, RELEASE_EVENT_KINDS, strict=True))
MAX_CHORD_CONTROLS, DEFAULT_CHORD_WINDOW_MS = 10, 50
"""The maximum number of notes in a chord, and the default of its time window in milliseconds."""
MAX_LONG_PRESS_MS = 60_000
SHORTEST_DOUBLE_TAP_MS = 20
"""A shorter gap comes from a bouncing contact or a program, not from a finger."""
MAX_WHOLE_SYSEX_BYTES = 64
"""The number of bytes up to which a whole SysEx message is suggested as a pattern. Of a longer message, only
the first bytes are suggested, which identify the sender and the kind of message."""

PAUSE_BETWEEN_GESTURES_S = 1.5
"""The pause after which a new gesture begins: longer than between the taps of one, shorter than a decision."""
PRESS_AND_RELEASE_KINDS = (*PRESS_EVENT_KINDS, *RELEASE_EVENT_KINDS)
_ROLES_WITH_POSITION = ("knob", "fader")
_MAX_USUAL_STEP = 4
"""The largest step that encoders send in most of their messages; only a fast turn exceeds it."""


class Suggestion(Value):
    """A suggested trigger that fits captured events, with the reason for it."""

    trigger: JsonObject
    why: str
    score: float
    """How well the trigger fits, from 0.0 to 1.0; the best suggestion comes first."""


def suggest_for_last_gesture(
    events: Sequence[InputEvent], settings: LearnSettings, names: ControlNames = NO_CONTROL_NAMES
) -> list[Suggestion]:
    """Return the triggers that fit the gesture that was played last, the best first.

    A gesture begins with the first event after a pause. The range and the coding of a knob, and soft and hard
    strikes of a pad, are judged by all that its control has sent.
    """
    controls = [event for event in events if event.kind in CONTROL_CLASS]
    begin, down = 0, 0
    for index, (before, event) in enumerate(pairwise(controls), 1):
        down = max(0, down + (before.kind in RELEASE_KIND_BY_PRESS))
        down = max(0, down - (before.kind in RELEASE_EVENT_KINDS))
        if not down and event.time - before.time > PAUSE_BETWEEN_GESTURES_S:
            begin = index
    last = controls[begin:]
    if not begin:
        return suggest_triggers(last, settings, names)
    played = {_get_control(event) for event in last}
    earlier = [event for event in controls[:begin] if _get_control(event) in played]
    moved = [event for event in earlier if event.kind not in PRESS_AND_RELEASE_KINDS]
    found = suggest_triggers([*moved, *last], settings, names)
    strikes = suggest_triggers([*earlier, *last], settings, names)
    layers = [one for one in strikes if one.trigger["type"] == "VelocityRange"]
    return sorted(
        [*(one for one in found if one.trigger["type"] != "VelocityRange"), *layers],
        key=lambda suggestion: -suggestion.score,
    )


def _get_control(event: InputEvent) -> Control:
    return Control(event.device, event.channel, CONTROL_CLASS[event.kind], event.number)


def suggest_triggers(
    events: Sequence[InputEvent], settings: LearnSettings, names: ControlNames = NO_CONTROL_NAMES
) -> list[Suggestion]:
    """Return the triggers that fit the captured events, the best first.

    `names` tell knobs and faders from encoders, as far as device profiles describe them.
    """
    found: list[Suggestion] = []
    by_control: dict[Control, list[InputEvent]] = {}
    for event in events:
        if event.kind in CONTROL_CLASS:
            by_control.setdefault(_get_control(event), []).append(event)
    found += _suggest_chords(by_control, settings)
    for control, played in by_control.items():
        if control.control_class in ("note", "button"):
            found += _suggest_press_triggers(control, played, settings)
        elif control.control_class == "cc":
            role = names.find_control_role(control.device, "cc", control.number, control.channel)
            found += _suggest_controller_triggers(control, played, role)
        else:
            found += _suggest_other_triggers(control, played)
    return sorted(found, key=lambda suggestion: -suggestion.score)


def _build_location_fields(control: Control) -> JsonObject:
    place: JsonObject = {"device": control.device}
    return place | ({"channel": control.channel} if control.channel else {})


def _get_trigger_type(control: Control) -> tuple[str, str]:
    """Return the type of trigger for a press of a control, and its field for the number of the control."""
    return ("Note", "note") if control.control_class == "note" else ("GamepadButton", "button")


def _suggest_press_triggers(
    control: Control, played: Sequence[InputEvent], settings: LearnSettings
) -> list[Suggestion]:
    kind, field = _get_trigger_type(control)
    starts = [event for event in played if event.kind in RELEASE_KIND_BY_PRESS]
    if not starts:
        return []
    base = {field: control.number, **_build_location_fields(control)}
    found = [
        Suggestion(
            trigger={"type": kind, **base},
            why=f"{field} {control.number} was pressed {_format_times(len(starts))}",
            score=0.6,
        )
    ]
    longest_ms = _measure_longest_press_ms(played)
    if longest_ms >= settings.long_press_ms:
        duration = min(MAX_LONG_PRESS_MS, max(50, int(longest_ms * 0.8 / 100) * 100))
        found.append(
            Suggestion(
                trigger={"type": "LongPress", **base, "duration_ms": duration},
                why=f"held for {longest_ms:.0f} ms",
                score=0.9,
            )
        )
    gaps_ms = [
        gap_ms
        for gap_ms in ((b.time - a.time) * 1000 for a, b in pairwise(starts))
        if SHORTEST_DOUBLE_TAP_MS <= gap_ms <= settings.double_tap_ms
    ]
    if gaps_ms:
        timeout = min(5000, _round_up_to_50_ms(min(gaps_ms) + 100))
        found.append(
            Suggestion(
                trigger={"type": "DoubleTap", **base, "timeout_ms": max(50, timeout)},
                why=f"two presses {min(gaps_ms):.0f} ms apart",
                score=0.85,
            )
        )
    return found + (
        _suggest_velocity_layers(base, starts) if control.control_class == "note" else []
    )


def _round_up_to_50_ms(time_ms: float) -> int:
    """Return a time rounded up to 50 ms, because a limit that was measured once should not look precise."""
    return math.ceil(time_ms / 50) * 50


def _format_times(count: int) -> str:
    return {1: "once", 2: "twice"}.get(count, f"{count} times")


def _measure_longest_press_ms(played: Sequence[InputEvent]) -> float:
    longest, started = 0.0, None
    for event in played:
        if event.kind in RELEASE_KIND_BY_PRESS:
            started = event.time
        elif started is not None:
            longest, started = max(longest, (event.time - started) * 1000), None
    return longest


def _suggest_velocity_layers(base: JsonObject, starts: Sequence[InputEvent]) -> list[Suggestion]:
    """Return triggers for soft and for hard presses, if the captured velocities fall into two such groups."""
    velocities = sorted(int(event.value) for event in starts)
    widest = max(pairwise(velocities), key=lambda p: p[1] - p[0], default=(0, 0))
    if widest[1] - widest[0] < 30:
        return []
    split = (widest[0] + widest[1]) // 2
    layers = (("soft", 1, split), ("hard", split + 1, 127))
    return [
        Suggestion(
            trigger={"type": "VelocityRange", **base, "min_velocity": low, "max_velocity": high},
            why=f"{word} strikes: velocities {velocities[0]} to {velocities[-1]} were played",
            score=0.7,
        )
        for word, low, high in layers
    ]


def _suggest_chords(
    by_control: dict[Control, list[InputEvent]], settings: LearnSettings
) -> list[Suggestion]:
    """Return a trigger for each set of controls on a device that were pressed at the same time."""
    spreads_ms: dict[tuple[Control, ...], float] = {}
    for group in _group_simultaneous_presses(by_control, settings.chord_ms):
        controls = tuple(sorted({control for _, control in group}, key=_get_chord_member))
        if 2 <= len(controls) <= MAX_CHORD_CONTROLS:
            spread_ms = (group[-1][0] - group[0][0]) * 1000
            spreads_ms[controls] = max(spread_ms, spreads_ms.get(controls, 0.0))
    return [
        _build_chord_suggestion(controls, spread_ms) for controls, spread_ms in spreads_ms.items()
    ]


def _group_simultaneous_presses(
    by_control: dict[Control, list[InputEvent]], chord_ms: int
) -> list[list[tuple[float, Control]]]:
    """Return groups of presses that began within the window of a chord, for each device and channel."""
    starts = [
        (event.time, control)
        for control, played in by_control.items()
        for event in played
        if event.kind in RELEASE_KIND_BY_PRESS
    ]
    starts.sort(key=lambda start: (start[1][:3], start[0]))
    groups: list[list[tuple[float, Control]]] = []
    for start in starts:
        first = groups[-1][0] if groups else start
        near = (start[0] - first[0]) * 1000 < chord_ms and start[1][:3] == first[1][:3]
        if groups and near:
            groups[-1].append(start)
        else:
            groups.append([start])
    return groups


def _get_chord_member(control: Control) -> tuple[int, str]:
    return (control.number, "") if isinstance(control.number, int) else (0, control.number)


def _build_chord_suggestion(controls: tuple[Control, ...], spread_ms: float) -> Suggestion:
    is_note = controls[0].control_class == "note"
    kind, field = ("NoteChord", "notes") if is_note else ("GamepadButtonChord", "buttons")
    trigger = {
        "type": kind,
        field: [c.number for c in controls],
        **_build_location_fields(controls[0]),
    }
    if spread_ms >= DEFAULT_CHORD_WINDOW_MS:
        trigger["timeout_ms"] = _round_up_to_50_ms(spread_ms + DEFAULT_CHORD_WINDOW_MS)
    why = f"{len(controls)} pressed within {spread_ms:.0f} ms"
    return Suggestion(trigger=trigger, why=why, score=0.95)


def _suggest_controller_triggers(
    control: Control, played: Sequence[InputEvent], role: str | None
) -> list[Suggestion]:
    values = [int(event.value) for event in played]
    base = {"cc": control.number, **_build_location_fields(control)}
    has_position = role in _ROLES_WITH_POSITION
    if set(values) <= {0, 127} and len(values) <= 8 and not has_position:
        button = {"type": "CC", **base, "value_min": 64}
        return [Suggestion(trigger=button, why="only 0 and 127 were sent: a button", score=0.8)]
    coding = detect_coding(values)
    moved = f"moved from {values[0]} to {values[-1]}"
    if coding is None or coding == "absolute" or has_position or not _are_steps(coding, values):
        what = {"knob": "a knob", "fader": "a fader"}.get(role or "", "a knob or fader")
        why = f"{moved}: {what}"
        turn = {"type": "EncoderTurn", **base, "encoding": "absolute"}
        return [
            Suggestion(
                trigger={"type": "CC", **base}, why=why, score=0.95 if has_position else 0.75
            ),
            Suggestion(trigger=turn, why=moved, score=0.2 if has_position else 0.4),
        ]
    turn = {"type": "EncoderTurn", **base, "encoding": coding}
    why = f"values {values[:6]} are steps, coded {coding}"
    return [
        Suggestion(trigger=turn, why=why, score=0.85),
        Suggestion(trigger={"type": "CC", **base}, why=moved, score=0.4),
    ]


def _are_steps(coding: EncoderCoding, values: Sequence[int]) -> bool:
    """Return whether most values are steps as small as those of an encoder.

    A knob that is moved by jumps sends values such as 9, 19 and 127, which no coding excludes.
    """
    small = sum(abs(decode_relative_steps(coding, value)) <= _MAX_USUAL_STEP for value in values)
    return small * 2 > len(values)


def _suggest_other_triggers(control: Control, played: Sequence[InputEvent]) -> list[Suggestion]:
    values = [event.value for event in played]
    place = _build_location_fields(control)
    low, high = min(values), max(values)
    match control.control_class:
        case "channel_pressure" | "poly_pressure":
            note = {"note": control.number} if control.control_class == "poly_pressure" else {}
            trigger = {
                "type": "Aftertouch",
                **note,
                "pressure_min": max(1, int(high) // 2),
                **place,
            }
            score = 0.3
        case "pitch_bend":
            trigger, score = {"type": "PitchBend", "dead_zone": 200, **place}, 0.7
        case "program_change":
            trigger, score = {"type": "ProgramChange", "program": control.number, **place}, 0.8
        case "nrpn" | "rpn":
            registered = {"registered": True} if control.control_class == "rpn" else {}
            trigger = {"type": "Nrpn", "parameter": control.number, **registered, **place}
            score = 0.9
        case "axis":
            side = "positive" if high >= -low else "negative"
            trigger = {
                "type": "GamepadAnalogStick",
                "axis": control.number,
                "direction": side,
                **place,
            }
            score = 0.7 if max(high, -low) >= 0.5 else 0.2
        case "gamepad_trigger":
            trigger, score = {"type": "GamepadTrigger", "trigger": control.number, **place}, 0.7
        case "osc":
            trigger, score = {"type": "OscMessage", "address": control.number, **place}, 0.7
        case _:
            data: bytes = played[-1].data or b""
            whole = len(data) <= MAX_WHOLE_SYSEX_BYTES
            pattern = data.hex(" ").upper() if whole else f"{data[:8].hex(' ').upper()} *"
            trigger, score = {"type": "Sysex", "pattern": pattern, **place}, 0.6
    return [
        Suggestion(
            trigger=trigger, why=f"{len(played)} values from {low:g} to {high:g}", score=score
        )
    ]
