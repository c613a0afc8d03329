"""The mappings of the text that was read last, so that a text with nearly all of them is read sooner.

A check of a mapping takes ten times as long as finding it by what is written, and what both texts have is then
the same object, which needs no comparison.
"""

from typing import Any

from pydantic import ValidationError

from conductor.domain.config import Mapping


class KnownRows:
    """Mappings by what is written in their rows. May be used from any thread."""

    def __init__(self) -> None:
        self._rows: dict[str, Mapping] = {}

    def put_in(self, raw: dict[str, Any]) -> dict[str, Any]:
        """Return tables with mappings in place of the rows that are valid; the others stay as written."""
        found, fresh = dict(raw), dict[str, Mapping]()
        for name in ("modes", "profiles"):
            if isinstance(raw.get(name), list):
                found[name] = [self._with_mappings(each, "mappings", fresh) for each in raw[name]]
        found = self._with_mappings(found, "global_mappings", fresh)
        self._rows = fresh
        return found

    def _with_mappings(self, owner: Any, key: str, fresh: dict[str, Mapping]) -> Any:
        if not isinstance(owner, dict) or not isinstance(owner.get(key), list):
            return owner
        return {**owner, key: [self._mapping(row, fresh) for row in owner[key]]}

    def _mapping(self, row: Any, fresh: dict[str, Mapping]) -> Any:
        written = repr(row)  # unlike equal values, equal texts tell 1, 1.0 and true apart
        if written in fresh:
            return row  # the same row twice: each is a mapping of its own
        try:
            fresh[written] = self._rows.get(written) or Mapping.model_validate(row)
        except ValidationError:
            return row  # the check of the whole config says where it stands
        return fresh[written]
