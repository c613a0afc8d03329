"""A known controller is drawn and named, a doubtful one asked, an unknown one made known by playing it."""

import re
from collections.abc import Generator

import pytest
from playwright.sync_api import Locator, Page, expect
from tests.journeys.stage import Stage, go
from tests.support.jack import MidiPeer
from tests.support.running import wait_for

pytestmark = pytest.mark.jack


@pytest.fixture
def grid(pads: MidiPeer, stage: Stage) -> Generator[MidiPeer]:
    with MidiPeer("MPD218") as peer:
        stage.conductor.wait_for_device("raw:MPD218:out")
        yield peer


@pytest.fixture
def knobs(pads: MidiPeer, stage: Stage) -> Generator[MidiPeer]:
    with MidiPeer("MPK mini 3") as peer:
        stage.conductor.wait_for_device("raw:MPK mini 3:out")
        yield peer


@pytest.fixture
def unknown(pads: MidiPeer, stage: Stage) -> Generator[MidiPeer]:
    with MidiPeer("Acme Grid") as peer:
        stage.conductor.wait_for_device("raw:Acme Grid:out")
        yield peer


def chosen(page: Page, title: str) -> Locator:
    """Choose a device of the list, and give its panel."""
    view = go(page, "Devices")
    view.get_by_role("option", name=re.compile(re.escape(title))).click()
    return page.get_by_role("region", name=f"Device {title}")


def picture(page: Page, title: str) -> Locator:
    return page.get_by_role("group", name=f"Picture of {title}")


def test_a_known_device_is_drawn_as_it_is_and_lights(page: Page, grid: MidiPeer) -> None:
    panel = chosen(page, "MPD218:out")
    expect(panel).to_contain_text("This is an Akai MPD218")
    panel.get_by_text("What it sends").click()
    expect(panel).to_contain_text(re.compile("notes 36.51, channel 10"))
    panel.get_by_role("button", name="Show picture").click()
    drawn = picture(page, "Akai MPD218")
    expect(drawn.get_by_role("button", name=re.compile("^Pad "))).to_have_count(16)
    # The picture fills its place, also once the names of the controls have come.
    wait_for(drawn.bounding_box, lambda size: size is not None and size["width"] > 400)
    first = drawn.locator('[aria-label^="Pad 1:"]')
    grid.send("99 24 64")
    expect(first.locator(".glow")).to_have_attribute("opacity", re.compile("^0.[5-9]"))
    grid.send("89 24 00")
    expect(first.locator(".glow")).to_have_attribute("opacity", "0")
    grid.send("99 34 64")
    grid.send("89 34 00")
    expect(page.get_by_role("radio", name="Bank B")).to_be_checked()


def test_a_profile_is_a_template_for_a_name(page: Page, grid: MidiPeer, stage: Stage) -> None:
    panel = chosen(page, "MPD218:out")
    panel.get_by_role("button", name="Name from profile").click()
    expect(page.get_by_role("region", name="Device mpd218")).to_contain_text(
        "has “MPD218” in its name"
    )
    stage.conductor.wait_for_device("mpd218")
    assert 'alias = "mpd218"' in stage.conductor.config_path.read_text()


def test_where_sources_disagree_the_next_touch_answers(page: Page, knobs: MidiPeer) -> None:
    panel = chosen(page, "MPK mini 3:out")
    expect(panel).to_contain_text("Sources disagree")
    panel.get_by_role("button", name=re.compile("^Find out: Turn knob K1")).click()
    expect(panel.get_by_role("status")).to_contain_text("Turn knob K1")
    knobs.send("b0 46 40")
    expect(panel.get_by_role("status")).to_contain_text("the knobs send CC 70 to 77")


def test_an_unknown_device_is_made_known_by_playing(page: Page, unknown: MidiPeer) -> None:
    panel = chosen(page, "Acme Grid:out")
    expect(panel).to_contain_text("No profile for this device")
    panel.get_by_role("button", name="Make a profile by playing").click()
    dialog = page.get_by_role("dialog", name="Make a profile by playing")
    expect(dialog).to_contain_text("Press every pad once")
    for note in range(36, 44):
        unknown.send(f"90 {note:02x} {note + 30:02x}")
        unknown.send(f"80 {note:02x} 40")
    expect(dialog.get_by_role("list", name="Played controls")).to_contain_text(
        re.compile("notes 36.43")
    )
    dialog.get_by_role("button", name="Next").click()
    expect(dialog).to_contain_text("Turn every knob")
    for value in ["01"] * 6 + ["7f"] * 6:
        unknown.send(f"b0 15 {value}")
    played = dialog.get_by_role("list", name="Played controls")
    expect(played).to_contain_text("turns as twos_complement")
    for _ in range(3):
        dialog.get_by_role("button", name="Next").click()
    expect(dialog).to_contain_text("Does the picture match your device?")
    dialog.get_by_role("textbox", name="Name").fill("Acme Grid 8")
    dialog.get_by_role("button", name="Save profile").click()
    expect(dialog).to_be_hidden()
    expect(panel).to_contain_text("This is an Acme Grid 8")
    expect(panel).to_contain_text("Played here")
    panel.get_by_role("button", name="Show picture").click()
    expect(
        picture(page, "Acme Grid 8").get_by_role("button", name=re.compile("^Pad "))
    ).to_have_count(8)
