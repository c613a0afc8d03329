"""Answers the questions that the calculator supports: arithmetic, units, dates,
pitch, tempo, control values.
"""

import re
from datetime import date

from conductor.capabilities.arithmetic import calculate_expression, convert_number_base
from conductor.capabilities.dates import answer_date_question
from conductor.capabilities.levels import answer_level_question
from conductor.capabilities.pitch import MiddleC, Tuning, answer_pitch_question
from conductor.capabilities.tempo import answer_tempo_question
from conductor.capabilities.units import convert_units
from conductor.capabilities.words import CalculatorAnswer, normalize_question
from conductor.errors import InvalidParams

A4_HZ_RANGE = (200.0, 1_000.0)
_A4_REFERENCE_PATTERN = re.compile(
    r",? (?:with |at |where |if )?a4? ?= ?(\d{3,4}(?:\.\d+)?) ?(?:hz)?$"
)


def answer_question(
    question: str, today: date, middle_c: MiddleC = "C3", a4_hz: float = 440.0
) -> CalculatorAnswer:
    """Return the answer to a question about arithmetic, units, dates, pitch, tempo or control values.

    Raises:
        InvalidParams: the question is none of these, or has no result.
    """
    text = normalize_question(question)
    lower_case = text.lower()
    if reference := _A4_REFERENCE_PATTERN.search(lower_case):
        a4_hz = float(reference[1])
        text, lower_case = text[: reference.start()], lower_case[: reference.start()]
    if not A4_HZ_RANGE[0] <= a4_hz <= A4_HZ_RANGE[1]:
        raise InvalidParams("the frequency of A4 must be between 200 and 1000 Hz")
    if not lower_case:
        raise InvalidParams("the question is empty; write it like 15% of 847 or 5 km to miles")
    return (
        answer_date_question(lower_case, today)
        or answer_tempo_question(lower_case)
        or answer_pitch_question(lower_case, Tuning(middle_c, a4_hz))
        or answer_level_question(lower_case)
        or convert_number_base(lower_case)
        or convert_units(text)
        or calculate_expression(lower_case)
    )
