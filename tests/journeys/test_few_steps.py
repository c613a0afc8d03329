"""The shortest ways to a mapping, and what the window says on them."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect
from tests.journeys.conftest import CONFIG
from tests.journeys.hands import expect_key, release, tap
from tests.journeys.stage import Stage, go, row, titles, toast
from tests.support.jack import MidiPeer
from tests.support.running import running_conductor, wait_for
from tests.support.xserver import KeyWindow

pytestmark = [pytest.mark.x11, pytest.mark.jack, pytest.mark.timeout(300)]

NO_DEVICES = {"JACK_DEFAULT_SERVER": "absent"}
FITS = Path(__file__).with_name("fits.js").read_text()
NOWHERE = 'type = "SendMidi", port = "nowhere", message_type = "NoteOn"'


def inspector(page: Page) -> Locator:
    return page.get_by_role("complementary", name="Inspector")


def recorder(page: Page) -> Locator:
    return page.get_by_role("button", name="Stop")


def change_kind(page: Page, form: str, kind: str) -> None:
    """Choose another kind of a trigger or an action that has one."""
    box = page.get_by_role("combobox", name=f"{form}: kind")
    box.press("Control+a")
    box.press_sequentially(kind)
    page.get_by_role("option", name=re.compile(f"^{kind}")).first.click()


def test_an_empty_start_is_one_click_and_four_keys_away_from_a_mapping(browser: Browser) -> None:
    with running_conductor(
        None, environment=NO_DEVICES, with_page=True, own_process=True
    ) as conductor:
        stage = Stage(browser, conductor)
        with stage.open() as page:
            steps = page.get_by_role("dialog", name="First steps")
            expect(steps.get_by_role("button", name=re.compile("^Pad 1:"))).to_be_visible()
            page.keyboard.press("z")
            expect(steps.get_by_text("Use it", exact=True)).to_be_visible()
            page.keyboard.press("Enter")
            steps.get_by_role("button", name="Keystroke").click()
            expect(recorder(page)).to_be_focused()
            page.keyboard.press("Control+c")
            expect(steps.get_by_role("button", name="Save and try it")).to_be_enabled()
            page.keyboard.press("Control+Enter")
            expect(steps.get_by_role("heading", name="Now try it")).to_be_visible()
            expect(page.locator(".toast")).to_have_count(0)
            assert 'keys = ["ctrl", "c"]' in conductor.config_path.read_text()


def test_a_new_mapping_starts_with_a_click_on_the_picture_of_the_device(
    page: Page, pads: MidiPeer, window: KeyWindow
) -> None:
    tap(pads, 43)
    page.keyboard.press("n")
    panel = inspector(page)
    expect(panel.locator(":scope > :focus")).to_have_count(1)
    panel.get_by_role("button", name=re.compile("^Note 43")).click()
    kinds = panel.get_by_role("group", name="Common actions")
    expect(kinds.get_by_role("button").first).to_be_focused()
    kinds.get_by_role("button", name="Keystroke").click()
    expect(recorder(page)).to_be_focused()
    page.keyboard.press("k")
    expect(panel.get_by_role("button", name="Add mapping")).to_be_enabled()
    page.keyboard.press("Control+Enter")
    expect(row(page, "Note 43")).to_contain_text("K")
    tap(pads, 43)
    expect_key(window, "k")


def test_the_control_that_was_heard_is_used_at_enter(page: Page, pads: MidiPeer) -> None:
    page.keyboard.press("n")
    expect(page.get_by_role("heading", name="Touch a control")).to_be_visible()
    tap(pads, 41)
    expect(inspector(page).get_by_text("Use it", exact=True)).to_be_visible()
    page.keyboard.press("Enter")
    expect(page.get_by_role("group", name="Common actions")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("grid", name="Mappings")).to_be_focused()


def test_a_text_is_saved_by_the_shortcut_and_the_next_control_is_asked_for(
    page: Page, pads: MidiPeer
) -> None:
    view = go(page, "Learn")
    expect(view.get_by_role("heading", name="Touch a control")).to_be_visible()
    tap(pads, 41)
    expect(view.get_by_text("Use it", exact=True)).to_be_visible()
    page.keyboard.press("Enter")
    view.get_by_role("button", name="Type text", exact=True).click()
    view.get_by_role("textbox", name="Text", exact=True).press_sequentially("hello")
    expect(view.get_by_role("button", name=re.compile("^Save"))).to_be_enabled()
    page.keyboard.press("Control+Enter")
    expect(view.get_by_role("heading", name="Touch a control")).to_be_visible()


def test_a_saved_mapping_is_moved_to_the_control_that_is_touched(
    page: Page, stage: Stage, pads: MidiPeer
) -> None:
    row(page, "say i").click()
    change_kind(page, "When", "Long press")
    page.keyboard.press("Control+Enter")
    note = inspector(page).get_by_role("combobox", name="Note", exact=True)
    note.fill("Pad 3")
    note.press("Tab")
    expect(note).to_have_value("D1 (38)")
    inspector(page).get_by_role("button", name="Touch another control for this mapping").click()
    expect(inspector(page).get_by_role("heading", name="Touch a control")).to_be_visible()
    tap(pads, 41)
    expect(inspector(page).get_by_text("Use it", exact=True)).to_be_visible()
    page.keyboard.press("Enter")
    expect(note).to_have_value("F1 (41)")
    page.keyboard.press("Control+Enter")
    expect(inspector(page).get_by_text("Saved", exact=True)).to_be_visible()
    assert re.search(r'type = "LongPress".*note = 41', stage.conductor.config_path.read_text())


def test_keys_are_changed_in_three_steps(page: Page, stage: Stage) -> None:
    row(page, "say h").dblclick()
    expect(recorder(page)).to_be_focused()
    page.keyboard.press("Control+j")
    expect(inspector(page).get_by_text("Ctrl+J", exact=True)).to_be_visible()
    page.keyboard.press("Control+Enter")
    wait_for(stage.conductor.config_path.read_text, lambda text: 'keys = ["ctrl", "j"]' in text)

    grid = page.get_by_role("grid", name="Mappings")
    grid.focus()
    grid.press("F2")
    expect(recorder(page)).to_be_focused()
    page.keyboard.press("Escape")
    expect(inspector(page).get_by_text("Ctrl+J", exact=True)).to_be_visible()


def test_a_time_and_a_range_are_set_with_sliders(page: Page, stage: Stage) -> None:
    row(page, "say i").click()
    change_kind(page, "When", "Long press")
    duration = page.get_by_role("slider", name="Duration: slider")
    expect(duration).to_have_attribute("aria-valuetext", "500 ms")
    duration.press("ArrowLeft")
    expect(page.get_by_role("spinbutton", name="Duration")).not_to_have_value("500")
    change_kind(page, "When", "Velocity range")
    lowest = page.get_by_role("slider", name="Softest: slider")
    for _ in range(3):
        lowest.press("ArrowRight")
    expect(page.get_by_role("spinbutton", name="Softest")).to_have_value("4")
    expect(inspector(page).get_by_text("velocity 4-127")).to_be_visible()
    page.get_by_role("button", name="Save").click()
    wait_for(stage.conductor.config_path.read_text, lambda text: "min_velocity = 4" in text)


def test_a_test_says_once_how_it_ended(page: Page) -> None:
    row(page, "say h").click()
    change_kind(page, "Do", "Open app, file or link")
    page.get_by_role("combobox", name="App, file or link").fill("no-such-app-anywhere")
    page.get_by_role("button", name="Test").click()
    panel = inspector(page)
    expect(panel.get_by_text("The action failed: ")).to_contain_text("no-such-app-anywhere")
    expect(panel.get_by_text("The action ran.")).to_have_count(0)
    expect(toast(page, "no-such-app-anywhere")).to_have_count(0)
    view = go_and_discard(page, "Monitor")
    expect(view.get_by_role("option").filter(has_text="no-such-app-anywhere")).to_be_visible()
    expect(view).not_to_contain_text("preview 1")


def go_and_discard(page: Page, title: str) -> Locator:
    page.get_by_role("navigation", name="Views").get_by_role("button", name=title).click()
    page.get_by_role("button", name="Discard").click()
    expect(page.get_by_role("heading", name=title, level=1)).to_be_visible()
    return page.get_by_role("region", name=title, exact=True)


def test_the_focus_stays_in_the_window(page: Page) -> None:
    grid = page.get_by_role("grid", name="Mappings")
    grid.focus()
    grid.press("ArrowDown")
    grid.press("Enter")
    page.get_by_label("Name", exact=True).fill("another")
    page.get_by_role("button", name="Save").press("Enter")
    expect(inspector(page).get_by_text("Saved", exact=True)).to_be_visible()
    expect(inspector(page).locator(":focus:not(:disabled)")).to_have_count(1)
    page.get_by_role("button", name="Close the inspector").press("Enter")
    expect(grid).to_be_focused()


def test_a_pause_is_told_in_every_view_with_the_way_out(page: Page, stage: Stage) -> None:
    stage.call("engine.pause", paused=True)
    banner = page.get_by_role("status").filter(has_text="Mappings are paused.")
    for title in titles(page):
        go(page, title)
        expect(banner).to_be_visible()
    page.keyboard.press("Control+k")
    page.keyboard.type("First steps")
    page.keyboard.press("Enter")
    steps = page.get_by_role("dialog", name="First steps")
    steps.get_by_role("button", name="Resume").click()
    expect(banner).to_have_count(0)
    stage.conductor.wait_status(lambda status: not status["paused"])


def test_failures_for_one_reason_are_one_toast(page: Page, stage: Stage, pads: MidiPeer) -> None:
    text = stage.conductor.config_path.read_text()
    stage.conductor.use(text.replace('type = "Keystroke", keys = ["h"]', NOWHERE))
    expect(row(page, "say h")).to_contain_text("nowhere")
    for _ in range(3):
        tap(pads, 36)
    expect(toast(page, "3 actions failed: ")).to_contain_text("nowhere")
    expect(page.locator(".toast")).to_have_count(1)


def test_at_200_percent_the_whole_editor_can_be_reached(stage: Stage, pads: MidiPeer) -> None:
    found: list[str] = []
    with stage.open((640, 400)) as page:
        page.keyboard.press("n")
        expect(page.get_by_role("heading", name="Touch a control")).to_be_visible()
        found += page.evaluate(FITS)
        tap(pads, 41)
        expect(inspector(page).get_by_text("Use it", exact=True)).to_be_visible()
        found += page.evaluate(FITS)
        page.keyboard.press("Enter")
        kinds = page.get_by_role("group", name="Common actions")
        expect(kinds.get_by_role("button").first).to_be_focused()
        found += page.evaluate(FITS)
        kinds.get_by_role("button", name="Send MIDI").click()
        velocity = page.get_by_role("radiogroup", name="Velocity: source")
        expect(velocity.get_by_role("radio", name="From the control")).to_be_checked()
        found += page.evaluate(FITS)
        page.get_by_text("Fine tuning").last.click()
        page.get_by_role("radio", name="Slow ends").click()
        found += page.evaluate(FITS)
        page.get_by_role("button", name="Cancel").click()
        page.get_by_role("button", name="Discard").click()
    assert found == [], "\n".join(found)


def test_a_command_that_replaces_an_action_keeps_its_name(page: Page, stage: Stage) -> None:
    go(page, "Chat")
    message = page.get_by_role("textbox", name="Message")
    message.fill("/map note 36 to ctrl+j in Default")
    message.press("Enter")
    page.get_by_role("article", name="Plan: ").get_by_role("button", name="Apply").first.click()
    wait_for(stage.conductor.config_path.read_text, lambda text: 'keys = ["ctrl", "j"]' in text)
    assert "say h" in stage.conductor.config_path.read_text()


def test_the_picture_of_learn_stays_in_place_when_matches_appear(
    stage: Stage, pads: MidiPeer
) -> None:
    with stage.open((900, 600)) as page:
        learn = go(page, "Learn")
        expect(learn.get_by_role("button", name=re.compile("^Note 36"))).to_be_visible()
        picture = learn.locator(".picture")
        before = picture.bounding_box()
        pads.send(bytes((0x90, 36, 20)))  # softly, then hard
        release(pads, 36)
        tap(pads, 36)
        expect(learn.get_by_role("listitem").nth(1)).to_be_visible()
        assert picture.bounding_box() == before


def test_the_keys_play_the_built_in_controller_where_a_control_is_to_be_touched(
    stage: Stage,
) -> None:
    pad = 'trigger = { type = "Note", note = 37, device = "virtual" }'
    stage.conductor.use(
        f"""{CONFIG}
