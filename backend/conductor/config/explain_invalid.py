"""Says what is wrong with values that did not come from a file, in the words used for config.toml."""

from collections.abc import Iterable

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from conductor.config.wording import say_detail, unknown_key, unknown_type

SHOWN = 5


def explain_invalid(error: ValidationError, known: Iterable[str]) -> str:
    """Give the problems as one sentence each; `known` are the names at the top."""
    found = error.errors(include_url=False)
    lines = list(dict.fromkeys(_line(detail, known) for detail in found))
    more = f"; and {len(lines) - SHOWN} more" if len(lines) > SHOWN else ""
    return "; ".join(lines[:SHOWN]) + more


def _line(detail: ErrorDetails, known: Iterable[str]) -> str:
    steps = [str(step) for step in detail["loc"]]
    kind, ctx = detail["type"], detail.get("ctx", {})
    if kind == "extra_forbidden":
        key = steps.pop()
        message = unknown_key(key, known) if not steps else f"unknown key `{key[:60]}`"
    elif kind in ("union_tag_invalid", "union_tag_not_found"):
        tags = str(ctx.get("expected_tags", "")).replace("'", "").split(", ")
        message = unknown_type(str(ctx.get("tag", "")), [tag for tag in tags if tag])
    else:
        message = say_detail(detail)
    return f"{'.'.join(steps)[:120]}: {message}" if steps else message
