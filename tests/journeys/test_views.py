"""What the views show for people: pictures, words and groups in place of ids and repeated lines."""

import re
from itertools import combinations

import pytest
from playwright.sync_api import FloatRect, Locator, Page, expect
from tests.journeys.conftest import CONFIG
from tests.journeys.stage import NARROW, WIDE, Stage, go, row, toast
from tests.support.jack import MidiPeer

pytestmark = [pytest.mark.x11, pytest.mark.jack, pytest.mark.timeout(300)]
LARGE = (1600, 1000)
CROWDED = f"""{CONFIG}
[[modes]]
name = "Attic"
""" + "".join(
    f"""
[[global_mappings]]
trigger = {{ type = "Note", note = {note}, device = "pads" }}
action = {{ type = "ModeChange", mode = "{mode}", behaviour = "{behaviour}" }}
"""
    for note, mode, behaviour in (
        (60, "Studio", "switch"),
        (61, "Studio", "momentary"),
        (62, "Default", "toggle"),
        (63, "Attic", "momentary"),
    )
)
REHEARSAL = "A rehearsal with the whole band and the lights"
CUT_TEXTS = """(map) => [...map.querySelectorAll('.head, .way, span:not(.visually-hidden)')]
    .filter((box) => box.scrollWidth > box.clientWidth + 1 || box.scrollHeight > box.clientHeight + 1)
    .filter((box) => getComputedStyle(box).display !== 'inline')
    .map((box) => box.textContent)"""


def test_what_an_agent_looks_at_is_one_event_of_the_activity(page: Page, stage: Stage) -> None:
    for _ in range(12):
        stage.conductor.call("conductor_get_config")
    stage.conductor.call("conductor_list_devices")
    view = go(page, "Activity")
    events = view.get_by_role("list", name="Activity").get_by_role("listitem")
    looked = events.filter(has_text="Looked around").first
    expect(looked).to_contain_text(re.compile(r"Read the config .\d\d"))
    expect(view.get_by_text("conductor_get_config")).to_have_count(0)
    looked.get_by_role("button").first.click()
    config = looked.locator("section").filter(has_text="Read the config").first
    config.get_by_text("Technical details").click()
    expect(config.get_by_text("conductor_get_config")).to_be_visible()


def test_the_activity_tells_of_a_plan_by_its_title_and_leads_to_it(
    page: Page, stage: Stage
) -> None:
    plan = stage.conductor.call("conductor_create_mode", name="Loft")
    view = go(page, "Activity")
    event = view.get_by_role("listitem").filter(has_text="Proposed: Create mode Loft").first
    expect(event).not_to_contain_text(plan["plan_id"])
    event.get_by_role("button").first.click()
    event.get_by_role("button", name="Show plan").click()
    expect(page.get_by_role("article", name=re.compile("Create mode Loft"))).to_be_visible()


def test_the_activity_shows_what_happens_while_it_is_open(page: Page, stage: Stage) -> None:
    view = go(page, "Activity")
    view.get_by_role("radio", name="Changes").click()
    newest = view.get_by_role("listitem").first
    stage.call("modes.switch", mode="Studio")
    expect(newest).to_contain_text("Switched to Studio")
    stage.conductor.call("conductor_get_config")
    stage.call("modes.switch", mode="Default")
    expect(newest).to_contain_text("Switched to Default")
    expect(view.get_by_text("Read the config")).to_have_count(0)


def test_a_device_is_tested_on_its_picture(page: Page, stage: Stage) -> None:
    with MidiPeer("MPD218") as grid:
        stage.conductor.wait_for_device("raw:MPD218:out")
        view = go(page, "Devices")
        view.get_by_role("option", name=re.compile("MPD218")).click()
        test = view.get_by_role("region", name="Test")
        picture = test.get_by_role("group", name="Picture of Akai MPD218")
        expect(picture.get_by_role("button", name=re.compile("^Pad "))).to_have_count(16)
        grid.send("99 24 64")
        lit = picture.locator('[aria-label^="Pad 1:"] .glow')
        expect(lit).to_have_attribute("opacity", re.compile("^0.[5-9]"))
        expect(test).to_contain_text("Pad 1 at 100")
        expect(test).to_contain_text("just now")
        grid.send("89 24 00")
        expect(lit).to_have_attribute("opacity", "0")


