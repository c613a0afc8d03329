"""Converts units of measurement. The units library receives only numbers and unit names, never the question."""

import re
from contextlib import suppress
from functools import lru_cache
from typing import Any

from conductor.capabilities.arithmetic import evaluate_expression
from conductor.capabilities.words import NUMBER_PATTERN, CalculatorAnswer, build_calculator_answer
from conductor.errors import InvalidParams

_UNIT_NAME = r"[A-Za-z][A-Za-z_]{0,29}"
_UNIT_FACTOR = rf"{_UNIT_NAME}(?:\^-?[1-4])?"
_UNIT_EXPRESSION = re.compile(rf"{_UNIT_FACTOR}(?:(?: ?[*/] ?| ){_UNIT_FACTOR}){{0,5}}")
_QUESTION_PATTERNS = (
    re.compile(
        r"^how many (?P<unit>.+?)(?: are)?(?: there)? in (?:an? )?(?P<amount>.+)$", re.IGNORECASE
    ),
    re.compile(r"^(?P<amount>.+) (?:to|into|as) (?!the power)(?P<unit>[a-z].*)$", re.IGNORECASE),
    re.compile(r"^(?P<amount>.+) in (?P<unit>[a-z].*)$", re.IGNORECASE),
)
_AMOUNT_PIECE = re.compile(
    rf"(?: ?(?:\+|,|and) )? ?(?P<number>{NUMBER_PATTERN}) ?"
    r"(?P<unit>[A-Za-z](?:[A-Za-z_/*]| (?!and )|\^-?[1-4])*)",
    re.IGNORECASE,
)
_AMOUNT_EXPRESSION = re.compile(r"^(?P<sum>[-+*/().\d ^]*[\d)]) ?(?P<unit>[A-Za-z].*)$")
_UNIT_SPELLINGS = {
    "c": "degC", "degc": "degC", "deg c": "degC", "celsius": "degC", "centigrade": "degC",
    "f": "degF", "degf": "degF", "deg f": "degF", "fahrenheit": "degF",
    "k": "kelvin", "deg k": "kelvin", "degk": "kelvin",
    "mph": "mile/hour", "kmh": "km/hour", "kph": "km/hour", "fps": "foot/second",
    "lbs": "pound", "ft": "foot", "in": "inch", "m": "meter", "min": "minute", "mins": "minute",
    "secs": "second", "sec": "second", "hrs": "hour", "deg": "degree",
    "msec": "millisecond", "mbps": "megabit/second", "gbps": "gigabit/second", "kbps": "kilobit/second",
}  # fmt: skip
TEMPERATURE_UNITS = ("degC", "degF", "kelvin")


def convert_units(text: str) -> CalculatorAnswer | None:
    """Return an amount in another unit, or None if the text does not ask for a conversion.

    Raises:
        InvalidParams: a unit is unknown, or the units are incompatible.
    """
    question = next((found for each in _QUESTION_PATTERNS if (found := each.match(text))), None)
    if question is None:
        return None
    target_unit = _get_library_unit_name(question["unit"])
    amount = question["amount"]
    pieces = _split_amount(amount if re.search(r"\d", amount) else f"1 {amount}")
    if len(pieces) > 1 and target_unit in TEMPERATURE_UNITS:
        raise InvalidParams("temperatures are converted one at a time, such as 72 degF to degC")
    values = [
        _convert_quantity(
            get_unit_registry().Quantity(evaluate_expression(n), _parse_unit(unit)), target_unit
        )
        for n, unit in pieces
    ]
    return build_calculator_answer(
        sum(values), target_unit if target_unit in TEMPERATURE_UNITS else question["unit"].strip()
    )


def _split_amount(amount: str) -> list[tuple[str, str]]:
    """Return the pairs of number and unit in an amount: several for `5 ft 10 in`, one for `(3 + 4) km`."""
    pieces = list(_AMOUNT_PIECE.finditer(amount))
    if pieces and "".join(one[0] for one in pieces).strip() == amount.strip():
        return [(one["number"].lower(), _get_library_unit_name(one["unit"])) for one in pieces]
    one = _AMOUNT_EXPRESSION.match(amount)
    if one is None:
        raise InvalidParams(
            f"`{amount[:60]}` is not an amount with a unit; write it like 5 km to miles"
        )
    return [(one["sum"], _get_library_unit_name(one["unit"]))]


def _get_library_unit_name(name: str) -> str:
    """Return the name of a unit in the spelling of the units library."""
    spelled = " ".join(name.replace("**", "^").split())
    spelled = _UNIT_SPELLINGS.get(spelled.lower(), spelled)
    if not _UNIT_EXPRESSION.fullmatch(spelled):
        raise InvalidParams(
            f"`{spelled[:40]}` is not a unit; write it like km, degC, km/hour or m^2"
        )
    return spelled


@lru_cache(maxsize=1)
def get_unit_registry() -> Any:
    """Return the registry of the units library; the first call creates it."""
    import pint

    return pint.UnitRegistry(cache_folder=None)


def _convert_quantity(quantity: Any, unit: str) -> float:
    import pint

    try:
        return float(quantity.m_as(_parse_unit(unit)))
    except pint.DimensionalityError:
        raise InvalidParams(
            f"{quantity.units} and {unit} do not measure the same; both must be lengths, or both times,"
            " and so on"
        ) from None
    except (pint.errors.PintError, OverflowError, ZeroDivisionError) as error:
        raise InvalidParams(f"this cannot be converted: {str(error)[:120]}") from None


def _parse_unit(unit: str) -> Any:
    """Return the unit with this name as an object of the units library; wrong capitalisation is accepted."""
    import pint

    for spelled in dict.fromkeys((unit, unit.lower())):
        with suppress(pint.errors.PintError, AttributeError, ValueError, TypeError, SyntaxError):
            return get_unit_registry().parse_units(spelled)
    raise InvalidParams(f"the unit `{unit[:40]}` is unknown; write it like km, mile, degF or byte")
