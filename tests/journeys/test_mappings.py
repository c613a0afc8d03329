"""The main job by hand: what I touch does what I say, and I see it before I save it."""

import re

import pytest
from playwright.sync_api import Page, expect
from tests.journeys.conftest import CONFIG
from tests.journeys.hands import expect_key, tap
from tests.journeys.stage import Stage, pick_kind, row, toast
from tests.support.jack import MidiPeer
from tests.support.running import wait_for
from tests.support.xserver import KeyWindow

pytestmark = [pytest.mark.x11, pytest.mark.jack, pytest.mark.timeout(300)]


def record(page: Page, keys: str) -> None:
    """Press keys for a keystroke that was just chosen, whose recorder is armed."""
    expect(page.get_by_role("button", name="Stop")).to_be_focused()
    page.keyboard.press(keys)


def test_a_pad_that_i_touch_types_a_key_and_its_row_lights(
    page: Page, pads: MidiPeer, window: KeyWindow
) -> None:
    page.get_by_role("button", name=re.compile("^New mapping(?! in)")).first.click()
    expect(page.get_by_role("heading", name="Touch a control")).to_be_visible()
    tap(pads, 40)
    page.get_by_role("list", name="Matching triggers").get_by_role("button").first.click()
    pick_kind(page, "Do", "Keystroke")
    record(page, "k")
    page.get_by_role("button", name="Add mapping").click()
    expect(row(page, "Note 40")).to_contain_text("K")
    tap(pads, 40)
    expect_key(window, "k")
    expect(row(page, "Note 40").locator(".light.fired")).to_be_visible()


def test_an_edited_mapping_does_the_new_thing_at_the_next_press(
    page: Page, pads: MidiPeer, window: KeyWindow
) -> None:
    row(page, "say h").click()
    page.get_by_role("button", name="Remove h").click()
    page.get_by_role("button", name="Record").click()
    record(page, "Control+Shift+m")
    page.get_by_role("button", name="Save").click()
    expect(row(page, "say h")).to_contain_text("Ctrl+Shift+M")
    tap(pads, 36)
    names = [window.next_key().name for _ in range(6)]
    assert names[:3] == ["Control_L", "Shift_L", "M"]


def test_at_200_percent_the_inspector_covers_the_list(stage: Stage) -> None:
    with stage.open((640, 400)) as page:
        grid = page.get_by_role("grid", name="Mappings")
        action = row(page, "say h").locator(".action")
        assert action.evaluate("one => one.scrollWidth <= one.clientWidth")
        grid.focus()
        grid.press("ArrowDown")
        expect(grid).to_be_visible()
        row(page, "say h").click()
        expect(page.get_by_role("group", name="Do")).to_be_visible()
        expect(page.locator("[inert]").filter(has=grid)).to_have_count(1)
        page.keyboard.press("Escape")
        expect(grid).to_be_focused()
        expect(page.get_by_role("group", name="Do")).to_have_count(0)


def test_a_conflict_is_told_before_it_is_saved(page: Page, stage: Stage) -> None:
    before = stage.conductor.config_path.read_text()
    row(page, "say i").click()
    note = page.get_by_role("combobox", name="Note", exact=True)
    note.fill("36")
    note.press("Enter")
    checks = page.get_by_role("region", name="Effects on other mappings")
    expect(checks).to_contain_text("wins")
    expect(checks.get_by_role("button", name="say h")).to_be_visible()
    expect(page.get_by_role("button", name="1 conflict")).to_be_visible()
    assert stage.conductor.config_path.read_text() == before


def test_a_conflict_is_resolved_by_switching_off_the_other_mapping(
    page: Page, stage: Stage
) -> None:
    row(page, "say i").click()
    note = page.get_by_role("combobox", name="Note", exact=True)
    note.fill("36")
    note.press("Enter")
    checks = page.get_by_role("region", name="Effects on other mappings")
    checks.get_by_role("button", name="Switch off the other mapping").click()
    switched = toast(page, "Switched off “say h”")
    expect(checks).to_contain_text("No conflicts")
    switched.get_by_role("button", name="Undo").click()
    expect(checks.get_by_role("button", name="say h")).to_be_visible()
    expect(note).to_have_value(re.compile("36"))


def test_a_conflict_is_resolved_by_another_gesture(page: Page, stage: Stage) -> None:
    stage.conductor.use(CONFIG.replace("note = 38", "note = 36"))
    row(page, "say i").click()
    checks = page.get_by_role("region", name="Effects on other mappings")
    checks.get_by_role("button", name="Make this a hold, 500 ms").click()
    expect(checks.get_by_text("wins")).to_have_count(0)
    page.get_by_role("button", name="Save").click()
    expect(row(page, "say i").locator(".badge.hold")).to_be_visible()
    expect(checks.get_by_text("wins")).to_have_count(0)


