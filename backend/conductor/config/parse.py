"""Parses config.toml into a `Config`, or raises a `ConfigError` with the message and line of each problem."""

import re
from collections.abc import Iterator, Sequence
from datetime import date, datetime, time
from typing import Any, NamedTuple

import tomli
from pydantic import ValidationError
from pydantic_core import ErrorDetails

from conductor.base.json_types import JsonObject
from conductor.config.diagnostics import (
    correct_headers,
    insert_placeholders,
    is_caused_by_removed_line,
    remove_pair_line,
)
from conductor.config.lines import KeyPath, KeyPositions
from conductor.config.mapping_cache import MappingCache
from conductor.config.migrations import migrate_tables
from conductor.config.schema_walk import list_allowed_keys
from conductor.config.wording import (
    WRONG_TYPE_MESSAGES,
    describe_unknown_key,
    describe_unknown_type,
    join_alternatives,
    list_error_details,
    reword_error,
    reword_syntax_error,
)
from conductor.domain.config import Config
from conductor.domain.validate import Problem, Report, check_config
from conductor.errors import ConfigError

MAX_CONFIG_BYTES = 5_000_000
MAX_REPORTED_PROBLEMS = 50
_INT64_LIMIT = 2**63
_MAPPING_CACHE = MappingCache()


class ParsedConfig(NamedTuple):
    """A valid config with its validation report and the notes about its migration."""

    config: Config
    report: Report
    notes: tuple[str, ...]
    """Notes for the user about migrations from an older format; empty for a config in the current format."""


def parse_config(text: str, path: str = "config.toml") -> Config:
    """Parse a config text and validate it against the schema. References, for example to modes, are only
    checked by `load_config`.

    Raises:
        ConfigError: the text is invalid; each of its `problems` has a path and line.
    """
    return _validate_model(_migrate_tables(text, path)[0], text, path)


def load_config(text: str, path: str = "config.toml") -> tuple[Config, Report]:
    """Parse a config text, check its references, and return the config with its validation report.

    Raises:
        ConfigError: the text cannot be parsed, or the report has errors.
    """
    reading = load_config_with_notes(text, path)
    return reading.config, reading.report


def load_config_with_notes(text: str, path: str = "config.toml") -> ParsedConfig:
    """Parse a config text, check its references, and return the config with its report and migration notes.

    Raises:
        ConfigError: the text cannot be parsed, or the report has errors. The error lists all problems that can
            be found.
    """
    try:
        return _parse_and_check(text, path)
    except ConfigError as error:
        raise build_config_error(
            path, _find_all_problems(text, path, error.problems)[:MAX_REPORTED_PROBLEMS]
        ) from None


def _parse_and_check(text: str, path: str) -> ParsedConfig:
    raw, notes = _migrate_tables(text, path)
    config = _validate_model(raw, text, path)
    report = check_config(config)
    if not report.valid:
        raise build_config_error(path, add_line_numbers(report.errors, text))
    warnings = add_line_numbers(report.warnings, text) if report.warnings else ()
    return ParsedConfig(config, report.model_copy(update={"warnings": warnings}), notes)


def _find_all_problems(text: str, path: str, found: Sequence[Problem]) -> Sequence[Problem]:
    """Return all problems of an invalid config, including those that the first errors hide.

    Further problems may follow a syntax error, be under a mistyped header, or be in references.
    """
    try:
        read_raw_tables(text, path)
    except ConfigError:
        # Retry without the bad line; problems that the missing line may cause are not reported.
        rest = remove_pair_line(text, found[0].line)
        behind = [] if rest is None else _find_shape_problems(rest, path)
        return [*found, *(problem for problem in behind if not is_caused_by_removed_line(problem))]
    try:
        raw = _migrate_tables(text, path)[0]
    except ConfigError:
        return found
    corrected, wrong = correct_headers(text, raw)
    if wrong:
        under = _find_shape_problems(corrected, path)
        first = [problem for problem in found if problem.path in wrong]
        # a problem without a path means that the corrected text is not valid TOML
        if not any(problem.path == "" for problem in under):
            return [*first, *under, *_find_reference_problems(corrected, path, under)]
        return sorted(found, key=lambda problem: problem not in first)
    return [*found, *_find_reference_problems(text, path, found)]


