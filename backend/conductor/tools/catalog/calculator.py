"""The tool that calculates."""

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
    """What note 60 is called, if not as the user's settings say."""
    a4_hz: float = Field(default=440.0, ge=200, le=1_000)
    """What note 69 is tuned to."""


class CalculationResult(Value):
    result: str
    value: float | None
    also: tuple[str, ...]
    """What else may be meant, and what belongs to it."""


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
    """Work out a sum, a conversion of units, days and dates, or music maths. Exact: use it instead of \
guessing."""
    middle_c = params.middle_c or context.config.settings.ui.note_names
    found = await asyncio.to_thread(
        context.abilities.calculate, params.expression, middle_c, params.a4_hz
    )
    return CalculationResult(result=found.result, value=found.value, also=found.also)
