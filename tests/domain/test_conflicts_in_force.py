"""Overlaps between scopes, from recorded input, of a change, and of random configs."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from tests.domain.test_conflicts import of, told
from tests.domain.test_examples import FILES, load
from tests.engine.streams import Item, Player, configs, streams
from tests.support.in_one_call import compare_overlaps
from tests.support.prove import proves, scaled
from tests.support.simulate import Rows, config, does

from conductor.domain.config import Config
from conductor.domain.conflicts.overlaps import find_config_overlaps
from conductor.domain.events import EventKind, InputEvent


def test_a_mode_replaces_a_global_and_says_so():
    modes: dict[str, Rows] = {"Cut": ["Note note=36 device=pads -> a"], "Mix": []}
    assert of(["Note note=36 -> b"], modes=modes) == [
        "info shadowed: `global #0` does not act on note 36 on pads in mode Cut: `mode:Cut #0` goes first"
    ]


def test_a_profile_replaces_what_is_below_it():
    profile = {
        "name": "Code",
        "match": {"executable": "code"},
        "mappings": ["CC cc=7 -> a"],
    }
    modes: dict[str, Rows] = {"Cut": ["CC cc=7 -> b"]}
    assert of(["CC cc=7 -> c"], modes=modes, profiles=[profile]) == [
        "info shadowed: `global #0` never acts in mode Cut: `mode:Cut #0` goes first",
        (
            "info shadowed: `mode:Cut #0` and `global #0` never act while profile Code is active: "
            "`profile:Code #0` goes first"
        ),
    ]


def test_a_tap_of_one_mode_does_not_wait_for_a_gesture_of_another():
    assert of(modes={"A": ["Note note=36 -> a"], "B": ["DoubleTap note=36 -> b"]}) == []


def test_a_tap_of_a_mode_waits_for_a_gesture_of_all_modes():
    found = find_config_overlaps(
        config(["DoubleTap note=36 -> b"], modes={"A": ["Note note=36 -> a"]})
    )
    assert [(one.kind, one.places) for one in found] == [
        ("tap_delayed", ("global #0", "mode:A #0"))
    ]


def test_a_replaced_double_tap_delays_nothing_twice():
    modes: dict[str, Rows] = {
        "A": ["Note note=36 -> a", "DoubleTap note=36 timeout_ms=200 -> b"],
    }
    assert of(["DoubleTap note=36 timeout_ms=400 -> c"], modes=modes) == [
        "info shadowed: `global #0` never acts in mode A: `mode:A #1` goes first",
        "info tap_delayed: the double tap of note 36 delays its tap by 200 ms",
    ]


def find_dead_ends(modes: dict[str, Rows], everywhere: Rows = ()) -> list[str]:
    found = find_config_overlaps(config(everywhere, modes=modes))
    return [
        f"{one.message} ({', '.join(one.places)})" for one in found if one.kind == "no_way_back"
    ]


@pytest.mark.parametrize("behaviour", ["switch", "toggle"])
def test_a_mode_from_which_nothing_leads_back_is_found_at_the_mappings_that_lead_there(
    behaviour: str,
):
    there = f"Note note=1 -> ModeChange mode=B behaviour={behaviour}"
    held = "Note note=2 -> ModeChange mode=A behaviour=momentary"
    here = "Note note=3 -> ModeChange mode=B"
    assert find_dead_ends({"A": ["Note note=9 -> a", there], "B": [held, here]}) == [
        "nothing leads back from mode B: no mapping in it or in all modes changes the mode"
        " (mode:A #1)"
    ]


@pytest.mark.parametrize(
    ("modes", "everywhere"),
    [
        ({"B": ["Note note=2 -> ModeChange mode=A"]}, ()),
        ({"B": ["Note note=2 -> ModeChange mode=B behaviour=toggle"]}, ()),
        ({"B": []}, ["Note note=2 -> ModeChange behaviour=next"]),
        ({"B": []}, ["Note note=2 -> ModeChange mode=B behaviour=toggle"]),
    ],
)
def test_a_mode_that_a_control_leaves_is_no_dead_end(modes: dict[str, Rows], everywhere: Rows):
    there: Rows = ["Note note=1 -> ModeChange mode=B"]
    assert find_dead_ends({"A": there, **modes}, everywhere) == []


def test_a_mode_that_lasts_while_a_control_is_held_needs_no_way_back():
    held: Rows = ["Note note=1 -> ModeChange mode=B behaviour=momentary"]
    assert find_dead_ends({"A": held, "B": []}) == []


def test_a_mode_that_nothing_leads_to_is_found():
    modes: dict[str, Rows] = {
        "A": ["Note note=1 -> ModeChange mode=B"],
        "B": ["Note note=1 -> ModeChange mode=A"],
        "C": ["Note note=1 -> ModeChange mode=D"],
        "D": [],
    }
    assert told(find_config_overlaps(config(modes=modes))) == [
        (
            "warning unreachable_mode: mode C cannot be entered from the controls: no mapping switches "
            "to it, no profile names it and it is not the start mode"
        ),
        (
            "warning unreachable_mode: mode D cannot be entered from the controls: only modes that "
            "cannot be entered themselves lead to it"
        ),
    ]


@pytest.mark.parametrize(
    "way_in",
    [
        {"everywhere": ["Note note=1 -> ModeChange behaviour=next"]},
        {"everywhere": ["Note note=1 -> ModeChange mode=B behaviour=toggle"]},
        {
            "everywhere": [
                does(
                    "Note note=1",
                    {"type": "Sequence", "actions": [{"type": "ModeChange", "mode": "B"}]},
                )
            ]
        },
        {"profiles": [{"name": "P", "match": {"executable": "x"}, "mode": "B"}]},
        {
            "settings": {"engine": {"start_mode": "B"}},
            "everywhere": ["Note note=1 -> ModeChange mode=A"],
        },
    ],
    ids=["next", "toggle", "inside a sequence", "profile", "start"],
)
def test_a_mode_with_a_way_in_is_reachable(way_in: dict[str, Any]):
    found = find_config_overlaps(config(modes={"A": [], "B": []}, **way_in))
    assert [one for one in found if one.kind != "no_way_back"] == []


def presses(
    held_ms: Sequence[float | None], kinds: tuple[EventKind, EventKind] = ("note_on", "note_off")
) -> list[InputEvent]:
    """Return presses of note 36 once a second, each with a hold time in ms; None is a lost release."""
    events: list[InputEvent] = []
    for second, held in enumerate(held_ms):
        events.append(InputEvent(kinds[0], "pads", 10, 36, 127, second))
        if held is not None:
            events.append(InputEvent(kinds[1], "pads", 10, 36, 0, second + held / 1000))
    return events


HOLD = "LongPress note=36 device=pads duration_ms=500 -> a"


def test_a_pad_that_lets_go_at_once_cannot_be_held():
    assert of([HOLD], events=presses([1, 3, 2, 4])) == [
        (
            "warning toggle_cannot_hold: note 36 on pads sends its release at most 4 ms after each press "
            "(4 recent presses): the long press `global #0` cannot reach its 500 ms"
        )
    ]


def test_a_pad_that_never_lets_go_holds_for_ever():
    assert of([HOLD], events=presses([None] * 4)) == [
        (
            "warning toggle_cannot_hold: note 36 on pads sends no release (3 recent presses): every "
            "press becomes the long press `global #0` after 500 ms"
        )
    ]


def test_keys_held_by_a_button_that_sends_pulses_go_up_at_once():
    row = "CC cc=36 value_min=64 -> Keystroke keys=shift hold=while_held"
    assert of([row], events=presses([2, 2, 2], ("cc", "cc"))) == [
        (
            "warning toggle_cannot_hold: CC 36 sends its release at most 2 ms after each press "
            "(3 recent presses): what `global #0` holds ends at once"
        )
    ]


@pytest.mark.parametrize(
    "held_ms", [[1, 3, 120], [2, 2], [1, None, 2], []], ids=["held once", "few", "mixed", "none"]
)
def test_a_pad_that_may_be_held_is_left_alone(held_ms: list[float | None]):
    assert of([HOLD], events=presses(held_ms)) == []


def test_a_knob_is_not_taken_for_a_button():
    row = "CC cc=7 value_min=64 -> Keystroke keys=shift hold=while_held"
    turned = [InputEvent("cc", "pads", 1, 7, value, value / 50) for value in range(60, 127)]
    assert of([row], events=turned) == []


def test_another_device_does_not_speak_for_this_one():
    other = [event._replace(device="keys") for event in presses([1, 1, 1])]
    assert of([HOLD], events=other) == []


def test_only_what_a_change_brings_is_new():
    old = config(["Note note=36 -> a", "DoubleTap note=36 -> b", "CC cc=7 -> c"])
    new = config(
        ["CC cc=7 -> c", "Note note=36 -> x", "DoubleTap note=36 -> b", "LongPress note=36 -> d"]
    )
    assert [(one.kind, one.is_new, one.places) for one in compare_overlaps(old, new)] == [
        ("tap_delayed", False, ("global #2", "global #1")),
        ("tap_delayed", True, ("global #3", "global #1")),
    ]


def test_a_new_mapping_that_another_goes_before_is_a_warning():
    modes: dict[str, Rows] = {"Cut": ["Note note=36 -> a"]}
    old, new = config(modes=modes), config(["Note note=36 -> b"], modes=modes)
    message = (
        "`B, mapping 1 of all modes` never acts in mode Cut: `A, mapping 1 of mode Cut` goes first"
    )
    assert told(compare_overlaps(old, new))[0] == f"warning shadowed: {message}"
    assert f"info shadowed: {message}" in told(compare_overlaps(new, new))
    before = config(["Note note=36 -> b"], modes={"Cut": []})
    assert f"info shadowed: {message}" in told(compare_overlaps(before, new))


@pytest.mark.parametrize(
    ("rows", "severity"),
    [
        (["Note note=36 device=pads -> a", "Note note=36 -> b"], "warning"),
        (
            [
                "VelocityRange note=36 max_velocity=80 -> a",
                "VelocityRange note=36 min_velocity=60 -> b",
            ],
            "info",
        ),
    ],
    ids=["another device too", "another velocity too"],
)
def test_a_conflict_in_one_mode_is_as_severe_before_it_is_saved_as_after(rows: Rows, severity: str):
    old, new = config(rows[:1]), config(rows)
    assert [(one.severity, one.is_new) for one in compare_overlaps(old, new)] == [(severity, True)]
    assert [one.severity for one in find_config_overlaps(new)] == [severity]


def test_a_delay_names_mappings_that_have_a_description():

    def press(key: str) -> dict[str, Any]:
        return {"type": "Keystroke", "keys": [key]}

    rows: Rows = [
        {**does("Note note=36", press("a")), "description": "go"},
        {**does("DoubleTap note=36", press("b")), "description": "stop"},
    ]
    assert [one.message for one in find_config_overlaps(config(rows))] == [
        "the double tap of note 36 (`stop, mapping 2 of all modes`) delays its tap "
        "(`go, mapping 1 of all modes`) by 300 ms"
    ]


def test_a_third_duplicate_is_new_beside_the_second():
    row = "Note note=36 -> a"
    found = compare_overlaps(config([row] * 2), config([row] * 3))
    assert [(one.places, one.is_new) for one in found] == [
        (("global #0", "global #1"), False),
        (("global #0", "global #2"), True),
    ]


def test_what_is_left_of_an_overlap_is_no_news():
    chord = "NoteChord notes=[60,64] -> c"
    old = config(["Note note=60 -> a", "Note note=64 -> b", chord])
    assert [one.is_new for one in compare_overlaps(old, config(["Note note=60 -> a", chord]))] == [
        False
    ]


def test_a_message_names_mappings_by_description_or_trigger_and_by_place():
    named = {**does("Note note=36", {"type": "Text", "text": "a"}), "description": "say it"}
    (found,) = find_config_overlaps(config([named, "Note note=36 -> b"]))
    assert found.message.startswith(
        "`Note 36 (C1), mapping 2 of all modes` never fires: `say it, mapping 1 of all modes` has"
    )


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_an_example_config_has_no_more_overlaps_than_it_means_to(file: Path):
    counts: dict[str, int] = {}
    for one in find_config_overlaps(load(file)):
        counts[f"{one.severity} {one.kind}"] = counts.get(f"{one.severity} {one.kind}", 0) + 1
    assert counts == EXAMPLES.get(file.stem, {})


EXAMPLES = {  # each read by eye, and true
    "ableton-live": {"info tap_delayed": 2, "info chord_delays_tap": 1},
    "developer-workflow": {"info tap_delayed": 1},
    "hardware-synth": {"info chord_delays_tap": 1},
    "logic-daw": {"info chord_subset": 1},
    "midimon": {"info chord_delays_tap": 1, "warning no_way_back": 1},
    "xbox-gamepad": {"info chord_delays_tap": 3},
    "one-pad": {"info tap_delayed": 4},
    "playstation-gamepad": {"info tap_delayed": 1},
    "video-editing": {"info tap_delayed": 1},
}


@proves
@settings(
    max_examples=scaled(60),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(configs, streams(outside=False))
def test_what_is_said_never_to_fire_never_fires_whatever_is_played(some: Config, items: list[Item]):
    dead = {one.places[-1] for one in find_config_overlaps(some) if one.severity == "error"}
    player = Player(some)
    player.play(items)
    fired = {f"{ref.scope} #{ref.index}" for trace in player.traces for ref in trace.fired}
    assert fired & dead == set()
