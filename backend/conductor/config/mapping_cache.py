"""Caches the validated mappings of the last config, so that a slightly edited text is parsed faster.

Validating a mapping takes ten times as long as a lookup by its text. A mapping that occurs in both texts is
the same object in both configs, so that comparisons are fast.
"""

from typing import Any

from pydantic import ValidationError

from conductor.base.json_types import JsonObject
from conductor.domain.config import Mapping


class MappingCache:
    """Caches validated mappings, keyed by the text of their TOML rows; may be used from several threads."""

    def __init__(self) -> None:
        self._rows: dict[str, Mapping] = {}

    def replace_rows(self, raw: JsonObject) -> JsonObject:
        """Return the raw config with each valid mapping row replaced by a `Mapping`; invalid rows are left
        unchanged.
        """
        found, new_rows = dict(raw), dict[str, Mapping]()
        for name in ("modes", "profiles"):
            if isinstance(raw.get(name), list):
                found[name] = [
                    self._convert_mappings(each, "mappings", new_rows) for each in raw[name]
                ]
        found = self._convert_mappings(found, "global_mappings", new_rows)
        self._rows = new_rows
        return found

    def _convert_mappings(self, owner: Any, key: str, new_rows: dict[str, Mapping]) -> Any:
        if not isinstance(owner, dict) or not isinstance(owner.get(key), list):
            return owner
        return {**owner, key: [self._get_or_validate_mapping(row, new_rows) for row in owner[key]]}

    def _get_or_validate_mapping(self, row: Any, new_rows: dict[str, Mapping]) -> Any:
        written = repr(row)  # as text, because 1, 1.0 and true are equal as keys of a dict
        if written in new_rows:
            return row  # of two equal rows, each must become a mapping object of its own
        try:
            new_rows[written] = self._rows.get(written) or Mapping.model_validate(row)
        except ValidationError:
            return row  # the validation of the whole config reports the error with its path
        return new_rows[written]