def test_a_device_without_a_profile_is_drawn_as_it_is_played(page: Page, stage: Stage) -> None:
    with MidiPeer("Acme Slab") as unknown:
        stage.conductor.wait_for_device("raw:Acme Slab:out")
        view = go(page, "Devices")
        view.get_by_role("option", name=re.compile("Acme Slab")).click()
        test = view.get_by_role("region", name="Test")
        expect(test).to_contain_text("each one is drawn here")
        unknown.send("90 3c 64")
        expect(test.get_by_role("button", name=re.compile("^Note 60"))).to_be_visible()


def test_one_button_of_a_version_undoes_redoes_or_goes_back(page: Page, stage: Stage) -> None:
    row(page, "say h").get_by_role("switch").click()
    expect(toast(page, "Switched off “say h”")).to_be_visible()
    view = go(page, "History")
    newest = view.get_by_role("option").first
    version = view.get_by_role("region", name="Version", exact=True)
    changes = version.get_by_role("region", name="Changes in this version")
    expect(newest).to_contain_text("Current")
    expect(changes).to_contain_text("say h")
    version.get_by_role("button", name="Undo this change").click()
    expect(newest).to_contain_text("Undone")
    newest.click()
    version.get_by_role("button", name="Redo this change").click()
    expect(newest).to_contain_text("Current")
    view.get_by_role("option").nth(1).click()
    expect(version.get_by_role("button", name="Restore this version…")).to_be_enabled()


def test_every_page_of_settings_begins_at_the_same_edge(page: Page) -> None:
    view = go(page, "Settings")
    tabs = view.get_by_role("tab")
    expect(tabs).to_have_text(
        [
            "General",
            "Input and output",
            "Voice",
            "Providers",
            "Assistant tools",
            "Skills",
            "Knowledge sources",
            "MCP servers",
            "Agents",
        ]
    )
    edges: set[float] = set()
    for tab in tabs.all():
        tab.click()
        expect(tab).to_have_attribute("aria-selected", "true")
        heading = view.get_by_role("heading", level=2).first
        expect(heading).to_be_visible()
        edges |= {box["x"] for box in boxes(heading)}
    assert len(edges) == 1, edges


def test_the_sections_of_a_page_of_settings_follow_what_is_read(page: Page) -> None:
    sections = go(page, "Settings").get_by_role("navigation", name="Groups of settings")
    current = sections.locator("[aria-current=location]")
    expect(current).to_have_text("Window and start")
    sections.get_by_role("button", name="About").click()
    expect(current).to_have_text("About")


def test_a_plan_points_at_the_controls_that_it_changes(page: Page, stage: Stage) -> None:
    with MidiPeer("MPD218") as _:
        stage.conductor.wait_for_device("raw:MPD218:out")
        stage.conductor.call(
            "conductor_create_mapping",
            mode="Default",
            trigger={"type": "Note", "note": 36, "channel": 10, "device": "raw:MPD218:out"},
            action={"type": "Text", "text": "hello"},
        )
        picture = (
            go(page, "Plans")
            .get_by_role("region", name="Affected controls")
            .get_by_role("group", name="Picture of Akai MPD218")
        )
        expect(picture.locator('[aria-label^="Pad 2:"]')).to_have_class(re.compile(r"\bdim\b"))
        changed = picture.locator('[aria-label^="Pad 1:"]')
        expect(changed).not_to_have_class(re.compile(r"\bdim\b"))
        expect(changed).to_have_accessible_name(re.compile("Type “hello”"))


