"""Converts between note names, MIDI note numbers, frequencies, cents and semitones.

Both common numberings of octaves are supported.
"""

import math
import re
from collections.abc import Callable
from typing import Literal, NamedTuple

from conductor.capabilities.words import (
    NUMBER_PATTERN,
    TO_PATTERN,
    CalculatorAnswer,
    build_calculator_answer,
    format_number,
)
from conductor.errors import InvalidParams

MiddleC = Literal["C3", "C4"]
NOTE_NAMES = ("C", "C#", "D", "D#", "E", "F", "F#", "G", "G#", "A", "A#", "B")
_SEMITONES_BY_LETTER = {"c": 0, "d": 2, "e": 4, "f": 5, "g": 7, "a": 9, "b": 11}
_OCTAVES_BELOW_ZERO = {"C3": 2, "C4": 1}
"""The number of octaves between MIDI note 0 and the octave that is numbered 0."""
A4_NUMBER = 69
ALLOWED_HERTZ_RANGE = (1.0, 100_000.0)
_NOTE_GROUPS = r"([a-g](?: ?(?:##|#|sharp|bb|b|flat))?) ?(-?\d{1,2})"
_NUMBER_GROUP = rf"({NUMBER_PATTERN})"
_HERTZ_GROUPS = rf"{_NUMBER_GROUP} ?(k?)(?:hz|hertz)"
_NOTE_NUMBER_WORD = r"(?:midi|midi note|note|note number|midi number|midi note number)"
_HERTZ_WORD = r"(?:hz|hertz|frequency|freq)"
_NAME_WORD = r"(?:note|name|note name|pitch)"


class Tuning(NamedTuple):
    """How notes are named and tuned: the name of note 60, and the frequency of the A above middle C."""

    middle_c: MiddleC = "C3"
    a4_hz: float = 440.0


def format_note_name(number: int, middle_c: MiddleC) -> str:
    """Return the name of a MIDI note; `middle_c` is the name of note 60."""
    return f"{NOTE_NAMES[number % 12]}{number // 12 - _OCTAVES_BELOW_ZERO[middle_c]}"


def compute_hertz(number: float, tuning: Tuning) -> float:
    """Return the frequency of a MIDI note in hertz."""
    return tuning.a4_hz * 2 ** ((number - A4_NUMBER) / 12)


def answer_pitch_question(text: str, tuning: Tuning) -> CalculatorAnswer | None:
    """Return the answer to a question about pitch, or None if `text` is about another subject.

    `text` must be in lower case.
    """
    for pattern, handler in _HANDLERS:
        if match := pattern.fullmatch(text):
            return handler([group or "" for group in match.groups()], tuning)
    return None


def _compute_note_number(letter: str, octave: str, middle_c: MiddleC) -> int:
    accidental = letter[1:].strip().replace("sharp", "#").replace("flat", "b")
    step = _SEMITONES_BY_LETTER[letter[0]] + accidental.count("#") - accidental.count("b")
    return (int(octave) + _OCTAVES_BELOW_ZERO[middle_c]) * 12 + step


def _require_midi_note(number: int) -> int:
    if not 0 <= number <= 127:
        raise InvalidParams(f"MIDI notes go from 0 to 127, and this would be {number}")
    return number


def _resolve_both_numberings(letter: str, octave: str, tuning: Tuning) -> tuple[int, int, str]:
    """Return the MIDI number of a named note in the user's octave numbering and in the other numbering,
    and the name of the latter.
    """
    other: MiddleC = "C4" if tuning.middle_c == "C3" else "C3"
    number = _compute_note_number(letter, octave, tuning.middle_c)
    return number, _compute_note_number(letter, octave, other), other


def _describe_numbering(middle_c: str) -> str:
    return f"where note 60 is {middle_c}"


def _convert_note_to_hertz(groups: list[str], tuning: Tuning) -> CalculatorAnswer:
    number, second, other = _resolve_both_numberings(groups[0], groups[1], tuning)
    also = (
        f"MIDI note {number}, {_describe_numbering(tuning.middle_c)}",
        f"{format_number(round(compute_hertz(second, tuning), 4))} Hz {_describe_numbering(other)}",
    )
    return build_calculator_answer(
        round(compute_hertz(_require_midi_note(number), tuning), 4), "Hz", also
    )


