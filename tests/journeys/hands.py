"""What a person does at the pads and sees in the app in front."""

from tests.support.jack import MidiPeer
from tests.support.xserver import KeyWindow


def press(pads: MidiPeer, note: int) -> None:
    pads.send(bytes((0x90, note, 100)))


def let_go(pads: MidiPeer, note: int) -> None:
    pads.send(bytes((0x80, note, 0)))


def tap(pads: MidiPeer, note: int) -> None:
    press(pads, note)
    let_go(pads, note)


def expect_key(window: KeyWindow, name: str) -> None:
    """Wait for a key to go down and up."""
    down, up = window.next_key(), window.next_key()
    assert [(down.name, down.pressed), (up.name, up.pressed)] == [(name, True), (name, False)]
