"""Converts control values between scales: 7 and 14 bits, DMX, percent, pitch bend and loudness in dB."""

import math
import re
from typing import NamedTuple

from conductor.capabilities.words import NUMBER, TO, Answer, build_answer, format_number
from conductor.errors import InvalidParams


class Scale(NamedTuple):
    """A scale of control values, with its lowest and highest value."""

    name: str
    low: float
    high: float
    is_whole: bool = True


PERCENT = Scale("percent", 0, 100, is_whole=False)
SEVEN, FOURTEEN = Scale("7-bit", 0, 127), Scale("14-bit", 0, 16_383)
EIGHT, SIXTEEN = Scale("DMX", 0, 255), Scale("16-bit", 0, 65_535)
BEND, UNIT = Scale("pitch bend", -8_192, 8_191), Scale("0 to 1", 0, 1, is_whole=False)
SCALES = {
    "percent": PERCENT, "%": PERCENT, "7-bit": SEVEN, "7 bit": SEVEN, "7bit": SEVEN, "cc": SEVEN,
    "cc value": SEVEN, "velocity": SEVEN, "midi value": SEVEN, "14-bit": FOURTEEN,
    "14 bit": FOURTEEN, "14bit": FOURTEEN, "dmx": EIGHT, "dmx value": EIGHT, "8-bit": EIGHT,
    "8 bit": EIGHT, "8bit": EIGHT, "16-bit": SIXTEEN, "16 bit": SIXTEEN, "16bit": SIXTEEN,
    "pitch bend": BEND, "bend": BEND, "float": UNIT, "0-1": UNIT, "0..1": UNIT, "0 to 1": UNIT,
    "normalized": UNIT, "normalised": UNIT,
}  # fmt: skip
_NAMES = "|".join(re.escape(name) for name in sorted(SCALES, key=len, reverse=True))
_SCALED = re.compile(
    rf"(?:({_NAMES}) )?({NUMBER}) ?(?:\(?({_NAMES})\)?)?{TO}(?:an? )?({_NAMES})(?: value)?"
)
_BYTES = re.compile(
    rf"(?:(14[- ]?bit|pitch bend|bend) )?({NUMBER}) ?(14[- ]?bit|pitch bend|bend)?{TO}"
    r"(?:msb(?:,? | and |/)lsb|bytes)"
)
_FROM_BYTES = re.compile(rf"msb (\d{{1,3}}),? (?:and )?lsb (\d{{1,3}})(?:{TO}({_NAMES}))?")
_DECIBEL = re.compile(rf"({NUMBER}) ?db{TO}(?:an? )?(ratio|gain|factor|amplitude|power|percent|%)")
_TO_DECIBEL = re.compile(
    rf"(?:ratio |gain |factor )?({NUMBER}) ?(%|percent)?(?: ?(?:ratio|gain|factor))?{TO}db"
)


def answer_level(text: str) -> Answer | None:
    """Answer a question about control values, or return None if the question is about another subject.

    The question is in lower case.
    """
    if (found := _SCALED.fullmatch(text)) and (found[1] or found[3]):
        return _rescale_value(float(found[2]), SCALES[found[1] or found[3]], SCALES[found[4]])
    if (found := _BYTES.fullmatch(text)) and (found[1] or found[3]):
        return _split_into_bytes(
            float(found[2]), BEND if "bend" in (found[1] or found[3]) else FOURTEEN
        )
    if found := _FROM_BYTES.fullmatch(text):
        value = _parse_byte(found[1]) * 128 + _parse_byte(found[2])
        return _rescale_value(value, FOURTEEN, SCALES[found[3] or "14-bit"])
    if found := _DECIBEL.fullmatch(text):
        return _convert_to_gain(float(found[1]), found[2])
    if found := _TO_DECIBEL.fullmatch(text):
        return _convert_to_decibel(float(found[1]) / (100 if found[2] else 1))
    return None


def _rescale_value(value: float, scale: Scale, to: Scale) -> Answer:
    _require_in_scale(value, scale)
    share = (value - scale.low) / (scale.high - scale.low)
    exact = to.low + share * (to.high - to.low)
    also = (f"{to.name} goes from {format_number(to.low)} to {format_number(to.high)}",)
    if to.is_whole and exact != round(exact):
        also = (f"exactly {format_number(exact)}", *also)
    return build_answer(round(exact) if to.is_whole else exact, "%" if to is PERCENT else "", also)


def _require_in_scale(value: float, scale: Scale) -> None:
    if not scale.low <= value <= scale.high or (scale.is_whole and value != int(value)):
        kind = "whole numbers " if scale.is_whole else ""
        raise InvalidParams(
            f"{scale.name} has {kind}from {format_number(scale.low)} to {format_number(scale.high)}"
        )


def _split_into_bytes(value: float, scale: Scale) -> Answer:
    _require_in_scale(value, scale)
    high, low = divmod(int(value - scale.low), 128)
    return Answer(
        f"MSB {high}, LSB {low}", None, (f"hex {high:02X} {low:02X}", "a message sends LSB first")
    )


def _parse_byte(text: str) -> int:
    _require_in_scale(float(text), SEVEN)
    return int(text)


def _convert_to_gain(decibel: float, wanted: str) -> Answer:
    if abs(decibel) > 1_000:
        raise InvalidParams("loudness lies between -1000 and 1000 dB")
    amplitude, power = 10 ** (decibel / 20), 10 ** (decibel / 10)
    also = (f"amplitude {format_number(amplitude)}", f"power {format_number(power)}")
    if wanted in ("percent", "%"):
        return build_answer(amplitude * 100, "%", also)
    return build_answer(power if wanted == "power" else amplitude, "", also)


def _convert_to_decibel(ratio: float) -> Answer:
    if ratio <= 0:
        raise InvalidParams("a level in dB needs a ratio above 0")
    also = (f"as power {format_number(round(10 * math.log10(ratio), 6))} dB",)
    return build_answer(round(20 * math.log10(ratio), 6), "dB", also)
