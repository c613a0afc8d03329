"""Answers questions about dates: days between two dates, a date after some days, and days of the week."""

import calendar
import re
from datetime import date, timedelta

from conductor.capabilities.day_phrases import WEEKDAY_NAMES, parse_day
from conductor.capabilities.words import CalculatorAnswer
from conductor.errors import InvalidParams

_DURATION = r"(?:\d{1,6}|an?) (?:business day|working day|weekday|day|week|month|year)s?"
_DURATIONS = rf"{_DURATION}(?:(?:,? and |, | ){_DURATION})*"
_DATE_WITH_OFFSET = re.compile(rf"(.+?)((?: (?:\+|-|plus|minus) {_DURATIONS})+)")
_RELATIVE_DATE = re.compile(
    rf"(?:in )?({_DURATIONS})(?: (from|after|before) (.+)| (ago)| from now)?"
)
_SIGNED_DURATION = re.compile(rf"(?:(\+|-|plus|minus) )?({_DURATION})")
_COUNTED_UNIT = (
    r"(?:how many )?(business days|working days|weekdays|days|weeks|months|years|how long)"
)
_BETWEEN_QUESTION = re.compile(
    rf"{_COUNTED_UNIT}(?: are)?(?: there)? (?:between|from) (.+?) (?:and|to|until|till) (.+)"
)
_UNTIL_QUESTION = re.compile(
    rf"{_COUNTED_UNIT}(?: is it)?(?: are)?(?: there)?(?: left)? (?:until|till|to|before) (.+)"
)
_SINCE_QUESTION = re.compile(rf"{_COUNTED_UNIT}(?: is it| have passed)? since (.+)")
_DAY_QUESTION = re.compile(
    r"(?:when is |(?:which |what |the )?(?:day of the week|weekday|day|date) "
    r"(?:(?:is|was|will be|of|on) )?(?:it )?)?(.+)"
)
_DIFFERENCE_QUESTION = re.compile(r"(.+?) (?:-|minus) (.+)")


def answer_date_question(text: str, today: date) -> CalculatorAnswer | None:
    """Return the answer to a question about dates, or None if `text` is about another subject.
    `text` must be in lower case.

    Raises:
        InvalidParams: a date in the question is invalid or out of range.
    """
    text = re.sub(r" ?\+ ?", " + ", text)
    try:
        return _answer_question(text, today)
    except (OverflowError, ValueError, StopIteration):
        raise InvalidParams(
            "there is no such date, or it is outside the years 1 to 9999; write dates like 2026-12-25"
        ) from None


def _answer_question(text: str, today: date) -> CalculatorAnswer | None:
    if found := _BETWEEN_QUESTION.fullmatch(text):
        first = _parse_known_day(found[2], today, today)
        return _measure_distance(found[1], first, _parse_known_day(found[3], today, first))
    if found := _UNTIL_QUESTION.fullmatch(text):
        return _measure_distance(found[1], today, _parse_known_day(found[2], today, today))
    if found := _SINCE_QUESTION.fullmatch(text):
        return _measure_distance(found[1], _parse_past_day(found[2], today), today)
    if found := _DIFFERENCE_QUESTION.fullmatch(text):
        later, earlier = _parse_day(found[1], today, today), _parse_day(found[2], today, today)
        if later is not None and earlier is not None:
            return _measure_distance("days", earlier, later)
    found = _DAY_QUESTION.fullmatch(text)
    day = _parse_day(found[1], today, today) if found else None
    return None if day is None else _describe_day(day, today)


def _parse_day(text: str, today: date, earliest: date) -> date | None:
    """Return the date that a phrase names, or None; the phrase can be a date, a date
    plus days, or `in 3 days`.
    """
    day = parse_day(text, today, earliest)
    if day is None and (found := _DATE_WITH_OFFSET.fullmatch(text)):
        start = parse_day(found[1], today, earliest)
        return None if start is None else _add_durations(start, found[2])
    if day is None and (found := _RELATIVE_DATE.fullmatch(text)):
        start = parse_day(found[3], today, earliest) if found[3] else today
        if start is None or not (found[2] or found[4] or text.startswith("in ") or "now" in text):
            return None
        return _add_durations(start, found[1], -1 if found[4] or found[2] == "before" else 1)
    return day


