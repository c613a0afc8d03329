"""What was played is read from the engine, survives restarts, and is forgotten when asked."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.support.in_one_call import build_segment
from tests.support.simulate import config

from conductor.domain.engine_protocol import ReadRecording
from conductor.domain.engine_replies import RecordingPart
from conductor.domain.events import InputEvent
from conductor.domain.recording import Recording
from conductor.domain.settings import EngineSettings
from conductor.engine.recording.pull import read_recording_part
from conductor.engine.recording.segment_recorder import SegmentRecorder
from conductor.engine.state import EngineState
from conductor.engine.step import feed_event
from conductor.engine.table import compile_table
from conductor.errors import NotAvailable
from conductor.runtime.recording import RecordingStore
from conductor.storage.recordings import RecordingFiles


class FakeEngine:
    """An engine's state and recorder, asked as over the link."""

    def __init__(self) -> None:
        self.state = EngineState(compile_table(config("Note note=36 -> a")))
        self.state.now = 0.0
        self.recorder = SegmentRecorder()
        self.recorder.configure("c", 20)
        self.recorder.begin_segment(self.state, is_loaded=True)
        self.is_there = True
        self.asked = 0

    def play(self, count: int, gap_s: float = 0.1) -> None:
        for _ in range(count):
            at = self.state.now + gap_s
            for trace in feed_event(self.state, InputEvent("note_on", "pads", 1, 36, 100, at)):
                self.recorder.record(trace, self.state)
            for trace in feed_event(
                self.state, InputEvent("note_off", "pads", 1, 36, 0, at + 0.01)
            ):
                self.recorder.record(trace, self.state)

    def tick(self) -> None:
        self.recorder.tick(self.state, self.state.now + 0.01, 1000.0 + self.state.now)

    def request(self, place: ReadRecording) -> RecordingPart:
        if not self.is_there:
            raise NotAvailable("the engine does not answer")
        self.asked += 1
        return json.loads(json.dumps(read_recording_part(self.recorder, *place)))

    def forget(self) -> None:
        self.recorder.forget_all(self.state)

    def recording(self) -> Recording:
        return Recording(
            tuple(build_segment(s, self.recorder.session) for s in self.recorder.segments)
        )


class Stage:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.notices: list[str] = []

    def on_problem(self, text: str | None) -> None:
        self.notices = [] if text is None else [*self.notices, text]

    def store(self, engine: FakeEngine, files: bool = True, **settings: Any) -> RecordingStore:
        return RecordingStore(
            engine.request,
            engine.forget,
            self.on_problem,
            RecordingFiles(self.folder) if files else None,
            EngineSettings(**settings),
        )


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    return Stage(tmp_path / "recording")


def test_the_recording_of_the_app_is_that_of_the_engine(stage: Stage):
    engine = FakeEngine()
    store = stage.store(engine)
    for count in (3, 400, 0, 600, 1):
        engine.play(count)
        engine.tick()
        assert store.read_recording() == engine.recording()
    assert len(engine.recording().segments) >= 2


def test_a_segment_without_entries_is_read_and_written_once(stage: Stage):
    engine = FakeEngine()
    store = stage.store(engine)
    for _ in range(3):
        assert store.read_recording() == engine.recording()
    (file,) = stage.folder.iterdir()
    assert len(file.read_text().splitlines()) == 1


def test_an_engine_that_does_not_answer_leaves_what_was_read(stage: Stage):
    engine = FakeEngine()
    store = stage.store(engine)
    engine.play(2)
    before = store.read_recording()
    engine.is_there = False
    engine.play(2)
    assert store.read_recording() == before


def test_what_a_killed_engine_had_told_comes_before_what_the_next_one_tells(stage: Stage):
    first, second = FakeEngine(), FakeEngine()
    store = stage.store(first)
    first.play(2)
    store.read_recording()
    store._request_part = second.request  # pyright: ignore[reportPrivateUsage]
    second.play(3)
    sessions = [one.session for one in store.read_recording().segments]
    assert sessions == [first.recorder.session, second.recorder.session]


def test_a_recording_survives_a_restart_of_the_app(stage: Stage):
    engine = FakeEngine()
    engine.play(400)
    engine.tick()
    engine.play(5)
    before = stage.store(engine).read_recording()
    later = FakeEngine()
    assert stage.store(later).read_recording().segments[:-1] == before.segments


