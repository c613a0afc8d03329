"""A recording can be replayed exactly, from memory, over the link and from a file."""

import json
import os
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from tests.engine.streams import Item, Outside, Player, configs, streams
from tests.support.in_one_call import build_segment
from tests.support.simulate import config, does

from conductor.domain.actions.mouse import MouseClickAction
from conductor.domain.config import Config
from conductor.domain.devices import PortInfo
from conductor.domain.events import InputEvent
from conductor.domain.recording import (
    ActionPerformed,
    ClockAnchored,
    DeviceMuted,
    DevicesChanged,
    ModeSwitched,
    Panicked,
    PauseChanged,
    RecordedDevice,
    RecordedEntry,
    RunFailed,
    Segment,
)
from conductor.domain.trace import Trace
from conductor.domain.triggers.encoder_coding import CodingDetector
from conductor.engine import play, step
from conductor.engine.preview import preview_action
from conductor.engine.recording.reader import SegmentReader, UnknownFormatError
from conductor.engine.recording.segment_recorder import SegmentRecorder, count_segments_to_keep
from conductor.engine.recording.wire import (
    count_segment_rows,
    encode_segment_header,
    encode_segment_rows,
)
from conductor.engine.snapshot import restore_snapshot
from conductor.engine.state import EngineState
from conductor.engine.table import MappingTable, compile_table
from conductor.engine.watched_apps import depends_on_window_title

TIMES = int(os.environ.get("CONDUCTOR_PROVE_CASES", "1"))
PADS = RecordedDevice("pads", "midi_input", PortInfo(name="Pads", usb_path="1-2"))


class Recorded(Player):
    """Plays a stream as the live engine does, with a recorder."""

    def __init__(self, what: Config, answers: str = "done") -> None:
        super().__init__(what, answers)
        self.recorder = SegmentRecorder()
        self.state.now = 0.0
        self.recorder.tick(self.state, 0.0, 1000.0)
        self.recorder.begin_segment(self.state, is_loaded=True)

    def take(self, traces: Sequence[Trace]) -> None:
        for trace in traces:
            self.recorder.record(trace, self.state)
        super().take(traces)

    def segments(self) -> list[Segment]:
        return [build_segment(one, self.recorder.session) for one in self.recorder.segments]


def over_the_wire(recorder: SegmentRecorder) -> list[Segment]:
    read: list[Segment] = []
    for segment in recorder.segments:
        reader = SegmentReader(encode_segment_header(segment, recorder.session))
        rows = count_segment_rows(segment)
        while reader.rows < rows:
            for piece in encode_segment_rows(segment, reader.rows, 70):
                reader.add_lines(piece)
        assert reader.is_usable
        read.append(reader.build_segment())
    return read


def play_again(segment: Segment, table: MappingTable) -> list[Any]:
    """Replay a segment by the rules of the data model, and return what each entry did."""
    state = restore_snapshot(segment.start, table)
    done: list[Any] = []
    for entry in segment.entries:
        traces = [] if is_timer(entry) else step.run_due_deadlines(state, entry.time)
        traces += again(state, entry)
        done += [effects for effects in map(effects_of, traces) if effects[1]]
    return done


def again(state: EngineState, entry: RecordedEntry) -> list[Trace]:
    match entry.input:
        case InputEvent(kind="timer"):
            return step.run_due_deadlines(state, entry.time)
        case InputEvent():
            return step.feed_event(state, entry.input)
        case ModeSwitched(mode):
            return [step.switch_mode(state, mode, entry.time)]
        case DeviceMuted(device, muted):
            return [step.mute_device(state, device, entry.time, muted=muted)]
        case PauseChanged(paused):
            return [step.pause_mappings(state, entry.time, paused=paused)]
        case Panicked():
            return [step.release_everything(state, entry.time)]
        case ActionPerformed(action):
            return [preview_action(state, action, entry.time)]
        case RunFailed(run):
            play.fail_run(state, run)
            return []
        case _:
            return []


def is_timer(entry: RecordedEntry) -> bool:
    return isinstance(entry.input, InputEvent) and entry.input.kind == "timer"


def effects_of(trace: Trace) -> tuple[float, list[Any]]:
    return trace.time, [
        (e.kind, e.ref.scope, e.ref.index, e.action.type, e.fire.value, e.fire.steps)  # pyright: ignore[reportAttributeAccessIssue]
        for e in trace.effects
    ]


def recorded_effects(segment: Segment) -> list[Any]:
    return [(e.time, [tuple(effect) for effect in e.effects]) for e in segment.entries if e.effects]


