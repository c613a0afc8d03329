"""What I play, what came of it and why; and what stays true when much or nothing comes."""

import re
from collections.abc import Generator
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect
from tests.journeys.conftest import CONFIG
from tests.journeys.hands import expect_key, press, release, tap
from tests.journeys.stage import NARROW, Stage, go, pick_kind, row, start_server, switch_mode, toast
from tests.support.jack import MidiPeer
from tests.support.xserver import KeyWindow

pytestmark = [pytest.mark.x11, pytest.mark.jack, pytest.mark.timeout(300)]
SERVER = Path(__file__).parents[1] / "support" / "panel_server.py"
GREETER = f"""{CONFIG}
[[global_mappings]]
description = "greet"
trigger = {{ type = "Note", note = 70, device = "pads" }}
action = {{ type = "Plugin", server = "greeter", tool = "greet", args = {{ name = "Bo", times = {{ from = "value" }} }} }}

[[global_mappings]]
description = "greet nobody"
trigger = {{ type = "Note", note = 71, device = "pads" }}
action = {{ type = "Plugin", server = "greeter", tool = "greet", args = {{ times = {{ from = "value" }} }} }}
"""
DRAW = """frames => new Promise((done) => {
  const next = () => (frames-- > 0 ? requestAnimationFrame(next) : done());
  next();
})"""


def event_of(page: Page, note: str) -> Locator:
    """Return the press of a note in the list of the monitor."""
    events = page.get_by_role("listbox", name="Events").get_by_role("option")
    return events.filter(has_text=f"{note} Note on")


def empty_monitor(page: Page, pads: MidiPeer) -> None:
    """Open the monitor and take away what was played before."""
    view = go(page, "Monitor")
    clear = view.get_by_role("button", name="Clear")
    clear.click()
    tap(pads, 84)  # what was played before it has arrived when it has
    expect(view.get_by_role("option").filter(has_text="C5 Note on")).to_be_visible()
    clear.click()
    expect(view.get_by_role("option")).to_have_count(0)


def test_played_notes_say_what_came_of_them(page: Page, pads: MidiPeer) -> None:
    view = go(page, "Monitor")
    tap(pads, 36)
    tap(pads, 99)
    tap(pads, 37)
    events = view.get_by_role("listbox", name="Events").get_by_role("option")
    expect(events.filter(has_text="Fired").first).to_contain_text("pads")
    expect(events.filter(has_text="No match").first).to_be_visible()
    expect(events.filter(has_text="Mode").first).to_be_visible()


def test_why_explains_step_by_step_what_the_engine_considered(page: Page, pads: MidiPeer) -> None:
    empty_monitor(page, pads)
    tap(pads, 38)
    event = event_of(page, "D1")
    event.hover()
    event.get_by_role("button", name="Why?").click()
    why = page.get_by_role("complementary", name="Why?")
    expect(why.get_by_role("region", name="Verdict")).to_contain_text("say i")
    why.get_by_text("Step by step").click()
    steps = why.get_by_role("list", name="Step by step").get_by_role("listitem")
    expect(steps.filter(has_text="Winner")).to_contain_text("say i")
    why.get_by_text("Step by step").click()


def test_why_says_what_would_have_to_change(page: Page, pads: MidiPeer) -> None:
    empty_monitor(page, pads)
    tap(pads, 99)
    event = event_of(page, "D#6")
    event.first.hover()
    event.first.get_by_role("button", name="Why?").click()
    why = page.get_by_role("complementary", name="Why?")
    expect(why.get_by_text("No mapping listens to this control.")).to_be_visible()


def test_an_event_becomes_a_mapping(page: Page, pads: MidiPeer, window: KeyWindow) -> None:
    empty_monitor(page, pads)
    press(pads, 71)
    event = event_of(page, "B3")
    event.hover()
    event.get_by_role("button", name="Map this control").click()
    release(pads, 71)
    expect(page.get_by_role("heading", name="Mappings", level=1)).to_be_visible()
    pick_kind(page, "Do", "Keystroke")
    expect(page.get_by_role("button", name="Stop")).to_be_focused()
    page.keyboard.press("z")
    page.get_by_role("button", name="Add mapping").click()
    expect(row(page, "Note 71")).to_be_visible()
    tap(pads, 71)
    expect_key(window, "z")


def test_the_page_goes_on_drawing_and_listening_while_thousands_of_events_come(
    page: Page, pads: MidiPeer
) -> None:
    view = go(page, "Monitor")
    tap(pads, 36)
    expect(view.get_by_role("option").first).to_be_visible()
    for _ in range(10):
        pads.start_burst(200)
        page.evaluate(DRAW, 6)  # how smooth it is, the benchmark measures
        pads.end_burst()
    expect(view).to_contain_text("CC")
    tap(pads, 99)
    expect(event_of(page, "D#6").first).to_be_visible()


