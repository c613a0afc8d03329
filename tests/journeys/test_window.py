"""Around the mappings: devices, modes, profiles, history, settings, and a Conductor that comes and goes."""

import os
import re
import signal
from typing import Any

import pytest
from playwright.sync_api import Browser, Dialog, Page, expect
from tests.journeys.conftest import CONFIG
from tests.journeys.hands import expect_key, name_the_touched, press, release, tap
from tests.journeys.stage import Stage, go, row, toast
from tests.support.jack import MidiPeer
from tests.support.running import running_conductor, wait_for
from tests.support.xserver import KeyWindow, XServer, window_manager

pytestmark = [pytest.mark.x11, pytest.mark.jack, pytest.mark.timeout(300)]
HOSTILE = "<img src=x onerror=alert(1)> \u202egnp.exe"
CUT_BY_HAND = """window.sockets = []; window.cut = false; window.WebSocket = class extends WebSocket {
  constructor(url, protocols) { super(url, cut ? ["conductor"] : protocols); sockets.push(this); } };"""
NOTE_LABELS = """() => {
  window.labels = [];
  new MutationObserver(() => {
    const dot = document.querySelector("[aria-label^='Engine: ']");
    if (dot) labels.push(dot.getAttribute("aria-label"));
  }).observe(document.body, { subtree: true, attributes: true, childList: true });
}"""


def test_a_device_that_is_unplugged_while_a_key_is_held_lets_it_go_and_turns_grey(
    page: Page, stage: Stage, window: KeyWindow
) -> None:
    stage.conductor.use(CONFIG.replace("pads", "keys").replace('"Pads"', '"Piano"'))
    with MidiPeer("Piano") as piano:
        stage.conductor.wait_for_device("keys")
        node = page.get_by_role("navigation", name="Devices").get_by_role("button", name="keys")
        expect(node.first.get_by_role("img", name="connected")).to_be_visible()
        press(piano, 36)
        assert window.next_key().pressed
        piano.unplug()
        assert not window.next_key().pressed
        expect(node.first.get_by_role("img", name="not connected")).to_be_visible()


def test_a_muted_device_does_nothing_until_it_is_heard_again(
    stage: Stage, page: Page, pads: MidiPeer, window: KeyWindow
) -> None:
    def last_two_events() -> list[dict[str, Any]]:
        return stage.conductor.call("conductor_get_recent_events", limit=2)["events"]

    tap(pads, 38)
    expect_key(window, "i")
    tree = page.get_by_role("navigation", name="Devices")
    mute = tree.get_by_role("button", name="Mute pads")
    mute.focus()
    page.keyboard.press("Enter")
    expect(mute).to_have_attribute("aria-pressed", "true")
    tap(pads, 36)
    wait_for(last_two_events, lambda events: all(event.get("note") == 36 for event in events))
    page.keyboard.press("Enter")
    expect(mute).to_have_attribute("aria-pressed", "false")
    tap(pads, 38)
    expect_key(window, "i")


def test_a_device_gets_a_name_that_mappings_can_use(page: Page, stage: Stage) -> None:
    with MidiPeer("Faders") as _:
        view = go(page, "Devices")
        view.get_by_role("option", name=re.compile("Faders")).click()
        view.get_by_role("button", name="Name device").click()
        dialog = page.get_by_role("dialog")
        dialog.get_by_role("textbox").first.fill("mixer")
        dialog.get_by_role("button", name="Save name").click()
        expect(view.get_by_role("option", name=re.compile("mixer"))).to_be_visible()
        stage.conductor.wait_for_device("mixer")


