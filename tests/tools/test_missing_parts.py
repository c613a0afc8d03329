"""Warnings of ports, programs and listeners that a config needs and that are not there now."""

from functools import partial
from typing import Any

import pytest

from conductor.domain.config import Config
from conductor.domain.lights import Light
from conductor.tools.missing_parts import ComputerLookups, MidiOutput, find_missing_parts

OUTPUTS = (MidiOutput("synth", "Synth Out"), MidiOutput("raw:Midi Through", "Midi Through"))
CONFIG: dict[str, Any] = {
    "modes": [{"name": "Default"}],
    "devices": [{"alias": "rack", "matchers": [{"type": "NameContains", "pattern": "R"}]}],
}
CC = {"message_type": "CC", "controller": 74}


def warnings(action: dict[str, Any], outputs: tuple[MidiOutput, ...] | None = OUTPUTS) -> list[str]:
    rows = [{"trigger": {"type": "CC", "cc": 1}, "action": action}]
    around = ComputerLookups(
        lambda: outputs,
        lambda: frozenset((9000,)),
        partial(_why, "app"),
        partial(_why, "program"),
        _why_not_lit,
    )
    config = Config.model_validate({**CONFIG, "global_mappings": rows})
    found = list(find_missing_parts(config, around))
    assert all(one.path == "global_mappings[0].action" for one in found)
    return [one.message for one in found]


def _why_not_lit(_config: Config, device: str, light: Light) -> str | None:
    return f"{device} cannot show pink" if light.color == "pink" else None


def _why(kind: str, name: str) -> str | None:
    return None if name == "here" else f"no {kind} {name}"


@pytest.mark.parametrize(
    ("action", "message"),
    [
        ({"type": "SendMidi", "port": "Syntth", **CC}, "no MIDI output is called `Syntth` now"
            " - did you mean `synth`?"),
        ({"type": "MidiForward", "port": "Loop"}, "no MIDI output is called `Loop` now; there is"
            " `Synth Out`, `Midi Through`, `Conductor Out`, `synth`, `raw:Midi Through`"),
        ({"type": "Led", "device": "rack", "control": "note 1"},
            "no MIDI output of the device `rack` is connected now"),
        ({"type": "Led", "device": "synth", "control": "note 1", "color": "pink"},
            "synth cannot show pink"),
        ({"type": "Launch", "app": "terminal"}, "no app terminal"),
        ({"type": "Shell", "argv": ["gti", "pull"]}, "no program gti"),
        ({"type": "OscSend", "port": 9001, "address": "/a"},
            "no program on this computer listens on UDP port 9001 now: start it, or check its OSC port"),
        ({"type": "Sequence", "actions": [{"type": "Launch", "app": "here"},
            {"type": "Launch", "app": "x"}]}, "no app x"),
    ],
)  # fmt: skip
def test_what_is_not_there_is_a_warning_that_names_the_nearest(
    action: dict[str, Any], message: str
) -> None:
    assert warnings(action) == [message]


@pytest.mark.parametrize(
    "action",
    [
        {"type": "SendMidi", "port": "synth", **CC},
        {"type": "SendMidi", "port": "synth out", **CC},
        {"type": "SendMidi", "port": "Conductor Out", **CC},
        {"type": "Launch", "app": "here"},
        {"type": "Shell", "argv": ["here", "there"]},
        {"type": "OscSend", "port": 9000, "address": "/a"},
        {"type": "OscSend", "host": "192.168.1.9", "port": 9001, "address": "/a"},
        {"type": "Keystroke", "keys": "a"},
    ],
)
def test_what_is_there_or_on_another_computer_is_no_warning(action: dict[str, Any]) -> None:
    assert warnings(action) == []


def test_before_the_devices_are_known_no_output_is_missed() -> None:
    assert warnings({"type": "SendMidi", "port": "x", **CC}, None) == []


@pytest.mark.parametrize("port", ["x", "Conductor Out"])
def test_without_any_output_conductor_s_own_is_not_suggested(port: str) -> None:
    assert warnings({"type": "SendMidi", "port": port, **CC}, ()) == [
        f"no MIDI output is called `{port}` now; there are no outputs"
    ]
