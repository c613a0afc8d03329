"""How every view looks in both themes: a picture each, nothing cut off, and nobody shut out."""

import json
import re
import sys
from collections.abc import Callable, Generator
from contextlib import suppress
from pathlib import Path
from uuid import uuid4

import pytest
from playwright.sync_api import Page, expect
from tests.journeys.conftest import CONFIG
from tests.journeys.hands import tap
from tests.journeys.stage import (
    NARROW,
    WIDE,
    Stage,
    Theme,
    go,
    start_server,
    titles,
    wait_until_ready,
)
from tests.support.jack import MidiPeer

from conductor.errors import ConductorError

ROOT = Path(__file__).parents[2]
SERVER = ROOT / "tests" / "support" / "panel_server.py"
TABS = ("Assistant tools", "MCP servers")
PICTURES = ROOT / ".cache" / "screenshots"
AXE = (ROOT / "node_modules" / "axe-core" / "axe.min.js").read_text()
LOOK = """async (only) => (await axe.run(document, {
    resultTypes: ["violations"],
    rules: Object.fromEntries(axe._audit.rules
      .filter((rule) => ["minor", "moderate"].includes(rule.impact) || (only && !rule.tags.includes(only)))
      .map((rule) => [rule.id, { enabled: false }])),
  })).violations
  .map((found) => `${found.id}: ${found.help}: ${found.nodes.map((node) => node.html.slice(0, 160) + " " + (node.any[0]?.message ?? "")).join(" | ")}`)"""
"""Runs the rules whose violations may be serious or critical, or only those of them with a tag."""
THEMES: dict[Theme, str | None] = {"light": "cat.color", "dark": None}
"""Which rules are run in a theme: all but the colours is as in the dark, the one that a view is left in."""
LAID_OUT = (
    """() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"""
)
FITS = Path(__file__).with_name("fits.js").read_text()
LOADING = re.compile("^(Loading|Drawing)")
ZOOMED, TINY = (640, 400), (450, 300)
BACK = "Back to the list"
FULL = f"""{CONFIG}
[[profiles]]
name = "Editor"
match = {{ executable = "code" }}

[[profiles.mappings]]
description = "run the tests"
trigger = {{ type = "Note", note = 40, device = "pads" }}
action = {{ type = "Keystroke", keys = ["ctrl", "shift", "t"] }}

[[modes]]
name = "Attic"

[[modes.mappings]]
trigger = {{ type = "LongPress", note = 36, duration_ms = 800 }}
action = {{ type = "VolumeControl", operation = "Mute" }}

[llm.mcp]
toolsets = ["status", "mappings", "plans", "skills"]
"""

pytestmark = [pytest.mark.x11, pytest.mark.jack, pytest.mark.timeout(300)]


@pytest.fixture
def lived_in(stage: Stage, pads: MidiPeer, tmp_path: Path) -> Generator[Stage]:
    """Return a stage with something to see in every view."""
    stage.conductor.use(FULL)
    tap(pads, 36)
    tap(pads, 99)
    stage.conductor.call(
        "conductor_create_mapping",
        mode="Default",
        description="Mute while I speak",
        trigger={"type": "DoubleTap", "note": 36, "device": "pads"},
        action={"type": "VolumeControl", "operation": "Mute"},
    )
    with_servers(stage, tmp_path / "about.txt")
    yield stage
    for name in ("greeter", "lights"):
        stage.call("servers.remove", name=name)


def with_servers(stage: Stage, about: Path) -> None:
    """Start one MCP server with a changed tool, and leave one waiting for consent."""
    start_server(stage, "greeter", [str(SERVER), str(about)])
    about.write_text("Greet somebody, and tell everybody.")
    lights = {"args": ["-c", "print('no server')", "--token", "${TOKEN}"]}
    with stage.connect() as wire:
        wire.call("servers.restart", name="greeter")
        wait_until_ready(wire, "greeter")
        wire.call("servers.add", name="lights", entry={"command": sys.executable, **lights})


