"""Writes a device profile as TOML text, the form in which profiles are stored."""

import json
from collections.abc import Sequence
from typing import Any

from conductor.base.json_types import JsonObject
from conductor.domain.device_profile import DeviceProfile

TABLE_LIST_KEYS = {"sources", "variants", "groups", "lights", "remarks", "questions", "answers"}
"""The keys whose lists are written as `[[tables]]`; other lists are written as inline values."""


def render_profile_toml(profile: DeviceProfile) -> str:
    """Return a device profile as TOML, from which `files.parse_profile` reads an equal profile."""
    return "\n".join(_format_toml_table(profile.to_plain(), "")) + "\n"


def _format_toml_table(table: JsonObject, path: str) -> list[str]:
    plain = {
        key: value
        for key, value in table.items()
        if key not in TABLE_LIST_KEYS or not _is_table_list(value)
    }
    lines = [f"{key} = {_format_toml_value(value, key)}" for key, value in plain.items()]
    for key, rows in table.items():
        if key not in plain:
            name = f"{path}.{key}" if path else key
            for row in rows:
                lines += ["", f"[[{name}]]", *_format_toml_table(row, name)]
    return lines


def _is_table_list(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and isinstance(value[0], dict)


def _format_toml_value(value: Any, key: str = "") -> str:
    if isinstance(value, dict):
        pairs = ", ".join(
            f"{_format_toml_key(name)} = {_format_toml_value(one)}" for name, one in value.items()
        )
        return f"{{ {pairs} }}"
    if isinstance(value, list):
        items = _format_number_runs(value) if key == "numbers" else value
        return f"[{', '.join(_format_toml_value(one) for one in items)}]"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return json.dumps(value, ensure_ascii=False)


def _format_toml_key(name: str) -> str:
    return (
        name
        if name.replace("-", "").replace("_", "").isalnum() and name.isascii()
        else json.dumps(name)
    )


def _format_number_runs(numbers: Sequence[int | str]) -> list[int | str]:
    """Return numbers with each run of three or more consecutive ones replaced by a range such as `36-51`."""
    runs: list[list[int | str]] = []
    for number in numbers:
        last = runs[-1][-1] if runs else None
        if isinstance(number, int) and isinstance(last, int) and number == last + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return [item for run in runs for item in ([f"{run[0]}-{run[-1]}"] if len(run) > 2 else run)]
