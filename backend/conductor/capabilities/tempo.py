"""Converts between beats per minute, milliseconds, ticks and note values, with dotted notes and triplets."""

import re
from collections.abc import Callable

from conductor.capabilities.words import (
    NUMBER_PATTERN,
    TO_PATTERN,
    CalculatorAnswer,
    build_calculator_answer,
    format_number,
)
from conductor.errors import InvalidParams

ALLOWED_BPM_RANGE = (1.0, 2_000.0)
ALLOWED_PPQN_RANGE = (1.0, 100_000.0)
QUARTERS_BY_VALUE = {
    "1/1": 4.0,
    "1/2": 2.0,
    "1/4": 1.0,
    "1/8": 0.5,
    "1/16": 0.25,
    "1/32": 0.125,
    "1/64": 0.0625,
}
_NOTE_VALUE_NAMES = {
    "whole": "1/1", "half": "1/2", "quarter": "1/4", "eighth": "1/8", "sixteenth": "1/16",
    "8th": "1/8", "16th": "1/16", "32nd": "1/32", "64th": "1/64", "4th": "1/4",
    "thirty-second": "1/32", "beat": "1/4", "bar": "1/1",
}  # fmt: skip
_NUMBER_GROUP = rf"({NUMBER_PATTERN})"
_FEEL_GROUP = r"(dotted|triplet|d|t|\.)"
_NOTE_VALUE_GROUPS = (
    rf"(?:an? |(\d{{1,4}}) )?(?:{_FEEL_GROUP} )?(1/(?:1|2|4|8|16|32|64)|{'|'.join(_NOTE_VALUE_NAMES)})"
    rf"(?: ?{_FEEL_GROUP})?s?(?: notes?)?(?: ?{_FEEL_GROUP})?"
)
_AT_TEMPO = rf"(?:,? (?:at|with|and|for))? {_NUMBER_GROUP} ?(?:bpm|beats per minute)"
_AT_PPQN = rf"(?:,? (?:at|with|and|for))? {_NUMBER_GROUP} ?(?:ppqn|ppq|tpqn)"
_MILLISECONDS_WORD = r"(?:ms|milliseconds?|time|delay)"
FEEL_FACTORS = {"dotted": 1.5, "d": 1.5, ".": 1.5, "triplet": 2 / 3, "t": 2 / 3, "": 1.0}


def answer_tempo_question(text: str) -> CalculatorAnswer | None:
    """Return the answer to a question about tempo, or None if `text` is about another subject.

    `text` must be in lower case.
    """
    for pattern, handler in _HANDLERS:
        if match := pattern.fullmatch(text):
            return handler([group or "" for group in match.groups()])
    return None


def _require_within(number: str, limits: tuple[float, float], name: str) -> float:
    value = float(number)
    if not limits[0] <= value <= limits[1]:
        raise InvalidParams(
            f"{name} must be between {format_number(limits[0])} and {format_number(limits[1])}"
        )
    return value


def _compute_quarter_ms(bpm: str) -> float:
    return 60_000 / _require_within(bpm, ALLOWED_BPM_RANGE, "a tempo in bpm")


def _count_quarters(count: str, before: str, value: str, *after: str) -> float:
    """Return the length of one or more notes of a value in quarter notes; a bar has four quarter notes."""
    feel = before or "".join(after)
    return (
        int(count or 1)
        * QUARTERS_BY_VALUE[_NOTE_VALUE_NAMES.get(value, value)]
        * FEEL_FACTORS.get(feel, 1.0)
    )


def _build_ms_answer(value: float) -> CalculatorAnswer:
    return build_calculator_answer(
        round(value, 4), "ms", (f"{format_number(round(1_000 / value, 4))} Hz",)
    )


def _list_note_lengths(groups: list[str]) -> CalculatorAnswer:
    """Return the length of a quarter note in milliseconds at a tempo.

    The related answers are the lengths of all other note values.
    """
    quarter = _compute_quarter_ms(groups[0])
    rows = tuple(
        f"{name}: {format_number(round(quarter * beats, 2))} ms,"
        f" dotted {format_number(round(quarter * beats * 1.5, 2))} ms,"
        f" triplet {format_number(round(quarter * beats * 2 / 3, 2))} ms"
        for name, beats in QUARTERS_BY_VALUE.items()
    )
    return build_calculator_answer(round(quarter, 4), "ms for a quarter note", rows)


def _convert_bpm_to_hertz(groups: list[str]) -> CalculatorAnswer:
    return build_calculator_answer(
        _require_within(groups[0], ALLOWED_BPM_RANGE, "a tempo in bpm") / 60, "Hz"
    )


def _compute_note_length(groups: list[str]) -> CalculatorAnswer:
    return _build_ms_answer(_count_quarters(*groups[:5]) * _compute_quarter_ms(groups[5]))


def _compute_note_length_tempo_first(groups: list[str]) -> CalculatorAnswer:
    return _build_ms_answer(_count_quarters(*groups[1:6]) * _compute_quarter_ms(groups[0]))


