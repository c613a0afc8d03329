"""Modes in saved examples follow a rename, however it was made."""

import pytest
from tests.support.simulate import Rows, config, does

from conductor.domain.change_kinds import UpdateMode
from conductor.domain.changes import apply_change
from conductor.domain.example_names import rename_modes_in_example
from conductor.domain.examples import Example, ObservedEffect
from conductor.domain.renames import Renames, find_renames

LIVE = does("Note note=1", {"type": "ModeChange", "mode": "Live Set"})


def modes(**rows: Rows):
    return config(modes={name.replace("_", " "): row for name, row in rows.items()})


def test_a_rename_is_found_in_both_directions():
    old = modes(Default=[LIVE, "Note note=2 -> a"], Live_Set=["Note note=3 -> b"])
    new = apply_change(old, UpdateMode(name="Live Set", new_name="Stage"))
    assert find_renames(old, new).modes == {"Live Set": "Stage"}
    assert find_renames(new, old).modes == {"Stage": "Live Set"}
    assert find_renames(old, old).modes == {}


def test_a_rename_is_found_where_the_mode_also_changed_or_moved():
    old = modes(A=["Note note=1 -> a", "Note note=2 -> b"], B=["Note note=3 -> c"])
    changed = modes(X=["Note note=1 -> a", "Note note=2 -> c"], B=["Note note=3 -> c"])
    moved = modes(B=["Note note=3 -> c"], X=["Note note=1 -> a", "Note note=2 -> b"])
    assert find_renames(old, changed).modes == find_renames(old, moved).modes == {"A": "X"}


def test_a_mode_that_has_other_mappings_is_another_mode():
    old = modes(A=["Note note=1 -> a"], B=["Note note=3 -> c"])
    assert find_renames(old, modes(X=["Note note=9 -> z"], B=["Note note=3 -> c"])) == Renames()
    assert find_renames(old, modes(B=["Note note=3 -> c"])) == Renames()


@pytest.mark.parametrize(
    ("gesture", "renamed"),
    [
        ("mode Live Set; tap 36", "mode Stage; tap 36"),
        (
            "tap 1, mode Live  Set @100\ntap 36 # in mode Live Set",
            "tap 1, mode Stage @100\ntap 36 # in mode Live Set",
        ),
        ("mode Live Sets; mode Live", "mode Live Sets; mode Live"),
        ("app Live Set", "app Live Set"),
    ],
)
def test_only_mode_lines_of_a_script_are_renamed(gesture: str, renamed: str):
    example = Example(name="x", gesture=gesture)
    assert rename_modes_in_example(example, Renames(modes={"Live Set": "Stage"})).gesture == renamed


def test_all_that_names_a_mode_is_renamed_and_renamed_back():
    plugin = {"type": "Plugin", "server": "s", "tool": "t", "args": {"mode": "Live Set"}}
    example = Example.model_validate(
        {
            "name": "x",
            "gesture": "tap 1",
            "mode": "Live Set",
            "ends_in": "Live Set",
            "expect": [
                {"type": "ModeChange", "fields": {"mode": "Live Set"}},
                {
                    "type": "Sequence",
                    "fields": {"actions": [{"type": "ModeChange", "mode": "Live Set"}, plugin]},
                },
            ],
            "done": [ObservedEffect(kind="mode", calls=(["mode", "switch", "Live Set"],))],
        }
    )
    there = rename_modes_in_example(example, Renames(modes={"Live Set": "Stage"}))
    assert there.model_dump_json().count("Live Set") == 1
    assert there.model_dump_json().count("Stage") == 5
    assert rename_modes_in_example(there, Renames(modes={"Stage": "Live Set"})) == example