def _convert_note_to_number(groups: list[str], tuning: Tuning) -> CalculatorAnswer:
    number, second, other = _resolve_both_numberings(groups[0], groups[1], tuning)
    also = (_describe_numbering(tuning.middle_c), f"{second} {_describe_numbering(other)}")
    return build_calculator_answer(_require_midi_note(number), "", also)


def _convert_number_to_name(groups: list[str], tuning: Tuning) -> CalculatorAnswer:
    number = _require_midi_note(int(groups[0]))
    return CalculatorAnswer(
        format_note_name(number, tuning.middle_c), float(number), _format_names(number, tuning)
    )


def _format_names(number: int, tuning: Tuning) -> tuple[str, ...]:
    other: MiddleC = "C4" if tuning.middle_c == "C3" else "C3"
    return (
        _describe_numbering(tuning.middle_c),
        f"{format_note_name(number, other)} {_describe_numbering(other)}",
        f"{format_number(round(compute_hertz(number, tuning), 4))} Hz",
    )


def _convert_number_to_hertz(groups: list[str], tuning: Tuning) -> CalculatorAnswer:
    number = _require_midi_note(int(groups[0]))
    also = (f"{format_note_name(number, tuning.middle_c)} {_describe_numbering(tuning.middle_c)}",)
    return build_calculator_answer(round(compute_hertz(number, tuning), 4), "Hz", also)


def _convert_hertz_to_note(groups: list[str], tuning: Tuning) -> CalculatorAnswer:
    exact = A4_NUMBER + 12 * math.log2(_parse_hertz(groups[0], groups[1]) / tuning.a4_hz)
    number = _require_midi_note(round(exact))
    cents = f"{(exact - number) * 100:+.1f} cents"
    also = (f"MIDI note {number}", cents, *_format_names(number, tuning))
    return CalculatorAnswer(
        f"{format_note_name(number, tuning.middle_c)} {cents}", float(number), also
    )


def _parse_hertz(number: str, kilo_prefix: str) -> float:
    value = float(number) * (1_000 if kilo_prefix else 1)
    if not ALLOWED_HERTZ_RANGE[0] <= value <= ALLOWED_HERTZ_RANGE[1]:
        raise InvalidParams("a pitch must be between 1 Hz and 100 kHz")
    return value


def _measure_hertz_interval(groups: list[str], _: Tuning) -> CalculatorAnswer:
    ratio = _parse_hertz(groups[2], groups[3]) / _parse_hertz(groups[0], groups[1])
    return _measure_interval(ratio, "cents")


def _measure_note_interval(groups: list[str], tuning: Tuning) -> CalculatorAnswer:
    first = _compute_note_number(groups[0], groups[1], tuning.middle_c)
    steps = _compute_note_number(groups[2], groups[3], tuning.middle_c) - first
    return build_calculator_answer(
        steps, "semitones", (f"ratio {format_number(2 ** (steps / 12))}",)
    )


def _transpose_note(groups: list[str], tuning: Tuning) -> CalculatorAnswer:
    number = _compute_note_number(groups[0], groups[1], tuning.middle_c)
    steps = int(groups[3]) * (-1 if groups[2] in ("-", "minus", "down") else 1)
    number = _require_midi_note(number + steps)
    also = (f"MIDI note {number}", *_format_names(number, tuning))
    return CalculatorAnswer(format_note_name(number, tuning.middle_c), float(number), also)


def _convert_steps_to_ratio(groups: list[str], _: Tuning) -> CalculatorAnswer:
    cents = float(groups[0]) * (100 if groups[1] == "semitone" else 1)
    if abs(cents) > 24_000:
        raise InvalidParams("an interval is 240 semitones at most")
    return _measure_interval(2 ** (cents / 1_200), groups[2])


def _convert_ratio_to_steps(groups: list[str], _: Tuning) -> CalculatorAnswer:
    top, bottom = float(groups[0]), float(groups[1] or 1)
    if not (0 < top <= 1e6 and 0 < bottom <= 1e6):
        raise InvalidParams("a ratio needs numbers above 0, such as 3/2")
    return _measure_interval(top / bottom, groups[2])


