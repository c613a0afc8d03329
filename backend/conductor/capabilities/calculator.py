"""Answers questions of the calculator tool: arithmetic, units, dates, pitch, tempo and control values. It
tries one kind of question after the other until one can be answered.
"""

import re
from datetime import date

from conductor.capabilities.arithmetic import calculate, convert_base
from conductor.capabilities.dates import answer_days
from conductor.capabilities.levels import answer_level
from conductor.capabilities.pitch import MiddleC, Tuning, answer_pitch
from conductor.capabilities.tempo import answer_tempo
from conductor.capabilities.units import convert_units
from conductor.capabilities.words import Answer, normalize_question
from conductor.errors import InvalidParams

A4_HZ = (200.0, 1_000.0)
_REFERENCE = re.compile(r",? (?:with |at |where |if )?a4? ?= ?(\d{3,4}(?:\.\d+)?) ?(?:hz)?$")


def answer_question(
    asked: str, today: date, middle_c: MiddleC = "C3", a4_hz: float = 440.0
) -> Answer:
    """Answer an arithmetic question, a conversion, or a question about dates, pitch, tempo or control values.

    Raises:
        InvalidParams: the question is none of these, or has no result.
    """
    text = normalize_question(asked)
    small = text.lower()
    if reference := _REFERENCE.search(small):
        a4_hz = float(reference[1])
        text, small = text[: reference.start()], small[: reference.start()]
    if not A4_HZ[0] <= a4_hz <= A4_HZ[1]:
        raise InvalidParams("the A is tuned to something between 200 and 1000 Hz")
    if not small:
        raise InvalidParams("nothing is asked; write it like 15% of 847 or 5 km to miles")
    return (
        answer_days(small, today)
        or answer_tempo(small)
        or answer_pitch(small, Tuning(middle_c, a4_hz))
        or answer_level(small)
        or convert_base(small)
        or convert_units(text)
        or calculate(small)
    )