def sights(page: Page) -> list[str]:
    """Return what there is to see: each view, the pages of Settings, and the question that pops up over all."""
    return [*titles(page), *(f"Settings: {tab}" for tab in TABS), "Approval"]


def test_every_view_is_open_to_everybody_in_both_themes(lived_in: Stage) -> None:
    found: list[str] = []
    with lived_in.open() as page:
        page.evaluate(AXE)
        for title in sights(page):
            fill(page, lived_in, title)
            for theme, only in THEMES.items():
                page.emulate_media(color_scheme=theme)
                expect(page.locator("html")).to_have_attribute("data-theme", theme)
                picture(page, title, f"{theme}-{WIDE[0]}x{WIDE[1]}")
                found += [f"{title}, {theme}: {one}" for one in page.evaluate(LOOK, only)]
    assert found == [], "\n".join(found)


def test_every_view_fits_its_window_however_it_is_resized(lived_in: Stage) -> None:
    found: list[str] = []
    with lived_in.open() as page:
        for title in sights(page):
            fill(page, lived_in, title)
            for percent, size in ((100, NARROW), (125, NARROW), (200, WIDE), (100, WIDE)):
                width, height = (number * 100 // percent for number in size)
                page.set_viewport_size({"width": width, "height": height})
                page.evaluate(LAID_OUT)
                if percent != 100 or size != WIDE:
                    picture(page, title, f"dark-{size[0]}x{size[1]}-at-{percent}")
                found += [f"{title} at {width}x{height}: {one}" for one in page.evaluate(FITS)]
    assert found == [], "\n".join(found)


def test_every_view_can_be_used_in_a_small_window_and_at_200_percent(lived_in: Stage) -> None:
    """A list and its details take turns where there is no room for both."""
    found: list[str] = []
    with lived_in.open() as page:
        for title in titles(page):
            page.set_viewport_size({"width": WIDE[0], "height": WIDE[1]})
            fill(page, lived_in, title)
            for width, height in (TINY, ZOOMED):
                page.set_viewport_size({"width": width, "height": height})
                for part in ("", " details"):
                    if part and not open_details(page):
                        continue
                    page.evaluate(LAID_OUT)
                    picture(page, f"{title}{part}", f"dark-{width}x{height}")
                    found += [
                        f"{title}{part} at {width}x{height}: {one}" for one in page.evaluate(FITS)
                    ]
                    if part:
                        page.get_by_role("button", name=BACK).click()
                        expect(page.get_by_role("listbox").first).to_be_focused()
    assert found == [], "\n".join(found)


def test_every_dialog_fits_at_200_percent(lived_in: Stage) -> None:
    found: list[str] = []
    with lived_in.open(ZOOMED) as page:
        for name, open_dialog in DIALOGS.items():
            open_dialog(page)
            expect(page.get_by_role("dialog")).to_be_visible()
            page.evaluate(LAID_OUT)
            picture(page, name, f"dark-{ZOOMED[0]}x{ZOOMED[1]}")
            found += [f"{name}: {one}" for one in page.evaluate(FITS)]
            page.keyboard.press("Escape")
            expect(page.get_by_role("dialog")).to_have_count(0)
    assert found == [], "\n".join(found)


def open_settings(page: Page, tab: str, button: str) -> None:
    """Open a dialog of a page of the settings."""
    view = go(page, "Settings")
    view.get_by_role("combobox", name="Settings sections").click()
    page.get_by_role("option", name=tab, exact=True).click()
    view.get_by_role("button", name=button).first.click()


def edit_plan(page: Page) -> None:
    """Open the dialog with the changes of a discarded plan, whose details cover the list."""
    view = go(page, "Plans")
    view.get_by_role("option").first.click()
    expect(view.get_by_role("article")).to_be_visible()
    discard = view.get_by_role("button", name="Discard", exact=True)
    if discard.count():
        discard.click()
    view.get_by_role("button", name="Use these changes").click()


def choose_backup(page: Page) -> None:
    """Choose a backup of an almost empty config, so that restoring it would delete all mappings."""
    backup = {
        "conductor_backup": 1,
        "made_at": "2026-01-31T12:00:00Z",
        "conductor_version": "1",
        "config": "[skills]\nfolders = ['/srv/songs']\n",
    }
    view = go(page, "Settings")
    view.get_by_label("Backup file").set_input_files(
        {
            "name": "conductor-backup.json",
            "mimeType": "application/json",
            "buffer": json.dumps(backup).encode(),
        }
    )


def open_details(page: Page) -> bool:
    """Choose an entry of a list whose details cover it, the selected one if there is one. Return whether there
    is such a list.
    """
    entries = page.locator("#content .split [role=listbox] [role=option]")
    selected = entries.and_(page.locator("[aria-selected=true]"))
    entry = (selected if selected.count() else entries).first
    if entry.count() == 0 or not entry.is_visible():
        return False
    entry.click()
    return page.get_by_role("button", name=BACK).count() > 0


def picture(page: Page, title: str, look: str) -> None:
    """Save a picture of a view."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    name = re.sub(r"\W+", "-", title.lower())
    page.screenshot(path=PICTURES / f"{name}-{look}.png")


def fill(page: Page, stage: Stage, sight: str) -> None:
    """Show a view with what it shows when it is used."""
    if sight == "Approval":
        ask(page, stage)
        return
    title, _, tab = sight.partition(": ")
    view = go(page, title)
    if tab:
        view.get_by_role("tab", name=tab, exact=True).click()
    if title == "Mappings":
        page.get_by_role("row").filter(has_text="say h").click()
        expect(page.get_by_role("group", name="Do")).to_be_visible()
    elif title == "Chat":
        for words in ("/help", "/map pad 45 to cmd+c"):
            answers = page.get_by_role("article", name="Answer").count()
            page.get_by_role("textbox", name="Message").fill(words)
            page.get_by_role("textbox", name="Message").press("Enter")
            expect(page.get_by_role("article", name="Answer")).to_have_count(answers + 1)
        expect(
            page.get_by_role("article", name="Plan: ").get_by_role("button", name="Apply")
        ).to_be_visible()
    elif title == "Plans":
        view.get_by_role("option").filter(has_text=re.compile("double.?tap", re.I)).first.click()
        expect(page.get_by_role("article")).to_contain_text("Mute while I speak")
    elif tab == "Assistant tools":
        view.locator("[data-skill=notes] button[aria-expanded]").click()
    elif tab == "MCP servers":
        view.get_by_role("button", name=re.compile("^greeter ")).click()
        expect(view.get_by_text("tell everybody").first).to_be_visible()
    elif title == "Monitor":
        expect(view.get_by_role("option").first).to_be_visible()
    expect(page.get_by_role("progressbar", name="Reading")).to_have_count(0)
    expect(view.get_by_role("img", name=LOADING)).to_have_count(0)


def ask(page: Page, stage: Stage) -> None:
    """Call a tool that needs approval from a program: the call is refused and the user is asked."""
    with suppress(ConductorError):
        stage.conductor.call("conductor_delete_task", task_id=uuid4().hex)
    expect(page.get_by_role("dialog", name=re.compile("^Allow"))).to_be_visible()
    expect(page.get_by_role("button", name="Allow once")).to_be_enabled()


DIALOGS: dict[str, Callable[[Page], object]] = {
    "Search": lambda page: page.keyboard.press("Control+k"),
    "Shortcuts": lambda page: page.keyboard.press("?"),
    "New mode": lambda page: go(page, "Modes").get_by_role("button", name="New mode").click(),
    "Config file": lambda page: (
        go(page, "Settings").get_by_role("button", name="Show file").click()
    ),
    "Backup": choose_backup,
    "Cheat sheet": lambda page: (
        go(page, "Controller").get_by_role("button", name="Cheat sheet").click()
    ),
    "Add server": lambda page: open_settings(page, "MCP servers", "Add server"),
    "Edit plan": edit_plan,
}
