"""A gamepad in the window: drawn, lit as it is played, mapped by a click; and two equal units told apart."""

import re
from collections.abc import Generator
from contextlib import ExitStack
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, expect
from tests.journeys.hands import expect_key, name_the_touched
from tests.journeys.stage import Stage, go
from tests.support.joystick import Joystick, RemoteStage
from tests.support.running import (
    BROWSER,
    JOYSTICK_LAUNCHER,
    running_conductor,
    short_home,
    wait_for,
)
from tests.support.xserver import KeyWindow, XServer

pytestmark = [pytest.mark.x11, pytest.mark.gamepad, pytest.mark.timeout(300)]
CONFIG = """
[[modes]]
name = "Default"

[[modes.mappings]]
description = "fire"
trigger = { type = "GamepadButton", button = "south" }
action = { type = "Keystroke", keys = ["f"] }
"""
SOUTH, EAST, LEFT_X = 0, 1, 0


class Pads:
    """A Conductor with pads that can be played, and its page."""

    def __init__(self, stage: Stage, socket: Path) -> None:
        self.stage = stage
        self._remote = RemoteStage(socket)
        self._open = ExitStack()

    def plug_in(self, name: str) -> Joystick:
        pad = self._remote.attach(name)
        self._open.callback(pad.detach)
        return pad

    def close(self) -> None:
        self._open.close()
        self._remote.close()


@pytest.fixture(scope="module")
def conductor_and_socket(browser: Browser, screen_of_all: XServer) -> Generator[tuple[Stage, Path]]:
    """Run a Conductor, with the path of the socket at which its gamepads are played."""
    with short_home() as folder:
        socket = folder / "stage.sock"
        environment = {"DISPLAY": screen_of_all.display, "JACK_DEFAULT_SERVER": "none"}
        launcher = (JOYSTICK_LAUNCHER, str(socket))
        with running_conductor(
            CONFIG, environment=environment, arguments=BROWSER, launcher=launcher
        ) as running:
            running.wait_status(lambda _: socket.exists())
            yield Stage(browser, running), socket


@pytest.fixture
def pads(conductor_and_socket: tuple[Stage, Path]) -> Generator[Pads]:
    pads = Pads(*conductor_and_socket)
    yield pads
    pads.close()


def tap(pad: Joystick, button: int) -> None:
    pad.press(button)
    pad.release(button)


def part(view: Locator, name: str) -> Locator:
    return view.get_by_role("button", name=re.compile(rf"^{name}\b", re.I))


def test_a_gamepad_is_drawn_lights_as_it_is_played_and_is_mapped_by_a_click(
    pads: Pads, window: KeyWindow
) -> None:
    pad = pads.plug_in("Test Pad")
    pads.stage.conductor.wait_for_device("raw:Test Pad", "gamepad")
    with pads.stage.open() as page:
        view = go(page, "Controller")
        picture = view.get_by_role("group", name="Picture of Test Pad")
        expect(part(picture, "South")).to_have_accessible_name(re.compile("fire"))
        pad.press(SOUTH)
        expect(part(picture, "South").locator(".down")).to_have_count(1)
        pad.release(SOUTH)
        expect(part(picture, "South").locator(".down")).to_have_count(0)
        expect_key(window, "f")

        part(picture, "East").locator(".face").click()
        panel = view.get_by_role("region", name=re.compile("^Mappings of East"))
        panel.get_by_role("button", name="Add mapping").click()
        form = page.get_by_role("region", name="New mapping")
        form.get_by_role("button", name=re.compile("key", re.I)).first.click()
        expect(form.get_by_role("button", name="Stop")).to_be_focused()
        page.keyboard.press("g")
        form.get_by_role("button", name=re.compile("^Save")).click()
        text = wait_for(
            pads.stage.conductor.config_path.read_text, lambda text: 'keys = ["g"]' in text
        )
        pads.stage.conductor.wait_until_active(text)
        tap(pad, EAST)
        expect_key(window, "g")


def test_of_two_equal_gamepads_the_one_that_is_touched_gets_the_name(pads: Pads) -> None:
    first, second = pads.plug_in("Twin Pad"), pads.plug_in("Twin Pad")
    conductor = pads.stage.conductor
    conductor.wait_for_device("raw:Twin Pad #2", "gamepad")
    with pads.stage.open() as page:
        name_the_touched(page, "Twin Pad", lambda: tap(second, SOUTH), "right")
        conductor.wait_for_device("right", "gamepad")
        assert "occurrence = 2" in conductor.config_path.read_text()
        view = go(page, "Devices")
        view.get_by_role("option", name=re.compile("right")).click()
        tap(first, EAST)
        last = page.get_by_role("region", name="Device right").locator(".last")
        tap(second, EAST)
        expect(last).to_contain_text("Button east")
        tap(first, SOUTH)
        view.get_by_role("option", name=re.compile("unit 1 of 2")).click()
        other = page.get_by_role("region", name="Device Twin Pad").locator(".last")
        expect(other).to_contain_text("Button south")
        expect(page.get_by_role("region", name="Device Twin Pad")).to_contain_text(
            "1 of 2 identical"
        )
