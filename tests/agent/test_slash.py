"""Slash commands, a line each: what is typed, and the mapping or call that comes of it."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.simulate import config, mapping

from conductor.agent.slash import (
    COMMANDS,
    SlashAnswer,
    SlashCall,
    SlashText,
    SlashView,
    is_command,
    parse,
)
from conductor.domain.changes import apply
from conductor.domain.config import Config, Mapping
from conductor.domain.events import InputEvent
from conductor.tools.catalog import REGISTRY

STAGE = config(
    "LongPress note=40 duration_ms=500 -> cmd+z",
    modes={
        "Default": "Note note=36 device=pads channel=10 -> cmd+c\nNote note=37 -> cmd+v",
        "Live Set": "CC cc=9 -> VolumeControl operation=Set",
    },
    profiles=[
        {"name": "Web", "match": {"executable": "firefox"}, "mappings": "Note note=36 -> f5"}
    ],
    devices=[{"alias": "pads", "matchers": [{"type": "NameContains", "pattern": "Mikro"}]}],
)


def said(text: str, now: Config = STAGE, lately: Sequence[InputEvent] = ()) -> SlashAnswer:
    answer = parse(text, now, lately)
    if isinstance(answer, SlashCall):
        tool = REGISTRY.get(answer.tool)
        assert tool is not None
        assert tool.tier in ("read_only", "stateful", "config_change")
        tool.params.model_validate(answer.arguments)
        assert answer.words
    return answer


def called(text: str, now: Config = STAGE, lately: Sequence[InputEvent] = ()) -> SlashCall:
    answer = said(text, now, lately)
    assert isinstance(answer, SlashCall), answer
    return answer


def refused(text: str, now: Config = STAGE, lately: Sequence[InputEvent] = ()) -> str:
    answer = said(text, now, lately)
    assert isinstance(answer, SlashText), answer
    assert not answer.ok
    return answer.text


def row(answer: SlashCall) -> Mapping:
    fields = ("trigger", "action", "description")
    return Mapping.model_validate({k: answer.arguments[k] for k in fields if k in answer.arguments})


def seen(
    kind: Any, number: int | str, value: float, device: str = "pads", channel: int = 10
) -> Any:
    return InputEvent(kind, device, channel, number, value, 1.0)


TRIGGERS = """
pad 36 = Note note=36
pad36 = Note note=36
36 = Note note=36
note C1 = Note note=36
note c#1 = Note note=37
Bb1 = Note note=46
C-2 = Note note=0
tap pad 36 = Note note=36
hold pad 36 = LongPress note=36
hold pad 36 500ms = LongPress note=36 duration_ms=500
hold pad 36 for 0.5 s = LongPress note=36 duration_ms=500
long press 36 1500 ms = LongPress note=36 duration_ms=1500
press and hold 36 2s = LongPress note=36 duration_ms=2000
double tap 36 = DoubleTap note=36
double tap pad 36 within 400 ms = DoubleTap note=36 timeout_ms=400
chord 36+40 = NoteChord notes=[36,40]
chord 36 + 40 + 43 = NoteChord notes=[36,40,43]
chord pads 36 and 40 within 80 ms = NoteChord notes=[36,40] timeout_ms=80
pads 36+40 = NoteChord notes=[36,40]
chord C1+E1 = NoteChord notes=[36,40]
release 36 = NoteRelease note=36
let go of pad 36 = NoteRelease note=36
hard 36 = VelocityRange note=36 min_velocity=80
soft pad 36 = VelocityRange note=36 max_velocity=79
cc 7 = CC cc=7
cc7 = CC cc=7
cc 7 up = CC cc=7 edge=rising
cc 7 down = CC cc=7 edge=falling
cc 7 64-127 = CC cc=7 value_min=64 value_max=127
cc 7 over 63 = CC cc=7 value_min=64
cc 7 below 20 = CC cc=7 value_max=19
encoder 16 = EncoderTurn cc=16
encoder 16 clockwise = EncoderTurn cc=16 direction=clockwise
encoder 16 ccw = EncoderTurn cc=16 direction=counter_clockwise
cc 16 counter clockwise = EncoderTurn cc=16 direction=counter_clockwise
pitch bend = PitchBend dead_zone=200
pitch bend up = PitchBend value_min=12288
bend down = PitchBend value_max=4095
program 5 = ProgramChange program=5
program change 5 = ProgramChange program=5
aftertouch = Aftertouch pressure_min=64
pressure of pad 36 over 99 = Aftertouch note=36 pressure_min=100
nrpn 300 = Nrpn parameter=300
rpn 0 up = Nrpn parameter=0 registered=true edge=rising
osc /1/fader1 = OscMessage address=/1/fader1
gamepad a = GamepadButton button=south
gamepad button l1 = GamepadButton button=l1
hold gamepad a 700ms = LongPress button=south duration_ms=700
double tap gamepad b = DoubleTap button=east
chord gamepad a+b = GamepadButtonChord buttons=["south","east"]
stick left x = GamepadAnalogStick axis=left_x
left stick up = GamepadAnalogStick axis=left_y direction=positive
gamepad right stick left = GamepadAnalogStick axis=right_x direction=negative
left trigger = GamepadTrigger trigger=left
gamepad trigger right = GamepadTrigger trigger=right
pad 36 on pads = Note note=36 device=pads
pad 36 on PADS channel 10 = Note note=36 device=pads channel=10
cc 7 channel 3 = CC cc=7 channel=3
hold pad 36 on pads 500ms = LongPress note=36 device=pads duration_ms=500
"""

ACTIONS = """
cmd+c = cmd+c
cmd + shift + p = cmd+shift+p
cmd shift p = cmd+shift+p
Ctrl-Shift-P = ctrl+shift+p
key f5 = f5
press ctrl++ = ctrl++
space = space
hold shift = Keystroke keys=shift hold=while_held
w while held = Keystroke keys=w hold=while_held
type "hello" = Text text=hello
type hello = Text text=hello
launch firefox = Launch app=firefox
volume up = VolumeControl operation=Up
volume down by 10% = VolumeControl operation=Down value=10
volume mute = VolumeControl operation=Mute
volume to 40% = VolumeControl operation=Set value=40
set volume to 40 = VolumeControl operation=Set value=40
volume 40% = VolumeControl operation=Set value=40
volume from the knob = VolumeControl operation=Set
volume follows the fader = VolumeControl operation=Set
toggle mute = VolumeControl operation=Toggle
mode default = ModeChange mode=Default
toggle mode Default = ModeChange mode=Default behaviour=toggle
mode Default while held = ModeChange mode=Default behaviour=momentary
switch to Default = ModeChange mode=Default
next mode = ModeChange behaviour=next
previous mode = ModeChange behaviour=previous
send cc 7 value 64 on channel 1 to Synth = SendMidi message_type=CC controller=7 value=64 channel=1 port=Synth
send cc 7 to Synth = SendMidi message_type=CC controller=7 value={"from":"value"} port=Synth
send cc 7 value from the knob on channel 3 to Synth = SendMidi message_type=CC controller=7 value={"from":"value"} channel=3 port=Synth
send note C3 velocity 90 to Synth = SendMidi message_type=NoteOn note=60 velocity=90 port=Synth
send note off 60 to Synth = SendMidi message_type=NoteOff note=60 port=Synth
send pitch bend -100 to Synth = SendMidi message_type=PitchBend pitch=-100 port=Synth
send program change 5 on channel 2 to Synth = SendMidi message_type=ProgramChange program=5 channel=2 port=Synth
forward to Synth = MidiForward port=Synth
forward to Synth on channel 2 transpose 12 = MidiForward port=Synth channel=2 transpose=12
osc /foo 1 to 127.0.0.1:9000 = OscSend address=/foo args=[1] port=9000
osc /foo 0.5 true from the knob to studio:9000 = OscSend host=studio address=/foo args=[0.5,true,{"from":"value"}] port=9000
click = MouseClick
right click = MouseClick button=right
double click at 10 20 = MouseClick count=2 x=10 y=20
scroll down = MouseScroll dy=-1
scroll left 3 = MouseScroll dx=-3
move mouse by -10 5 = MouseMove x=-10 y=5 relative=true
wait 200 ms = Delay duration_ms=200
set variable x to 5 = SetVariable name=x value=5
toggle variable armed = SetVariable name=armed operation=toggle
"""


def lines(table: str) -> list[tuple[str, str]]:
    rows = [line.rpartition(" = ") for line in table.strip().splitlines()]
    return [(left, right) for left, _, right in rows]


def meant(text: str) -> Mapping:
    return Mapping.model_validate(mapping(text))


@pytest.mark.parametrize(("typed", "trigger"), lines(TRIGGERS))
def test_words_for_a_control_make_a_trigger(typed: str, trigger: str) -> None:
    answer = called(f"/map {typed} to cmd+x in Live Set")

    assert row(answer) == meant(f"{trigger} -> cmd+x")
    assert answer.arguments["mode"] == "Live Set"


@pytest.mark.parametrize(("typed", "action"), lines(ACTIONS))
def test_words_for_what_to_do_make_an_action(typed: str, action: str) -> None:
    answer = called(f"/map 99 to {typed}")

    assert answer.tool == "conductor_create_mapping"
    assert row(answer) == meant(f"Note note=99 -> {action}")


def test_a_pad_is_lit() -> None:
    answer = called("/map 99 to light pad 36 red on pads")

    light = {"type": "Led", "device": "pads", "control": "note 36", "color": "red"}
    assert answer.arguments["action"] == light


def test_a_sequence_is_written_with_then_and_waits() -> None:
    answer = called(
        '/map 99 to cmd+c, then wait 200 ms then type "a then b", and then launch firefox with "a b"'
    )

    assert answer.arguments["action"] == {
        "type": "Sequence",
        "actions": [
            {"type": "Keystroke", "keys": ["cmd", "c"]},
            {"type": "Delay", "duration_ms": 200},
            {"type": "Text", "text": "a then b"},
            {"type": "Launch", "app": "firefox", "args": ["a b"]},
        ],
    }


def test_an_action_can_be_repeated() -> None:
    answer = called("/map 99 to repeat 3 times every 100 ms cmd+z")

    keys = {"type": "Keystroke", "keys": ["cmd", "z"]}
    assert answer.arguments["action"] == {
        "type": "Repeat",
        "action": keys,
        "count": 3,
        "delay_ms": 100,
    }


def test_a_program_is_run_with_its_arguments_and_no_shell() -> None:
    answer = called('/map 99 to run notify-send "it is done"')

    assert answer.arguments["action"] == {"type": "Shell", "argv": ["notify-send", "it is done"]}


def test_a_description_and_a_place_are_taken_in_either_order() -> None:
    one = called('/map 99 to cmd+x in live set as "cut"')
    other = called('/map 99 to cmd+x as "cut" in Live Set')
    first = called('/map 99 in Live Set to cmd+x as "cut"')

    assert one.arguments == other.arguments == first.arguments
    assert one.arguments["description"] == "cut"


def test_the_device_may_be_named_at_the_end() -> None:
    assert row(called("/map encoder 16 clockwise to volume up on pads in Live Set")) == meant(
        "EncoderTurn cc=16 direction=clockwise device=pads -> VolumeControl operation=Up"
    )
    assert called("/map 99 to type hold on pads").arguments["action"]["text"] == "hold on pads"


def test_without_a_place_the_only_mode_is_taken_or_else_every_mode() -> None:
    assert called("/map 99 to cmd+x", Config()).arguments["mode"] == "Default"
    assert "mode" not in called("/map 99 to cmd+x").arguments
    assert called("/map 99 to cmd+x in profile web").arguments["profile"] == "Web"
    assert "mode" not in called("/map 99 to cmd+x in every mode", Config()).arguments


def test_a_text_may_have_an_in_of_its_own() -> None:
    answer = called("/map 99 to type sign in here")

    assert answer.arguments["action"]["text"] == "sign in here"


def test_mapping_what_is_mapped_changes_it_and_keeps_its_device() -> None:
    answer = called('/map pad 36 to cmd+x in Default as "cut"')

    assert answer.tool == "conductor_update_mapping"
    assert answer.arguments == {
        "mode": "Default",
        "index": 0,
        "action": {"type": "Keystroke", "keys": ["cmd", "x"]},
        "description": "cut",
    }


def test_another_device_is_another_mapping() -> None:
    assert called("/map pad 36 on virtual to cmd+x in Default").tool == "conductor_create_mapping"


def test_that_is_the_control_touched_last_with_its_device_and_channel() -> None:
    lately = [seen("cc", 7, 1), seen("note_on", 38, 90), seen("note_off", 38, 0), seen("app", 0, 0)]

    assert row(called("/map that to cmd+x", lately=lately)) == meant(
        "Note note=38 device=pads channel=10 -> cmd+x"
    )
    assert row(called("/map hold that 400ms to cmd+x", lately=lately)) == meant(
        "LongPress note=38 device=pads channel=10 duration_ms=400 -> cmd+x"
    )
    assert row(called("/map hard this to cmd+x", lately=lately)) == meant(
        "VelocityRange note=38 device=pads channel=10 min_velocity=80 -> cmd+x"
    )


def test_that_tells_an_encoder_from_a_fader_by_what_it_sent() -> None:
    encoder = [seen("cc", 16, value) for value in (1, 1, 127, 1, 2)]
    fader = [seen("cc", 17, value) for value in (10, 14, 19, 25)]

    turned = row(called("/map that to volume up", lately=encoder)).trigger
    moved = row(called("/map that to volume from the fader", lately=fader)).trigger

    assert (turned.type, moved.type) == ("EncoderTurn", "CC")
    assert row(called("/map that clockwise to volume up", lately=encoder)) == meant(
        "EncoderTurn cc=16 device=pads channel=10 direction=clockwise -> VolumeControl operation=Up"
    )


def test_a_stick_that_was_pushed_is_that_too() -> None:
    pushed = [seen("axis", "left_x", -0.9, "gamepad", 0)]

    assert row(called("/map that to left", lately=pushed)) == meant(
        "GamepadAnalogStick axis=left_x direction=negative device=gamepad -> left"
    )


def test_without_a_touch_that_asks_for_one() -> None:
    assert "touch one" in refused("/map that to cmd+x")


def test_printed_numbers_are_those_of_the_virtual_controller_when_it_is_played() -> None:
    on = config(settings={"engine": {"virtual_controller": "on"}})

    assert (
        row(called("/map knob 3 to volume from the knob", on)).trigger
        == meant("CC cc=22 -> a").trigger
    )
    assert (
        row(called("/map fader 2 to volume from the knob", on)).trigger
        == meant("CC cc=41 -> a").trigger
    )
    assert row(called("/map pad 1 to cmd+c", on)).trigger == meant("Note note=36 -> a").trigger
    assert (
        row(called("/map button play to space", on)).trigger
        == meant("CC cc=102 value_min=64 -> a").trigger
    )


def test_printed_numbers_of_unknown_devices_are_asked_for() -> None:
    assert "which control is knob 3" in refused("/map knob 3 to volume from the knob").lower()
    assert "`note 1`" in refused("/map pad 1 to cmd+c")


def test_notes_are_named_as_the_window_names_them() -> None:
    c4 = config(settings={"ui": {"note_names": "C4"}})

    assert row(called("/map C4 to a", c4)).trigger == row(called("/map C3 to a", Config())).trigger
    assert row(called("/map C-1 to a", c4)).trigger == meant("Note note=0 -> a").trigger
    assert "not a note" in refused("/map note G9 to a", Config())


WRONG = {
    "/mapp 36 to cmd+c": "`/map`",
    "/nonsense": "`/help`",
    "/map": "/map pad 36 to cmd+c",
    "/map 36": "/map <control> to <action>",
    "/map to cmd+c": "say which control",
    "/map 36 to": "say what to do",
    "/map 200 to cmd+c": "not a note",
    "/map cc 128 to cmd+c": "not the number of a CC",
    "/map banana to cmd+c": "`banana` is not a control",
    "/map gamepad z to cmd+c": "unknown gamepad button",
    "/map 36 to cmd+entr": "did you mean `enter`?",
    "/map 36 to fly away": "not an action",
    "/map 36 to Firefox": "`launch Firefox`",
    "/map 36 to a b": 'type "a b"',
    "/map 36 to volume": "up, down, mute",
    "/map 36 to volume to 400": "a volume in percent",
    "/map 36 to mode Live Sett": "did you mean `Live Set`?",
    "/map 36 to cmd+c in Live Sett": "did you mean `Live Set`?",
    "/map 36 to cmd+c in profile Mail": "no profile is called `Mail`",
    "/map 36 on padz to cmd+c": "did you mean `pads`?",
    "/map 36 channel 17 to cmd+c": "not a channel",
    "/map 36 sideways to cmd+c": "`sideways` is not understood here",
    "/map hold cc 7 to cmd+c": "only a pad, a key",
    "/map release gamepad a to cmd+c": "is for a pad or key",
    "/map chord 36 to cmd+c": "at least 2",
    "/map chord 36+36 to cmd+c": "names each note once",
    "/map hold 36 1ms to cmd+c": "greater than or equal to 50",
    "/map cc 7 90-10 to cmd+c": "no value can match",
    "/map stick left to cmd+c": "say which way",
    "/map 36 to send cc 7 value 64": "say where it goes",
    "/map 36 to send banana to Synth": "say what to send",
    "/map 36 to osc /foo to here": "host:port",
    "/map 36 to key fn": "`fn` key",
    "/unmap 99": "nothing is mapped",
    "/unmap 40": "On this control there is",
    "/unmap pad 36": "several mappings fit",
    "/unmap #9 in Default": "numbered from 0 to 1",
    "/move 37": "/move pad 36 to Live",
    "/move 37 to Default": "already",
    "/mode": "new, delete, rename or color",
    "/mode new": "the new mode's name is missing",
    "/mode delete Nix": "Invalid mode: 'Nix' does not exist",
    "/mode rename Default": "/mode rename Live to Stage",
    "/mode color Default": "/mode color Live red",
    "/switch Nix": "Invalid mode: 'Nix' does not exist",
    "/switch": "the mode's name is missing",
    "/alias pads": "/alias pads for that",
    "/alias pads for Mikro": "already a device `pads`",
    "/alias other for that": "no device was touched lately",
    "/explain nonsense": "not an event's number",
    "/learn 1000 s": "0.1 to 600 seconds",
    "/learn piano": "`piano` is not understood here",
    "/shell": "`/shell on` or `/shell off`",
    "/open moniter": "did you mean `monitor`?",
    "/undo everything": "`everything` is not understood here",
    "/help nix": "`/help`",
    "/mappings Nix": "Invalid mode: 'Nix' does not exist",
}  # fmt: skip


@pytest.mark.parametrize(("typed", "hint"), WRONG.items())
def test_what_cannot_be_read_says_what_to_write(typed: str, hint: str) -> None:
    assert hint.casefold() in refused(typed).casefold()


CALLS: dict[str, tuple[str, dict[str, Any]]] = {
    "/unmap 37": ("delete_mapping", {"mode": "Default", "index": 1}),
    "/unmap hold 40": ("delete_mapping", {"index": 0}),
    "/unmap pad 36 in Default": ("delete_mapping", {"mode": "Default", "index": 0}),
    "/unmap pad 36 in Web": ("delete_mapping", {"profile": "Web", "index": 0}),
    "/unmap #1 in default": ("delete_mapping", {"mode": "Default", "index": 1}),
    "/move 37 to #0": ("update_mapping", {"mode": "Default", "index": 1, "to_index": 0}),
    "/mode new Studio": ("create_mode", {"name": "Studio"}),
    "/mode new Big Studio red": ("create_mode", {"name": "Big Studio", "color": "red"}),
    "/mode delete live set": ("delete_mode", {"mode": "Live Set"}),
    "/mode rename Live Set to Stage": ("update_mode", {"mode": "Live Set", "new_name": "Stage"}),
    "/mode color live set green": ("update_mode", {"mode": "Live Set", "color": "green"}),
    "/switch to live set": ("switch_mode", {"mode": "Live Set"}),
    '/alias keys for "Launchkey MK3"': (
        "create_device_identity",
        {"alias": "keys", "matchers": [{"type": "NameContains", "pattern": "Launchkey MK3"}]},
    ),
    "/explain": ("explain_event", {}),
    "/why": ("explain_event", {}),
    "/explain 12": ("explain_event", {"sequence": 12}),
    "/learn": ("start_midi_learn", {}),
    "/learn 10 s": ("start_midi_learn", {"timeout_ms": 10_000}),
    "/undo": ("undo", {}),
    "/redo": ("redo", {}),
    "/status": ("get_status", {}),
    "/devices": ("list_device_bindings", {}),
    "/plans": ("list_plans", {}),
    "/shell on": ("update_settings", {"settings": {"engine": {"allow_shell": True}}}),
    "/shell off": ("update_settings", {"settings": {"engine": {"allow_shell": False}}}),
}  # fmt: skip


@pytest.mark.parametrize(("typed", "call"), CALLS.items())
def test_a_command_calls_its_tool(typed: str, call: tuple[str, dict[str, Any]]) -> None:
    answer = called(typed)

    assert (answer.tool.removeprefix("conductor_"), answer.arguments) == call


def test_a_device_that_has_no_alias_is_named_by_touching_it() -> None:
    answer = called("/alias keys for that", lately=[seen("note_on", 60, 90, "raw:Launchkey MK3")])

    assert answer.arguments["matchers"] == [{"type": "ExactName", "pattern": "Launchkey MK3"}]
    assert "called `pads` already" in refused("/alias keys for that", lately=[seen("cc", 7, 1)])


def test_a_mapping_moves_to_another_mode_whole() -> None:
    answer = called("/move 37 to Live Set")

    now = STAGE
    for operation in answer.arguments["operations"]:
        tool = REGISTRY.get(operation["tool"])
        assert tool is not None
        for change in tool.run(tool.params.model_validate(operation["arguments"]), now):
            now = apply(now, change)
    assert [len(mode.mappings) for mode in now.modes] == [1, 2]
    assert now.modes[1].mappings[1] == STAGE.modes[0].mappings[1]


def test_lists_are_answered_in_words() -> None:
    everything, one = said("/mappings"), said("/mappings live set")
    nothing = said("/mappings", Config())

    assert isinstance(everything, SlashText)
    assert "#1 Note 37 → Keystroke cmd+v" in everything.text
    assert isinstance(one, SlashText)
    assert one.text == "**In mode Live Set**\n\n- #0 CC 9 → Volume Set"
    assert isinstance(nothing, SlashText)
    assert "/map pad 36 to cmd+c" in nothing.text


def test_a_view_is_opened_in_the_window() -> None:
    answer = said("/open monitor")

    assert isinstance(answer, SlashView)
    assert answer.view == "monitor"


def test_help_names_every_command_and_its_examples_can_be_read() -> None:
    whole = said("/help")
    assert isinstance(whole, SlashText)
    on = config(
        modes={"Live": "Note note=37 -> a", "Stage": "Note note=36 -> b"},
        everywhere="LongPress note=36 -> c",
        settings={"engine": {"virtual_controller": "on"}},
        devices=[{"alias": "pads", "matchers": [{"type": "NameContains", "pattern": "M"}]}],
    )
    touched = [seen("note_on", 36, 90, "raw:Launchkey")]
    for command in COMMANDS:
        assert f"`{command.name}" in whole.text
        more = said(f"/help {command.name}")
        assert isinstance(more, SlashText)
        assert more.ok
        for example in command.examples:
            known = {"/alias", "/mode", "/move"}
            answer = said(example, on, touched)
            assert command.name in known or isinstance(answer, SlashCall | SlashView), answer


def test_the_commands_in_the_guide_can_be_read() -> None:
    guide = (Path(__file__).parents[2] / "docs" / "guide" / "chat.md").read_text()
    now = config(
        modes={"Default": "Note note=37 -> a", "Live": "Note note=36 -> b", "Stage": ""},
        devices=[{"alias": "pads", "matchers": [{"type": "NameContains", "pattern": "M"}]}],
    )
    commands = re.findall(r"`(/[a-z]+ ?[^`]*)`", guide)

    assert len(commands) >= 20
    for command in commands:
        answer = said(command, now, [seen("note_on", 36, 90, "raw:Launchkey")])
        assert not isinstance(answer, SlashText) or answer.ok, f"{command}: {answer}"


def test_a_path_is_no_command() -> None:
    assert is_command("/map 36 to a")
    assert is_command("/help")
    assert not is_command("/usr/bin/env is a path")
    assert not is_command("what is /map?")
    assert not is_command("")


WORDS = st.sampled_from(
    [
        "/map",
        "/unmap",
        "/move",
        "/mode",
        "/alias",
        "/learn",
        "map",
        "to",
        "in",
        "on",
        "as",
        "then",
        "hold",
        "release",
        "chord",
        "pad",
        "note",
        "cc",
        "that",
        "36",
        "C2",
        "36+40",
        "500ms",
        "0.5",
        "s",
        "ms",
        "cmd+c",
        "key",
        "type",
        '"hello"',
        '""',
        "“a”",
        "launch",
        "volume",
        "up",
        "down",
        "from",
        "the",
        "knob",
        "mode",
        "Live",
        "Default",
        "send",
        "value",
        "channel",
        "1",
        "10",
        "osc",
        "/foo",
        "127.0.0.1:9000",
        "click",
        "scroll",
        "wait",
        "repeat",
        "light",
        "red",
        "#1",
        "#-1",
        "new",
        "rename",
        "delete",
        "color",
        "gamepad",
        "a",
        "stick",
        "left",
        "x",
        "+",
        "++",
        "-",
        ",",
        "every",
        "times",
        "3",
        "²",
        "٣",
        "\u202e",
        "pitch",
        "bend",
        "encoder",
        "profile",
        "Web",
    ]
)
EVENTS = st.builds(
    seen,
    st.sampled_from(
        ["note_on", "note_off", "cc", "axis", "pitch_bend", "sysex", "osc", "nrpn", "app"]
    ),
    st.integers(0, 127),
    st.integers(0, 127),
)


@settings(max_examples=300, deadline=None)
@given(st.lists(WORDS, max_size=14), st.lists(EVENTS, max_size=4))
def test_no_words_of_its_own_upset_the_parser(words: list[str], lately: list[InputEvent]) -> None:
    said(" ".join(words), lately=lately)
    said("/map " + " ".join(words), lately=lately)
    said("/map 36 to " + " ".join(words), lately=lately)


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=80))
def test_no_text_upsets_the_parser(text: str) -> None:
    said(text)
    said(f"/map {text}")
    said(f"/map pad 36 to {text}")
