"""The words of `/map`: controls and actions, a line each."""

import pytest
from tests.agent.saying import called, meant, row

TRIGGERS = """
pad 36 = Note note=36
pad36 = Note note=36
36 = Note note=36
note C1 = Note note=36
note c#1 = Note note=37
Bb1 = Note note=46
C-2 = Note note=0
tap pad 36 = Note note=36
hold pad 36 = LongPress note=36 duration_ms=500
hold pad 36 500ms = LongPress note=36 duration_ms=500
hold pad 36 for 0.5 s = LongPress note=36 duration_ms=500
long press 36 1500 ms = LongPress note=36 duration_ms=1500
press and hold 36 2s = LongPress note=36 duration_ms=2000
double tap 36 = DoubleTap note=36
double tap pad 36 within 400 ms = DoubleTap note=36 timeout_ms=400
double tap pad 36 250ms = DoubleTap note=36 timeout_ms=250
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
send note C3 velocity 90 to Synth = SendMidi message_type=NoteOn note=60 velocity=90 hold=while_held port=Synth
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
