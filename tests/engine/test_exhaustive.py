"""Changes proven on generated gestures: differences, the shortest counterexamples, and limits."""

from random import Random
from typing import Any

from tests.engine.impact_worlds import random_change, random_config
from tests.support.simulate import Rows, rows

from conductor.domain.change_kinds import (
    Change,
    CreateMapping,
    DeleteMapping,
    UpdateDevice,
    UpdateMapping,
    UpdateMode,
    UpdateSettings,
)
from conductor.domain.changes import apply_change
from conductor.domain.config import Config, Mapping
from conductor.domain.coverage import Coverage
from conductor.domain.events import InputEvent
from conductor.domain.recording import Recording
from conductor.domain.renames import Renames
from conductor.engine.coverage import collect_touches
from conductor.engine.gestures.exhaustive import ExhaustiveProof, ProofBudget
from conductor.engine.gestures.exhaustive_subjects import (
    MAX_ROWS_PER_SUBJECT,
    MAX_WRITER_ROWS,
    build_proof_subjects,
)
from conductor.engine.impact.analysis import analyze_change
from conductor.engine.impact.summary import describe_impacted_control
from conductor.engine.recording.events import build_recording
from conductor.engine.replay import compare_recording
from conductor.engine.script import parse_script
from conductor.engine.touches import PlayedTouches

QUICK = ProofBudget(gestures=8_000, seconds=60)


def world(modes: dict[str, Rows], **more: Any) -> Config:
    listed = [{"name": name, "mappings": rows(each)} for name, each in modes.items()]
    return Config.model_validate({"modes": listed, **more})


def create(row: str, mode: str = "Default") -> Change:
    return CreateMapping(mode=mode, mapping=Mapping.model_validate(rows(row)[0]))


def prove(
    config: Config,
    change: Change,
    budget: ProofBudget = QUICK,
    touches: PlayedTouches | None = None,
) -> Coverage:
    proof = ExhaustiveProof(config, apply_change(config, change), budget, touches)
    *_, found = proof.run(step_ms=1000)
    return found


PADS = world(
    {
        "Default": ["Note note=36 -> a", "LongPress note=36 duration_ms=400 -> z", "Note note=51 -> ModeChange mode=Live"],
        "Live": ["Note note=36 -> b", "Note note=40 -> c"],
    }
)  # fmt: skip


def test_a_description_needs_no_gesture():
    found = prove(PADS, UpdateMapping(mode="Default", index=0, description="kick"))
    assert (found.gestures_played, found.differing, found.finished) == (0, 0, True)


def test_a_double_tap_delays_the_tap_and_the_shortest_gesture_shows_it():
    found = prove(PADS, create("DoubleTap note=36 timeout_ms=300 -> d"))
    (shown,) = found.counterexamples
    assert shown.control == "note 36 (C1)"
    assert shown.gesture == "down 36; wait 20; up 36"
    assert (shown.before, shown.after) == (("A after 20 ms",), ("A after 300 ms",))
    assert found.finished
    assert not found.cut_short
    tried = f"Tried {found.gestures_played:,} gestures; {found.differing:,} now do something else"
    assert found.summary.startswith(f"{tried} (every gesture with up to {found.depth} touches)")


def test_a_long_press_is_shown_by_holding_the_pad_and_not_by_a_tap():
    pads = world({"Default": ["Note note=36 -> s"]})
    found = prove(pads, create("LongPress note=36 duration_ms=500 -> v"))
    (shown,) = found.counterexamples
    assert shown.gesture == "down 36; wait 500"
    assert (shown.before, shown.after) == (("S",), ("V after 500 ms",))


def test_the_gestures_reach_both_sides_of_a_time_limit():
    wanted = {"type": "LongPress", "note": 36, "duration_ms": 401}
    change = UpdateMapping.model_validate({"mode": "Default", "index": 1, "trigger": wanted})
    (shown,) = prove(PADS, change).counterexamples
    assert parse_script(shown.gesture)  # it can be played again
    assert shown.before != shown.after


def test_a_mapping_that_cannot_fire_differs_in_nothing():
    found = prove(PADS, create("Note note=36 -> x"))
    assert found.gestures_played > 0
    assert found.differing == 0
    assert found.changed[0].gestures == 0


def test_a_variable_is_followed_to_the_pad_that_reads_it():
    config = world(
        {
            "Default": [
                "Note note=36 -> SetVariable name=bank value=true",
                {
                    "trigger": {"type": "Note", "note": 40},
                    "action": {
                        "type": "Conditional",
                        "condition": {"type": "VariableIs", "name": "bank"},
                        "then": {"type": "Keystroke", "keys": "a"},
                        "else": {"type": "Keystroke", "keys": "delete"},
                    },
                },
            ]
        }
    )
    found = prove(config, DeleteMapping(mode="Default", index=0))
    shown = {one.control: one for one in found.counterexamples}
    assert shown["note 40 (E1)"].before[-1].startswith("A after")
    assert shown["note 40 (E1)"].after[-1].startswith("Delete after")


def test_a_mode_is_followed_to_the_pads_that_differ_in_it():
    found = prove(PADS, DeleteMapping(mode="Default", index=2))
    assert {one.control for one in found.counterexamples} >= {"note 51 (D#2)", "note 40 (E1)"}


def test_another_name_differs_in_nothing():
    assert prove(PADS, UpdateMode(name="Live", new_name="Show")).differing == 0


def test_a_muted_device_differs_in_what_it_plays():
    devices = [{"alias": "pads", "matchers": [{"type": "NameContains", "pattern": "x"}]}]
    config = world({"Default": ["Note note=36 device=pads -> a"]}, devices=devices)
    found = prove(config, UpdateDevice(alias="pads", enabled=False))
    assert [one.control for one in found.counterexamples] == ["note 36 (C1) on pads"]
    assert found.counterexamples[0].after == ()


