"""Parses dates in ordinary English, such as 2026-11-22, 22 November, Christmas, next Friday or tomorrow."""

import calendar
import re
from datetime import date, timedelta

from conductor.errors import InvalidParams

WEEKDAY_NAMES = [name.lower() for name in calendar.day_name]
_MONTH_NUMBERS = {name[:3].lower(): at for at, name in enumerate(calendar.month_name) if name}
_MONTH_GROUP = "(" + "|".join(_MONTH_NUMBERS) + r")[a-z]*\.?"
_HOLIDAY_DATES: dict[str, tuple[int, int]] = {
    "christmas": (12, 25), "christmas day": (12, 25), "xmas": (12, 25), "christmas eve": (12, 24),
    "boxing day": (12, 26), "new year's eve": (12, 31), "new years eve": (12, 31),
    "new year": (1, 1), "new year's day": (1, 1), "new years day": (1, 1), "new year's": (1, 1),
    "valentine's day": (2, 14), "valentines day": (2, 14), "halloween": (10, 31),
}  # fmt: skip
_DAY_OFFSETS = {"today": 0, "now": 0, "tomorrow": 1, "yesterday": -1}
_ISO_DATE_PATTERN = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})")
_DAY_FIRST_DATE_PATTERN = re.compile(
    rf"(\d{{1,2}})(?:st|nd|rd|th)? (?:of )?{_MONTH_GROUP},?(?: (\d{{4}}))?"
)
_MONTH_FIRST_DATE_PATTERN = re.compile(
    rf"{_MONTH_GROUP} (\d{{1,2}})(?:st|nd|rd|th)?(?:,? (\d{{4}}))?"
)
_HOLIDAY_PATTERN = re.compile(r"(.+?)(?: (\d{4}))?")
_WEEKDAY_PATTERN = re.compile(rf"(?:(next|last|this|on) )?({'|'.join(WEEKDAY_NAMES)})")
_AMBIGUOUS_DATE_PATTERN = re.compile(r"\d{1,2}[/.]\d{1,2}[/.]\d{2,4}")


def parse_day(text: str, today: date, earliest: date) -> date | None:
    """Return the date that a phrase names, or None if it names none. A date without a year is the next such
    date from `earliest` on.

    Raises:
        InvalidParams: the date is ambiguous.
        ValueError: the date does not exist.
    """
    text = text.strip().removeprefix("the ")
    if _AMBIGUOUS_DATE_PATTERN.fullmatch(text):
        raise InvalidParams(f"{text} can mean two days; write it like 2026-12-25")
    if text in _DAY_OFFSETS:
        return today + timedelta(days=_DAY_OFFSETS[text])
    if found := _ISO_DATE_PATTERN.fullmatch(text):
        return date(int(found[1]), int(found[2]), int(found[3]))
    if found := _DAY_FIRST_DATE_PATTERN.fullmatch(text):
        return _build_date(earliest, _MONTH_NUMBERS[found[2]], int(found[1]), found[3])
    if found := _MONTH_FIRST_DATE_PATTERN.fullmatch(text):
        return _build_date(earliest, _MONTH_NUMBERS[found[1]], int(found[2]), found[3])
    if found := _WEEKDAY_PATTERN.fullmatch(text):
        return _find_weekday(found[2], found[1], today)
    found = _HOLIDAY_PATTERN.fullmatch(text)
    if found and found[1] in _HOLIDAY_DATES:
        return _build_date(earliest, *_HOLIDAY_DATES[found[1]], found[2])
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
    ahead = (WEEKDAY_NAMES.index(name) - today.weekday()) % 7
    if direction == "last":
        return today - timedelta(days=(-ahead % 7) or 7)
    return today + timedelta(days=ahead or (7 if direction == "next" else 0))
