"""Every kind of trigger fires, and every kind of action reaches its port or changes the engine."""

import pytest
from tests.support.simulate import play, plays, sends

from conductor.domain.actions import ACTION_KINDS
from conductor.domain.triggers import TRIGGER_KINDS

TRIGGERS = {
    "Note": ("note=36", "down 36"),
    "VelocityRange": ("note=36 min_velocity=90", "down 36 vel 100"),
    "LongPress": ("note=36 duration_ms=500", "down 36"),
    "DoubleTap": ("note=36", "tap 36; tap 36 @100"),
    "NoteChord": ("notes=[36,38]", "down 36; down 38"),
    "NoteRelease": ("note=36", "tap 36"),
    "CC": ("cc=7 value_min=64", "cc 7 64"),
    "EncoderTurn": ("cc=21 encoding=twos_complement", "turn 21 1"),
    "Aftertouch": ("note=36 pressure_min=80", "pressure 90 note 36"),
    "PitchBend": ("value_min=12000", "bend 16383"),
    "ProgramChange": ("program=5", "program 5"),
    "Nrpn": ("parameter=300", "nrpn 300 5"),
    "Sysex": ("pattern=F07E*", "sysex 7E 01"),
    "GamepadButton": ("button=south", "button south"),
    "GamepadButtonChord": ('buttons=["south","east"]', "button south down; button east down"),
    "GamepadAnalogStick": ("axis=left_x direction=right", "axis left_x 0.9"),
    "GamepadTrigger": ("trigger=left", "trigger left 0.8"),
    "OscMessage": ("address=/go", "osc /go 1"),
}
"""By kind: its fields, and what plays it."""

ACTIONS = {
    "Keystroke": ("keys=cmd+c", "press cmd+c; release cmd+c"),
    "Text": ("text=hi", "text 'hi'"),
    "Launch": ('app=code args=["."]', "launch code ."),
    "Shell": ('argv=["ls","-l"]', "run ls -l"),
    "VolumeControl": ("operation=Set", "volume Set 50"),
    "SendMidi": ("port=out message_type=NoteOn note=60 velocity=9", "midi out 90 3C 09"),
    "MidiForward": ("port=out channel=2", "midi out B1 01 40"),
    "OscSend": (
        'port=9000 address=/x args=[1,{"from":"value"}]',
        "osc 127.0.0.1:9000 /x [1, 0.5039]",
    ),
    "MouseClick": ("x=10 y=20 count=2", "move to 10 20; click left 2"),
    "MouseMove": ("x=5 y=-5 relative=true", "move by 5 -5"),
    "MouseScroll": ("dy=-1", "scroll 0 -1"),
    "Led": ("device=pads control=36 color=red", "light note 36 of pads red"),
    "Plugin": ('server=notes tool=add args={"text":"hi"}', "plugin notes:add {'text': 'hi'}"),
}
"""By kind: its fields, and what reaches the computer when CC 1 comes with 64."""

IN_THE_ENGINE = {
    "ModeChange": "mode=Default",
    "SetVariable": "name=x value=5",
    "Sequence": 'actions=[{"type":"Delay","duration_ms":5},{"type":"Keystroke","keys":"b"}]',
    "Delay": "duration_ms=5",
    "Repeat": 'count=2 action={"type":"Keystroke","keys":"b"}',
    "Conditional": 'condition=Always then={"type":"Keystroke","keys":"b"}',
}
"""By kind: its fields. These are played out by the engine itself."""

WHILE_HELD = {"PushToTalk"}
"""What lasts as long as a control is held, which a CC is not: test_push_to_talk.py plays it."""


def test_the_tables_here_name_every_kind():
    assert TRIGGERS.keys() == TRIGGER_KINDS.keys()
    assert ACTIONS.keys() | IN_THE_ENGINE.keys() | WHILE_HELD == ACTION_KINDS.keys()


@pytest.mark.parametrize("kind", TRIGGERS)
def test_every_kind_of_trigger_fires(kind: str):
    fields, script = TRIGGERS[kind]
    done = plays(f"{kind} {fields} -> a", script)
    assert done.split(" ", 1)[1] == "Keystroke a"


@pytest.mark.parametrize("kind", ACTIONS)
def test_every_kind_of_action_reaches_its_port(kind: str):
    fields, said = ACTIONS[kind]
    assert sends(f"CC cc=1 -> {kind} {fields}", "cc 1 64") == said


@pytest.mark.parametrize("kind", IN_THE_ENGINE)
def test_every_kind_of_action_of_the_engine_s_own_is_played_to_its_end(kind: str):
    simulation, traces = play(f"CC cc=1 -> {kind} {IN_THE_ENGINE[kind]}", "cc 1 64")
    assert [ref.mapping.action.type for trace in traces for ref in trace.fired] == [kind]
    assert simulation.state.runs == {}
    keys = [effect for trace in traces for effect in trace.effects if effect.kind == "do"]
    assert len(keys) == {"Sequence": 1, "Repeat": 2, "Conditional": 1}.get(kind, 0)


@pytest.mark.parametrize("kind", TRIGGERS)
def test_every_kind_of_trigger_hears_only_the_device_it_names(kind: str):
    fields, script = TRIGGERS[kind]
    assert plays(f"{kind} {fields} device=elsewhere -> a", script) == ""
