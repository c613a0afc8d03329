"""Nothing covers or cuts off what is needed next, at the sizes of windows that people use."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect
from tests.journeys.conftest import CONFIG
from tests.journeys.hands import tap
from tests.journeys.stage import NARROW, WIDE, Stage, go, row
from tests.support.jack import MidiPeer

pytestmark = [pytest.mark.x11, pytest.mark.jack, pytest.mark.timeout(300)]

HUGE = (1600, 1000)
SMALL = (640, 400)
IS_CUT = """(element) => [...element.querySelectorAll(".truncate")]
    .some((part) => part.scrollWidth > part.clientWidth)"""
IS_CLAMPED = """(element) => element.scrollWidth > element.clientWidth
    || element.scrollHeight > element.clientHeight"""
OVERLAP = """([one, other]) => {
    const [a, b] = [one, other].map((element) => element.getBoundingClientRect());
    return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom; }"""


def overlap(page: Page, one: Locator, other: Locator) -> bool:
    return page.evaluate(OVERLAP, [one.element_handle(), other.element_handle()])


def expect_apart(page: Page, one: Locator, other: Locator) -> None:
    """Wait until two elements do not overlap."""
    page.wait_for_function(
        f"(both) => !({OVERLAP})(both)", arg=[one.element_handle(), other.element_handle()]
    )


def show_toasts(page: Page, stage: Stage, mode: str = "Default") -> Locator:
    """Show two plans of an agent as toasts, and give the box of both."""
    for note, key in ((60, "a"), (61, "b")):
        stage.conductor.call(
            "conductor_create_mapping",
            mode=mode,
            description="Switch the light in the studio on and off again",
            trigger={"type": "Note", "note": note, "device": "pads"},
            action={"type": "Keystroke", "keys": [key]},
        )
    toasts = page.get_by_role("region", name="Notifications")
    expect(toasts.locator(".toast")).to_have_count(2)
    return toasts


def test_toasts_leave_the_view_the_top_bar_and_a_dialog_uncovered(stage: Stage) -> None:
    with stage.open(NARROW) as page:
        toasts = show_toasts(page, stage)
        expect_apart(page, toasts, page.get_by_role("main"))
        for name in (re.compile("^Mode: "), re.compile("^Search or run")):
            expect_apart(page, toasts, page.get_by_role("button", name=name))
        view = go(page, "Modes")
        expect_apart(page, toasts, view.get_by_role("button", name="New mode"))
        view.get_by_role("button", name="New mode").click()
        dialog = page.get_by_role("dialog")
        expect_apart(page, toasts, dialog)
        layers = "(element) => Number(getComputedStyle(element).zIndex)"
        overlay = page.locator(".ui-dialog-overlay")
        assert toasts.evaluate(layers) < overlay.evaluate(layers), "toasts are bright over a dialog"
        page.keyboard.press("Escape")
        page.keyboard.press("Control+k")
        page.keyboard.type("first steps")
        page.keyboard.press("Enter")
        following = page.get_by_role("button", name=re.compile("^Next: press something"))
        expect(following).to_be_visible()
        expect_apart(page, toasts, following)


@pytest.mark.parametrize("size", [NARROW, SMALL])
def test_toasts_leave_the_mode_the_title_and_what_sends_or_saves_uncovered(
    stage: Stage, size: tuple[int, int]
) -> None:
    stage.conductor.use(CONFIG.replace('"Default"', '"Evening show with guests"'))
    with stage.open(size) as page:
        toasts = show_toasts(page, stage, "Evening show with guests")
        mode = page.get_by_role("button", name=re.compile("^Mode: "))
        panic = page.get_by_role("button", name="Panic")
        for title in ("Mappings", "Controller", "Monitor", "Settings"):
            view = go(page, title)
            for needed in (mode, panic, view.get_by_role("heading", level=1)):
                expect_apart(page, toasts, needed)
        expect_apart(page, toasts, go(page, "Chat").get_by_role("textbox", name="Message"))
        view = go(page, "Mappings")
        row(page, "say h").click()
        save = page.get_by_role("button", name=re.compile("^Save")).last
        expect_apart(page, toasts, save)
        expect_apart(page, toasts, mode)


def test_toasts_leave_the_actions_uncovered_in_a_small_window(stage: Stage, pads: MidiPeer) -> None:
    with stage.open(SMALL) as page:
        toasts = show_toasts(page, stage)
        view = go(page, "Mappings")
        expect_apart(page, toasts, view.get_by_role("button", name="New mapping N"))
        expect_apart(page, toasts, view.get_by_role("searchbox"))
        expect_apart(page, toasts, go(page, "Learn").get_by_role("button", name="Cancel"))
        view = go(page, "Controller")
        expect_apart(page, toasts, view.get_by_role("group", name=re.compile("^Actions to drag")))
        view = go(page, "Monitor")
        tap(pads, 36)
        view.get_by_role("option").filter(has_text="Fired").last.click()
        # Which rows are in the page changes with the position of the list.
        event = view.get_by_role("option", selected=True)
        event.get_by_role("button", name="Why?").click()
        show = view.get_by_role("button", name="Show mapping")
        expect_apart(page, toasts, show)


def test_the_conflicts_of_a_mapping_are_scrolled_to_inside_the_inspector(stage: Stage) -> None:
    stage.conductor.use(CONFIG.replace("note = 38", "note = 36"))
    with stage.open(NARROW) as page:
        row(page, "say i").click()
        page.get_by_role("button", name="1 conflict").click()
        expect(page.get_by_role("button", name="Switch off the other mapping")).to_be_in_viewport()
        assert page.locator(".view > .content").evaluate("(view) => view.scrollTop") == 0


def test_the_whole_controller_can_be_played_in_a_small_window(stage: Stage) -> None:
    stage.call("window.set_prefs", patch={"controller.device": "virtual"})
    pads = re.compile("^Pad [1-4]:")
    with stage.open(SMALL) as page:
        view = go(page, "Learn")
        expect(view.get_by_role("button", name=pads)).to_have_count(4)
        for pad in view.get_by_role("button", name=pads).all():
            expect(pad).to_be_in_viewport(ratio=1)
        box = view.get_by_role("button", name="Cancel").bounding_box()
        assert box
        assert SMALL[0] - box["x"] - box["width"] < 20, "it is at the title, not at the edge"
        go(page, "Mappings")
        page.keyboard.press("n")
        expect(page.get_by_role("main").get_by_role("button", name=pads)).to_have_count(4)
        hint = page.get_by_text("Press, hold, double-tap or turn")
        assert not hint.evaluate(IS_CLAMPED), "the hint is cut"
        for pad in page.get_by_role("main").get_by_role("button", name=pads).all():
            expect(pad).to_be_in_viewport(ratio=1)
        page.keyboard.press("Escape")
        page.keyboard.press("Control+k")
        page.keyboard.type("first steps")
        page.keyboard.press("Enter")
        first_steps = page.get_by_role("dialog", name="First steps")
        first_steps.get_by_role("button", name=re.compile("^Next: press")).click()
        first_steps.get_by_role("button", name="Use the virtual controller instead").click()
        expect(first_steps.get_by_role("button", name=re.compile(r"^Pad 1:"))).to_be_in_viewport(
            ratio=1
        )
    stage.call("window.set_prefs", patch={"controller.device": ""})


def test_the_main_button_is_never_cut_off(stage: Stage, pads: MidiPeer) -> None:
    with stage.open(NARROW) as page:
        view = go(page, "Mappings")
        button = view.get_by_role("button", name="New mapping", exact=False).first
        page.keyboard.press("t")
        tap(pads, 36)
        expect(view.get_by_role("status").filter(has_text=re.compile("36"))).to_be_visible()
        assert not button.evaluate(IS_CUT)


def test_the_ways_out_of_a_mode_name_their_control(stage: Stage) -> None:
    stage.conductor.use(CONFIG.replace('"Studio"', '"Studio with all lights for the long evening"'))
    with stage.open(HUGE) as page:
        view = go(page, "Modes")
        way = view.get_by_role("button", name=re.compile("^Note 37")).last
        assert not way.locator(".by").evaluate("(by) => by.scrollWidth > by.clientWidth")


def test_the_activity_uses_the_width_of_the_window(stage: Stage) -> None:
    stage.call("modes.switch", mode="Studio")
    with stage.open(HUGE) as page:
        view = go(page, "Activity")
        event = view.get_by_role("listitem").first
        width = event.evaluate("(item) => item.getBoundingClientRect().width")
        assert width > view.evaluate("(view) => view.getBoundingClientRect().width") - 40


def test_the_buttons_of_an_event_do_not_cover_its_result(stage: Stage, pads: MidiPeer) -> None:
    tap(pads, 99)
    with stage.open(NARROW) as page:
        view = go(page, "Monitor")
        event = view.get_by_role("option").filter(has_text="not mapped").last
        event.hover()
        result = event.locator(".result")
        assert not overlap(page, event.locator(".buttons"), result)
        event.dblclick()
        expect(page.get_by_role("complementary", name="Why?")).to_be_visible()
        assert not result.evaluate("(one) => one.scrollWidth > one.clientWidth")


@pytest.mark.parametrize("size", [WIDE, NARROW])
def test_all_of_an_action_is_readable(stage: Stage, size: tuple[int, int]) -> None:
    osc = '{ type = "OscSend", port = 9001, address = "/obs/scene/switch/BeRightBack", args = [1] }'
    stage.conductor.use(CONFIG.replace('{ type = "Keystroke", keys = ["i"] }', osc))
    with stage.open(size) as page:
        action = row(page, "say i").locator(".action")
        expect(action).to_contain_text("BeRightBack 1")
        assert not action.evaluate(IS_CLAMPED)


def test_all_of_the_reason_of_a_failure_is_readable(stage: Stage, pads: MidiPeer) -> None:
    launch = '{ type = "Launch", app = "obs-studio-that-nobody-has" }'
    stage.conductor.use(CONFIG.replace('{ type = "Keystroke", keys = ["h"] }', launch))
    with stage.open(WIDE) as page:
        view = go(page, "Monitor")
        tap(pads, 36)
        result = view.get_by_role("option").filter(has_text="obs-studio").last.locator(".result")
        expect(result).to_contain_text("full path")
        assert not result.evaluate(IS_CLAMPED)


def test_a_small_window_has_room_for_events_and_for_the_fields_of_a_mapping(
    stage: Stage, pads: MidiPeer
) -> None:
    with stage.open(SMALL) as page:
        view = go(page, "Monitor")
        tap(pads, 36)
        box, event = (
            view.get_by_role("listbox", name="Events").bounding_box(),
            view.get_by_role("option").first.bounding_box(),
        )
        assert box
        assert event
        assert box["height"] >= 6 * event["height"]
        view = go(page, "Mappings")
        row(page, "say h").click()
        body = page.locator("[data-inspector] .body").bounding_box()
        assert body
        assert body["height"] > 200
        inspector = page.locator("[data-inspector]")
        field, save = (
            inspector.get_by_role("combobox").first.locator("..").bounding_box(),
            inspector.get_by_role("button", name="Save").bounding_box(),
        )
        assert field
        assert save
        assert field["x"] + field["width"] == save["x"] + save["width"]


@pytest.mark.parametrize("size", [WIDE, NARROW, SMALL])
def test_the_columns_of_the_monitor_are_the_same_for_a_failure(
    stage: Stage, pads: MidiPeer, size: tuple[int, int]
) -> None:
    stage.conductor.use(
        CONFIG.replace(
            '{ type = "Keystroke", keys = ["h"] }',
            '{ type = "Launch", app = "a-program-with-a-long-name-that-nobody-has" }',
        )
    )
    lefts = """(row) => [...row.querySelectorAll(".event > span")].map((cell) =>
        Math.round(cell.getBoundingClientRect().left - row.getBoundingClientRect().left))"""
    with stage.open(size) as page:
        view = go(page, "Monitor")
        tap(pads, 36)
        tap(pads, 99)
        failed = view.get_by_role("option").filter(has_text="a-program-with").last
        other = view.get_by_role("option").filter(has_text="not mapped").last
        assert failed.evaluate(lefts) == other.evaluate(lefts)
        other.dblclick()
        expect(page.get_by_role("complementary", name="Why?")).to_be_visible()
        if size != SMALL:  # where the explanation covers the list
            assert failed.evaluate(lefts) == other.evaluate(lefts)


def test_the_sections_of_settings_are_under_their_tab_and_the_chosen_one_is_marked(
    page: Page,
) -> None:
    view = go(page, "Settings")
    sections = view.get_by_role("navigation")
    tops = "(element) => element.getBoundingClientRect().top"
    after = view.get_by_role("tab", name="Input and output").evaluate(tops)
    assert view.get_by_role("tab", name="General").evaluate(tops) < sections.evaluate(tops) < after
    for name in ("Backup", "About", "Backup"):
        sections.get_by_role("button", name=name).click()
        expect(sections.locator("[aria-current=location]")).to_have_text(name)


def test_what_a_search_finds_in_settings_is_under_its_page(stage: Stage) -> None:
    with stage.open(WIDE) as page:
        view = go(page, "Settings")
        view.get_by_role("tab", name="MCP servers").click()
        view.get_by_role("searchbox").fill("osc")
        found = view.get_by_role("navigation", name="Input and output")
        expect(found.get_by_role("button").first).to_be_visible()
        expect(view.get_by_role("navigation", name="MCP servers")).to_have_count(0)
        marked = view.get_by_role("tab", name="Input and output")
        expect(marked).to_have_attribute("aria-selected", "true")


def test_the_labels_of_a_picture_are_readable_in_a_small_window(stage: Stage) -> None:
    stage.call("window.set_prefs", patch={"controller.device": "virtual"})
    with stage.open(NARROW) as page:
        labels = go(page, "Controller").locator("svg[role=group] text")
        expect(labels.first).to_be_attached()
        heights = """(texts) => texts.map((text) =>
            parseFloat(text.getAttribute("font-size")) * text.getScreenCTM().a)"""
        smallest = min(labels.evaluate_all(heights))
    stage.call("window.set_prefs", patch={"controller.device": ""})
    assert smallest >= 8.9, smallest
