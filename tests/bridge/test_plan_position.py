"""What a plan shows of the config: what would change, whether it is in force, and what undoes exactly it."""

from tests.bridge.conftest import find_plan_position
from tests.support.page import Page
from tests.support.running import RunningConductor


def test_a_plan_knows_whether_it_is_still_in_force(page: Page, conductor: RunningConductor) -> None:
    asked = conductor.call("conductor_create_mode", name="Standing")
    plan_id = asked["plan_id"]
    assert find_plan_position(page, plan_id) == (None, None)
    page.call("plans.apply", plan_id=plan_id)
    assert find_plan_position(page, plan_id) == ("in_force", "undo")
    page.call("config.undo")
    assert find_plan_position(page, plan_id) == ("undone", "redo")
    page.call("config.redo")
    other = {"change_type": "CreateMode", "name": "Other"}
    seen = page.call("config.get")["hash"]
    page.call("config.commit", changes=[other], base_hash=seen, reason="Add another")
    assert find_plan_position(page, plan_id) == ("changed_since", None)
    page.call("config.undo")
    undoing = conductor.call("conductor_undo")["plan_id"]
    page.call("plans.apply", plan_id=undoing)
    assert find_plan_position(page, undoing) == ("in_force", None)
    assert find_plan_position(page, plan_id) == ("undone", "redo")
    seen = page.call("config.get")["hash"]
    page.call("config.commit", changes=[other], base_hash=seen, reason="Add another")
    assert find_plan_position(page, plan_id) == ("undone", None)
    page.call("config.undo")


def test_the_settings_of_the_window_leave_plans_and_versions_alone(
    page: Page, conductor: RunningConductor
) -> None:
    def choose(theme: str) -> None:
        change = {"change_type": "UpdateSettings", "settings": {"ui": {"theme": theme}}}
        seen = page.call("config.get")["hash"]
        page.call("config.commit", changes=[change], base_hash=seen, reason=f"Theme: {theme}")

    def list_reasons() -> list[str]:
        return [version["reason"] for version in page.call("history.list")["versions"]]

    choose("dark")
    plan = conductor.call("conductor_create_mode", name="Window")
    choose("light")
    assert page.call("plans.apply", plan_id=plan["plan_id"])["status"] == "applied"
    reasons = list_reasons()
    choose("dark")
    assert find_plan_position(page, plan["plan_id"]) == ("in_force", "undo")
    page.call("config.undo")
    assert page.call("config.get")["config"]["settings"]["ui"]["theme"] == "dark"
    choose("system")
    assert find_plan_position(page, plan["plan_id"]) == ("undone", "redo")
    assert plan["plan_id"] in page.call("plans.undone")["plan_ids"]
    assert list_reasons() == reasons
    versions = page.call("history.list", limit=2)["versions"]
    assert versions[0]["summary"] == ["added: Mode Window (mode:Window)"]
    undone = page.call("history.get", id=versions[0]["id"])
    for shown in ("changes", "before_after"):
        assert [row["text"] for row in undone[shown]] == ["Mode Window"]
    assert "theme" not in undone["diff"] + undone["changes_diff"]
    choose("dark")
    page.call("history.restore", id=versions[0]["id"])
    restored = page.call("config.get")["config"]
    assert restored["settings"]["ui"]["theme"] == "dark"
    assert restored["modes"][-1]["name"] == "Window"
    page.call("config.undo")
    choose("system")


def test_a_plan_that_the_user_edited_is_undone_as_the_edit_is(
    page: Page, conductor: RunningConductor
) -> None:
    plan_id = conductor.call("conductor_create_mode", name="Proposed")["plan_id"]
    edit = {"change_type": "CreateMode", "name": "Edited"}
    seen = page.call("config.get")["hash"]
    result = page.call("config.commit", changes=[edit], base_hash=seen, reason="Add mode")["hash"]
    plan = page.call("plans.mark_edited", plan_id=plan_id, result_hash=result)
    assert plan["reason"] == "rejected by the user: edited by the user"
    assert find_plan_position(page, plan_id) == ("in_force", "undo")
    page.call("config.undo")
    assert find_plan_position(page, plan_id) == ("undone", "redo")


def test_a_mapping_and_the_mode_that_it_switches_to_are_one_version(page: Page) -> None:
    action = {"type": "ModeChange", "mode": "Encore"}
    mapping = {"trigger": {"type": "Note", "note": 98}, "action": action}
    changes = [
        {"change_type": "CreateMapping", "mode": "Two", "mapping": mapping},
        {"change_type": "CreateMode", "name": "Encore"},
    ]
    seen = page.call("config.get")
    proof = page.call("config.preview", changes=changes, base_hash=seen["hash"])
    assert not [one for one in proof["overlaps"] if one["kind"] == "unreachable_mode"]
    page.call("config.commit", changes=changes, base_hash=seen["hash"], reason="Map a mode")
    assert page.call("config.get")["config"]["modes"][-1]["name"] == "Encore"
    page.call("config.undo")
    assert page.call("config.get")["config"]["modes"] == seen["config"]["modes"]


def test_a_preview_warns_as_a_plan_of_what_is_missing_for_the_changes(
    page: Page, conductor: RunningConductor
) -> None:
    mapping = {
        "trigger": {"type": "Note", "note": 99},
        "action": {"type": "Launch", "app": "no-such-app-anywhere"},
    }
    plan_id = conductor.call("conductor_create_mapping", mode="Two", **mapping)["plan_id"]
    view = page.call("plans.get", plan_id=plan_id)
    assert any("no program or app" in warning for warning in view["plan"]["warnings"])
    proof = page.call("config.preview", changes=view["changes"], finds_missing=True)
    assert proof["warnings"] == view["plan"]["warnings"]
