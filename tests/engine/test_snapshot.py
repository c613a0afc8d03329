"""A state restored from a snapshot behaves exactly like the original."""

from collections.abc import Sequence
from typing import Any

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from tests.engine.streams import Item, Outside, Player, configs, streams
from tests.support.prove import proves, scaled
from tests.support.simulate import config, does

from conductor.domain.config import Config
from conductor.domain.events import InputEvent
from conductor.domain.recording import StateSnapshot
from conductor.domain.trace import Trace
from conductor.engine.script import parse_script
from conductor.engine.simulate import Simulation
from conductor.engine.snapshot import describe_unsaved_state, restore_snapshot, take_snapshot
from conductor.engine.step import feed_event
from conductor.engine.table import compile_table

many = settings(
    max_examples=scaled(16),
    deadline=None,
    phases=[Phase.reuse, Phase.generate],  # shrinking whole configs takes minutes
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


def without_numbers(traces: Sequence[Trace]) -> list[dict[str, Any]]:
    """Return traces without their sequence numbers, which a restored state begins again."""
    return [{**trace.to_plain(), "sequence": 0, "gesture": None} for trace in traces]


def finish(player: Player) -> None:
    """Advance through the pauses of running actions, as far as they end."""
    for _ in range(50):
        due = player.state.get_due_time()
        if due is None or not describe_unsaved_state(player.state):
            return
        player.play([InputEvent("transport", "end", 0, 0, 0xFC, due)])


@proves
@many
@given(configs, streams(), streams(max_size=40), st.sampled_from(["done", "failed", "never"]))
def test_a_restored_state_does_what_the_state_itself_would_have_done(
    what: Config, before: list[Item], after: list[Item], answers: str
):
    player = Player(what, answers)
    player.play(before)
    finish(player)
    snapshot = take_snapshot(player.state)
    if snapshot.unfinished:
        player.play([Outside("panic", None, player.state.now)])
        snapshot = take_snapshot(player.state)
    assert snapshot.unfinished == ()
    restored = Player(what, answers)
    restored.state = restore_snapshot(snapshot, player.state.table)
    later = [item._replace(time=item.time + player.state.now) for item in after]
    player.traces.clear()
    for one in (player, restored):
        one.play(later)
        finish(one)
    assert without_numbers(restored.traces) == without_numbers(player.traces)
    assert take_snapshot(restored.state) == take_snapshot(player.state)


def played(what: Config, script: str) -> StateSnapshot:
    simulation = Simulation(what)
    simulation.play_items(parse_script(script), settle_s=0)
    return take_snapshot(simulation.state)


def test_what_is_under_way_is_named():
    what = config(
        "LongPress note=36 -> a\nNote note=38 -> Keystroke keys=b hold=while_held\n"
        "Note note=40 -> ModeChange mode=B behaviour=momentary\nNoteChord notes=[50,52] -> c",
        modes={"A": "", "B": ""},
    )
    assert played(what, "down 36").unfinished == (
        "the press of note 36 of virtual is not decided yet",
    )
    assert played(what, "down 38").unfinished == ("note 38 of virtual holds something",)
    assert "mode B is momentary" in played(what, "down 40").unfinished
    assert "a press waits for a chord" in played(what, "down 50").unfinished
    assert played(what, "tap 38; wait 1000").unfinished == ()


def test_a_knob_that_stays_where_it_fired_holds_nothing_once_its_action_has_ended():
    steps = [{"type": "Delay", "duration_ms": 100}, {"type": "Keystroke", "keys": "a"}]
    what = config([does("CC cc=7 value_min=64", {"type": "Sequence", "actions": steps})])
    simulation = Simulation(what)
    simulation.play_items(parse_script("cc 7 100"), settle_s=0)
    assert len(describe_unsaved_state(simulation.state)) == 2
    simulation.play_items(parse_script("wait 200; cc 7 101"), settle_s=0)
    assert describe_unsaved_state(simulation.state) == ()


def test_a_running_action_is_named_until_its_end():
    steps = [{"type": "Delay", "duration_ms": 100}, {"type": "Keystroke", "keys": "a"}]
    row = does("Note note=36", {"type": "Sequence", "actions": steps})
    simulation = Simulation(config([{**row, "description": "slow"}]))
    simulation.play_items(parse_script("down 36"), settle_s=0)
    assert describe_unsaved_state(simulation.state) == (
        "`slow, mapping 1 of all modes` is running",
        "note 36 of virtual holds something",
    )
    simulation.play_items(parse_script("up 36 @200"), settle_s=0)
    assert describe_unsaved_state(simulation.state) == ()


def test_a_release_belongs_to_the_mode_of_its_press_after_a_restore_too():
    what = config(modes={"A": "NoteRelease note=36 -> a", "B": "NoteRelease note=36 -> b"})
    snapshot = played(what, "down 36; mode B")
    state = restore_snapshot(snapshot, compile_table(what))
    trace = feed_event(state, InputEvent("note_off", "virtual", 1, 36, 0, 1.0))[-1]
    assert [ref.scope for ref in trace.fired] == ["mode:A"]


def test_an_encoder_that_was_learnt_is_known_after_a_restore():
    what = config("EncoderTurn cc=20 encoding=auto direction=counter_clockwise -> a")
    snapshot = played(what, "cc 20 1; cc 20 2; cc 20 1")
    state = restore_snapshot(snapshot, compile_table(what))
    trace = feed_event(state, InputEvent("cc", "virtual", 1, 20, 127, 1.0))[-1]
    assert len(trace.fired) == 1
