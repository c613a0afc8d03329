"""One Conductor with a pad, a screen and a browser for the whole folder, and a page for each test."""

from collections.abc import Generator

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright
from tests.conftest import stop_key_repeat
from tests.journeys.stage import LOOK_FOR_MS, Stage
from tests.support.chromium import find_chromium
from tests.support.conductor_fork import CHAT_MODULES, share_imports
from tests.support.jack import MidiPeer, jack_server
from tests.support.running import PADS, running_conductor
from tests.support.xserver import KeyWindow, XServer, x_server

CONFIG = f"""{PADS}
[[modes]]
name = "Default"

[[modes.mappings]]
description = "say h"
trigger = {{ type = "Note", note = 36, device = "pads" }}
action = {{ type = "Keystroke", keys = ["h"] }}

[[modes.mappings]]
description = "to the studio"
trigger = {{ type = "Note", note = 37, device = "pads" }}
action = {{ type = "ModeChange", mode = "Studio" }}

[[modes.mappings]]
description = "say i"
trigger = {{ type = "Note", note = 38, device = "pads" }}
action = {{ type = "Keystroke", keys = ["i"] }}

[[modes]]
name = "Studio"

[[modes.mappings]]
description = "say s"
trigger = {{ type = "Note", note = 36, device = "pads" }}
action = {{ type = "Keystroke", keys = ["s"] }}

[[global_mappings]]
description = "home"
trigger = {{ type = "Note", note = 50, device = "pads" }}
action = {{ type = "ModeChange", mode = "Default" }}
"""
OPTIONS = [
    "--no-sandbox",  # root has none
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--js-flags=--liftoff-only",  # optimizing the code of Pyodide, which each run loads, takes a third of the CPU time
]
UNOPTIMIZED = "--js-flags=--liftoff-only --no-opt --no-maglev"
"""Replaces the flags above: pages that live for seconds run their code, and two thirds of the CPU time of the
browser's renderers are enough, without V8's optimizing compilers."""


@pytest.fixture(scope="package")
def browser() -> Generator[Browser]:
    share_imports((*CHAT_MODULES, "tests.support.late_chroma"))
    expect.set_options(timeout=LOOK_FOR_MS)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=find_chromium(), args=[*OPTIONS, UNOPTIMIZED]
        )
        yield browser
        browser.close()


@pytest.fixture(scope="package")
def screen_of_all() -> Generator[XServer]:
    with x_server() as server:
        stop_key_repeat(server.display)
        yield server


@pytest.fixture(scope="package")
def pads_of_all() -> Generator[MidiPeer]:
    with jack_server(), MidiPeer("Pads") as peer:
        yield peer


@pytest.fixture(scope="package")
def stage_of_all(
    browser: Browser, screen_of_all: XServer, pads_of_all: MidiPeer
) -> Generator[Stage]:
    environment = {"DISPLAY": screen_of_all.display}
    with running_conductor(
        CONFIG, environment=environment, with_page=True, own_process=True
    ) as conductor:
        conductor.wait_for_device("pads")
        yield Stage(browser, conductor)


@pytest.fixture
def pads(pads_of_all: MidiPeer) -> MidiPeer:
    pads_of_all.received.clear()
    return pads_of_all


@pytest.fixture
def window(screen_of_all: XServer) -> Generator[KeyWindow]:
    with KeyWindow(screen_of_all.display) as window:
        yield window


@pytest.fixture
def stage(stage_of_all: Stage) -> Stage:
    """Return the stage as every test finds it: the same config, its first mode, everything heard."""
    stage = stage_of_all
    if stage.conductor.config_path.read_text() != CONFIG:
        stage.conductor.use(CONFIG)
    stage.conductor.wait_for_device("pads")
    with stage.connect() as wire:
        for question in wire.call("approvals.list")["approvals"]:
            wire.call("approvals.decide", approval_id=question["approval_id"], decision="deny")
        wire.call("devices.set_enabled", device_id="pads", enabled=True)
        wire.call("engine.pause", paused=False)
        wire.call("modes.switch", mode="Default")
        wire.call("window.set_prefs", patch={"last_view": "mappings"})
    stage.conductor.wait_status(lambda status: status["mode"] == "Default")
    return stage


@pytest.fixture
def page(stage: Stage) -> Generator[Page]:
    with stage.open() as page:
        yield page
