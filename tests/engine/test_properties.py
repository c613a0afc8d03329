"""Whatever is configured and whatever is played: nothing stays stuck, nothing grows, nothing breaks."""

import json
from collections import Counter
from collections.abc import Sequence

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.engine.streams import (
    BUTTONS,
    DEVICES,
    NOTES,
    Item,
    Outside,
    Player,
    configs,
    streams,
)
from tests.support.simulate import RecordingPorts, config, perform_now

from conductor.domain.config import Config
from conductor.domain.events import InputEvent
from conductor.domain.trace import Effect, Trace
from conductor.engine.state import MAX_CONTROLS, VOID_DEADLINE_SWEEP_THRESHOLD, EngineState
from conductor.engine.step import feed_event
from conductor.engine.table import MAX_CACHED_GROUPS, compile_table

ANSWERS = st.sampled_from(["done", "failed", "never"])
many = settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


def effects_of(traces: Sequence[Trace]) -> list[Effect]:
    return [effect for trace in traces for effect in trace.effects]


def still_pressed(effects: Sequence[Effect]) -> int:
    """Count presses without their release; a release without its press fails at once."""
    down: Counter[tuple[int, int, object]] = Counter()
    for effect in effects:
        end = (id(effect.ref), id(effect.action), effect.fire)
        if effect.kind == "press":
            down[end] += 1
        elif effect.kind == "release":
            assert down[end] > 0, f"released what was not pressed: {effect}"
            down[end] -= 1
    return down.total()


def after(items: Sequence[Item], kind: str) -> list[Item]:
    """Return an end to a stream: everything released, every device gone, or panic."""
    last = max([item.time for item in items], default=1.0) + 0.01
    match kind:
        case "panic":
            return [Outside("panic", None, last)]
        case "gone":
            return [InputEvent("device_gone", device, 0, 0, 0, last) for device in DEVICES]
        case _:
            notes = [
                InputEvent("note_off", device, channel, note, 0, last)
                for device in DEVICES
                for channel in (1, 2)
                for note in NOTES
            ]
            buttons = [
                InputEvent("button_up", device, 0, button, 0, last)
                for device in DEVICES
                for button in BUTTONS
            ]
            return [*notes, *buttons]


def settle(player: Player) -> None:
    """Advance time until everything that is running may have ended."""
    while (due := player.state.get_due_time()) is not None and due < 3600:
        player.play([Outside("time", None, due)])


@many
@given(configs, streams(), ANSWERS, st.sampled_from(["gone", "panic"]))
def test_nothing_stays_held_due_or_different_whatever_is_played(
    what: Config, items: list[Item], answers: str, end: str
):
    """Require every property of each stream, since drawing it takes longer than each of them."""
    require_nothing_held_after(end, Player(what, answers), items)
    require_nothing_held_by_what_is_up(Player(what, answers), items)
    require_same_traces(Player(what, answers), Player(what, answers), items)
    require_time_to_advance(Player(what, answers), items)


def require_nothing_held_after(end: str, player: Player, items: list[Item]) -> None:
    """Require that nothing is held when every device is gone, or after a panic."""
    player.play([*items, *after(items, end)])
    assert still_pressed(effects_of(player.traces)) == 0
    settle(player)
    assert still_pressed(effects_of(player.traces)) == 0
    assert not player.state.holding
    assert player.state.down == set()
    assert player.state.chords == {}
    assert player.state.momentary == []
    assert player.state.mode == player.state.base_mode


def require_nothing_held_by_what_is_up(player: Player, items: list[Item]) -> None:
    """Require that no pad or button holds anything once every one of them is up."""
    player.play([*items, *after(items, "released")])
    settle(player)
    state = player.state
    assert {control.control_class for control in state.holding}.isdisjoint({"note", "button"})
    held = {
        id(held)
        for control in state.holding
        for held in state.controls[control].held
        if held.effect is not None and not held.is_over
    }
    assert still_pressed(effects_of(player.traces)) == len(held)
    assert all(known.press is None for known in state.controls.values())
    assert state.chords == {}


def require_same_traces(player: Player, again: Player, items: list[Item]) -> None:
    """Require traces that are the same again, plain JSON, and have one gesture for each press."""
    player.play(items)
    again.play(items)
    plain = [trace.to_plain() for trace in player.traces]
    assert plain == [trace.to_plain() for trace in again.traces]
    json.dumps(plain)
    settle(player)
    for trace in player.traces:
        assert_one_gesture(trace)


