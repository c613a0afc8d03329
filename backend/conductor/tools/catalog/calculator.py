"""The tool that evaluates expressions and converts units, dates and musical values."""

import asyncio

from pydantic import Field

from conductor.capabilities.pitch import MiddleC
from conductor.domain.value import Value
from conductor.tools.context import SkillContext
from conductor.tools.params import Params
from conductor.tools.registry import REGISTRY


class CalculateParams(Params):
    expression: str = Field(min_length=1, max_length=300)
    """Such as 15% of 847; 5 km to miles; 72 degF to degC; days between 2026-11-22 and Christmas; \
today + 6 weeks; A4 to Hz; 440 Hz to note; note 60; dotted 1/8 at 120 bpm; 500 ms to bpm; \
96 ticks at 480 ppqn at 120 bpm; 7 semitones to ratio; cc 64 to percent; DMX 128 to 7-bit"""
    middle_c: MiddleC | None = None
    """Name of note 60. Default: the user's setting"""
    a4_hz: float = Field(default=440.0, ge=200, le=1_000)
    """Frequency of note 69"""


class CalculationResult(Value):
    result: str
    value: float | None
    also: tuple[str, ...]
    """Other readings of the expression, and related values."""


@REGISTRY.skill(
    "calculator",
    "Calculator",
    "core",
    "productivity",
    keywords="math maths sum percent percentage convert unit units length weight temperature date days"
    " weeks calendar frequency hertz note pitch tempo bpm delay time ms milliseconds cents semitones"
    " ticks ppqn dmx decibel hex binary",
    idempotent=True,
)
async def calculate(params: CalculateParams, context: SkillContext) -> CalculationResult:
    """Calculate a sum, a conversion of units, days and dates, or music maths. Exact: use it instead of \
guessing."""
    middle_c = params.middle_c or context.config.settings.ui.note_names
    answer = await asyncio.to_thread(
        context.abilities.calculate, params.expression, middle_c, params.a4_hz
    )
    return CalculationResult(result=answer.result, value=answer.value, also=answer.related)
