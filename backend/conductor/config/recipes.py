"""Finds the mappings in the TOML examples of a Markdown text."""

import re
import tomllib
from collections.abc import Generator
from typing import Any

from pydantic import ValidationError

from conductor.domain.config import Mapping

_EXAMPLE = re.compile(r"^```toml\n(.*?)^```", re.MULTILINE | re.DOTALL)
_MAPPING_LISTS = ("mappings", "global_mappings")


def find_mappings(text: str) -> list[Mapping]:
    """Return the valid mappings of all TOML examples of a text, in their order."""
    return [mapping for example in _EXAMPLE.findall(text) for mapping in _parse_example(example)]


def _parse_example(example: str) -> Generator[Mapping]:
    """Yield the mappings of an example, which may be a part of a config that is invalid by itself."""
    try:
        tables = tomllib.loads(example)
    except tomllib.TOMLDecodeError:
        return
    for raw in _list_raw_mappings(tables):
        try:
            yield Mapping.model_validate(raw)
        except ValidationError:
            continue


def _list_raw_mappings(value: Any) -> Generator[Any]:
    """Yield what the config lists as mappings, at any depth: of a mode, of an app profile, of all modes."""
    if isinstance(value, list):
        for one in value:
            yield from _list_raw_mappings(one)
    elif isinstance(value, dict):
        for key, one in value.items():
            if key in _MAPPING_LISTS and isinstance(one, list):
                yield from one
            else:
                yield from _list_raw_mappings(one)
