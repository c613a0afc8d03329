"""A person with a German system: every view speaks German, fits its window, and English is a click away."""

import re
from collections.abc import Generator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect
from tests.journeys.hands import expect_key, tap
from tests.journeys.stage import LOOK_FOR_MS, NARROW, TELL_BREACHES, Stage
from tests.support.jack import MidiPeer
from tests.support.running import wait_for
from tests.support.xserver import KeyWindow

ZOOMED = (640, 400)
FITS = Path(__file__).with_name("fits.js").read_text()
LAID_OUT = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
PICTURES = Path(__file__).parents[2] / ".cache" / "screenshots"
TITLES = [
    "Mappings",
    "Chat",
    "Controller",
    "Lernen",
    "Monitor",
    "Pläne",
    "Modi",
    "Profile",
    "Geräte",
    "Wissen",
    "Verlauf",
    "Aktivität",
    "Einstellungen",
]

pytestmark = [pytest.mark.x11, pytest.mark.jack, pytest.mark.timeout(300)]


@pytest.fixture
def german_page(browser: Browser, stage: Stage) -> Generator[Page]:
    """Open the page in a browser of a German system."""
    context = browser.new_context(
        locale="de-DE",
        viewport={"width": NARROW[0], "height": NARROW[1]},
        reduced_motion="reduce",
    )
    context.add_init_script(TELL_BREACHES)
    page = context.new_page()
    page.set_default_timeout(LOOK_FOR_MS)
    stage.open_in(page)
    expect(rail(page)).to_be_visible()
    # keys are for the view, whose code is loaded after the rail is there
    expect(page.locator("#content h1").first).to_be_visible()
    yield page
    context.close()


def rail(page: Page, name: str = "Ansichten") -> Locator:
    return page.get_by_role("navigation", name=name)


def go(page: Page, title: str) -> None:
    rail(page).get_by_role("button", name=re.compile(rf"^{title}\b")).click()
    expect(page.get_by_role("heading", name=title, level=1)).to_be_visible()


def test_every_view_is_german_and_fits(german_page: Page, stage: Stage, pads: MidiPeer) -> None:
    page = german_page
    stage.conductor.call(
        "conductor_create_mapping",
        mode="Default",
        trigger={"type": "DoubleTap", "note": 36, "device": "pads"},
        action={"type": "VolumeControl", "operation": "Mute"},
    )
    tap(pads, 36)
    tap(pads, 99)
    page.get_by_role("button", name="Ausblenden").click()  # the toast about the plan covers a part
    expect(page.locator("html")).to_have_attribute("lang", "de")
    assert rail(page).locator("button .title").all_text_contents() == TITLES
    found: list[str] = []
    PICTURES.mkdir(parents=True, exist_ok=True)
    for title in TITLES:
        go(page, title)
        for width, height in (ZOOMED, NARROW):
            page.set_viewport_size({"width": width, "height": height})
            page.evaluate(LAID_OUT)
            page.screenshot(path=PICTURES / f"german-{title.lower()}-{width}x{height}.png")
            found += [f"{title} at {width}x{height}: {one}" for one in page.evaluate(FITS)]
    assert found == [], "\n".join(found)


def test_the_first_mapping_is_made_in_german_and_the_next_view_is_english(
    german_page: Page, stage: Stage, pads: MidiPeer, window: KeyWindow
) -> None:
    page = german_page
    page.keyboard.press("n")
    expect(page.get_by_role("heading", name="Ein Bedienelement berühren")).to_be_visible()
    tap(pads, 43)
    inspector = page.get_by_role("complementary", name="Inspektor")
    expect(inspector.get_by_text("Verwenden", exact=True)).to_be_visible()
    page.keyboard.press("Enter")
    inspector.get_by_role("button", name="Tastenkombination").click()
    expect(page.get_by_role("button", name="Stopp")).to_be_focused()
    page.keyboard.press("k")
    inspector.get_by_role("button", name=re.compile("^Hinzufügen(?! zu)")).click()
    text = wait_for(stage.conductor.config_path.read_text, lambda text: "note = 43" in text)
    stage.conductor.wait_until_active(text)
    tap(pads, 43)
    expect_key(window, "k")

    go(page, "Einstellungen")
    page.get_by_role("radio", name="English").click()
    expect(page.get_by_role("heading", name="Settings", level=1)).to_be_visible()
    expect(page.locator("html")).to_have_attribute("lang", "en")
    assert 'language = "en"' in stage.conductor.config_path.read_text()
    expect(rail(page, "Views").get_by_role("button", name=re.compile("^History"))).to_be_visible()
