"""A person drops manuals, watches them being read, asks for a parameter and opens its page."""

import base64
from collections.abc import Generator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect
from tests.journeys.stage import NARROW, WIDE, Stage, Theme, go, toast
from tests.journeys.test_looks import AXE, FITS, LOOK
from tests.support.manual_files import write_locked, write_minitaur
from tests.support.running import running_conductor

pytestmark = pytest.mark.timeout(300)

READ_WITHIN_MS = 120_000
CONFIG = """[[modes]]
name = "Default"

[[modes.mappings]]
trigger = { type = "Note", note = 36 }
action = { type = "Keystroke", keys = ["a"] }
"""
DROP = """async ([name, content]) => {
    const files = new DataTransfer();
    const bytes = Uint8Array.from(atob(content), (one) => one.charCodeAt(0));
    files.items.add(new File([bytes], name));
    const zone = document.querySelector('[role=group][aria-label="Your manuals"]');
    for (const type of ["dragover", "drop"])
        zone.dispatchEvent(new DragEvent(type, { dataTransfer: files, bubbles: true, cancelable: true }));
}"""


@pytest.fixture(scope="module")
def library(browser: Browser) -> Generator[Stage]:
    with running_conductor(CONFIG, with_page=True, own_process=True) as conductor:
        stage = Stage(browser, conductor)
        if not stage.call("knowledge.status")["status"]["built"]:
            stage.call("knowledge.update_index")
        yield stage


def sources(page: Page) -> Locator:
    view = go(page, "Settings")
    page.get_by_role("tab", name="Knowledge sources").click()
    zone = view.get_by_role("group", name="Your manuals")
    expect(zone).to_be_visible()
    return zone


def test_a_dropped_manual_is_read_found_and_opened_at_its_page(
    library: Stage, tmp_path: Path
) -> None:
    minitaur = write_minitaur(tmp_path / "minitaur.pdf")
    locked = write_locked(tmp_path / "locked.pdf")
    with library.open() as page:
        zone = sources(page)
        expect(zone).to_contain_text("Add the manuals of your synths and apps")
        page.evaluate(DROP, ["minitaur.pdf", base64.b64encode(minitaur.read_bytes()).decode()])
        expect(toast(page, "minitaur is added")).to_be_visible()
        row = zone.get_by_role("listitem").filter(has_text="minitaur")
        expect(row).to_contain_text("4 pages", timeout=READ_WITHIN_MS)
        expect(row).to_contain_text("44 parameters")
        page.get_by_label("Manual files").set_input_files([locked, minitaur])
        expect(zone.get_by_role("alert")).to_contain_text("already in your manuals")
        failed = zone.get_by_role("listitem").filter(has_text="locked")
        expect(failed).to_contain_text("locked with a password", timeout=READ_WITHIN_MS)
        view = go(page, "Knowledge")
        view.get_by_role("searchbox").fill("filter cutoff of the Minitaur")
        text = view.get_by_role("article")
        expect(text).to_contain_text("Filter cutoff: CC 19")
        expect(text).to_contain_text("Minitaur, page 2")
        text.get_by_role("button", name="Show page 2").click()
        expect(view.get_by_role("region", name="Page 2 of 4")).to_contain_text("Filter resonance")
        view.get_by_role("button", name="Next page").click()
        expect(view.get_by_role("region", name="Page 3 of 4")).to_contain_text("Note sync")


@pytest.mark.parametrize(("theme", "size"), [("dark", WIDE), ("light", NARROW)])
def test_manuals_are_open_to_everybody(
    library: Stage, tmp_path: Path, theme: Theme, size: tuple[int, int]
) -> None:
    with library.open(size, theme) as page:
        page.evaluate(AXE)
        zone = sources(page)
        expect(zone.get_by_role("listitem")).not_to_have_count(0)
        zone.scroll_into_view_if_needed()
        found = look_at(page)
        zone.get_by_role("button", name="Open Minitaur").click()
        expect(page.get_by_role("region", name="Page 1 of 4")).to_be_visible()
        found += look_at(page)
    assert found == [], "\n".join(found)


def test_a_manual_is_removed_after_a_question(library: Stage) -> None:
    with library.open() as page:
        zone = sources(page)
        zone.get_by_role("button", name="Remove locked").click()
        expect(zone.get_by_role("listitem")).to_have_count(1)
        zone.get_by_role("button", name="Remove Minitaur").click()
        page.get_by_role("alertdialog").or_(page.get_by_role("dialog")).get_by_role(
            "button", name="Remove"
        ).click()
        expect(zone).to_contain_text("Add the manuals of your synths and apps")


def look_at(page: Page) -> list[str]:
    return [*page.evaluate(LOOK), *page.evaluate(FITS)]
