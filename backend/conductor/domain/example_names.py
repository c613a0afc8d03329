"""Updates the names of modes in saved examples, after modes were renamed."""

import re
from typing import Any, cast

from conductor.base.json_types import JsonObject
from conductor.domain.examples import Example, ExpectedAction, ObservedEffect
from conductor.domain.renames import Renames


def rename_modes_in_example(example: Example, renames: Renames) -> Example:
    """Return an example in which renamed modes have their new names."""
    if not renames.modes:
        return example

    def find_new_name(name: str | None) -> str | None:
        return None if name is None else renames.get_new_mode(name)

    return example.model_copy(
        update={
            "gesture": _rename_modes_in_gesture(example.gesture, renames),
            "expect": _rename_modes_in_expected_actions(example.expect, renames),
            "effects": None
            if example.effects is None
            else _rename_modes_in_expected_actions(example.effects, renames),
            "mode": find_new_name(example.mode),
            "ends_in": find_new_name(example.ends_in),
            "done": None
            if example.done is None
            else _rename_modes_in_observed_effects(example.done, renames),
        }
    )


def _rename_modes_in_gesture(gesture: str, renames: Renames) -> str:
    """Return the script of a gesture in which `mode` lines have the new names of modes."""
    choice = "|".join(r"\s+".join(map(re.escape, name.split())) for name in renames.modes)
    line = re.compile(
        rf"((?:^|[;,\n])\s*(?:@\S+\s+)?mode\s+)({choice})(?=\s*(?:@\S+\s*)?(?:$|[;,\n#]))"
    )
    return line.sub(
        lambda found: found[1] + renames.get_new_mode(" ".join(found[2].split())), gesture
    )


def _rename_modes_in_expected_actions(
    expected: tuple[ExpectedAction, ...], renames: Renames
) -> tuple[ExpectedAction, ...]:
    return tuple(
        action.model_copy(update={"fields": _rename_modes_in_action_fields(action.fields, renames)})
        for action in expected
    )


def _rename_modes_in_action_fields(item: Any, renames: Renames) -> Any:
    if isinstance(item, list | tuple):
        return [_rename_modes_in_action_fields(each, renames) for each in cast("list[Any]", item)]
    if not isinstance(item, dict):
        return item
    renamed: JsonObject = {}
    for key, each in cast(JsonObject, item).items():
        if key == "mode" and isinstance(each, str):
            renamed[key] = renames.get_new_mode(each)
        elif key == "args":  # in the arguments of a tool, `mode` does not mean a mode of the config
            renamed[key] = each
        else:
            renamed[key] = _rename_modes_in_action_fields(each, renames)
    return renamed


def _rename_modes_in_observed_effects(
    done: tuple[ObservedEffect, ...], renames: Renames
) -> tuple[ObservedEffect, ...]:
    return tuple(
        effect.model_copy(
            update={
                "calls": tuple(_rename_modes_in_system_call(call, renames) for call in effect.calls)
            }
        )
        for effect in done
    )


def _rename_modes_in_system_call(call: Any, renames: Renames) -> Any:
    if call[0] != "mode":
        return call
    return [*call[:2], renames.get_new_mode(call[2])]
