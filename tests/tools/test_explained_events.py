"""What `/explain` and the tool say of an event, in the words of the window."""

from tests.engine.explained import Stage, failed
from tests.support.simulate import Rows, config

from conductor.domain.config import Config
from conductor.domain.control_names import ControlNames, NamedControl
from conductor.tools.explained_events import find_gesture_start, format_explained_event

NAMES = ControlNames(
    {"pads": [NamedControl("note", 36, None, "Pad 1"), NamedControl("cc", 20, None, "Knob 1")]}
)
VOLUME = "CC cc=20 channel=1 device=pads -> VolumeControl operation=Set"


def explain(stage: Stage, sequence: int | None = None, now: Config | None = None) -> list[str]:
    trace, explanation = stage.explain_trace(sequence)
    start = find_gesture_start(trace, explanation)
    first = None if start is None else stage.explain_trace(start)[0]["event"]
    trace["event"] = NAMES.add_name_to_event(trace["event"])
    first = None if first is None else NAMES.add_name_to_event(first)
    current = now or stage.state.table.config
    return format_explained_event(trace, explanation, first, current, NAMES).split("\n")


def play(rows: Rows, script: str) -> Stage:
    return Stage(config(modes={"Default": rows})).play(script)


def test_control_device_mapping_and_action_have_the_names_of_the_window() -> None:
    stage = play(VOLUME, "cc 20 127").play(failed("no sound server answers"))
    assert explain(stage) == [
        "Knob 1, cc 20 = 127 ch 1 on pads in mode Default:",
        "- `Knob 1 → Volume follows the control` fired (any value fires: 127), "
        "but failed: no sound server answers",
    ]
    assert explain(play(VOLUME, "cc 20 127"))[1] == (
        "- `Knob 1 → Volume follows the control` did Volume to 100 % (any value fires: 127)"
    )


def test_the_built_in_controller_has_its_name() -> None:
    stage = play("Note note=36 -> a", "tap 36")
    trace, explanation = stage.explain_trace()
    trace["event"] = {**trace["event"], "device": "virtual"}
    shown = format_explained_event(trace, explanation, None, Config(), NAMES)
    assert shown.startswith("note 36 (C1) ch 1 velocity 100 on Virtual controller in mode Default:")


def test_a_time_limit_is_explained_by_the_press_that_set_it() -> None:
    stage = play("Note note=36 -> a\nDoubleTap note=36 timeout_ms=300 -> b", "tap 36")
    assert explain(stage, stage.last("timer")) == [
        "Pad 1, note 36 (C1) ch 1 velocity 100 on pads, 300 ms after the press, in mode Default:",
        "- `Pad 1 → A` did A (no second press within 300 ms)",
        "- `Double tap Pad 1 → B` did not fire: no second press within 300 ms",
    ]


def test_what_would_make_a_mapping_fire_has_a_line_of_its_own() -> None:
    stage = play("LongPress note=36 duration_ms=400 -> b", "tap 36")
    assert explain(stage)[1:] == [
        "- `Hold Pad 1 400 ms → B` did not fire: held 20 ms, long press needs 400 ms",
        "- To change that: hold it for 400 ms",
    ]


def test_an_event_that_no_control_sent_is_named_once() -> None:
    stage = Stage(config(modes={"Default": ""})).play("app code")
    assert explain(stage, stage.last("app")) == [
        "Conductor in mode Default:",
        "- App in front: code; until then no profile was active",
    ]


def test_a_mapping_that_was_changed_since_has_the_name_of_that_time() -> None:
    stage = play("Note note=36 -> a", "tap 36")
    changed = config(modes={"Default": "Note note=40 -> z"})
    said = "did A (at once: nothing else could follow)"
    assert explain(stage, now=changed)[1] == f"- `Pad 1 → A` {said}"
    named = Config.model_validate(
        {
            "modes": [
                {
                    "name": "Default",
                    "mappings": [
                        {
                            "trigger": {"type": "Note", "note": 36},
                            "action": {"type": "Keystroke", "keys": ["a"]},
                            "description": "Go",
                        }
                    ],
                }
            ]
        }
    )
    assert explain(Stage(named).play("tap 36"), now=changed)[1] == f"- `Pad 1 → A — Go` {said}"