def assert_one_gesture(trace: Trace) -> None:
    """Require that a press never fires two of tap, hold, double tap and chord."""
    gestures = [
        ref.mapping.trigger.gesture for ref in trace.fired if ref.mapping.trigger.gesture != "release"
    ]  # fmt: skip
    assert len(gestures) <= 2  # the press before, decided by this one, and this one
    if trace.event.kind not in ("note_on", "button_down"):
        assert len(gestures) <= 1


def require_time_to_advance(player: Player, items: list[Item]) -> None:
    """Require that time never runs backwards, and that no deadline is left behind."""
    now = player.state.now
    for item in items:
        player.play([item])
        assert player.state.now >= now
        now = player.state.now
        player.play(
            [Outside("time", None, item.time)]
        )  # a repetition without a delay is due at once
        due = player.state.get_due_time()
        assert due is None or due > item.time


@many
@given(configs, streams(outside=False))
def test_whatever_fires_can_be_performed(what: Config, items: list[Item]):
    player, ports = Player(what), RecordingPorts()
    player.play([*items, *after(items, "gone")])
    effects = effects_of(player.traces)
    for effect in effects:
        perform_now(effect, ports)
    presses = [said for said in ports.said if said.startswith("press ")]
    releases = [said for said in ports.said if said.startswith("release ")]
    assert Counter(s.split()[1] for s in presses) == Counter(s.split()[1] for s in releases)


def deadlines(state: EngineState) -> int:
    return len(state._deadlines)  # pyright: ignore[reportPrivateUsage]


@pytest.mark.parametrize(
    "row",
    [
        "LongPress note=36 duration_ms=60000 -> a",
        "DoubleTap note=36 timeout_ms=5000 -> a",
        "NoteChord notes=[36,38] timeout_ms=2000 -> a",
    ],
)
def test_quick_presses_do_not_pile_up_deadlines(row: str):
    state = EngineState(compile_table(config(row)))
    for beat in range(10_000):
        feed_event(state, InputEvent("note_on", "pads", 1, 36, 100, beat * 0.002))
        feed_event(state, InputEvent("note_off", "pads", 1, 36, 0, beat * 0.002 + 0.001))
    assert deadlines(state) <= VOID_DEADLINE_SWEEP_THRESHOLD + 1


def test_repetitions_that_were_ended_leave_no_run_and_no_pile_of_deadlines():
    row = 'Note note=36 -> Repeat until_release=true delay_ms=600000 action={"type":"MouseClick"}'
    state = EngineState(compile_table(config(row)))
    for beat in range(2_000):
        feed_event(state, InputEvent("note_on", "pads", 1, 36, 100, beat * 0.002))
        feed_event(state, InputEvent("note_off", "pads", 1, 36, 0, beat * 0.002 + 0.001))
    assert state.runs == {}
    assert deadlines(state) <= VOID_DEADLINE_SWEEP_THRESHOLD + 1


def test_any_number_of_controls_is_known_within_bounds():
    state = EngineState(compile_table(config("OscMessage address=/x -> a\nAftertouch -> b")))
    for number in range(MAX_CACHED_GROUPS + 500):
        feed_event(state, InputEvent("osc", "osc", 0, f"/other/{number}", 1.0, number * 0.001))
    assert len(state.groups) <= MAX_CACHED_GROUPS
    for number in range(MAX_CONTROLS + 500):
        device, note = f"raw:{number // 128}", number % 128
        feed_event(state, InputEvent("poly_pressure", device, 1, note, 50, 100 + number * 0.001))
    assert len(state.controls) <= MAX_CONTROLS
    assert len(state.groups) <= MAX_CACHED_GROUPS


def test_a_fader_that_never_rests_leaves_the_memory_as_it_was():
    state = EngineState(
        compile_table(config("CC cc=7 value_min=64 -> Keystroke keys=a hold=while_held"))
    )
    for number in range(20_000):
        feed_event(state, InputEvent("cc", "pads", 1, 7, number % 128, number * 0.001))
    known = next(iter(state.controls.values()))
    assert (len(state.controls), len(known.held), len(known.memories)) == (1, 0, 1)
    assert deadlines(state) == 0