def test_an_alias_that_goes_differs_in_what_its_port_plays():
    devices = [{"alias": "pads", "matchers": [{"type": "NameContains", "pattern": "x"}]}]
    config = world({"Default": ["Note note=36 device=pads -> a"]}, devices=devices)
    matchers = {"alias": "pads", "matchers": [{"type": "ExactName", "pattern": "Other"}]}
    assert prove(config, UpdateDevice.model_validate(matchers)).differing > 0


def test_a_setting_that_stops_an_action_differs():
    config = world({"Default": ['Note note=36 -> Shell argv=["ls"]']})
    change = UpdateSettings(settings={"engine": {"allow_shell": True}})
    assert prove(config, change).differing > 0


def recorded_touches(config: Config, recording: Recording) -> PlayedTouches:
    return collect_touches(compare_recording(config, config, recording), recording, Renames())


def test_what_was_not_played_is_named():
    events = [item for item in parse_script("tap 40") if isinstance(item, InputEvent)]
    touches = recorded_touches(PADS, build_recording(events, mode="Default"))
    found = prove(PADS, create("DoubleTap note=36 -> d"), touches=touches)
    assert [one.played for one in found.changed] == [False]
    assert found.summary.startswith("You have not played `Double tap 36 (C1) -> D` recently. ")
    assert prove(PADS, create("DoubleTap note=40 -> d"), touches=touches).changed[0].played


def test_a_touch_counts_only_in_the_mode_in_which_the_mapping_hears_it():
    events = [item for item in parse_script("tap 36") if isinstance(item, InputEvent)]
    in_live = recorded_touches(PADS, build_recording(events, mode="Live"))
    mapping = create("DoubleTap note=36 -> d")
    assert prove(PADS, mapping, touches=in_live).changed[0].played is False
    in_default = recorded_touches(PADS, build_recording(events, mode="Default"))
    assert prove(PADS, mapping, touches=in_default).changed[0].played is True


def test_a_touch_after_a_pad_switched_the_mode_counts_in_the_new_mode():
    script = "tap 51; wait 500; tap 36"
    events = [item for item in parse_script(script) if isinstance(item, InputEvent)]
    touches = recorded_touches(PADS, build_recording(events, mode="Default"))
    played = prove(PADS, create("DoubleTap note=36 -> d"), touches=touches).changed[0].played
    assert played is False
    assert prove(PADS, create("DoubleTap note=51 -> d"), touches=touches).changed[0].played


def test_a_touch_while_paused_counts_for_nothing():
    events = [item for item in parse_script("tap 36") if isinstance(item, InputEvent)]
    recording = build_recording(events, mode="Default")
    [segment] = recording.segments
    paused = segment._replace(start=segment.start._replace(paused=True))
    touches = recorded_touches(PADS, Recording((paused,)))
    played = prove(PADS, create("DoubleTap note=36 -> d"), touches=touches).changed[0].played
    assert played is False


def test_a_touch_of_which_the_mode_is_not_known_leaves_it_open():
    events = [item for item in parse_script("tap 36") if isinstance(item, InputEvent)]
    [segment] = build_recording(events, mode="Default").segments
    start = segment.start._replace(unfinished=("a gesture was under way",))
    touches = recorded_touches(PADS, Recording((segment._replace(start=start),)))
    played = prove(PADS, create("DoubleTap note=36 -> d"), touches=touches).changed[0].played
    assert played is None


def test_a_thousand_mappings_of_one_pad_are_played_in_parts_and_reported():
    crowded = world(
        {"Default": [f"LongPress note=36 duration_ms={n} -> a" for n in range(100, 1_100)]}
    )
    new = apply_change(crowded, create("LongPress note=36 duration_ms=50 -> d"))
    subjects, missing = build_proof_subjects(analyze_change(crowded, new))
    assert max(len(subject.rows) for subject in subjects) <= MAX_ROWS_PER_SUBJECT + MAX_WRITER_ROWS
    assert missing[0] == "more than 24 of the 1,001 mappings of one control together"
    found = prove(
        crowded, create("LongPress note=36 duration_ms=50 -> d"), ProofBudget(gestures=20)
    )
    assert missing[0] in found.missing


def test_it_stops_when_the_budget_is_used_up():
    found = prove(PADS, create("DoubleTap note=36 -> d"), ProofBudget(gestures=10, seconds=60))
    assert (found.gestures_played, found.cut_short, found.finished) == (10, True, True)


def test_it_is_done_in_slices_that_can_be_stopped():
    proof = ExhaustiveProof(PADS, apply_change(PADS, create("DoubleTap note=36 -> d")), QUICK)
    slices = proof.run(step_ms=0)
    shown = [next(slices) for _ in range(20)]
    assert [one.finished for one in shown] == [False] * 20
    assert 0 < shown[-1].progress < 1


def test_no_gesture_shows_a_control_outside_the_impact():
    for seed in range(40):
        rnd = Random(seed)
        changed = random_change(rnd, random_config(rnd))
        proof = ExhaustiveProof(changed.old, changed.new, ProofBudget(gestures=300, seconds=60))
        *_, found = proof.run(step_ms=1000)
        known = {
            describe_impacted_control(one).partition(" ch ")[0].partition(" on ")[0]
            for one in proof.impact.controls
        }
        known |= {"the pressure of note 36", "the pressure of note 61"}
        for one in found.counterexamples:
            control = one.control.partition(" ch ")[0].partition(" on ")[0]
            assert control in known or "mapping" in one.control, (seed, changed.kind, one)