def _find_shape_problems(text: str, path: str) -> Sequence[Problem]:
    try:
        parse_config(text, path)
    except ConfigError as error:
        return error.problems
    return ()


def _find_reference_problems(text: str, path: str, shape: Sequence[Problem]) -> Sequence[Problem]:
    """Find invalid references in a config whose schema is invalid, after replacing the invalid values by
    placeholders.
    """
    try:
        raw = insert_placeholders(
            _migrate_tables(text, path)[0], [parse_config_path(problem.path) for problem in shape]
        )
        errors = () if raw is None else check_config(Config.model_validate(raw)).errors
    except (ConfigError, ValidationError, RecursionError):
        return ()
    return [problem for problem in add_line_numbers(errors, text) if problem not in shape]


def decode_config_bytes(data: bytes, path: str = "config.toml") -> str:
    """Decode the bytes of a config file to text.

    Raises:
        ConfigError: the file is too large, or not UTF-8.
    """
    if len(data) > MAX_CONFIG_BYTES:
        raise build_config_error(path, [_build_size_problem(len(data))])
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        message = "the file is not UTF-8 text; save it as UTF-8 in your editor"
        raise build_config_error(path, [Problem(path="", message=message, line=line)]) from None


def read_raw_tables(text: str, path: str = "config.toml") -> JsonObject:
    """Return the plain tables of a config text, before migration and validation.

    Raises:
        ConfigError: the text is not TOML.
    """
    try:
        size = len(text.encode())
        if size > MAX_CONFIG_BYTES:
            raise build_config_error(path, [_build_size_problem(size)])
        return tomli.loads(text)
    except UnicodeEncodeError:
        problem = Problem(path="", message="the text has half a character (a lone surrogate) in it")
    except RecursionError:
        problem = Problem(path="", message="lists or tables are nested too deeply")
    except ValueError as error:
        line, message = reword_syntax_error(error, text)
        problem = Problem(path="", message=message, line=line)
    raise build_config_error(path, [problem])


def build_config_error(path: str, problems: Sequence[Problem]) -> ConfigError:
    """Return the `ConfigError` for a config, with the first of its problems and the number of others in the
    message.
    """
    more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
    first = problems[0].format() if problems else "it is not valid"
    return ConfigError(f"{path} cannot be used: {first}{more}", tuple(problems))


def add_line_numbers(problems: Sequence[Problem], text: str) -> tuple[Problem, ...]:
    """Return the problems with line numbers, which are looked up in the text by the path of each problem."""
    try:
        places = KeyPositions(text)
    except (ValueError, IndexError, RecursionError):
        return tuple(problems)

    def find_line(problem: Problem) -> int | None:
        return problem.line or places.find_line_number(
            _rename_path(parse_config_path(problem.path), places)
        )

    def add_line(problem: Problem) -> Problem:
        update: JsonObject = {"line": find_line(problem)}
        if problem.first and (there := places.find_line_number(parse_config_path(problem.first))):
            update["message"] = problem.message.replace(
                "already exists", f"already exists on line {there}", 1
            )
        return problem.model_copy(update=update)

    return tuple(add_line(problem) for problem in problems)