def _measure_interval(ratio: float, wanted: str) -> CalculatorAnswer:
    cents = round(1_200 * math.log2(ratio), 6)
    semitones = f"{format_number(cents / 100)} semitones"
    also = (f"ratio {format_number(ratio)}", f"{format_number(cents)} cents", semitones)
    if wanted.startswith("cent"):
        return build_calculator_answer(cents, "cents", also)
    if wanted.startswith("semitone"):
        return build_calculator_answer(cents / 100, "semitones", also)
    if wanted.startswith(("percent", "%")):
        return build_calculator_answer((ratio - 1) * 100, "%", also)
    return build_calculator_answer(ratio, "", also)


_QUESTION_PATTERNS: tuple[tuple[str, Callable[[list[str], Tuning], CalculatorAnswer]], ...] = (
    (
        rf"(?:midi note |note )?{_NOTE_GROUPS}{TO_PATTERN}{_HERTZ_WORD}",
        _convert_note_to_hertz,
    ),
    (
        rf"(?:the )?(?:frequency|freq|hz) (?:of|for) (?:midi note |note )?{_NOTE_GROUPS}",
        _convert_note_to_hertz,
    ),
    (
        rf"(?:note )?{_NOTE_GROUPS}{TO_PATTERN}(?:a )?{_NOTE_NUMBER_WORD}",
        _convert_note_to_number,
    ),
    (rf"(?:the )?{_NOTE_NUMBER_WORD} (?:of|for) {_NOTE_GROUPS}", _convert_note_to_number),
    (rf"(?:note )?{_NOTE_GROUPS}", _convert_note_to_number),
    (
        rf"{_NOTE_NUMBER_WORD} (\d{{1,3}})(?:{TO_PATTERN}(?:a )?{_NAME_WORD})?",
        _convert_number_to_name,
    ),
    (
        rf"{_NOTE_NUMBER_WORD} (\d{{1,3}}){TO_PATTERN}{_HERTZ_WORD}",
        _convert_number_to_hertz,
    ),
    (
        rf"(?:the )?(?:frequency|freq|hz) (?:of|for) {_NOTE_NUMBER_WORD} (\d{{1,3}})",
        _convert_number_to_hertz,
    ),
    (
        rf"(?:the )?(?:note )?name (?:of|for) {_NOTE_NUMBER_WORD} (\d{{1,3}})",
        _convert_number_to_name,
    ),
    (
        rf"{_HERTZ_GROUPS}{TO_PATTERN}(?:a )?(?:{_NAME_WORD}|{_NOTE_NUMBER_WORD})",
        _convert_hertz_to_note,
    ),
    (rf"{_HERTZ_GROUPS} to {_HERTZ_GROUPS}(?: in cents)?", _measure_hertz_interval),
    (
        rf"(?:how many )?cents (?:between|from) {_HERTZ_GROUPS} (?:and|to) {_HERTZ_GROUPS}",
        _measure_hertz_interval,
    ),
    (rf"{_NOTE_GROUPS} to {_NOTE_GROUPS}(?: in semitones)?", _measure_note_interval),
    (
        rf"(?:how many )?semitones (?:between|from) {_NOTE_GROUPS} (?:and|to) {_NOTE_GROUPS}",
        _measure_note_interval,
    ),
    (rf"{_NOTE_GROUPS} ?(\+|-|plus|minus|up|down) ?(\d{{1,3}})(?: semitones?)?", _transpose_note),
    (
        rf"{_NUMBER_GROUP} ?(semitone|cent)s?{TO_PATTERN}(?:a )?(ratio|cents?|semitones?|percent|%|factor)",
        _convert_steps_to_ratio,
    ),
    (
        rf"(?:ratio )?{_NUMBER_GROUP}(?: ?[/:] ?{_NUMBER_GROUP})?(?: ratio)?{TO_PATTERN}(cents|semitones)",
        _convert_ratio_to_steps,
    ),
)
_HANDLERS = [(re.compile(pattern), work) for pattern, work in _QUESTION_PATTERNS]
