"""Reads config.toml: text in, `Config` out, or a `ConfigError` whose problems say what is where."""

import re
from collections.abc import Iterator, Sequence
from datetime import date, datetime, time
from typing import Any, NamedTuple

import tomli
from pydantic import ValidationError
from pydantic_core import ErrorDetails

from conductor.config.diagnostics import (
    is_about_a_gap,
    with_headers_mended,
    with_stand_ins,
    without_pair,
)
from conductor.config.known_rows import KnownRows
from conductor.config.lines import Path, Places
from conductor.config.migrations import migrate
from conductor.config.schema_walk import keys_at
from conductor.config.wording import (
    TYPES,
    alternatives,
    say_detail,
    say_syntax,
    unknown_key,
    unknown_type,
)
from conductor.domain.config import Config
from conductor.domain.validate import Problem, Report, check
from conductor.errors import ConfigError

MAX_BYTES = 5_000_000
MAX_PROBLEMS = 50
_INT64 = 2**63
_KNOWN = KnownRows()


class Reading(NamedTuple):
    """A config that can be used, with what was noticed on the way."""

    config: Config
    report: Report
    notes: tuple[str, ...]
    """What was changed to read an older format."""


def parse(text: str, path: str = "config.toml") -> Config:
    """Read a config by its schema alone; `load` also checks what the names in it lead to.

    Raises:
        ConfigError: with `problems`, each with its path and line.
    """
    return _model(_migrated(text, path)[0], text, path)


def load(text: str, path: str = "config.toml") -> tuple[Config, Report]:
    """Read and check a config.

    Raises:
        ConfigError: it cannot be read, or the report has errors.
    """
    reading = read(text, path)
    return reading.config, reading.report


def read(text: str, path: str = "config.toml") -> Reading:
    """Read and check a config; also gives the notes of the migrations.

    Raises:
        ConfigError: it cannot be read, or the report has errors; with all problems that can be told.
    """
    try:
        return _read(text, path)
    except ConfigError as error:
        raise refusal(path, _all_problems(text, path, error.problems)[:MAX_PROBLEMS]) from None


def _read(text: str, path: str) -> Reading:
    raw, notes = _migrated(text, path)
    config = _model(raw, text, path)
    report = check(config)
    if not report.valid:
        raise refusal(path, with_lines(report.errors, text))
    warnings = with_lines(report.warnings, text) if report.warnings else ()
    return Reading(config, report.model_copy(update={"warnings": warnings}), notes)


def _all_problems(text: str, path: str, found: Sequence[Problem]) -> Sequence[Problem]:
    """Add what else is wrong: behind a mistake of syntax, under a header mistyped, in what names lead to."""
    try:
        raw_tables(text, path)
    except ConfigError:
        rest = without_pair(text, found[0].line)
        behind = [] if rest is None else _problems_of_shape(rest, path)
        return [*found, *(problem for problem in behind if not is_about_a_gap(problem))]
    try:
        raw = _migrated(text, path)[0]
    except ConfigError:
        return found
    mended, wrong = with_headers_mended(text, raw)
    if wrong:
        under = _problems_of_shape(mended, path)
        first = [problem for problem in found if problem.path in wrong]
        if not any(problem.path == "" for problem in under):  # mended, it is no TOML
            return [*first, *under, *_problems_of_meaning(mended, path, under)]
        return sorted(found, key=lambda problem: problem not in first)
    return [*found, *_problems_of_meaning(text, path, found)]


def _problems_of_shape(text: str, path: str) -> Sequence[Problem]:
    try:
        parse(text, path)
    except ConfigError as error:
        return error.problems
    return ()


def _problems_of_meaning(text: str, path: str, shape: Sequence[Problem]) -> Sequence[Problem]:
    """Check what is left of a text when what has the wrong shape is set aside."""
    try:
        raw = with_stand_ins(_migrated(text, path)[0], [split_path(one.path) for one in shape])
        errors = () if raw is None else check(Config.model_validate(raw)).errors
    except (ConfigError, ValidationError, RecursionError):
        return ()
    return [one for one in with_lines(errors, text) if one not in shape]


def decode(data: bytes, path: str = "config.toml") -> str:
    """Return the text of a file's bytes.

    Raises:
        ConfigError: it is too large, or not UTF-8.
    """
    if len(data) > MAX_BYTES:
        raise refusal(path, [_too_large(len(data))])
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        message = "the file is not UTF-8 text; save it as UTF-8 in your editor"
        raise refusal(path, [Problem(path="", message=message, line=line)]) from None


def raw_tables(text: str, path: str = "config.toml") -> dict[str, Any]:
    """Return a text's plain tables, before any reading of them.

    Raises:
        ConfigError: the text is not TOML.
    """
    try:
        size = len(text.encode())
        if size > MAX_BYTES:
            raise refusal(path, [_too_large(size)])
        return tomli.loads(text)
    except UnicodeEncodeError:
        problem = Problem(path="", message="the text has half a character (a lone surrogate) in it")
    except RecursionError:
        problem = Problem(path="", message="lists or tables stand too deep inside one another")
    except ValueError as error:
        line, message = say_syntax(error, text)
        problem = Problem(path="", message=message, line=line)
    raise refusal(path, [problem])


def refusal(path: str, problems: Sequence[Problem]) -> ConfigError:
    """Return the error for these problems."""
    more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
    first = problems[0].text() if problems else "it is not valid"
    return ConfigError(f"{path} cannot be used: {first}{more}", tuple(problems))


