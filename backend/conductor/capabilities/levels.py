"""Converts control values between scales: 7 bit, 14 bit, DMX, percent, pitch bend and loudness in dB."""

import math
import re
from typing import NamedTuple

from conductor.capabilities.words import (
    NUMBER_PATTERN,
    TO_PATTERN,
    CalculatorAnswer,
    build_calculator_answer,
    format_number,
)
from conductor.errors import InvalidParams


class Scale(NamedTuple):
    """A scale for the values of a control, with its lowest and its highest value."""

    name: str
    low: float
    high: float
    is_whole: bool = True


PERCENT_SCALE = Scale("percent", 0, 100, is_whole=False)
SEVEN_BIT, FOURTEEN_BIT = Scale("7-bit", 0, 127), Scale("14-bit", 0, 16_383)
EIGHT_BIT, SIXTEEN_BIT = Scale("DMX", 0, 255), Scale("16-bit", 0, 65_535)
PITCH_BEND, UNIT_INTERVAL = (
    Scale("pitch bend", -8_192, 8_191),
    Scale("0 to 1", 0, 1, is_whole=False),
)
SCALE_BY_NAME = {
    "percent": PERCENT_SCALE, "%": PERCENT_SCALE, "7-bit": SEVEN_BIT, "7 bit": SEVEN_BIT, "7bit": SEVEN_BIT,
    "cc": SEVEN_BIT, "cc value": SEVEN_BIT, "velocity": SEVEN_BIT, "midi value": SEVEN_BIT,
    "14-bit": FOURTEEN_BIT, "14 bit": FOURTEEN_BIT, "14bit": FOURTEEN_BIT, "dmx": EIGHT_BIT,
    "dmx value": EIGHT_BIT, "8-bit": EIGHT_BIT, "8 bit": EIGHT_BIT, "8bit": EIGHT_BIT,
    "16-bit": SIXTEEN_BIT, "16 bit": SIXTEEN_BIT, "16bit": SIXTEEN_BIT, "pitch bend": PITCH_BEND,
    "bend": PITCH_BEND, "float": UNIT_INTERVAL, "0-1": UNIT_INTERVAL, "0..1": UNIT_INTERVAL,
    "0 to 1": UNIT_INTERVAL, "normalized": UNIT_INTERVAL, "normalised": UNIT_INTERVAL,
}  # fmt: skip
_SCALE_NAMES = "|".join(re.escape(name) for name in sorted(SCALE_BY_NAME, key=len, reverse=True))
_RESCALE_QUESTION = re.compile(
    rf"(?:({_SCALE_NAMES}) )?({NUMBER_PATTERN}) ?(?:\(?({_SCALE_NAMES})\)?)?{TO_PATTERN}"
    rf"(?:an? )?({_SCALE_NAMES})(?: value)?"
)
_SPLIT_QUESTION = re.compile(
    rf"(?:(14[- ]?bit|pitch bend|bend) )?({NUMBER_PATTERN}) ?(14[- ]?bit|pitch bend|bend)?{TO_PATTERN}"
    r"(?:msb(?:,? | and |/)lsb|bytes)"
)
_JOIN_QUESTION = re.compile(
    rf"msb (\d{{1,3}}),? (?:and )?lsb (\d{{1,3}})(?:{TO_PATTERN}({_SCALE_NAMES}))?"
)
_FROM_DECIBEL_QUESTION = re.compile(
    rf"({NUMBER_PATTERN}) ?db{TO_PATTERN}(?:an? )?(ratio|gain|factor|amplitude|power|percent|%)"
)
_TO_DECIBEL_QUESTION = re.compile(
    rf"(?:ratio |gain |factor )?({NUMBER_PATTERN}) ?(%|percent)?(?: ?(?:ratio|gain|factor))?{TO_PATTERN}db"
)


def answer_level_question(text: str) -> CalculatorAnswer | None:
    """Return the answer to a question about control values, or None if `text` is about another subject.

    `text` must be in lower case.
    """
    if (found := _RESCALE_QUESTION.fullmatch(text)) and (found[1] or found[3]):
        return _rescale_value(
            float(found[2]), SCALE_BY_NAME[found[1] or found[3]], SCALE_BY_NAME[found[4]]
        )
    if (found := _SPLIT_QUESTION.fullmatch(text)) and (found[1] or found[3]):
        return _split_into_bytes(
            float(found[2]), PITCH_BEND if "bend" in (found[1] or found[3]) else FOURTEEN_BIT
        )
    if found := _JOIN_QUESTION.fullmatch(text):
        value = _parse_byte(found[1]) * 128 + _parse_byte(found[2])
        return _rescale_value(value, FOURTEEN_BIT, SCALE_BY_NAME[found[3] or "14-bit"])
    if found := _FROM_DECIBEL_QUESTION.fullmatch(text):
        return _convert_to_gain(float(found[1]), found[2])
    if found := _TO_DECIBEL_QUESTION.fullmatch(text):
        return _convert_to_decibel(float(found[1]) / (100 if found[2] else 1))
    return None


def _rescale_value(value: float, scale: Scale, target: Scale) -> CalculatorAnswer:
    _require_in_scale(value, scale)
    fraction = (value - scale.low) / (scale.high - scale.low)
    exact = target.low + fraction * (target.high - target.low)
    also = (f"{target.name} goes from {format_number(target.low)} to {format_number(target.high)}",)
    if target.is_whole and exact != round(exact):
        also = (f"exactly {format_number(exact)}", *also)
    return build_calculator_answer(
        round(exact) if target.is_whole else exact, "%" if target is PERCENT_SCALE else "", also
    )


def _require_in_scale(value: float, scale: Scale) -> None:
    if not scale.low <= value <= scale.high or (scale.is_whole and value != int(value)):
        kind = "whole numbers " if scale.is_whole else ""
        raise InvalidParams(
            f"{scale.name} has {kind}from {format_number(scale.low)} to {format_number(scale.high)}"
        )


def _split_into_bytes(value: float, scale: Scale) -> CalculatorAnswer:
    _require_in_scale(value, scale)
    high, low = divmod(int(value - scale.low), 128)
    return CalculatorAnswer(
        f"MSB {high}, LSB {low}", None, (f"hex {high:02X} {low:02X}", "a message sends LSB first")
    )


def _parse_byte(text: str) -> int:
    _require_in_scale(float(text), SEVEN_BIT)
    return int(text)


def _convert_to_gain(decibel: float, wanted: str) -> CalculatorAnswer:
    if abs(decibel) > 1_000:
        raise InvalidParams("loudness must be between -1000 and 1000 dB")
    amplitude, power = 10 ** (decibel / 20), 10 ** (decibel / 10)
    also = (f"amplitude {format_number(amplitude)}", f"power {format_number(power)}")
    if wanted in ("percent", "%"):
        return build_calculator_answer(amplitude * 100, "%", also)
    return build_calculator_answer(power if wanted == "power" else amplitude, "", also)


def _convert_to_decibel(ratio: float) -> CalculatorAnswer:
    if ratio <= 0:
        raise InvalidParams("a level in dB needs a ratio above 0")
    also = (f"as power {format_number(round(10 * math.log10(ratio), 6))} dB",)
    return build_calculator_answer(round(20 * math.log10(ratio), 6), "dB", also)
