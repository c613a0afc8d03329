"""Renames modes in kept examples."""

import re
from collections.abc import Mapping
from typing import Any, cast

from conductor.domain.examples import DoneEffect, Example, ExpectedAction

Names = Mapping[str, str]
"""From an old name to the new one."""


def rename_in_example(example: Example, names: Names) -> Example:
    """Return an example in which modes have their new names."""
    if not names:
        return example

    def renamed(name: str | None) -> str | None:
        return None if name is None else names.get(name, name)

    return example.model_copy(
        update={
            "gesture": _in_gesture(example.gesture, names),
            "expect": _in_expected(example.expect, names),
            "effects": None if example.effects is None else _in_expected(example.effects, names),
            "mode": renamed(example.mode),
            "ends_in": renamed(example.ends_in),
            "done": None if example.done is None else _in_done(example.done, names),
        }
    )


def _in_gesture(gesture: str, names: Names) -> str:
    """Rename modes in the `mode` lines of a script."""
    choice = "|".join(r"\s+".join(map(re.escape, name.split())) for name in names)
    line = re.compile(
        rf"((?:^|[;,\n])\s*(?:@\S+\s+)?mode\s+)({choice})(?=\s*(?:@\S+\s*)?(?:$|[;,\n#]))"
    )
    return line.sub(lambda found: found[1] + names[" ".join(found[2].split())], gesture)


def _in_expected(expected: tuple[ExpectedAction, ...], names: Names) -> tuple[ExpectedAction, ...]:
    return tuple(
        one.model_copy(update={"fields": _in_fields(one.fields, names)}) for one in expected
    )


def _in_fields(item: Any, names: Names) -> Any:
    if isinstance(item, list | tuple):
        return [_in_fields(each, names) for each in cast("list[Any]", item)]
    if not isinstance(item, dict):
        return item
    renamed: dict[str, Any] = {}
    for key, each in cast("dict[str, Any]", item).items():
        if key == "mode" and isinstance(each, str):
            renamed[key] = names.get(each, each)
        elif key == "args":  # a tool's own arguments may have a `mode` that is none of ours
            renamed[key] = each
        else:
            renamed[key] = _in_fields(each, names)
    return renamed


def _in_done(done: tuple[DoneEffect, ...], names: Names) -> tuple[DoneEffect, ...]:
    return tuple(
        one.model_copy(update={"calls": tuple(_in_call(call, names) for call in one.calls)})
        for one in done
    )


def _in_call(call: Any, names: Names) -> Any:
    if call[0] != "mode":
        return call
    return [*call[:2], names.get(call[2], call[2])]