[settings.engine]
virtual_controller = "on"

[[global_mappings]]
description = "from the keyboard"
{pad}
action = {{ type = "Keystroke", keys = ["k"] }}
"""
    )
    with stage.open() as page:
        go(page, "Mappings")
        row(page, "say h").click()
        page.keyboard.press("t")
        expect(page.get_by_text("Touch a control or press its key")).to_be_visible()
        page.keyboard.press("x")
        expect(row(page, "from the keyboard")).to_be_visible()
        expect(row(page, "say h")).to_have_count(0)
        view = go(page, "Monitor")
        view.get_by_role("button", name="Touch a control").click()
        page.keyboard.press("x")
        expect(view.get_by_role("button", name="Show all controls")).to_contain_text("Pad 2")


def test_enter_uses_a_control_that_was_clicked_and_the_picture_stays(stage: Stage) -> None:
    stage.call("window.set_prefs", patch={"controller.device": "virtual"})
    with stage.open((900, 600)) as page:
        page.keyboard.press("n")
        pad = inspector(page).get_by_role("button", name=re.compile("^Pad 6:"))
        expect(pad).to_be_in_viewport(ratio=1)
        expect(inspector(page).get_by_role("button", name="Forward")).to_be_in_viewport(ratio=1)
        picture = inspector(page).locator(".picture").last
        before = picture.bounding_box()
        pad.click()
        expect(inspector(page).get_by_text("Use it", exact=True)).to_be_visible()
        assert picture.bounding_box() == before
        page.keyboard.press("Enter")
        expect(page.get_by_role("group", name="Common actions")).to_be_visible()
        page.keyboard.press("Escape")
    stage.call("window.set_prefs", patch={"controller.device": ""})