def _parse_known_day(text: str, today: date, earliest: date) -> date:
    day = _parse_day(text, today, earliest)
    if day is None:
        raise InvalidParams(
            f"`{text[:40]}` is not a date; write it like 2026-12-25, 22 November, next Friday or today"
        )
    return day


def _parse_past_day(text: str, today: date) -> date:
    """Return the past date that a phrase names; without a year, the most recent such date."""
    day = _parse_known_day(text, today, today)
    has_year = re.search(r"\d{4}", text) is not None
    return _add_to_date(day, -1, "year") if day > today and not has_year else day


def _add_durations(day: date, durations: str, sign: int = 1) -> date:
    for found in _SIGNED_DURATION.finditer(durations):
        if found[1]:
            sign = -1 if found[1] in ("-", "minus") else 1
        count, unit = found[2].split(" ", 1)
        day = _add_to_date(
            day, sign * (int(count) if count.isdigit() else 1), unit.removesuffix("s")
        )
    return day


def _add_to_date(day: date, count: int, unit: str) -> date:
    match unit:
        case "day" | "week":
            return day + timedelta(days=count * (7 if unit == "week" else 1))
        case "month" | "year":
            month = day.year * 12 + day.month - 1 + count * (12 if unit == "year" else 1)
            year, month = divmod(month, 12)
            last = calendar.monthrange(date(year, 1, 1).year, month + 1)[1]
            return date(year, month + 1, min(day.day, last))
        case _:
            return _add_working_days(day, count)


def _add_working_days(day: date, count: int) -> date:
    """Return the date that is `count` working days (Monday to Friday) after a date,
    or before it if negative.
    """
    sign = -1 if count < 0 else 1
    while day.weekday() > 4:
        day -= timedelta(days=sign)
    weeks, left = divmod(abs(count), 5)
    day += timedelta(days=sign * weeks * 7)
    while left:
        day += timedelta(days=sign)
        left -= day.weekday() < 5
    return day


def _measure_distance(unit: str, first: date, last: date) -> CalculatorAnswer:
    days = (last - first).days
    also = [f"from {_format_day(first)} to {_format_day(last)}", _count_units(days, "days")]
    if last < first:
        also.append("the second day is before the first")
    match unit:
        case "business days" | "working days" | "weekdays":
            count, counted_unit = _count_working_days(first, last), unit
        case "weeks":
            weeks, remaining = divmod(abs(days), 7)
            return CalculatorAnswer(
                f"{_count_units(weeks, 'weeks')} and {_count_units(remaining, 'days')}",
                days / 7,
                tuple(also),
            )
        case "months" | "years":
            return CalculatorAnswer(
                _format_calendar_distance(*sorted((first, last))), float(days), tuple(also)
            )
        case _:
            count, counted_unit = days, "days"
            also[1] = _format_calendar_distance(*sorted((first, last)))
    return CalculatorAnswer(_count_units(count, counted_unit), float(count), tuple(also))


def _count_working_days(first: date, last: date) -> int:
    """Return the number of working days from one date to another; the first date counts, the last does not."""
    if last < first:
        return -_count_working_days(last, first)
    weeks, rest = divmod((last - first).days, 7)
    return weeks * 5 + sum((first.weekday() + day) % 7 < 5 for day in range(rest))


def _format_calendar_distance(first: date, last: date) -> str:
    """Return the time between two dates as text in years, months and days."""
    months = (last.year - first.year) * 12 + last.month - first.month
    if _add_to_date(first, months, "month") > last:
        months -= 1
    days = (last - _add_to_date(first, months, "month")).days
    years, months = divmod(months, 12)
    counted = ((years, "years"), (months, "months"), (days, "days"))
    return ", ".join(_count_units(count, unit) for count, unit in counted if count) or "0 days"


def _count_units(count: int, units: str) -> str:
    return f"{count} {units.removesuffix('s') if abs(count) == 1 else units}"


def _format_day(day: date) -> str:
    return f"{WEEKDAY_NAMES[day.weekday()].capitalize()} {day.isoformat()}"


def _describe_day(day: date, today: date) -> CalculatorAnswer:
    days = (day - today).days
    away = (
        "today"
        if days == 0
        else f"in {_count_units(days, 'days')}"
        if days > 0
        else f"{_count_units(-days, 'days')} ago"
    )
    week = day.isocalendar().week
    return CalculatorAnswer(_format_day(day), None, (away, f"week {week} of the year"))