def test_of_two_equal_controllers_the_one_that_is_touched_gets_the_name(
    page: Page, stage: Stage
) -> None:
    with MidiPeer("Twin") as first, MidiPeer("Twin") as second:
        stage.conductor.wait_for_device("raw:Twin:out #2")
        name_the_touched(page, "Twin", lambda: tap(second, 60), "right")
        stage.conductor.wait_for_device("right")
        view = go(page, "Devices")
        tap(second, 61)
        tap(first, 62)
        right, other = (
            page.get_by_role("region", name=f"Device {name}") for name in ("right", "Twin")
        )
        view.get_by_role("option", name=re.compile("right")).click()
        expect(right).to_contain_text("(61)")
        view.get_by_role("option", name=re.compile("unit 1 of 2")).click()
        expect(other).to_contain_text("(62)")


def test_a_mode_that_nothing_leads_to_is_marked_on_the_map(page: Page, stage: Stage) -> None:
    stage.conductor.use(f'{CONFIG}\n[[modes]]\nname = "Attic"\n')
    view = go(page, "Modes")
    view.get_by_role("group", name="Mode map").get_by_role("button", name="Attic").click()
    expect(view).to_contain_text("Attic cannot be entered from the controls")
    view.get_by_role("button", name=re.compile("^Switch")).first.click()
    expect(page.get_by_role("button", name=re.compile("^Mode: Attic"))).to_be_visible()


def test_the_profile_of_the_app_in_front_comes_first(
    page: Page, stage: Stage, pads: MidiPeer, screen_of_all: XServer
) -> None:
    profile = """
[[profiles]]
name = "Editor"
match = { executable = "keywindow" }

[[profiles.mappings]]
description = "say e"
trigger = { type = "Note", note = 36, device = "pads" }
action = { type = "Keystroke", keys = ["e"] }
"""
    stage.conductor.use(CONFIG + profile)
    with window_manager(screen_of_all.display), KeyWindow(screen_of_all.display) as window:
        stage.conductor.wait_status(lambda status: status["profile"] == "Editor")
        view = go(page, "Profiles")
        expect(view).to_contain_text("keywindow")
        tap(pads, 36)
        expect_key(window, "e")


def test_the_app_in_front_is_shown_live_and_an_honest_word_where_nobody_tells(
    page: Page, screen_of_all: XServer
) -> None:
    front = go(page, "Profiles").get_by_role("region", name="Foreground app")
    expect(front).to_contain_text("Conductor cannot detect the foreground app")
    expect(front).to_contain_text("No window manager reports the active window")
    with window_manager(screen_of_all.display):
        with KeyWindow(screen_of_all.display, title="first song") as window:
            expect(front).to_contain_text("keywindow")
            expect(front).to_contain_text("first song")
            window.set_title("second <b>song</b>")
            expect(front).to_contain_text("second <b>song</b>")
        with KeyWindow(screen_of_all.display, wm_class="otherapp"):
            expect(front).to_contain_text("otherapp")


def test_the_history_says_who_made_a_version(page: Page, stage: Stage) -> None:
    row(page, "say h").get_by_role("switch").click()
    expect(toast(page, "Switched off “say h”")).to_be_visible()
    plan = stage.conductor.call("conductor_create_mode", name="Loft")
    stage.call("plans.apply", plan_id=plan["plan_id"])
    versions = go(page, "History").get_by_role("option")
    expect(versions.filter(has_text="Create mode Loft")).to_contain_text("python")
    expect(versions.filter(has_text="Switched off “say h”").first).to_contain_text(
        "You, in a browser"
    )
    expect(versions.filter(has_text="In the file").first).to_be_visible()
    activity = go(page, "Activity").get_by_role("list", name="Activity").first
    event = activity.get_by_role("listitem").filter(has_text="Switched off “say h”").first
    event.get_by_role("button").first.click()
    event.get_by_role("button", name="Show in History").click()
    version = page.get_by_role("region", name="Version", exact=True)
    expect(version.get_by_role("heading", level=2)).to_have_text("Switched off “say h”")