def test_a_paused_conductor_shows_events_and_does_nothing(
    page: Page, pads: MidiPeer, window: KeyWindow
) -> None:
    view = go(page, "Monitor")
    page.get_by_role("button", name="Pause mappings").click()
    expect(page.get_by_role("button", name="Engine: Paused")).to_be_visible()
    tap(pads, 36)
    expect(view.get_by_role("option").filter(has_text="paused").first).to_be_visible()
    page.get_by_role("banner").get_by_role("button", name="Resume mappings").click()
    expect(page.get_by_role("button", name="Engine: Running")).to_be_visible()
    tap(pads, 38)
    expect_key(window, "i")


def test_panic_lets_a_held_key_go(page: Page, pads: MidiPeer, window: KeyWindow) -> None:
    press(pads, 36)
    assert window.next_key().pressed
    page.get_by_role("button", name="Panic").click()
    assert not window.next_key().pressed
    expect(toast(page, "Released the held keys")).to_be_visible()
    release(pads, 36)


def test_the_mode_is_switched_here_and_at_the_pads(
    page: Page, stage: Stage, pads: MidiPeer, window: KeyWindow
) -> None:
    switch_mode(page, "Studio")
    expect(page.get_by_role("button", name=re.compile("^Mode: Studio"))).to_be_visible()
    tap(pads, 36)
    expect_key(window, "s")
    tap(pads, 50)
    expect(page.get_by_role("button", name=re.compile("^Mode: Default"))).to_be_visible()


@pytest.fixture
def greeter(stage: Stage, tmp_path: Path) -> Generator[Stage]:
    """Return a stage with two pads that call a tool, one of them wrongly."""
    stage.conductor.use(GREETER)
    start_server(stage, "greeter", [str(SERVER), str(tmp_path / "about.txt")])
    yield stage
    stage.call("servers.remove", name="greeter")


def test_a_call_shows_what_was_sent_and_all_of_why_it_failed_in_a_small_window(
    greeter: Stage, pads: MidiPeer
) -> None:
    with greeter.open(NARROW) as page:
        empty_monitor(page, pads)
        tap(pads, 70)
        expect(event_of(page, "A#3")).to_contain_text("greet name Bo, times 100 via greeter")
        tap(pads, 71)
        failed = event_of(page, "B3")
        expect(failed).to_contain_text("greet 100 via greeter failed: ")
        why = failed.get_by_text("greet 100 via greeter failed: ")
        expect(why).to_contain_text("name")
        assert why.evaluate("it => it.scrollHeight <= it.clientHeight"), "cut off"


def test_a_failure_keeps_its_reason_and_time_when_the_page_is_reloaded(
    greeter: Stage, pads: MidiPeer
) -> None:
    with greeter.open() as page:
        empty_monitor(page, pads)
        tap(pads, 71)
        expect(event_of(page, "B3")).to_contain_text("Failed")
        at = event_of(page, "B3").locator(".time").text_content() or ""
        page.reload()
        failed = event_of(page, "B3").filter(has_text=at)
        expect(failed).to_contain_text("Failed")
        expect(failed).to_contain_text("greet 100 via greeter failed: ")
        failed.dblclick()  # a page that throws fails the journey
        expect(page.get_by_role("complementary", name="Why?")).to_be_visible()
        expect(page.get_by_role("listbox", name="Events")).to_be_focused()


def test_letting_go_is_no_false_alarm(page: Page, pads: MidiPeer) -> None:
    empty_monitor(page, pads)
    tap(pads, 38)
    events = page.get_by_role("listbox", name="Events").get_by_role("option")
    expect(events).to_have_count(1)
    page.get_by_role("button", name="Released").click()
    expect(events.filter(has_text="D1 Note off")).to_contain_text("Released")
    expect(events.filter(has_text="No match")).to_have_count(0)
    page.get_by_role("button", name="Released").click()


def test_why_switches_on_a_mapping_that_is_off(
    page: Page, stage: Stage, pads: MidiPeer, window: KeyWindow
) -> None:
    row(page, "say i").get_by_role("switch").click()
    expect(toast(page, "Switched off “say i”")).to_be_visible()
    stage.conductor.wait_until_active(stage.conductor.config_path.read_text())
    empty_monitor(page, pads)
    tap(pads, 38)
    event_of(page, "D1").dblclick()
    page.get_by_role("region", name="Verdict").get_by_role("button", name="Switch on").click()
    expect(toast(page, "Switched on “say i”")).to_be_visible()
    stage.conductor.wait_until_active(stage.conductor.config_path.read_text())
    tap(pads, 38)
    expect_key(window, "i")


def test_the_timeline_has_a_lane_for_each_control_that_is_played(
    page: Page, pads: MidiPeer
) -> None:
    empty_monitor(page, pads)
    view = page.get_by_role("region", name="Monitor", exact=True)
    pads.send(bytes((0xB0, 20, 64)))
    moved = view.get_by_role("option").filter(has_text="CC 20")
    expect(moved).to_be_visible()
    press(pads, 36)
    lanes = view.get_by_role("list", name="Timeline")
    expect(lanes.get_by_role("button", name="CC 20")).to_be_visible()
    lanes.get_by_role("button", name="C1").click()
    expect(moved).to_have_count(0)
    expect(event_of(page, "C1")).to_contain_text("say h")
    release(pads, 36)
