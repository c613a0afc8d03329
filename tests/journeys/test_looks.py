"""How every view looks in both themes: a picture each, nothing cut off, and nobody shut out."""

import re
import sys
from collections.abc import Generator
from contextlib import suppress
from pathlib import Path
from uuid import uuid4

import pytest
from playwright.sync_api import Page, expect
from tests.journeys.conftest import CONFIG
from tests.journeys.hands import tap
from tests.journeys.stage import NARROW, WIDE, Stage, Theme, go, rail, titles
from tests.support.jack import MidiPeer
from tests.support.running import wait_for

from conductor.errors import ConductorError

ROOT = Path(__file__).parents[2]
SERVER = ROOT / "tests" / "support" / "panel_server.py"
TABS = ("Skills", "MCP servers")
PICTURES = ROOT / ".cache" / "screenshots"
AXE = ROOT / "node_modules" / "axe-core" / "axe.min.js"
LOOK = """async () => (await axe.run(document, { resultTypes: ["violations"] })).violations
  .filter((found) => ["serious", "critical"].includes(found.impact))
  .map((found) => `${found.id}: ${found.help}: ${found.nodes.map((node) => node.html.slice(0, 160) + " " + (node.any[0]?.message ?? "")).join(" | ")}`)"""
FITS = Path(__file__).with_name("fits.js").read_text()
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
    with_servers(stage, tmp_path)
    yield stage
    for one in stage.call("servers.list")["servers"]:
        stage.call("servers.remove", name=one["name"])


def with_servers(stage: Stage, folder: Path) -> None:
    """Start one MCP server with a changed tool, and leave one waiting for consent."""
    about, entry = folder / "about.txt", {"command": sys.executable}
    greeter = {**entry, "args": [str(SERVER), str(about)]}
    digest = stage.call("servers.add", name="greeter", entry=greeter)["digest"]
    stage.call("servers.consent", name="greeter", digest=digest)
    wait_for(lambda: state_of(stage), lambda state: state == "ready")
    about.write_text("Greet somebody, and tell everybody.")
    stage.call("servers.restart", name="greeter")
    wait_for(lambda: state_of(stage), lambda state: state == "ready")
    lights = {**entry, "args": ["-c", "print('no server')", "--token", "${TOKEN}"]}
    stage.call("servers.add", name="lights", entry=lights)


def state_of(stage: Stage) -> str:
    return stage.call("servers.list")["servers"][0]["state"]


def sights(page: Page) -> list[str]:
    """Return what there is to see: each view, the pages of Settings, and the question that pops up over all."""
    return [*titles(page), *(f"Settings: {tab}" for tab in TABS), "Approval"]


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_every_view_is_open_to_everybody(lived_in: Stage, theme: Theme) -> None:
    found: list[str] = []
    with lived_in.open(theme=theme) as page:
        page.context.add_init_script(path=AXE)
        page.reload()
        expect(rail(page)).to_be_visible()
        for title in sights(page):
            fill(page, lived_in, title)
            picture(page, title, f"{theme}-{WIDE[0]}x{WIDE[1]}")
            found += [f"{title}: {one}" for one in page.evaluate(LOOK)]
    assert found == [], "\n".join(found)


@pytest.mark.parametrize(
    ("percent", "size"), [(100, WIDE), (100, NARROW), (125, NARROW), (200, WIDE)]
)
def test_every_view_fits_its_window(lived_in: Stage, percent: int, size: tuple[int, int]) -> None:
    width, height = (number * 100 // percent for number in size)
    found: list[str] = []
    with lived_in.open((width, height)) as page:
        for title in sights(page):
            fill(page, lived_in, title)
            if percent != 100 or size != WIDE:
                picture(page, title, f"dark-{size[0]}x{size[1]}-at-{percent}")
            found += [f"{title}: {one}" for one in page.evaluate(FITS)]
    assert found == [], "\n".join(found)


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
    elif tab == "Skills":
        view.locator("[data-skill=notes] button[aria-expanded]").click()
    elif tab == "MCP servers":
        view.get_by_role("button", name=re.compile("^greeter ")).click()
        expect(view.get_by_text("tell everybody").first).to_be_visible()
    elif title == "Monitor":
        expect(view.get_by_role("option").first).to_be_visible()
    expect(page.get_by_role("progressbar", name="Reading")).to_have_count(0)


def ask(page: Page, stage: Stage) -> None:
    """Call a tool that needs approval from a program: the call is refused and the user is asked."""
    with suppress(ConductorError):
        stage.conductor.call("conductor_delete_task", task_id=uuid4().hex)
    expect(page.get_by_role("dialog", name=re.compile("^Allow"))).to_be_visible()
    expect(page.get_by_role("button", name="Allow once")).to_be_enabled()