def test_an_undone_version_is_marked_and_the_next_one_is_compared_with_its_parent(
    page: Page, stage: Stage
) -> None:
    row(page, "say h").get_by_role("switch").click()
    expect(toast(page, "Switched off “say h”")).to_be_visible()
    stage.call("config.undo")
    view = go(page, "History")
    undone = view.get_by_role("option").first
    expect(undone).to_contain_text("Switched off “say h”")
    expect(undone).to_contain_text("Undone")
    undone.click()
    view.get_by_role("button", name="Go to current").click()
    expect(view.locator("[role=option][aria-selected=true]")).to_contain_text("Current")
    go(page, "Mappings")
    row(page, "say i").get_by_role("switch").click()
    expect(toast(page, "Switched off “say i”")).to_be_visible()
    version = go(page, "History").get_by_role("region", name="Version", exact=True)
    expect(version).to_contain_text("Switched off “say i”")
    changes = version.get_by_role("region", name="Changes in this version")
    expect(changes).to_contain_text("Note 38")
    expect(changes).not_to_contain_text("Note 36")


def test_one_mapping_is_brought_back_from_the_history(page: Page, stage: Stage) -> None:
    stage.conductor.use(CONFIG.replace("say i", "say nothing").replace("say h", "say more"))
    view = go(page, "History")
    versions = view.get_by_role("option")
    versions.nth(1).click()
    change = view.get_by_role("list", name="Changes made by restoring this version").get_by_role(
        "listitem"
    )
    change.filter(has_text="say i").get_by_role("button", name="Restore this").first.click()
    wait_for(stage.conductor.config_path.read_text, lambda text: "say i" in text)
    assert "say more" in stage.conductor.config_path.read_text()


def test_a_whole_version_is_brought_back_from_the_history(page: Page, stage: Stage) -> None:
    stage.conductor.use(CONFIG.replace("say i", "say nothing").replace("say h", "say more"))
    view = go(page, "History")
    view.get_by_role("option").nth(1).click()
    view.get_by_role("button", name="Restore this version…").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name=re.compile("^Restore")).click()
    wait_for(stage.conductor.config_path.read_text, lambda text: text == CONFIG)


def test_restoring_says_when_the_current_mode_disappears(page: Page, stage: Stage) -> None:
    stage.conductor.use(CONFIG + '\n[[modes]]\nname = "Encore"\n')
    stage.call("modes.switch", mode="Encore")
    expect(page.get_by_role("button", name=re.compile("^Mode: Encore"))).to_be_visible()
    view = go(page, "History")
    view.get_by_role("option").nth(1).click()
    view.get_by_role("button", name="Restore this version…").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("mode “Encore” disappears: you will be in “Default”")
    dialog.get_by_role("button", name="Cancel").click()
    stage.call("modes.switch", mode="Default")


def test_the_theme_and_the_names_of_notes_change_at_once(page: Page) -> None:
    view = go(page, "Settings")
    html = page.locator("html")
    expect(html).to_have_attribute("data-theme", "dark")
    view.get_by_role("radiogroup", name="Theme").get_by_role("radio", name="Light").click()
    expect(html).to_have_attribute("data-theme", "light")
    view.get_by_label(re.compile("^Name of middle C: ")).click()
    page.get_by_role("option", name=re.compile("^C4")).click()
    expect(toast(page, "Name of middle C")).to_be_visible()
    go(page, "Mappings")
    row(page, "say h").click()
    expect(page.get_by_role("combobox", name="Note", exact=True)).to_have_value("C2 (36)")


def test_the_palette_takes_keys_that_are_typed_before_it_is_drawn(page: Page) -> None:
    page.evaluate("window.requestAnimationFrame = () => 0")
    page.keyboard.press("Control+k")
    page.keyboard.type("go monitor")
    expect(page.get_by_role("combobox", name="Search")).to_have_value("go monitor")


def test_the_palette_is_above_an_open_list_and_takes_the_keys(page: Page) -> None:
    row(page, "say h").click()
    page.get_by_role("combobox", name="Add a key by name").click()
    expect(page.locator(".ui-popover")).to_be_visible()
    for _ in range(2):
        page.keyboard.press("Control+k")
        expect(page.get_by_role("dialog")).to_be_visible()
        expect(page.locator(".ui-popover")).to_have_count(0)
        page.keyboard.press("Escape")
        expect(page.get_by_role("dialog")).to_have_count(0)
    page.keyboard.press("Control+k")
    page.keyboard.type("go monitor")
    expect(page.get_by_role("combobox", name="Search")).to_have_value("go monitor")


