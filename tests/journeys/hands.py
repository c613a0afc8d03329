"""What a person does at the pads and sees in the app in front."""

import re
from collections.abc import Callable

from playwright.sync_api import Page, expect
from tests.journeys.stage import go
from tests.support.jack import MidiPeer
from tests.support.running import wait_for
from tests.support.xserver import KeyWindow


def press(pads: MidiPeer, note: int) -> None:
    pads.send(bytes((0x90, note, 100)))


def release(pads: MidiPeer, note: int) -> None:
    pads.send(bytes((0x80, note, 0)))


def tap(pads: MidiPeer, note: int) -> None:
    press(pads, note)
    release(pads, note)


def expect_key(window: KeyWindow, name: str) -> None:
    """Wait for a key to go down and up."""
    down, up = window.next_key(), window.next_key()
    keys = [(down.name, down.pressed), (up.name, up.pressed)]
    assert keys == [(name, True), (name, False)], keys


def name_the_touched(page: Page, device: str, touch: Callable[[], None], alias: str) -> None:
    """Assign an alias to the touched one of several identical devices."""
    view = go(page, "Devices")
    view.get_by_role("option", name=re.compile(device)).first.click()
    view.get_by_role("button", name="Name device").click()
    dialog = page.get_by_role("dialog")
    picked = dialog.get_by_role("list", name="Identical devices").locator("[aria-pressed=true]")
    give = dialog.get_by_role("button", name="Save name")
    expect(give).to_be_disabled()
    wait_for(lambda: touch() or picked.count(), bool)
    expect(picked).to_contain_text("unit 2")
    dialog.get_by_role("textbox").first.fill(alias)
    give.click()
    expect(view.get_by_role("option", name=re.compile(alias))).to_be_visible()
