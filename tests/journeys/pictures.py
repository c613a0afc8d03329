"""Takes the pictures of the README: `python -m tests.journeys.pictures`, after `npm run build`.

A real Conductor runs the config of the demo and is played for some seconds. The plans come from a simulated model.
"""

import threading
import time
from pathlib import Path

from playwright.sync_api import Page, expect, sync_playwright
from tests.conftest import stop_key_repeat
from tests.journeys.conftest import OPTIONS
from tests.journeys.stage import Stage, go
from tests.support.chromium import find_chromium
from tests.support.jack import jack_server
from tests.support.llm_server import llm_server
from tests.support.running import REPOSITORY, running_conductor
from tests.support.xserver import x_server

from conductor.devices.virtual.controller import build_demo_script

IMAGES = REPOSITORY / "docs" / "images"
DEMO = (REPOSITORY / "backend" / "conductor" / "config" / "demo.toml").read_text()
TALL = (1280, 1340)
UNDO_REQUEST = "Let a double tap of pad 1 undo. Tapping and holding it must still work."
DOUBLE_TAP_REQUEST = "Use a double tap of pad 1 instead of holding it."
#: Wait for the animations of the page that end, such as the glow of a control that was let go.
FINISH_ANIMATIONS = """() => Promise.allSettled(document.getAnimations()
    .filter((one) => one.effect.getComputedTiming().endTime !== Infinity)
    .map((one) => one.finished))"""
VIRTUAL = {"device": "virtual"}
ANSWERS = (
    (
        UNDO_REQUEST,
        "conductor_create_mapping",
        {
            "mode": "Play",
            "description": "Undo",
            "trigger": {"type": "DoubleTap", "note": 36, **VIRTUAL},
            "action": {"type": "Keystroke", "keys": ["ctrl", "z"]},
            "examples": [
                {
                    "name": "a double tap undoes",
                    "gesture": "tap 36; wait 100; tap 36",
                    "expect": [{"type": "Keystroke", "fields": {"keys": ["ctrl", "z"]}}],
                },
                {
                    "name": "a single tap still presses F13",
                    "gesture": "tap 36; wait 400",
                    "expect": [{"type": "Keystroke", "fields": {"keys": ["f13"]}}],
                },
            ],
        },
        "A double tap of pad 1 will **undo**. A single tap still presses F13, but 300 ms later.",
    ),
    (
        DOUBLE_TAP_REQUEST,
        "conductor_update_mapping",
        {
            "mode": "Play",
            "index": 1,
            "trigger": {"type": "DoubleTap", "note": 36, **VIRTUAL},
        },
        "A double tap of pad 1 will press **Ctrl+F14**. A single tap then waits 300 ms.",
    ),
)
MODEL = """
[llm]
default_provider = "local"

[llm.providers.local]
kind = "custom"
base_url = "{address}"
model = "gpt-oss-120b"
"""


def take_pictures() -> None:
    fixtures = [
        fixture
        for request, tool, arguments, answer in ANSWERS
        for fixture in (
            {
                "match": {"userMessage": request, "hasToolResult": False},
                "response": {"toolCalls": [{"id": tool, "name": tool, "arguments": arguments}]},
            },
            {
                "match": {"userMessage": request, "hasToolResult": True},
                "response": {"content": answer},
            },
        )
    ]
    with jack_server(), x_server() as screen, llm_server() as server, sync_playwright() as player:
        stop_key_repeat(screen.display)
        server.add(*fixtures)
        config = DEMO + MODEL.format(address=server.base_url("custom"))
        environment = {"DISPLAY": screen.display}
        program = find_chromium()
        browser = player.chromium.launch(executable_path=program, args=OPTIONS)
        with running_conductor(
            config, environment=environment, with_page=True, own_process=True
        ) as conductor:
            stage = Stage(browser, conductor)
            play_demo(stage)
            stage.call("modes.switch", mode="Play")
            take_controller(stage)
            take_chat(stage)
            take_plan(stage)
        browser.close()


def play_demo(stage: Stage) -> None:
    """Play the demo in its own time, as the replays of the plans show it.

    The fader changes the volume of the system, which fails without a sound server.
    """
    started, never = time.monotonic(), threading.Event()
    with stage.connect() as wire:
        for at_s, do, (control, *value) in build_demo_script():
            if control == "fader1":
                continue
            never.wait(max(0.0, started + at_s - time.monotonic()))
            wire.call("virtual.play", do=do, control=control, value=value[0] if value else None)


def take_controller(stage: Stage) -> None:
    """Show the virtual controller while two pads and a knob are used."""
    with stage.open() as page, stage.connect() as wire:
        go(page, "Controller")
        expect(page.get_by_text("Mute microphone").first).to_be_visible()
        wire.call("virtual.play", do="turn", control="knob1", value=90)
        for pad in ("pad1", "pad5", "pad8"):
            wire.call("virtual.play", do="press", control=pad, value=124)
        expect(page.locator("g.lit")).to_have_count(3)
        save(page, "controller")
        for pad in ("pad1", "pad5", "pad8"):
            wire.call("virtual.play", do="release", control=pad)


def take_chat(stage: Stage) -> None:
    """Show a plan in the chat, which asks to be applied."""
    with stage.open(TALL, "light") as page:
        go(page, "Chat")
        ask(page, UNDO_REQUEST)
        expect(page.get_by_text("but 300 ms later")).to_be_visible()
        expect(page.get_by_text("Gestures tried", exact=True)).to_be_visible()
        dismiss_toasts(page)
        save(page, "chat")


def take_plan(stage: Stage) -> None:
    """Show a plan with its proof."""
    with stage.open(TALL) as page:
        go(page, "Chat")
        page.get_by_role("button", name="New chat").first.click()
        ask(page, DOUBLE_TAP_REQUEST)
        expect(page.get_by_text("A single tap then waits")).to_be_visible()
        view = go(page, "Plans")
        view.get_by_role("option").first.click()
        expect(page.get_by_text("Proof", exact=True)).to_be_visible()
        expect(page.get_by_text("Gestures tried", exact=True)).to_be_visible()
        dismiss_toasts(page)
        save(page, "plans")


def ask(page: Page, words: str) -> None:
    page.get_by_role("textbox", name="Message").fill(words)
    page.get_by_role("textbox", name="Message").press("Enter")


def dismiss_toasts(page: Page) -> None:
    for button in (
        page.get_by_role("region", name="Notifications").get_by_role("button", name="Dismiss").all()
    ):
        button.click()


def save(page: Page, name: str) -> None:
    page.mouse.move(5, 700)
    page.evaluate("() => document.activeElement?.blur()")
    page.evaluate(FINISH_ANIMATIONS)
    page.screenshot(path=Path(IMAGES, f"{name}.png"))


if __name__ == "__main__":
    take_pictures()