def test_panic_takes_the_first_click_above_a_menu_and_a_dialog(page: Page) -> None:
    box = page.get_by_role("button", name="Panic").bounding_box()
    assert box
    place = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.get_by_role("button", name=re.compile("^Mode: ")).click()
    expect(page.get_by_role("menu")).to_be_visible()
    page.mouse.click(*place)
    done = toast(page, "released")
    expect(done).to_be_visible()
    page.keyboard.press("Escape")
    done.get_by_role("button", name="Dismiss").click()
    expect(done).to_have_count(0)
    page.keyboard.press("Control+k")
    expect(page.get_by_role("dialog")).to_be_visible()
    page.mouse.click(*place)
    expect(done).to_be_visible()
    expect(page.get_by_role("dialog")).to_be_visible()


def test_the_entry_of_the_current_view_leads_into_it(page: Page, pads: MidiPeer) -> None:
    view = go(page, "Learn")
    go(page, "Learn")
    tap(pads, 36)
    expect(view.get_by_role("status").filter(has_text=re.compile("36"))).to_be_visible()
    page.keyboard.press("Enter")
    expect(view.get_by_role("button", name="Choose another control")).to_be_visible()


def test_the_palette_goes_anywhere_by_a_few_letters(page: Page) -> None:
    page.keyboard.press("Control+k")
    page.keyboard.type("studio")
    page.get_by_role("option", name=re.compile("^Studio")).first.click()
    expect(page.get_by_role("button", name=re.compile("^Mode: Studio"))).to_be_visible()
    page.keyboard.press("Control+k")
    page.keyboard.type("go monitor")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Monitor", level=1)).to_be_visible()
    page.keyboard.press("Control+k")
    page.keyboard.type("say h")
    page.keyboard.press("Enter")
    expect(row(page, "say h")).to_have_attribute("aria-selected", "true")


def test_the_activity_says_who_did_what(page: Page, stage: Stage) -> None:
    stage.conductor.call("conductor_create_mode", name="Loft")
    stage.call("modes.switch", mode="Studio")
    view = go(page, "Activity")
    entries = view.get_by_role("list", name="Activity").get_by_role("button")
    expect(entries.filter(has_text=re.compile("python")).first).to_be_visible()
    expect(entries.filter(has_text="in a browser").first).to_be_visible()
    page.keyboard.press("/")
    page.keyboard.type("create_mode")
    expect(entries.first).to_contain_text(re.compile("create mode", re.I))


def test_the_cheat_sheet_of_a_mode_is_saved(page: Page) -> None:
    view = go(page, "Controller")
    view.get_by_role("button", name=re.compile("Cheat sheet", re.I)).click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("img")).to_be_visible()
    with page.expect_download() as saved:
        dialog.get_by_role("button", name="Save as SVG").click()
    assert saved.value.suggested_filename.startswith("Default")
    assert "<svg" in saved.value.path().read_text()


def test_the_cheat_sheet_is_printed_without_the_window(page: Page) -> None:
    go(page, "Controller").get_by_role("button", name=re.compile("Cheat sheet", re.I)).click()
    dialog, sheet = page.get_by_role("dialog"), page.locator("body > img")
    expect(dialog.get_by_role("img")).to_be_visible()
    page.emulate_media(media="print")
    expect(sheet).to_be_visible()
    expect(dialog).to_be_hidden()
    expect(page.get_by_role("region", name="Controller")).to_be_hidden()
    page.emulate_media(media="screen")
    expect(sheet).to_be_hidden()
    page.keyboard.press("Escape")
    expect(page.get_by_role("region", name="Controller")).to_be_visible()
    page.emulate_media(media="print")
    expect(page.get_by_role("region", name="Controller")).to_be_visible()