def with_lines(problems: Sequence[Problem], text: str) -> tuple[Problem, ...]:
    """Return problems with the lines of their paths."""
    try:
        places = Places(text)
    except (ValueError, IndexError, RecursionError):
        return tuple(problems)

    def line(problem: Problem) -> int | None:
        return problem.line or places.line(_renamed(split_path(problem.path), places))

    def placed(problem: Problem) -> Problem:
        update: dict[str, Any] = {"line": line(problem)}
        if problem.first and (there := places.line(split_path(problem.first))):
            update["message"] = problem.message.replace(
                "is there already", f"is there already on line {there}", 1
            )
        return problem.model_copy(update=update)

    return tuple(placed(problem) for problem in problems)


def join_path(path: Sequence[str | int]) -> str:
    """Spell a path like `modes[0].mappings[3].trigger`."""
    steps = (f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return "".join(steps).removeprefix(".")


def split_path(path: str) -> Path:
    """Read a path like `modes[0].mappings[3].trigger`."""
    steps = re.findall(r"\[(\d+)\]|([^.\[\]]+)", path)
    return tuple(int(index) if index else key for index, key in steps)


def _too_large(size: int) -> Problem:
    megabytes = f"{size / 1e6:.1f} MB; the limit is {MAX_BYTES // 1_000_000} MB"
    return Problem(path="", message=f"the file has {megabytes}")


def _renamed(path: Path, places: Places) -> Path:
    if path[:1] == ("devices",) and ("devices",) not in places.offsets:
        return ("bindings", *path[1:])
    return path


def _migrated(text: str, path: str) -> tuple[dict[str, Any], tuple[str, ...]]:
    raw = raw_tables(text, path)
    if _has_odd_value(raw):
        raise refusal(path, with_lines(list(_odd_values(raw)), text))
    try:
        return migrate(raw)
    except ConfigError as error:
        raise refusal(path, [Problem(path="version", message=str(error))]) from None


def _odd_values(raw: dict[str, Any]) -> Iterator[Problem]:
    """Find what TOML can write and no part of a config can be: dates, infinities, huge numbers."""
    stack: list[tuple[Path, Any]] = [((), raw)]
    while stack:
        path, item = stack.pop()
        if isinstance(item, dict):
            stack.extend(((*path, key), value) for key, value in item.items())
        elif isinstance(item, list):
            stack.extend(((*path, index), value) for index, value in enumerate(item))
        elif (message := _oddity(item)) is not None:
            yield Problem(path=join_path(path), message=message)


def _has_odd_value(raw: dict[str, Any]) -> bool:
    stack: list[Any] = [raw]
    while stack:
        item = stack.pop()
        for value in item.values() if type(item) is dict else item:
            kind = type(value)
            if kind is dict or kind is list:
                stack.append(value)
            elif kind is not str and kind is not bool and _oddity(value) is not None:
                return True
    return False


def _oddity(item: Any) -> str | None:
    if isinstance(item, int):
        return None if -_INT64 <= item < _INT64 else "is too large a number"
    if isinstance(item, float):
        return None if -1e300 < item < 1e300 else "must be a finite number"
    if isinstance(item, date | datetime | time):
        return "is a date or time; put texts in quotes"
    return None


def _model(raw: dict[str, Any], text: str, path: str) -> Config:
    try:
        return Config.model_validate(_KNOWN.put_in(raw))
    except ValidationError as error:
        named = {**raw, "devices": raw["bindings"]} if "bindings" in raw else raw
        problems = list(_problems(error, named))
    except RecursionError:
        problems = [Problem(path="", message="tables stand too deep inside one another")]
    except Exception:  # noqa: BLE001 - whatever a file holds, the answer is a ConfigError
        problems = [Problem(path="", message="a value has a type that does not fit its key")]
    raise refusal(path, with_lines(problems[:MAX_PROBLEMS], text))


def _problems(error: ValidationError, raw: dict[str, Any]) -> Iterator[Problem]:
    details = error.errors(include_url=False)
    outer = {tuple(d["loc"][:end]) for d in details for end in range(len(d["loc"]))}
    found: dict[Path, list[str]] = {}
    for detail in details:
        if detail["type"] == "too_short" and detail["loc"] in outer:
            continue  # its items were refused, so pydantic counted none
        found.setdefault(_written(detail["loc"], raw), []).append(_message(detail))
    nested = {path[:end] for path in found for end in range(len(path))}
    for path, messages in found.items():
        if path not in nested or not all(message in TYPES for message in messages):
            yield Problem(path=join_path(path), message=alternatives(messages))


def _message(detail: ErrorDetails) -> str:
    kind, ctx = detail["type"], detail.get("ctx", {})
    if kind == "extra_forbidden":
        return unknown_key(str(detail["loc"][-1]), keys_at(detail["loc"][:-1]))
    if kind in ("union_tag_invalid", "union_tag_not_found"):
        tags = re.findall(r"'([^']*)'", str(ctx.get("expected_tags", "")))
        return unknown_type(str(ctx.get("tag", "None")), tags)
    return say_detail(detail)


def _written(loc: tuple[int | str, ...], raw: Any) -> Path:
    """Return a pydantic location as it is written in the file: without the tags of unions."""
    path: Path = ()
    item = raw
    for number, step in enumerate(loc):
        inside = _child(item, step)
        if inside is not None:
            path, item = (*path, step), inside
        elif number == len(loc) - 1 and isinstance(item, dict) and step in keys_at(loc[:-1]):
            return (*path, step)
    return path


def _child(item: Any, step: int | str) -> Any:
    if isinstance(item, dict):
        return item.get(step)
    return (
        item[step]
        if isinstance(item, list) and isinstance(step, int) and step < len(item)
        else None
    )