def test_the_files_are_for_the_owner_only(stage: Stage):
    engine = FakeEngine()
    engine.play(1)
    stage.store(engine).read_recording()
    (file,) = stage.folder.iterdir()
    assert (stage.folder.stat().st_mode & 0o777, file.stat().st_mode & 0o777) == (0o700, 0o600)


def restarted(stage: Stage, damage: Callable[[Path], None]) -> int:
    engine = FakeEngine()
    engine.play(10)
    stage.store(engine).read_recording()
    (file,) = stage.folder.iterdir()
    damage(file)
    return sum(len(one.entries) for one in stage.store(FakeEngine()).read_recording().segments)


def test_a_last_line_that_was_cut_off_costs_only_itself(stage: Stage):
    assert restarted(stage, lambda file: os.truncate(file, file.stat().st_size - 5)) == 19


def test_a_file_of_another_version_is_left_out(stage: Stage):
    def rewrite(file: Path) -> None:
        file.write_text(file.read_text().replace('"format":1', '"format":2', 1))

    assert restarted(stage, rewrite) == 0


@pytest.mark.parametrize("text", ["", "\n", "nonsense\n", '{"format":1}\n', "\0" * 100 + "\n"])
def test_a_file_that_is_no_recording_is_left_out(stage: Stage, text: str):
    def overwrite(file: Path) -> None:
        file.write_text(text)

    assert restarted(stage, overwrite) == 0


def test_switching_it_off_deletes_the_files_at_once_and_keeps_the_memory(stage: Stage):
    engine = FakeEngine()
    engine.play(5)
    store = stage.store(engine)
    store.read_recording()
    store.apply_settings(EngineSettings(keep_recording=False))
    assert list(stage.folder.iterdir()) == []
    engine.play(5)
    assert store.read_recording() == engine.recording()
    assert list(stage.folder.iterdir()) == []


def test_without_files_nothing_is_written(stage: Stage):
    engine = FakeEngine()
    engine.play(5)
    assert stage.store(engine, files=False).read_recording() == engine.recording()
    assert not stage.folder.exists()


def test_clearing_forgets_in_the_app_in_the_engine_and_on_disk(stage: Stage):
    engine = FakeEngine()
    engine.play(5)
    store = stage.store(engine)
    assert store.clear()["entries"] == 10
    assert list(stage.folder.iterdir()) == []
    assert store.status()["entries"] == 0
    engine.play(1)
    assert store.status()["entries"] == 2
    assert sum(len(one.entries) for one in stage.store(FakeEngine()).read_recording().segments) == 2


def refuse(*_args: Any, **_fields: Any) -> None:
    raise PermissionError(13, "Permission denied")


def test_clearing_fails_when_files_cannot_be_deleted(stage: Stage, monkeypatch: pytest.MonkeyPatch):
    engine = FakeEngine()
    engine.play(5)
    store = stage.store(engine)
    store.read_recording()
    monkeypatch.setattr(Path, "unlink", refuse)
    with pytest.raises(NotAvailable, match="could not be deleted: Permission denied"):
        store.clear()
    store.apply_settings(EngineSettings(keep_recording=False))
    assert "could not be deleted: Permission denied" in stage.notices[-1]
    monkeypatch.undo()
    store.apply_settings(EngineSettings(keep_recording=False))
    assert stage.notices == []


def test_clearing_fails_when_the_folder_cannot_be_read(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
):
    store = stage.store(FakeEngine())
    store.read_recording()
    monkeypatch.setattr(os, "scandir", refuse)
    with pytest.raises(NotAvailable, match="could not be deleted"):
        store.clear()


def test_clearing_forgets_what_was_derived(stage: Stage):
    engine, forgotten = FakeEngine(), list[str]()
    store = RecordingStore(
        engine.request,
        engine.forget,
        stage.on_problem,
        None,
        EngineSettings(),
        lambda: forgotten.append("derived"),
    )
    store.clear()
    assert forgotten == ["derived"]


def test_switched_off_and_on_again_only_whole_segments_are_written(stage: Stage):
    engine = FakeEngine()
    engine.play(5)
    store = stage.store(engine)
    store.read_recording()
    store.apply_settings(EngineSettings(keep_recording=False))
    store.apply_settings(EngineSettings())
    engine.play(300)
    store.read_recording()
    assert list(stage.folder.iterdir()) == []
    engine.tick()
    engine.play(2)
    store.read_recording()
    assert sum(len(one.entries) for one in stage.store(FakeEngine()).read_recording().segments) == 4


