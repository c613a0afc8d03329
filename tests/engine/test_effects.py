"""Resolved effects: values of the control filled in, and the calls that would reach the computer."""

from typing import Any

import pytest
from tests.support.simulate import Rows, config, does

from conductor.domain.config import Config
from conductor.engine.effects import ResolvedEffect, resolve_effect
from conductor.engine.script import parse_script
from conductor.engine.simulate import Simulation

INVERTED = {"from": "value", "curve": {"type": "Linear", "min": 127, "max": 0}}
SYNTH = {"alias": "synth", "matchers": [{"type": "ExactName", "pattern": "Minilogue"}]}


def resolved(what: Config | Rows, script: str) -> list[ResolvedEffect]:
    some = what if isinstance(what, Config) else config(what)
    traces = Simulation(some).play_items(parse_script(script))
    return [resolve_effect(one, some) for trace in traces for one in trace.effects]


def calls(what: Config | Rows, script: str) -> list[list[Any]]:
    return [call for one in resolved(what, script) for call in one["calls"]]


@pytest.mark.parametrize(("turned", "sent"), [(0, 127), (64, 63), (127, 0)])
def test_a_value_through_a_curve_is_the_number_that_is_sent(turned: int, sent: int):
    row = does(
        "CC cc=7",
        {
            "type": "SendMidi",
            "port": "out",
            "message_type": "CC",
            "controller": 3,
            "value": INVERTED,
        },
    )
    [one] = resolved([row], f"cc 7 {turned}")
    assert one["action"]["value"] == sent
    assert one["calls"] == [["midi.send", {"virtual_output": "Conductor Out"}, f"B0 03 {sent:02X}"]]


def test_every_kind_of_value_is_resolved():
    value = {"from": "value"}
    rows: Rows = [
        does("CC cc=7", {"type": "VolumeControl", "operation": "Set"}),
        does("CC cc=8", {"type": "VolumeControl", "operation": "Set", "value": INVERTED}),
        does("CC cc=9", {"type": "SetVariable", "name": "level", "value": value}),
        does("CC cc=10", {"type": "OscSend", "port": 9000, "address": "/a", "args": ["x", value]}),
        does("CC cc=11", {"type": "MouseScroll", "dy": value}),
        does(
            "CC cc=12",
            {"type": "SendMidi", "port": "s", "message_type": "PitchBend", "pitch": value},
        ),
        does("CC cc=13", {"type": "Plugin", "server": "s", "tool": "t", "args": {"level": value}}),
        does("CC cc=14", {"type": "MidiForward", "port": "s", "transpose": 2, "channel": 3}),
    ]
    script = "cc 7 32; cc 8 32; cc 9 32; cc 10 127; cc 11 5; cc 12 127; cc 13 127; cc 14 9"
    assert calls(rows, script) == [
        ["volume.change", "Set", 25],
        ["volume.change", "Set", 75],
        ["variable", "set", "level", 32],
        ["osc.send", "127.0.0.1", 9000, "/a", ["x", 1.0]],
        ["mouse.scroll", 0, 5],
        ["midi.send", {"port": "s"}, "E0 7F 7F"],
        ["plugins.call", "s", "t", {"level": 127}],
        ["midi.send", {"port": "s"}, "B2 0E 09"],
    ]
    assert [one["action"].get("value") for one in resolved(rows, script)[:3]] == [25, 75, 32]
    assert resolved(rows, "cc 12 127")[0]["action"]["pitch"] == 8191


def test_both_ends_of_a_held_key_are_reported():
    rows = "Note note=1 -> Keystroke keys=shift hold=while_held"
    assert [(one["kind"], one["calls"]) for one in resolved(rows, "tap 1")] == [
        ("press", [["keyboard.press", ["shift"]]]),
        ("release", [["keyboard.release", ["shift"]]]),
    ]


def test_what_a_setting_changes_is_in_the_calls():
    row = "Note note=1 -> cmd+c"
    ctrl = config([row], settings={"engine": {"cmd_key": "ctrl"}})
    alt = config([row], settings={"engine": {"cmd_key": "alt"}})
    assert calls(ctrl, "tap 1")[0] == ["keyboard.press", ["ctrl", "c"]]
    assert calls(alt, "tap 1")[0] == ["keyboard.press", ["alt", "c"]]
    shell: Rows = [does("Note note=1", {"type": "Shell", "argv": ["ls"]})]
    assert calls(shell, "tap 1")[0][0] == "fails"
    allowed = config(shell, settings={"engine": {"allow_shell": True}})
    assert calls(allowed, "tap 1") == [["programs.run", ["ls"], 10.0]]


def test_an_output_is_resolved_to_the_matchers_of_its_alias():
    def to(port: str, **rest: Any) -> Any:
        row = does("Note note=1", {"type": "SendMidi", "port": port, "message_type": "NoteOn"})
        return calls(config([row], **rest), "tap 1")[0][1]

    here = to("synth", devices=[SYNTH])
    assert here == to("renamed", devices=[{**SYNTH, "alias": "renamed"}])
    assert here != to("synth")
    other = [{"type": "ExactName", "pattern": "Other"}]
    assert here != to("synth", devices=[{**SYNTH, "matchers": other}])
    silent = {"engine": {"virtual_output": ""}}
    assert to("Conductor Out") != to("Conductor Out", settings=silent)


def test_a_launch_that_counts_as_shell_fails_until_commands_are_allowed():
    command = does("Note note=1", {"type": "Launch", "app": "/bin/sh", "args": ["-c", "id > f"]})
    [[word, reason]] = calls([command], "tap 1")
    assert (word, "settings.engine.allow_shell = true" in reason) == ("fails", True)
    allowed = config([command], settings={"engine": {"allow_shell": True}})
    assert calls(allowed, "tap 1") == [["programs.launch", "/bin/sh", ["-c", "id > f"]]]
    assert calls([does("Note note=1", {"type": "Launch", "app": "firefox"})], "tap 1") == [
        ["programs.launch", "firefox", []]
    ]
