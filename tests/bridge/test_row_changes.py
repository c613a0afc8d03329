"""How the differences between two configs are told row by row."""

from typing import Any

import pytest
from tests.support.simulate import Row, Rows, config

from conductor.bridge.before_after import list_row_changes
from conductor.domain.config import Config

COPY = {"trigger": {"type": "Note", "note": 36}, "action": {"type": "Keystroke", "keys": "ctrl+c"}}
PASTE = {"trigger": {"type": "Note", "note": 37}, "action": {"type": "Keystroke", "keys": "ctrl+v"}}
CUT = {"trigger": {"type": "Note", "note": 38}, "action": {"type": "Keystroke", "keys": "ctrl+x"}}
UNDO = {"trigger": {"type": "Note", "note": 36}, "action": {"type": "Keystroke", "keys": "ctrl+z"}}


def named(mapping: dict[str, Any], name: str) -> Row:
    return {**mapping, "description": name}


def list_changes(old: Rows, new: Rows) -> list[str]:
    def build(rows: Rows) -> Config:
        return config(modes={"A": rows})

    return [f"{one.kind}: {one.text}" for one in list_row_changes(build(old), build(new))]


@pytest.mark.parametrize(
    ("old", "new", "changes"),
    [
        ([COPY], [named(COPY, "Copy")], ["changed: Copy (name added)"]),
        ([named(COPY, "Copy")], [named(COPY, "Fetch")], ["changed: Fetch (renamed from Copy)"]),
        ([named(COPY, "Copy")], [COPY], ["changed: Note 36 (C1) -> Ctrl+C (name Copy removed)"]),
        (
            [named(COPY, "Copy"), PASTE],
            [named(COPY, "Fetch"), CUT, PASTE],
            ["changed: Fetch (renamed from Copy)", "added: Note 38 (D1) -> Ctrl+X"],
        ),
        (
            [CUT, named(COPY, "Copy")],
            [named(COPY, "Fetch"), PASTE],
            [
                "changed: Fetch (renamed from Copy)",
                "added: Note 37 (C#1) -> Ctrl+V",
                "removed: Note 38 (D1) -> Ctrl+X",
            ],
        ),
        (
            [CUT, named(COPY, "Copy"), PASTE],
            [named(UNDO, "Copy"), PASTE],
            [
                "changed: Note 36 (C1) -> Ctrl+C becomes Note 36 (C1) -> Ctrl+Z",
                "removed: Note 38 (D1) -> Ctrl+X",
            ],
        ),
        ([COPY, PASTE], [PASTE, COPY], ["moved: Note 37 (C#1) -> Ctrl+V"]),
        ([COPY], [CUT], ["changed: Note 36 (C1) -> Ctrl+C becomes Note 38 (D1) -> Ctrl+X"]),
    ],
)
def test_a_mapping_is_compared_with_what_it_was(
    old: list[Row], new: list[Row], changes: list[str]
) -> None:
    assert list_changes(old, new) == changes


@pytest.mark.parametrize(
    ("new", "places"),
    [
        ([COPY, COPY, PASTE, CUT], [1]),
        ([COPY, PASTE, PASTE, CUT], [2]),
        ([COPY, PASTE, CUT, CUT], [3]),
        ([COPY, PASTE, COPY, PASTE, CUT], [2, 3]),
        ([COPY, COPY, COPY, PASTE, PASTE, CUT], [1, 2, 4]),
        ([UNDO, COPY, PASTE, CUT], [0]),
    ],
)
def test_a_copy_is_added_below_its_original(new: Rows, places: list[int]) -> None:
    old = [COPY, PASTE, CUT]
    changes = list_row_changes(config(modes={"A": old}), config(modes={"A": new}))
    assert [(one.kind, one.index) for one in changes] == [("added", place) for place in places]
