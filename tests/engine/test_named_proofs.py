"""The sentences of a proof lead with what is printed on the controls, and keep the numbers."""

from tests.support.simulate import Row, config, does

from conductor.domain.config import Config
from conductor.domain.control_labels import ControlLabel
from conductor.domain.control_names import ControlNames, NamedControl
from conductor.domain.coverage import Coverage
from conductor.domain.events import InputEvent
from conductor.domain.plan import Overlap
from conductor.engine.conflicts.analysis import ConflictFinder
from conductor.engine.gestures.exhaustive import ExhaustiveProof, ProofBudget
from conductor.engine.impact.analysis import analyze_change
from conductor.engine.recording.events import build_recording
from conductor.engine.replay import compare_recording, describe_comparison
from conductor.engine.script import parse_script
from conductor.engine.timeline import build_timeline

NAMES = ControlNames(
    {
        "pads": [
            NamedControl("note", 36, None, "Pad 1"),
            NamedControl("note", 38, None, "Pad 3"),
            NamedControl("cc", 20, None, "Knob 1"),
        ]
    }
)
PAD_1 = ControlLabel(control="note 36", name="Pad 1")
PAD_3 = ControlLabel(control="note 38", name="Pad 3")


def find(rows: list[Row], names: ControlNames = NAMES) -> Overlap:
    (found,) = (
        one
        for one in ConflictFinder().find_conflicts(config(rows), names=names)
        if one.kind != "unreachable_mode"
    )
    return found


def test_a_conflict_that_rules_find_names_the_control() -> None:
    found = find(["Note note=36 -> a", "DoubleTap note=36 timeout_ms=300 -> b"])
    assert found.message == "the double tap of Pad 1 delays its tap by 300 ms"
    assert found.control_names == (PAD_1,)
    assert found.gesture is not None
    assert "36" in found.gesture


def test_a_conflict_that_simulation_finds_names_the_controls() -> None:
    found = find(["NoteChord notes=[36,38] -> a", "LongPress note=36 duration_ms=500 -> b"])
    assert found.message == (
        "`Hold Pad 1 500 ms, mapping 2 of all modes` does not fire when Pad 1 is part of a chord: "
        "`Chord Pad 1 + Pad 3, mapping 1 of all modes` is the chord Pad 1 + Pad 3, which uses up its "
        "notes"
    )
    assert found.control_names == (PAD_1, PAD_3)


def test_a_name_that_two_devices_have_keeps_its_device() -> None:
    pad = NamedControl("note", 36, None, "Pad 1")
    names = ControlNames({"pads": [pad], "keys": [pad]})
    found = find(["Note note=36 device=pads -> a", "DoubleTap note=36 device=pads -> b"], names)
    assert found.message == "the double tap of Pad 1 on pads delays its tap by 300 ms"


def test_a_name_that_two_controls_of_a_device_have_keeps_its_number() -> None:
    pads = [NamedControl("note", number, None, "Pad") for number in (36, 37)]
    found = find(["Note note=36 -> a", "DoubleTap note=36 -> b"], ControlNames({"pads": pads}))
    assert found.message == "the double tap of Pad (note 36) delays its tap by 300 ms"


def test_a_control_without_a_name_keeps_its_number() -> None:
    rows: list[Row] = ["Note note=37 -> a", "Note note=37 -> b"]
    assert find(rows).message == find(rows, ControlNames()).message
    assert "`Note 37 (C#1), mapping 2" in find(rows).message
    assert find(rows).control_names == ()


def test_new_names_are_in_the_messages_of_a_config_whose_conflicts_are_known() -> None:
    finder, checked = ConflictFinder(), config(["Note note=36 -> a", "Note note=36 -> b"])
    assert "`Note 36 (C1), mapping 2" in finder.find_conflicts(checked)[0].message
    assert "`Pad 1, mapping 2" in finder.find_conflicts(checked, names=NAMES)[0].message
    # A caller that needs no messages leaves the known ones as they are.
    assert "Pad 1" in finder.find_conflicts(checked)[0].message


def test_the_impact_names_its_controls() -> None:
    impact = analyze_change(config([]), config(["Note note=36 device=pads -> a"]), NAMES).impact
    assert [(one.number, one.name) for one in impact.controls] == [(36, "Pad 1")]
    assert impact.summary == (
        "May change: Pad 1 (note 36) on pads. Everything else stays the same."
    )


def test_the_impact_keeps_the_channel_with_the_number() -> None:
    rows: list[Row] = ["CC cc=20 device=pads channel=2 -> a", "Note note=37 device=pads -> b"]
    impact = analyze_change(config([]), config(rows), NAMES).impact
    assert impact.summary == (
        "May change: Knob 1 (CC 20 ch 2) on pads, note 37 (C#1) on pads. "
        "Everything else stays the same."
    )


def prove(old: Config, new: Config, names: ControlNames = NAMES) -> Coverage:
    proof = ExhaustiveProof(old, new, ProofBudget(gestures=2_000, seconds=60), None, names)
    *_, found = proof.run(step_ms=1000)
    return found


def test_a_counterexample_names_its_control() -> None:
    old, new = (config([f"Note note=36 device=pads -> {key}"]) for key in "ab")
    found = prove(old, new)
    (counterexample,) = found.counterexamples
    assert counterexample.control == "Pad 1 (note 36) on pads"
    assert "36" in counterexample.gesture
    assert counterexample.control_names == (PAD_1,)
    assert {one.words.partition(" ->")[0] for one in found.changed} == {"Pad 1 (note 36)"}


def test_a_gesture_has_the_names_of_the_virtual_controller_only_for_its_own_mappings() -> None:
    virtual = [NamedControl("note", 36, 10, "Virtual pad 1")]
    names = ControlNames({"virtual": virtual}, others=True)
    for device, label in ((" device=virtual", ("Virtual pad 1",)), ("", ())):
        old, new = (config([f"Note note=36{device} -> {key}"]) for key in "ab")
        found = prove(old, new, names)
        labels = found.counterexamples[0].control_names
        assert tuple(one.name for one in labels) == label


COPY, PASTE = (
    does("Note note=36", {"type": "Keystroke", "keys": key}) | {"description": words}
    for key, words in (("c", "copy"), ("v", "paste"))
)


def play(script: str) -> list[InputEvent]:
    return [item for item in parse_script(script, "pads") if isinstance(item, InputEvent)]


def test_a_replay_names_the_controls_that_were_played() -> None:
    old, new = config([COPY]), config([PASTE])
    comparison = compare_recording(old, new, build_recording(play("tap 36; wait 900; tap 36")))
    replay = describe_comparison(old, new, comparison, NAMES)
    assert replay.summary.endswith(
        "2 presses of Pad 1 (note 36) that did `copy` would now do `paste`."
    )
    assert replay.appear[0].event.startswith("Pad 1, note 36 (C1)")
    timeline = build_timeline(comparison, NAMES)
    assert timeline is not None
    assert timeline.inputs[0].text.startswith("Pad 1, note 36 (C1)")