def test_undo_in_the_toast_takes_a_change_back(page: Page, stage: Stage) -> None:
    row(page, "say i").click()
    page.get_by_role("grid", name="Mappings").focus()
    page.keyboard.press("Delete")
    expect(row(page, "say i")).to_have_count(0)
    toast(page, "Deleted “say i”").get_by_role("button", name="Undo").click()
    expect(row(page, "say i")).to_be_visible()
    wait_for(stage.conductor.config_path.read_text, lambda text: "say i" in text)


def test_search_leaves_the_rows_that_fit(page: Page) -> None:
    page.keyboard.press("/")
    page.keyboard.type("studio")
    expect(row(page, "to the studio")).to_be_visible()
    expect(row(page, "say i")).to_have_count(0)
    page.keyboard.press("Escape")
    expect(row(page, "say i")).to_be_visible()
    page.keyboard.press("/")
    page.keyboard.type("nowhere")
    expect(page.get_by_role("heading", name="No matching mappings")).to_be_visible()


def test_a_row_that_is_dragged_up_comes_first(page: Page, stage: Stage) -> None:
    row(page, "say i").drag_to(row(page, "say h"), target_position={"x": 60, "y": 4})
    expect(toast(page, "Moved “say i”")).to_be_visible()
    group = page.get_by_role("rowgroup", name="Default").get_by_role("row")
    expect(group.nth(1)).to_contain_text("say i")
    modes = stage.call("config.get")["config"]["modes"]
    assert [one["description"] for one in modes[0]["mappings"]] == [
        "say i",
        "say h",
        "to the studio",
    ]


def test_a_mapping_is_copied_to_another_mode_and_works_there(
    page: Page, pads: MidiPeer, window: KeyWindow, stage: Stage
) -> None:
    row(page, "say i").click()
    page.get_by_role("grid", name="Mappings").focus()
    page.keyboard.press("Control+c")
    row(page, "say s").click()
    page.get_by_role("grid", name="Mappings").focus()
    page.keyboard.press("Control+v")
    expect(row(page, "say i")).to_have_count(2)
    stage.call("modes.switch", mode="Studio")
    stage.conductor.wait_status(lambda status: status["mode"] == "Studio")
    tap(pads, 38)
    expect_key(window, "i")


def test_a_mapping_that_is_switched_off_does_nothing(
    page: Page, pads: MidiPeer, window: KeyWindow
) -> None:
    row(page, "say h").get_by_role("switch").click()
    expect(toast(page, "Switched off “say h”")).to_be_visible()
    tap(pads, 36)
    tap(pads, 38)
    expect_key(window, "i")


def test_a_touch_finds_the_rows_that_listen(page: Page, pads: MidiPeer) -> None:
    page.get_by_role("button", name="Find by touching a control").click()
    expect(page.get_by_text("Touch a control…")).to_be_visible()
    pads.send("90 26 64")
    pads.send("80 26 00")
    expect(row(page, "say i")).to_be_visible()
    expect(row(page, "say h")).to_have_count(0)


def test_a_mapping_is_made_without_a_mouse(page: Page, pads: MidiPeer, window: KeyWindow) -> None:
    page.keyboard.press("n")
    expect(page.get_by_role("heading", name="Touch a control")).to_be_visible()
    tap(pads, 41)
    expect(page.get_by_role("list", name="Matching triggers")).to_be_visible()
    page.keyboard.press("1")
    kinds = page.get_by_role("group", name="Common actions")
    expect(kinds.get_by_role("button").first).to_be_focused()
    page.keyboard.type("keystr")
    expect(page.get_by_role("combobox", name="Do: kind")).to_have_value("keystr")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    record(page, "y")
    page.keyboard.press("Control+Enter")
    expect(row(page, "Note 41")).to_be_visible()
    tap(pads, 41)
    expect_key(window, "y")


def test_a_mapping_changed_elsewhere_is_not_written_over(page: Page, stage: Stage) -> None:
    row(page, "say h").click()
    page.get_by_role("textbox", name="Name").fill("mine")
    stage.conductor.use(stage.conductor.config_path.read_text().replace("say h", "theirs"))
    expect(page.get_by_text("changed elsewhere")).to_be_visible()
    expect(page.get_by_role("button", name="Save")).to_be_disabled()
    page.get_by_role("button", name="Keep my changes").click()
    page.get_by_role("button", name="Save").click()
    expect(row(page, "mine")).to_be_visible()
    wait_for(stage.conductor.config_path.read_text, lambda text: "theirs" not in text)
