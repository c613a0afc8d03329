"""The number of overlaps that a plan lists: all in a handwritten config, otherwise new ones first."""

from pathlib import Path

from tests.config.plan_world import AGENT, World

from conductor.config.plan_rules import MAX_LISTED_OVERLAPS
from conductor.domain.change_kinds import CreateMapping
from conductor.domain.config import Mapping

MAPPING = """
[[modes.mappings]]
trigger = {{ type = "Note", note = {note} }}
action = {{ type = "Text", text = "{text}" }}
"""


def proposed(folder: Path, pairs: int) -> tuple[list[bool], tuple[str, ...]]:
    """Propose a rival of one mapping in a config with many overlaps; return which of them are new."""
    world = World(folder)
    rows = [MAPPING.format(note=note, text=text) for note in range(pairs) for text in "ab"]
    free = MAPPING.format(note=127, text="free")
    (folder / "config.toml").write_text('[[modes]]\nname = "Default"\n' + "".join(rows) + free)
    world.store.reload_file()
    rival = Mapping.model_validate(
        {"trigger": {"type": "Note", "note": 127}, "action": {"type": "Text", "text": "rival"}}
    )
    try:
        plan = world.plans.propose_plan((CreateMapping(mode="Default", mapping=rival),), AGENT)
    finally:
        world.database.close()
    return [one.is_new for one in plan.overlaps], plan.warnings


def test_all_overlaps_of_a_small_config_are_told(tmp_path: Path):
    new, warnings = proposed(tmp_path, 3)
    assert sorted(new) == [False, False, False, True]
    assert not any("not listed" in warning for warning in warnings)


def test_of_too_many_overlaps_the_new_one_is_told_and_the_others_are_counted(tmp_path: Path):
    new, warnings = proposed(tmp_path, 100)
    assert new == [True] + [False] * (MAX_LISTED_OVERLAPS - 1)
    assert "and 51 more overlaps that are not listed, none of them new" in warnings
