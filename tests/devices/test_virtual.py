"""The built-in controller, and its demo played through the real engine with the demo's config."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import conductor.config
from conductor.config.parse import load_config
from conductor.devices.midi.messages import MidiDecoder
from conductor.devices.virtual.controller import (
    VIRTUAL_CONTROLS,
    VIRTUAL_DEVICE_ID,
    VirtualController,
    build_demo_script,
    find_virtual_control,
)
from conductor.domain.config import Config
from conductor.domain.events import CONTROL_CLASS, InputEvent
from conductor.engine.simulate import Simulation
from conductor.errors import ActionFailed, UnknownDevice


class Player:
    def __init__(self) -> None:
        self.events: list[InputEvent] = []
        self.now = 0.0
        self.controller = VirtualController(self.events.append, lambda: self.now)


@pytest.fixture
def player() -> Player:
    return Player()


def demo_config() -> Config:
    path = Path(conductor.config.__file__).with_name("demo.toml")
    config, report = load_config(path.read_text(), str(path))
    assert report.valid
    assert report.warnings == ()
    return config


def perform(player: Player) -> list[InputEvent]:
    for at_s, method, args in build_demo_script():
        player.now = at_s
        getattr(player.controller, method)(*args)
    return player.events


@pytest.mark.parametrize(
    ("method", "args", "sent"),
    [
        ("press", ("pad1", 90), b"\x99\x24\x5a"),
        ("release", ("pad16",), b"\x89\x33\x00"),
        ("turn", ("knob8", 64), b"\xb0\x1b\x40"),
        ("turn", ("fader1", 127), b"\xb0\x28\x7f"),
        ("press", ("play",), b"\xb0\x66\x7f"),
        ("release", ("forward",), b"\xb0\x6b\x00"),
    ],
)
def test_it_sends_exactly_what_a_midi_device_would(
    player: Player, method: str, args: tuple[Any, ...], sent: bytes
) -> None:
    getattr(player.controller, method)(*args)
    assert player.events == MidiDecoder(VIRTUAL_DEVICE_ID).decode_bytes(sent, 0.0)


def test_the_layout_is_a_grid_of_pads_knobs_faders_and_transport() -> None:
    assert Counter(control.kind for control in VIRTUAL_CONTROLS) == Counter(
        pad=16, knob=8, fader=8, button=6
    )
    places = [(control.kind, control.row, control.col) for control in VIRTUAL_CONTROLS]
    sent = [
        (control.control_class, control.channel, control.number) for control in VIRTUAL_CONTROLS
    ]
    assert len(set(places)) == len(set(sent)) == len(VIRTUAL_CONTROLS)
    bottom_left = find_virtual_control("pad1")
    assert (bottom_left.row, bottom_left.col, bottom_left.number) == (3, 0, 36)


@pytest.mark.parametrize("spelling", ["Pad 1", "pad_1", "PAD1"])
def test_a_control_is_also_found_by_its_label(spelling: str) -> None:
    assert find_virtual_control(spelling).name == "pad1"


@pytest.mark.parametrize(
    ("spelling", "hint"), [("plya", "did you mean `play`"), ("zzz", "pad1-16")]
)
def test_an_unknown_control_is_refused_with_a_hint(
    player: Player, spelling: str, hint: str
) -> None:
    with pytest.raises(UnknownDevice, match=hint):
        player.controller.press(spelling)


@pytest.mark.parametrize(
    ("method", "args"),
    [
        ("press", ("knob1",)),
        ("release", ("fader1",)),
        ("turn", ("pad1", 3)),
        ("turn", ("knob1", 128)),
        ("press", ("pad1", 0)),
    ],
)
def test_an_impossible_gesture_is_refused_and_sends_nothing(
    player: Player, method: str, args: tuple[Any, ...]
) -> None:
    with pytest.raises(ActionFailed):
        getattr(player.controller, method)(*args)
    assert player.events == []


def test_it_is_one_entry_of_the_device_list(player: Player) -> None:
    (status,) = player.controller.status()
    assert (status.device_id, status.kind, status.connected) == ("virtual", "virtual", True)


def test_the_demo_plays_in_order_for_twelve_seconds_and_releases_everything(
    player: Player,
) -> None:
    times = [at_s for at_s, _, _ in build_demo_script()]
    assert times == sorted(times)
    assert 11 < times[-1] < 13
    held: set[int | str] = set()
    for event in perform(player):
        if event.kind == "note_on":
            assert event.number not in held
            held.add(event.number)
        elif event.kind == "note_off":
            held.remove(event.number)
    assert held == set()


def test_the_demo_uses_only_controls_of_the_layout(player: Player) -> None:
    sent = {(CONTROL_CLASS[event.kind], event.channel, event.number) for event in perform(player)}
    assert sent <= {(c.control_class, c.channel, c.number) for c in VIRTUAL_CONTROLS}


def test_every_mapping_of_the_demo_has_a_description_and_fires(player: Player) -> None:
    config = demo_config()
    wanted = {mapping.description for _, _, mapping in config.list_all_mappings()}
    assert None not in wanted
    traces = Simulation(config).play_items(perform(player))
    assert {ref.mapping.description for trace in traces for ref in trace.fired} == wanted
    assert traces[-1].mode == "Play"


def test_tap_hold_and_double_tap_never_interfere_in_the_demo(
    player: Player,
) -> None:
    traces = Simulation(demo_config()).play_items(perform(player))
    fired = Counter(ref.mapping.description for trace in traces for ref in trace.fired)
    assert fired["Mute microphone"] == 2
    assert fired["Start recording"] == 1
    assert fired["Greeting"] == 1