def test_the_picture_of_a_version_marks_what_the_comparison_above_lists(
    page: Page, stage: Stage
) -> None:
    for note in (44, 45):
        pad = {
            "trigger": {"type": "Note", "note": note, "device": "virtual"},
            "action": {"type": "Text", "text": "a"},
        }
        change = {"change_type": "CreateMapping", "mode": "Default", "mapping": pad}
        base_hash = stage.call("config.get")["hash"]
        stage.call("config.commit", changes=[change], base_hash=base_hash, reason=f"pad {note}")
    view = go(page, "History")
    version = view.get_by_role("region", name="Version", exact=True)
    picture = version.get_by_role("region", name="Affected controls")
    marked = picture.locator("[aria-label^=Pad]:not(.dim)")
    expect(marked).to_have_count(1)
    expect(marked).to_have_accessible_name(re.compile("^Pad 10:"))
    view.get_by_role("option").nth(2).click()
    expect(marked).to_have_count(2)


@pytest.mark.parametrize("size", [WIDE, NARROW, LARGE])
def test_no_text_of_the_mode_map_is_covered_and_each_way_is_listed(
    stage: Stage, size: tuple[int, int]
) -> None:
    stage.conductor.use(CROWDED)
    with stage.open(size) as page:
        view = go(page, "Modes")
        mode_map = view.get_by_role("group", name="Mode map")
        expect(mode_map.get_by_role("button", name=re.compile("^Attic"))).to_be_visible()
        expect(view).not_to_contain_text(re.compile(r"\+\d+ more"))
        for behaviour in ("while held", "there and back"):
            expect(view.get_by_role("list", name="Legend")).to_contain_text(behaviour)
        ways = mode_map.get_by_role("listitem")
        expect(ways).to_have_count(6)
        texts = boxes(mode_map.get_by_role("listitem")) + boxes(mode_map.locator("[aria-pressed]"))
        assert not any(overlap(one, other) for one, other in combinations(texts, 2))
        lines = page.evaluate(POINTS_OF_LINES)
        assert len(lines) == 6
        for points in lines:
            # A line starts at the edge of a row and ends at the edge of a mode.
            inner = points[6:-6]
            assert not any(contains(box, x, y) for box in texts for x, y in inner)


@pytest.mark.parametrize("size", [WIDE, NARROW])
def test_the_mode_map_shows_long_names_in_full(stage: Stage, size: tuple[int, int]) -> None:
    stage.conductor.use(CROWDED.replace("Attic", REHEARSAL))
    with stage.open(size) as page:
        mode_map = go(page, "Modes").get_by_role("group", name="Mode map")
        expect(mode_map.get_by_text(REHEARSAL)).to_have_count(2)
        assert mode_map.evaluate(CUT_TEXTS) == []


POINTS_OF_LINES = """() => [...document.querySelectorAll("[role=group] path.line")].map((path) => {
  const { left, top } = path.ownerSVGElement.getBoundingClientRect();
  const length = path.getTotalLength();
  return Array.from({ length: 100 }, (_, step) => {
    const { x, y } = path.getPointAtLength((length * step) / 99);
    return [x + left, y + top];
  });
})"""


def boxes(all_of: Locator) -> list[FloatRect]:
    found = [one.bounding_box() for one in all_of.all()]
    return [box for box in found if box is not None]


def overlap(one: FloatRect, other: FloatRect) -> bool:
    return (
        min(one["x"] + one["width"], other["x"] + other["width"]) - max(one["x"], other["x"]) > 1
        and min(one["y"] + one["height"], other["y"] + other["height"]) - max(one["y"], other["y"])
        > 1
    )


def contains(box: FloatRect, x: float, y: float) -> bool:
    return box["x"] < x < box["x"] + box["width"] and box["y"] < y < box["y"] + box["height"]