@pytest.mark.timeout(60 * TIMES)
@settings(
    max_examples=40 * TIMES,
    deadline=None,
    phases=[Phase.reuse, Phase.generate],  # shrinking whole configs takes minutes
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(configs, streams(max_size=80), st.sampled_from(["done", "failed", "never"]))
def test_every_segment_plays_again_as_it_was_played(what: Config, items: list[Item], answers: str):
    player = Recorded(what, answers)
    tables = [player.state.table]
    player.recorder.configure("0", 20, records_titles=depends_on_window_title(what))
    player.recorder.begin_segment(player.state, is_loaded=True)
    for number, item in enumerate(items):
        is_load = isinstance(item, Outside) and item.what == "load"
        if is_load:
            player.recorder.configure(str(len(tables)), 20)
        player.play([item])
        if is_load:
            tables.append(player.state.table)
        if number % 7 == 6:  # as though a minute had passed: a new segment as soon as it is quiet
            at = player.recorder.segments[-1].start.time + 61
            player.recorder.tick(player.state, at, (1000.0 + at) % 604_800)
    read = over_the_wire(player.recorder)
    assert read == player.segments()
    for segment in read:
        if not segment.start.unfinished:
            table = tables[int(segment.config_id)]
            assert play_again(segment, table) == recorded_effects(segment)


def note(kind: str, time: float, number: int = 36) -> InputEvent:
    return InputEvent(kind, "pads", 1, number, 100, time)  # pyright: ignore[reportArgumentType]


def test_commands_are_recorded_by_their_kind():
    player = Recorded(config("Note note=36 -> a", modes={"A": "", "B": ""}))
    state = player.state
    player.take([step.switch_mode(state, "B", 1.0)])
    player.take([step.mute_device(state, "pads", 2.0, muted=True)])
    player.take([step.pause_mappings(state, 3.0, paused=True)])
    player.take([step.pause_mappings(state, 4.0, paused=False)])
    player.take([step.release_everything(state, 5.0)])
    player.take([preview_action(state, MouseClickAction(), 6.0)])
    player.recorder.record_failed_run(7, state)
    player.recorder.record_devices((PADS,), state)
    player.recorder.record_devices((PADS,), state)
    causes = [(entry.time, entry.input) for entry in player.segments()[0].entries]
    assert causes == [
        (1.0, ModeSwitched("B")),
        (2.0, DeviceMuted("pads", True)),
        (3.0, PauseChanged(True)),
        (4.0, PauseChanged(False)),
        (5.0, Panicked()),
        (6.0, ActionPerformed(MouseClickAction())),
        (6.0, RunFailed(7)),
        (6.0, DevicesChanged((PADS,))),
    ]
    assert over_the_wire(player.recorder) == player.segments()


def test_an_entry_says_what_was_done_and_when_it_was_judged():
    player = Recorded(config("Note note=36 -> a\nLongPress note=36 duration_ms=100 -> h"))
    player.play([note("note_on", 1.0), note("note_off", 1.2)])
    entries = player.segments()[0].entries
    assert [(e.time, e.input.kind, len(e.effects)) for e in entries] == [  # pyright: ignore[reportAttributeAccessIssue]
        (1.0, "note_on", 0),
        (1.1, "timer", 1),
        (1.2, "note_off", 0),
    ]
    effect = entries[1].effects[0]
    assert (effect.scope, effect.row, effect.action_type) == ("global", 1, "Keystroke")


def test_window_titles_are_recorded_only_if_the_config_depends_on_them():
    by_title = {"name": "Mail", "match": {"title_regex": "Inbox"}}
    by_app = [{"type": "AppFrontmost", "app": "inbox"}]
    for what, title in (
        (config("Note note=36 -> a"), ""),
        (config("", profiles=[{"name": "Mail", "match": {"executable": "mail"}}]), ""),
        (config("", profiles=[by_title]), "My secret"),
        (config([does("Note note=36", {"type": "Text", "text": "x"}, by_app)]), "My secret"),
    ):
        player = Recorded(what)
        player.recorder.configure("c", 20, records_titles=depends_on_window_title(what))
        player.play([InputEvent("app", "", 0, 0, 0, 1.0, ("mail", "", "My secret"))])
        player.recorder.begin_segment(player.state, is_loaded=False)
        first, second = player.segments()
        assert first.entries[0].input.data == ("mail", "", title)  # pyright: ignore[reportAttributeAccessIssue]
        assert second.start.app == ("mail", "", title)


def test_a_load_begins_a_segment_and_is_no_entry():
    what = config("Note note=36 -> Keystroke keys=shift hold=while_held")
    player = Recorded(what)
    player.play([note("note_on", 1.0)])
    player.recorder.configure("other", 20)
    player.take([step.load_table(player.state, compile_table(config("")), 2.0)])
    first, second = player.segments()
    assert (first.config_id, second.config_id) == ("", "other")
    assert (second.is_loaded, second.entries, second.start.unfinished) == (True, (), ())
    assert len(first.entries) == 1


def test_a_segment_ends_at_a_quiet_moment_only():
    player = Recorded(config("LongPress note=36 duration_ms=60000 -> a"))
    for number in range(600):
        player.play([note("cc", number / 100, 7)])
    player.play([note("note_on", 7.0)])
    player.recorder.tick(player.state, 7.0, 1007.0)
    assert len(player.segments()) == 1
    player.play([note("note_off", 7.5)])
    player.recorder.tick(player.state, 7.6, 1007.6)
    assert [len(one.entries) for one in player.segments()] == [602, 0]
    assert player.segments()[1].start.unfinished == ()


def test_without_a_quiet_moment_a_snapshot_lists_what_is_missing():
    player = Recorded(config("Note note=36 -> Keystroke keys=a hold=while_held"))
    player.play([note("note_on", 0.5)])
    for number in range(2_100):
        player.play([note("cc", 1 + number / 1000, 7)])
    player.recorder.tick(player.state, 4.0, 1004.0)
    assert player.segments()[-1].start.unfinished == ("note 36 of pads holds something",)


def test_a_minute_of_playing_begins_a_segment_and_a_pause_does_not():
    player = Recorded(config("Note note=36 -> a"))
    for second in (0.0, 100.0, 200.0):
        player.recorder.tick(player.state, second, 1000.0 + second)
    assert len(player.segments()) == 1
    player.play([note("note_on", 201.0), note("note_off", 201.1)])
    player.recorder.tick(player.state, 262.0, 1262.0)
    assert [len(one.entries) for one in player.segments()] == [2, 0]


def test_the_local_time_is_anchored_again_when_the_clock_is_set():
    player = Recorded(config("Note note=36 -> a"))
    player.play([note("note_on", 10.0)])
    player.recorder.tick(player.state, 12.0, 1012.4)
    assert len(player.segments()[0].entries) == 1
    player.recorder.tick(player.state, 13.0, 4613.0)
    anchor = player.segments()[0].entries[1]
    assert (anchor.time, anchor.input) == (10.0, ClockAnchored(4610.0))
    player.recorder.tick(player.state, 14.0, 4614.0)
    assert len(player.segments()[0].entries) == 2


def test_sunday_night_is_no_jump_of_the_clock():
    player = Recorded(config(""))
    player.recorder.tick(player.state, 603_900.0, 100.0)
    assert player.segments()[0].entries == ()


def test_what_is_older_than_the_kept_minutes_of_playing_is_forgotten_whole():
    assert count_segments_to_keep([(100, 60.0)] * 30, 20 * 60.0) == 20
    assert count_segments_to_keep([(10_000, 1.0)] * 9, 20 * 60.0) == 5
    assert count_segments_to_keep([(1, 5000.0), (1, 5000.0)], 60.0) == 1
    assert count_segments_to_keep([], 60.0) == 0


def test_lines_of_another_version_are_refused():
    for line in ('{"format": 99}', "[]", "nonsense"):
        with pytest.raises(UnknownFormatError):
            SegmentReader(line)


HEADER: dict[str, Any] = json.loads(
    encode_segment_header(Recorded(config("")).recorder.segments[0], "some session")
)


@pytest.mark.parametrize(
    "wrong",
    [
        {"start": None},
        {"start": {}},
        {"start": {**HEADER["start"], "recent": [[["a"], 1]]}},
        {"start": {**HEADER["start"], "time": "soon"}},
        {"start": {**HEADER["start"], "time": float("nan")}},
        {"start": {**HEADER["start"], "app": 3}},
        {"week_s": float("inf")},
        {"controls": "many"},
        {"devices": [["a"]]},
        {"session": None},
        {"number": []},
    ],
)
def test_a_header_that_is_damaged_is_refused(wrong: dict[str, Any]):
    SegmentReader(json.dumps(HEADER))
    with pytest.raises(UnknownFormatError):
        SegmentReader(json.dumps({**HEADER, **wrong}))


@pytest.mark.parametrize(
    "line",
    [
        "",
        "{}",
        "[1, NaN, ['a'], []]",
        "[1, NaN, null, []]",
        '[1, 1e999, {"is": "Panicked"}, []]',
        '[1, 1.0, {"is": "Nothing"}, []]',
        '[1, 1.0, {"is": "ModeSwitched", "mode": [1]}, []]',
        '[1, 1.0, ["note_on", "pads", 1, 36, 100, 1e999], []]',
        '[1, 1.0, ["note_on", "pads", 1, [36], 100, 1.0], []]',
        '[1, 1.0, ["strummed", "pads", 1, 36, 100, 1.0], []]',
        '[1, 1.0, ["note_on", "pads", 1, 36, 100, 1.0], [[1, 2, 3, 4, 5, 6]]]',
    ],
)
def test_an_entry_that_is_damaged_is_refused_and_those_before_it_are_there(line: str):
    reader = SegmentReader(json.dumps(HEADER))
    reader.add_lines('[1, 1.0, ["note_on", "pads", 1, 36, 100, 1.0], []]')
    with pytest.raises(UnknownFormatError):
        reader.add_lines(line)
    assert len(reader.build_segment().entries) == 1


def control_line(coding: list[Any]) -> str:
    memory = ["global", 0, True, None, coding, 0]
    return json.dumps([["pads", 1, "cc", 20], False, None, [memory], None, False, [None, 0.0]])


@pytest.mark.parametrize("coding", [[], [1, 2, 3, 0], [*CodingDetector().to_plain(), 0.0]])
def test_a_control_is_refused_if_what_is_known_of_its_encoder_is_damaged(coding: list[Any]):
    header = json.dumps({**HEADER, "controls": 1})
    SegmentReader(header).add_lines(control_line([*CodingDetector().to_plain()]))
    with pytest.raises(UnknownFormatError):
        SegmentReader(header).add_lines(control_line(coding))


def test_every_kind_of_data_comes_back_as_it_was():
    player = Recorded(config(""))
    events = [
        InputEvent("sysex", "pads", 0, 0, 4, 1.0, b"\xf0\x7e\x01\xf7"),
        InputEvent("osc", "osc", 0, "/a", 0.5, 1.1, (0.5, "x", b"\x01", None, (1, 2))),
        InputEvent("app", "", 0, 0, 0, 1.2, ("firefox", "", "News é")),
        InputEvent("note_off", "pads", 1, 36, 0, 1.3, "note_on_0"),
        InputEvent("axis", "pad", 0, "left_x", -0.1, 1.4),
    ]
    player.play(events)
    (segment,) = over_the_wire(player.recorder)
    assert [entry.input for entry in segment.entries] == events
    assert [type(e.input.value) for e in segment.entries] == [int, float, int, int, float]  # pyright: ignore[reportAttributeAccessIssue]


def test_a_failed_run_is_recorded_behind_the_events_that_still_met_it():
    parts = [{"type": "Delay", "duration_ms": 50}, {"type": "Keystroke", "keys": "a"}]
    player = Recorded(config([does("Note note=36", {"type": "Sequence", "actions": parts})]))
    player.play([note("note_on", 1.0), note("cc", 1.1, 7)])
    player.recorder.record_failed_run(1, player.state)
    kinds = [type(entry.input).__name__ for entry in player.segments()[0].entries]
    assert kinds == ["InputEvent", "InputEvent", "InputEvent", "RunFailed"]


def test_pieces_and_parts_are_bounded_by_bytes():
    player = Recorded(config(""))
    data = bytes(range(125)) * 24
    events = [
        InputEvent("sysex", "pads", 0, 0, len(data), 1 + number / 100, data)
        for number in range(200)
    ]
    player.play(events)
    pieces = encode_segment_rows(player.recorder.segments[0], 0, 500)
    assert max(len(piece) for piece in pieces) <= 16_384
    assert 200_000 < sum(len(piece) for piece in pieces) <= 262_144
    (segment,) = over_the_wire(player.recorder)
    assert [entry.input for entry in segment.entries] == events


def test_segments_with_many_bytes_of_data_are_short_and_the_oldest_are_forgotten():
    player = Recorded(config(""))
    data = bytes(600_000)
    for number in range(1, 61):
        player.play([InputEvent("sysex", "pads", 0, 0, len(data), number / 10, data)])
        player.recorder.tick(player.state, number / 10, 1000.0 + number / 10)
    segments = player.recorder.segments
    assert {len(one.steps) for one in segments} == {0, 2}
    assert 14_000_000 < sum(one.data_bytes for one in segments) <= 16_000_000
