"""Parses dates in natural language, such as 2026-11-22, 22 November, Christmas, next Friday or tomorrow."""

import calendar
import re
from datetime import date, timedelta

from conductor.errors import InvalidParams

WEEKDAYS = [name.lower() for name in calendar.day_name]
_MONTHS = {name[:3].lower(): at for at, name in enumerate(calendar.month_name) if name}
_MONTH = "(" + "|".join(_MONTHS) + r")[a-z]*\.?"
_HOLIDAYS: dict[str, tuple[int, int]] = {
    "christmas": (12, 25), "christmas day": (12, 25), "xmas": (12, 25), "christmas eve": (12, 24),
    "boxing day": (12, 26), "new year's eve": (12, 31), "new years eve": (12, 31),
    "new year": (1, 1), "new year's day": (1, 1), "new years day": (1, 1), "new year's": (1, 1),
    "valentine's day": (2, 14), "valentines day": (2, 14), "halloween": (10, 31),
}  # fmt: skip
_OFFSETS = {"today": 0, "now": 0, "tomorrow": 1, "yesterday": -1}
_ISO = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})")
_DAY_FIRST = re.compile(rf"(\d{{1,2}})(?:st|nd|rd|th)? (?:of )?{_MONTH},?(?: (\d{{4}}))?")
_MONTH_FIRST = re.compile(rf"{_MONTH} (\d{{1,2}})(?:st|nd|rd|th)?(?:,? (\d{{4}}))?")
_HOLIDAY_PHRASE = re.compile(r"(.+?)(?: (\d{4}))?")
_WEEKDAY_PHRASE = re.compile(rf"(?:(next|last|this|on) )?({'|'.join(WEEKDAYS)})")
_AMBIGUOUS_DATE = re.compile(r"\d{1,2}[/.]\d{1,2}[/.]\d{2,4}")


def parse_day(text: str, today: date, earliest: date) -> date | None:
    """Return the date that a phrase names, or None. A date without a year is the next such date from `earliest`
    on.

    Raises:
        InvalidParams: the date is ambiguous.
        ValueError: the date does not exist.
    """
    text = text.strip().removeprefix("the ")
    if _AMBIGUOUS_DATE.fullmatch(text):
        raise InvalidParams(f"{text} can mean two days; write it like 2026-12-25")
    if text in _OFFSETS:
        return today + timedelta(days=_OFFSETS[text])
    if found := _ISO.fullmatch(text):
        return date(int(found[1]), int(found[2]), int(found[3]))
    if found := _DAY_FIRST.fullmatch(text):
        return _build_date(earliest, _MONTHS[found[2]], int(found[1]), found[3])
    if found := _MONTH_FIRST.fullmatch(text):
        return _build_date(earliest, _MONTHS[found[1]], int(found[2]), found[3])
    if found := _WEEKDAY_PHRASE.fullmatch(text):
        return _find_weekday(found[2], found[1], today)
    found = _HOLIDAY_PHRASE.fullmatch(text)
    if found and found[1] in _HOLIDAYS:
        return _build_date(earliest, *_HOLIDAYS[found[1]], found[2])
    return None


def _build_date(earliest: date, month: int, day: int, year: str | None) -> date:
    if year:
        return date(int(year), month, day)
    years = (earliest.year + ahead for ahead in range(9))
    return next(
        found
        for one in years
        if day <= calendar.monthrange(one, month)[1]
        and (found := date(one, month, day)) >= earliest
    )


def _find_weekday(name: str, direction: str | None, today: date) -> date:
    ahead = (WEEKDAYS.index(name) - today.weekday()) % 7
    if direction == "last":
        return today - timedelta(days=(-ahead % 7) or 7)
    return today + timedelta(days=ahead or (7 if direction == "next" else 0))