def format_config_path(path: Sequence[str | int]) -> str:
    """Format the path of a config value as text, such as `modes[0].mappings[3].trigger`."""
    steps = (f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return "".join(steps).removeprefix(".")


def parse_config_path(path: str) -> KeyPath:
    """Parse a path in the form `modes[0].mappings[3].trigger`, as `format_config_path` writes it."""
    steps = re.findall(r"\[(\d+)\]|([^.\[\]]+)", path)
    return tuple(int(index) if index else key for index, key in steps)


def _build_size_problem(size: int) -> Problem:
    megabytes = f"{size / 1e6:.1f} MB; the limit is {MAX_CONFIG_BYTES // 1_000_000} MB"
    return Problem(path="", message=f"the file has {megabytes}")


def _rename_path(path: KeyPath, places: KeyPositions) -> KeyPath:
    if path[:1] == ("devices",) and ("devices",) not in places.offsets:
        return ("bindings", *path[1:])
    return path


def _migrate_tables(text: str, path: str) -> tuple[JsonObject, tuple[str, ...]]:
    raw = read_raw_tables(text, path)
    if _has_unsupported_value(raw):
        raise build_config_error(path, add_line_numbers(list(_find_unsupported_values(raw)), text))
    try:
        return migrate_tables(raw)
    except ConfigError as error:
        raise build_config_error(path, [Problem(path="version", message=str(error))]) from None


def _find_unsupported_values(raw: JsonObject) -> Iterator[Problem]:
    """Yield a problem for each value that TOML allows but a config does not, such as dates and infinities."""
    stack: list[tuple[KeyPath, Any]] = [((), raw)]
    while stack:
        path, item = stack.pop()
        if isinstance(item, dict):
            stack.extend(((*path, key), value) for key, value in item.items())
        elif isinstance(item, list):
            stack.extend(((*path, index), value) for index, value in enumerate(item))
        elif (message := _describe_unsupported_value(item)) is not None:
            yield Problem(path=format_config_path(path), message=message)


def _has_unsupported_value(raw: JsonObject) -> bool:
    stack: list[Any] = [raw]
    while stack:
        item = stack.pop()
        for value in item.values() if type(item) is dict else item:
            kind = type(value)
            if kind is dict or kind is list:
                stack.append(value)
            elif (
                kind is not str
                and kind is not bool
                and _describe_unsupported_value(value) is not None
            ):
                return True
    return False


def _describe_unsupported_value(item: Any) -> str | None:
    if isinstance(item, int):
        return None if -_INT64_LIMIT <= item < _INT64_LIMIT else "is too large a number"
    if isinstance(item, float):
        return None if -1e300 < item < 1e300 else "must be a finite number"
    if isinstance(item, date | datetime | time):
        return "is a date or time; put texts in quotes"
    return None


def _validate_model(raw: JsonObject, text: str, path: str) -> Config:
    try:
        return Config.model_validate(_MAPPING_CACHE.replace_rows(raw))
    except ValidationError as error:
        named = {**raw, "devices": raw["bindings"]} if "bindings" in raw else raw
        problems = list(_list_problems(error, named))
    except RecursionError:
        problems = [Problem(path="", message="tables are nested too deeply")]
    except Exception:  # noqa: BLE001 - whatever a file contains, the result is a ConfigError
        problems = [Problem(path="", message="a value has a type that does not fit its key")]
    raise build_config_error(path, add_line_numbers(problems[:MAX_REPORTED_PROBLEMS], text))


def _list_problems(error: ValidationError, raw: JsonObject) -> Iterator[Problem]:
    found: dict[KeyPath, list[str]] = {}
    for detail in list_error_details(error):
        found.setdefault(_to_file_path(detail["loc"], raw), []).append(_format_message(detail))
    nested = {path[:end] for path in found for end in range(len(path))}
    for path, messages in found.items():
        if path not in nested or not all(message in WRONG_TYPE_MESSAGES for message in messages):
            yield Problem(path=format_config_path(path), message=join_alternatives(messages))


def _format_message(detail: ErrorDetails) -> str:
    kind, ctx = detail["type"], detail.get("ctx", {})
    if kind == "extra_forbidden":
        return describe_unknown_key(str(detail["loc"][-1]), list_allowed_keys(detail["loc"][:-1]))
    if kind in ("union_tag_invalid", "union_tag_not_found"):
        tags = re.findall(r"'([^']*)'", str(ctx.get("expected_tags", "")))
        return describe_unknown_type(str(ctx.get("tag", "None")), tags)
    return reword_error(detail)


def _to_file_path(loc: tuple[int | str, ...], raw: Any) -> KeyPath:
    """Convert the location of a pydantic error to a path in the file, by removing the tags that pydantic
    adds for unions.
    """
    path: KeyPath = ()
    item = raw
    for number, step in enumerate(loc):
        inside = _get_child(item, step)
        if inside is not None:
            path, item = (*path, step), inside
        elif (
            number == len(loc) - 1
            and isinstance(item, dict)
            and step in list_allowed_keys(loc[:-1])
        ):
            return (*path, step)
    return path


def _get_child(item: Any, step: int | str) -> Any:
    if isinstance(item, dict):
        return item.get(step)
    return (
        item[step]
        if isinstance(item, list) and isinstance(step, int) and step < len(item)
        else None
    )