def test_replays_cannot_judge_a_segment_with_an_unreadable_piece(
    stage: Stage,
):
    engine = FakeEngine()
    store = stage.store(engine)
    engine.play(3)
    store.read_recording()
    request = engine.request

    def damaged(place: ReadRecording) -> RecordingPart:
        part = request(place)
        return {**part, "pieces": ["[1, NaN]"]}

    store._request_part = damaged  # pyright: ignore[reportPrivateUsage]
    engine.play(300)
    store.read_recording()
    store._request_part = request  # pyright: ignore[reportPrivateUsage]
    engine.tick()
    engine.play(1)
    first, second = store.read_recording().segments
    assert first.start.unfinished == ("a part of the recording could not be read",)
    assert second.is_loaded  # a replay does not join it to what was before the gap
    assert not second.start.unfinished
    assert len(list(stage.folder.iterdir())) == 1


def test_files_of_earlier_sessions_that_are_too_old_or_unreadable_are_deleted(stage: Stage):
    engine = FakeEngine()
    store = stage.store(engine)
    for _ in range(10):
        engine.play(300, gap_s=0.05)  # 18 s
        engine.tick()
        store.read_recording()
    (stage.folder / "00000000000001-a-000001.jsonl").write_text("nonsense\n")
    (stage.folder / "00000000000002-a-000001.jsonl").write_text("")
    assert len(list(stage.folder.iterdir())) > 10
    later = stage.store(FakeEngine(), history_minutes=1)
    kept = later.read_recording().segments
    assert 1 < len(kept) < 6
    assert len(list(stage.folder.iterdir())) == len(kept)


def test_a_shorter_history_forgets_at_once_what_is_older(stage: Stage):
    engine = FakeEngine()
    store = stage.store(engine)
    for _ in range(10):
        engine.play(300, gap_s=0.05)  # 18 s
        engine.tick()
        store.read_recording()
    store.apply_settings(EngineSettings(history_minutes=1))
    assert len(store.read_recording().segments) < 6


def test_a_disk_that_takes_nothing_is_told_of_once_and_costs_no_recording(stage: Stage):
    stage.folder.parent.joinpath("recording").write_text("a file where the folder should be")
    engine = FakeEngine()
    store = stage.store(engine)
    for _ in range(3):
        engine.play(300)
        engine.tick()
        assert store.read_recording() == engine.recording()
    assert len(stage.notices) == 1
    assert "cannot be saved to disk" in stage.notices[0]


def test_the_notice_goes_once_a_segment_is_saved_again(stage: Stage):
    blocked = stage.folder.parent.joinpath("recording")
    blocked.write_text("a file where the folder should be")
    engine = FakeEngine()
    store = stage.store(engine)
    engine.play(300)
    engine.tick()
    store.read_recording()
    assert len(stage.notices) == 1
    blocked.unlink()
    engine.play(2_000)
    engine.tick()
    store.read_recording()
    assert stage.notices == []
    assert any(stage.folder.iterdir())


def test_more_than_the_kept_minutes_of_playing_are_forgotten_with_their_files(stage: Stage):
    engine = FakeEngine()
    store = stage.store(engine, history_minutes=1)
    for _ in range(10):
        engine.play(300, gap_s=0.05)  # 18 s
        engine.tick()
        store.read_recording()
    kept = store.read_recording().segments
    assert 1 < len(kept) < 5
    assert len(list(stage.folder.iterdir())) == len(kept)


def test_the_oldest_files_go_when_there_are_too_many_bytes(tmp_path: Path):
    files = RecordingFiles(tmp_path)
    for name in ("a", "b", "c"):
        files.append_lines(name, ["x" * 99])
    files.limit_bytes(250)
    assert files.list_file_names() == ["b", "c"]
    files.limit_bytes(1)
    assert files.list_file_names() == ["c"]


def test_what_is_no_plain_file_in_the_folder_is_left_alone(tmp_path: Path) -> None:
    folder, outside = tmp_path / "recording", tmp_path / "mine.jsonl"
    folder.mkdir()
    outside.write_text("mine\n")
    (folder / "1.jsonl").symlink_to(outside)
    os.mkfifo(folder / "2.jsonl")
    (folder / "3.jsonl").mkdir()
    files = RecordingFiles(folder)
    assert files.list_file_names() == []
    files.delete_all_files()
    assert outside.read_text() == "mine\n"