def test_the_first_steps_end_with_a_mapping_that_works(browser: Browser) -> None:
    with running_conductor(None, with_page=True, own_process=True) as conductor:
        stage = Stage(browser, conductor)
        with stage.open() as page:
            steps = page.get_by_role("dialog", name="First steps")
            steps.get_by_role("button", name=re.compile("^Next")).click()
            expect(steps.get_by_text(re.compile("touch|press", re.I)).first).to_be_visible()
            for do in ("press", "release"):
                stage.call("virtual.play", do=do, control="pad1")
            steps.get_by_role("list").get_by_role("button").first.click()
            form = steps.get_by_role("region", name="New mapping")
            form.get_by_role("button", name=re.compile("key", re.I)).first.click()
            expect(form.get_by_role("button", name="Stop")).to_be_focused()
            page.keyboard.press("a")
            steps.get_by_role("button", name=re.compile("^Save and try it")).click()
            expect(steps.get_by_role("heading", name="Now try it")).to_be_visible()
            assert 'keys = ["a"]' in conductor.config_path.read_text()


def test_an_engine_that_dies_is_told_and_comes_back_with_its_mappings(
    page: Page, stage: Stage, pads: MidiPeer, window: KeyWindow
) -> None:
    page.evaluate(NOTE_LABELS)
    os.kill(stage.conductor.engine_pid, signal.SIGKILL)
    wait_for(lambda: page.evaluate("labels"), lambda seen: "Engine: Stopped" in seen)
    expect(page.get_by_role("button", name="Engine: Running")).to_be_visible()
    stage.conductor.wait_for_device("pads")
    tap(pads, 38)
    expect_key(window, "i")


def test_a_lost_connection_is_told_and_comes_back_by_itself(stage: Stage) -> None:
    with stage.open(expected=["WebSocket"]) as page:
        page.context.add_init_script(CUT_BY_HAND)
        page.reload()
        expect(row(page, "say h")).to_be_visible()
        page.evaluate("{ cut = true; sockets.forEach((one) => one.close()); }")
        expect(page.get_by_role("alert")).to_contain_text("connection to Conductor is lost")
        # in one step, as the page may also reconnect by itself before the click
        page.get_by_role("button", name="Try now").evaluate(
            "(button) => { cut = false; button.click(); }"
        )
        expect(page.get_by_text("connection to Conductor is lost")).to_have_count(0)
        row(page, "say h").get_by_role("switch").click()
        expect(toast(page, "Switched off “say h”")).to_be_visible()


def test_hostile_words_are_shown_as_words(page: Page, stage: Stage) -> None:
    dialogs: list[str] = []

    def dismiss(dialog: Dialog) -> None:
        dialogs.append(dialog.message)
        dialog.dismiss()

    page.on("dialog", dismiss)
    stage.conductor.use(CONFIG.replace("say h", HOSTILE.replace('"', "")))
    expect(row(page, "<img src=x onerror=alert(1)>")).to_be_visible()
    with MidiPeer("<b onclick=alert(1)>") as _:
        go(page, "Devices")
        expect(page.get_by_text("<b onclick=alert(1)>").first).to_be_visible()
    stage.conductor.call(
        "conductor_create_mapping",
        mode="Default",
        description=HOSTILE,
        trigger={"type": "Note", "note": 60},
        action={"type": "Text", "text": "<script>alert(1)</script>" + "x" * 9_000},
    )
    go(page, "Plans")
    expect(page.get_by_role("article")).to_contain_text("<script>alert(1)</script>")
    assert page.locator("main img, main b[onclick], main script").count() == 0
    assert dialogs == []
    page.remove_listener("dialog", dismiss)  # the next test has the same page
    width, room = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    assert width <= room


def test_a_held_pad_counts_once(page: Page, pads: MidiPeer, window: KeyWindow) -> None:
    press(pads, 36)
    assert window.next_key().pressed
    release(pads, 36)
    assert not window.next_key().pressed