def _convert_to_bpm(groups: list[str]) -> CalculatorAnswer:
    amount, unit = float(groups[0]), groups[1]
    if amount <= 0:
        raise InvalidParams("the length of a beat must be above 0")
    bpm = (
        amount * 60
        if unit.startswith("h")
        else 60_000 / (amount * (1 if unit[0] == "m" else 1_000))
    )
    _require_within(str(bpm), ALLOWED_BPM_RANGE, "a tempo in bpm")
    return build_calculator_answer(round(bpm, 6), "bpm", ("one beat is a quarter note",))


def _count_ticks(groups: list[str]) -> CalculatorAnswer:
    ticks = _count_quarters(*groups[:5]) * _require_within(
        groups[5], ALLOWED_PPQN_RANGE, "ticks for a quarter note"
    )
    return build_calculator_answer(round(ticks, 6), "ticks")


def _convert_ticks_to_ms(groups: list[str]) -> CalculatorAnswer:
    ticks, ppqn, bpm = groups[0], groups[1], groups[2]
    return _build_ticks_answer(ticks, ppqn, bpm)


def _convert_ticks_tempo_first(groups: list[str]) -> CalculatorAnswer:
    return _build_ticks_answer(groups[0], groups[2], groups[1])


def _build_ticks_answer(ticks: str, ppqn: str, bpm: str) -> CalculatorAnswer:
    count = _require_within(ticks, (0.001, 1e9), "a number of ticks")
    return _build_ms_answer(
        count
        * _compute_quarter_ms(bpm)
        / _require_within(ppqn, ALLOWED_PPQN_RANGE, "ticks for a quarter note")
    )


def _convert_ms_to_ticks(groups: list[str]) -> CalculatorAnswer:
    ms = float(groups[0]) * (1_000 if groups[1] == "s" else 1)
    bpm, ppqn = (groups[2], groups[3]) if groups[2] else (groups[5], groups[4])
    ticks = (
        ms
        / _compute_quarter_ms(bpm)
        * _require_within(ppqn, ALLOWED_PPQN_RANGE, "ticks for a quarter note")
    )
    return build_calculator_answer(round(ticks, 4), "ticks")


def _measure_tick_length(groups: list[str]) -> CalculatorAnswer:
    return _build_ticks_answer("1", groups[0], groups[1])


_QUESTION_PATTERNS: tuple[tuple[str, Callable[[list[str]], CalculatorAnswer]], ...] = (
    (
        rf"{_NUMBER_GROUP} ?(?:bpm|beats per minute)(?:{TO_PATTERN}{_MILLISECONDS_WORD})?",
        _list_note_lengths,
    ),
    (
        rf"{_NUMBER_GROUP} ?(?:bpm|beats per minute){TO_PATTERN}(?:hz|hertz)",
        _convert_bpm_to_hertz,
    ),
    (
        rf"{_NOTE_VALUE_GROUPS}{_AT_TEMPO}(?:{TO_PATTERN}{_MILLISECONDS_WORD})?",
        _compute_note_length,
    ),
    (
        (
            rf"(?:the )?(?:length of |delay (?:time )?(?:of|for) ){_NOTE_VALUE_GROUPS}{_AT_TEMPO}"
            rf"(?:{TO_PATTERN}{_MILLISECONDS_WORD})?"
        ),
        _compute_note_length,
    ),
    (
        rf"{_NUMBER_GROUP} ?bpm,? (?:to )?{_NOTE_VALUE_GROUPS}(?:{TO_PATTERN}{_MILLISECONDS_WORD})?",
        _compute_note_length_tempo_first,
    ),
    (
        rf"{_NUMBER_GROUP} ?(ms|milliseconds?|s|sec|seconds?|hz|hertz){TO_PATTERN}bpm",
        _convert_to_bpm,
    ),
    (rf"{_NOTE_VALUE_GROUPS}{_AT_PPQN}(?:{TO_PATTERN}ticks)?", _count_ticks),
    (
        rf"{_NUMBER_GROUP} ?ticks?{_AT_PPQN}{_AT_TEMPO}(?:{TO_PATTERN}{_MILLISECONDS_WORD})?",
        _convert_ticks_to_ms,
    ),
    (
        rf"{_NUMBER_GROUP} ?ticks?{_AT_TEMPO}{_AT_PPQN}(?:{TO_PATTERN}{_MILLISECONDS_WORD})?",
        _convert_ticks_tempo_first,
    ),
    (
        rf"{_NUMBER_GROUP} ?(ms|s)(?:{_AT_TEMPO}{_AT_PPQN}|{_AT_PPQN}{_AT_TEMPO}){TO_PATTERN}ticks",
        _convert_ms_to_ticks,
    ),
    (
        rf"{_NUMBER_GROUP} ?(?:ppqn|ppq){_AT_TEMPO}(?:{TO_PATTERN}{_MILLISECONDS_WORD})?",
        _measure_tick_length,
    ),
)
_HANDLERS = [(re.compile(pattern), work) for pattern, work in _QUESTION_PATTERNS]
