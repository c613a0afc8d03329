"""Replays against the truth: both configs over the very stream, from the state that was recorded."""

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from tests.engine.random_changes import change_config
from tests.engine.streams import Item, Outside, configs, streams
from tests.support.in_one_call import build_segment
from tests.support.prove import proves

from conductor.domain.config import Config
from conductor.domain.devices import PortInfo
from conductor.domain.events import CONTROL_CLASS, InputEvent
from conductor.domain.recording import (
    DeviceMuted,
    EngineCommand,
    ModeSwitched,
    Panicked,
    RecordedDevice,
    RecordedEntry,
    Recording,
    RunFailed,
    Segment,
)
from conductor.domain.trace import Effect, Trace
from conductor.engine.config_transfer import compute_config_id
from conductor.engine.effects import resolve_effect
from conductor.engine.firings import PlayedFiring
from conductor.engine.playback import to_recorded_effect
from conductor.engine.recording import segment_recorder
from conductor.engine.recording.events import MONDAY_NOON_S, build_blank_snapshot
from conductor.engine.recording.segment_recorder import SegmentRecorder
from conductor.engine.replay import compare_recording
from conductor.engine.state import EngineState
from conductor.engine.step import (
    feed_event,
    load_table,
    mute_device,
    release_everything,
    run_due_deadlines,
    switch_mode,
)
from conductor.engine.table import compile_table

CASES = int(os.environ.get("CONDUCTOR_PROVE_CASES", "60"))
PORTS = {"left": PortInfo(name="Pad L"), "right": PortInfo(name="Pad R")}
DEVICES = tuple(RecordedDevice(name, "midi_input", port) for name, port in PORTS.items())
SETTLE_S = 5.0
Done = tuple[float, str]
"""When something reached the computer, in ms, and what it was."""


def with_devices(config: Config) -> Config:
    """Return a config that knows both devices by a part of their names."""
    plain = config.model_dump(mode="json", by_alias=True)
    plain["devices"] = [
        {"alias": name, "matchers": [{"type": "NameContains", "pattern": port.name}]}
        for name, port in PORTS.items()
    ]
    return Config.model_validate(plain)


class Player:
    """Plays a stream under a config as the live engine does; workers answer at once."""

    def __init__(self, state: EngineState, config: Config, modes: dict[str, str]) -> None:
        self.state = state
        self.config = config
        self.modes = modes
        self.done: list[Done] = []
        self.entries: list[RecordedEntry] = []
        self.recorded = 0
        """So many entries were made before the hands rested."""
        self._queue: list[InputEvent] = []

    def play_one(self, item: Item) -> None:
        if isinstance(item, InputEvent):
            event = self._named(item)
            if event is not None:
                self._feed(event)
        else:
            self._advance(item.time)
            self._outside(item)

    def play(self, items: Sequence[Item]) -> None:
        for item in items:
            self.play_one(item)
        self.rest()

    def rest(self, since: float | None = None) -> float:
        """Advance by the time that a replay adds at its end; return when the last input came."""
        self.recorded = len(self.entries)
        at = max((entry.time for entry in self.entries), default=0.0) if since is None else since
        self._advance(at + SETTLE_S)
        return at

    def _named(self, event: InputEvent) -> InputEvent | None:
        """Return the event under the name its port has in this config; None when it is not heard."""
        if event.kind not in CONTROL_CLASS and event.kind not in ("device_gone", "device_back"):
            return event
        name = device_name(self.config, event.device)
        return None if name is None else event._replace(device=name)

    def _feed(self, event: InputEvent) -> None:
        # deadlines one by one, so that what workers answer comes in between
        self._advance(event.time, before=True)
        self._take(feed_event(self.state, event), event)
        while self._queue:
            answer = self._queue.pop(0)
            self._take(feed_event(self.state, answer), answer)

    def _advance(self, until: float, *, before: bool = False) -> None:
        due = self.state.get_due_time()
        while due is not None and due <= until:
            self._take(run_due_deadlines(self.state, due), None)
            while self._queue:
                answer = self._queue.pop(0)
                self._take(feed_event(self.state, answer), answer)
            due = self.state.get_due_time()

    def _outside(self, item: Outside) -> None:
        command: EngineCommand
        match item.what:
            case "mode":
                name = self.modes.get(item.name, item.name)
                if name not in self.state.table.modes:
                    return
                command, trace = ModeSwitched(item.name), switch_mode(self.state, name, item.time)
            case "mute" | "unmute":
                muted = item.what == "mute"
                name = device_name(self.config, item.name) or item.name
                command = DeviceMuted(item.name, muted)
                trace = mute_device(self.state, name, item.time, muted=muted)
            case "panic":
                command, trace = Panicked(), release_everything(self.state, item.time)
            case _:
                return
        self._take([trace], command)

    def _take(self, traces: Sequence[Trace], cause: InputEvent | EngineCommand | None) -> None:
        for trace in traces:
            effects = tuple(to_recorded_effect(effect) for effect in trace.effects)
            is_cause = trace is traces[-1] and cause is not None
            timer = InputEvent("timer", "", 0, 0, 0, trace.event.time)
            at = self.state.now if is_cause else trace.event.time
            self.entries.append(
                RecordedEntry(
                    trace.sequence,
                    at,
                    cause if is_cause else timer,  # pyright: ignore[reportArgumentType]
                    effects,
                )
            )
            failed: set[int] = set()
            for effect in trace.effects:
                if effect.run in failed:
                    continue
                if self._is_lost(effect) or self._fails(effect):
                    run = self.state.runs.get(effect.run)
                    if effect.run:
                        failed.add(effect.run)
                    if run is not None:
                        self.state.end_run(run)
                        self._record_failure(effect.run)
                    continue
                self.done += self._reached(effect, trace.event.time)
                if effect.waits:
                    is_done = self._is_allowed(effect)
                    at = self.state.now
                    self._queue.append(InputEvent("completed", "", 0, effect.run, is_done, at))

    def _record_failure(self, run: int) -> None:
        """Record that a run ended because its action could not be performed, as the live engine does."""
        self.entries.append(RecordedEntry(self.state.sequence, self.state.now, RunFailed(run), ()))

    def _is_lost(self, effect: Effect) -> bool:
        """Check for MIDI to the only output there is, when it is not there."""
        is_midi = effect.action.type in ("SendMidi", "MidiForward")  # pyright: ignore[reportAttributeAccessIssue]
        return is_midi and not self.config.settings.engine.virtual_output

    def _fails(self, effect: Effect) -> bool:
        """Check for a control that sends nothing to forward."""
        is_forward = effect.action.type == "MidiForward"  # pyright: ignore[reportAttributeAccessIssue]
        return is_forward and not effect.fire.message

    def _is_allowed(self, effect: Effect) -> bool:
        return effect.action.type != "Shell" or self.config.settings.engine.allow_shell  # pyright: ignore[reportAttributeAccessIssue]

    def _reached(self, effect: Effect, time: float) -> Iterator[Done]:
        """Yield what reaches the computer."""
        at_ms = round(time * 1000, 2)
        if effect.kind == "mode":
            mode = self.state.mode
            yield at_ms, f"mode {self.modes.get(mode, mode)}"
        elif effect.kind == "variable":
            name = effect.action.name  # pyright: ignore[reportAttributeAccessIssue]
            yield at_ms, f"variable {name} {self.state.variables.get(name)!r}"
        elif self._is_allowed(effect):
            yield at_ms, repr(resolve_effect(effect, self.config)["calls"])


def device_name(config: Config, device: str) -> str | None:
    """Return what a device is called under a config, by the most specific matcher."""
    port = PORTS[device]
    best, name = 0, f"raw:{port.name}"
    for identity in config.devices:
        if identity.get_match_specificity(port) > best:
            best, name = identity.get_match_specificity(port), identity.alias
    build_segment = name.startswith("raw:") and config.settings.engine.open_inputs == "configured"
    return None if build_segment else name


def record(config: Config, items: Sequence[Item], mode: str) -> tuple[Recording, Player]:
    player = Player(in_mode(EngineState(compile_table(config), noon), mode), config, {})
    player.play(items)
    segment = Segment(
        session="s",
        config_id=compute_config_id(config),
        week_s=MONDAY_NOON_S,
        devices=DEVICES,
        start=build_blank_snapshot(mode, 0.0),
        entries=tuple(player.entries[: player.recorded]),
    )
    return Recording((segment,)), player


class RecordedPlayer(Player):
    """A player with the recorder of the live engine, which begins segments as often as it can."""

    def __init__(self, state: EngineState, config: Config) -> None:
        super().__init__(state, config, {})
        self.recorder = SegmentRecorder()
        self.recorder.configure(compute_config_id(config), 20)
        self.recorder.record_devices(DEVICES, state)
        self.recorder.tick(state, 0.0, MONDAY_NOON_S)
        self.recorder.begin_segment(state, is_loaded=True)
        self.starts: list[tuple[int, int]] = []
        """How many items were played, and how much was done, when each segment began."""

    def play_and_record(self, items: Sequence[Item]) -> None:
        for place, item in enumerate(items):
            self.play_one(item)
            at = max(self.state.now, item.time)
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(segment_recorder, "ENTRIES_PER_SEGMENT", 5)
                self.recorder.tick(self.state, at, MONDAY_NOON_S + at)
            if len(self.recorder.segments) > len(self.starts) + 1:
                self.starts.append((place + 1, len(self.done)))

    def _record_failure(self, run: int) -> None:
        super()._record_failure(run)
        self.recorder.record_failed_run(run, self.state)

    def _take(self, traces: Sequence[Trace], cause: InputEvent | EngineCommand | None) -> None:
        for trace in traces:
            self.recorder.record(trace, self.state)
        super()._take(traces, cause)


def in_mode(state: EngineState, mode: str) -> EngineState:
    state.mode = state.base_mode = state.previous_mode = mode
    state.now = 0.0
    state.select_mapping_groups()
    return state


def noon(now: float) -> tuple[int, int]:
    return 1, 720 + int(now // 60)


def difference(before: list[Done], after: list[Done]) -> tuple[Counter[Done], Counter[Done]]:
    """Return what only one side did; what comes up to a millisecond later is the same."""
    one, other = Counter(before), Counter(after)
    left, right = one - other, other - one
    for done in list(left.elements()):
        at_ms, call = done
        same = next((r for r in right if r[1] == call and abs(r[0] - at_ms) < 1.02), None)
        if same is not None:
            left, right = left - Counter([done]), right - Counter([same])
    return left, right


def predicted(fired: Sequence[PlayedFiring]) -> list[Done]:
    return [
        (round(one.time * 1000 + after_ms, 2), call)
        for one in fired
        for after_ms, call in one.effects
    ]


def renamed(kind: str, old: Config, new: Config) -> dict[str, str]:
    if kind != "rename a mode":
        return {}
    return {a.name: b.name for a, b in zip(old.modes, new.modes, strict=True) if a.name != b.name}


items = streams(loads=False).map(
    lambda items: [
        item
        for item in items
        if not (isinstance(item, InputEvent) and item.kind in ("completed", "device_gone"))
    ]
)


@proves
@settings(
    max_examples=CASES,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    phases=[
        Phase.explicit,
        Phase.generate,
    ],  # minimising takes minutes; the seed is always the same
)
@given(configs.map(with_devices), items, st.integers(0, 10**9), st.sampled_from(["A", "B", "C"]))
def test_a_replay_predicts_exactly_what_both_configs_do(
    old: Config, played: list[Any], seed: int, mode: str
) -> None:
    kind, new = change_config(old, seed)
    recording, was = record(old, played, mode)
    modes = renamed(kind, old, new)
    state = in_mode(EngineState(compile_table(old), noon), mode)
    load_table(state, compile_table(new), 0.0)
    if mode in modes:
        switch_mode(state, modes[mode], 0.0)
    would_be = Player(state, new, modes)
    would_be.play(played)
    found = compare_recording(old, new, recording)
    (chain,) = found.chains or (None,)
    if chain is None:
        return
    assert chain.cannot_tell is None
    assert chain.is_checked
    was_done = [(at, _renamed(call, modes)) for at, call in was.done]
    outcome = chain.outcome
    vanish = [*outcome.vanish, *(one for one, _ in outcome.moved)]
    appear = [*outcome.appear, *(one for _, one in outcome.moved)]
    truth = difference(was_done, would_be.done)
    assert difference(predicted(vanish), predicted(appear)) == truth  # pyright: ignore[reportArgumentType]


@proves
@settings(
    max_examples=CASES,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    phases=[Phase.explicit, Phase.generate],
)
@given(configs.map(with_devices), items, st.integers(0, 10**9), st.integers(0, 10**9))
def test_a_replay_from_the_middle_predicts_what_a_change_at_that_moment_would_have_done(
    old: Config, played: list[Any], seed: int, place: int
) -> None:
    kind, new = change_config(old, seed)
    was = RecordedPlayer(in_mode(EngineState(compile_table(old), noon), "A"), old)
    was.play_and_record(played)
    if not was.starts:
        return
    number = place % len(was.starts)
    first, done = was.starts[number]
    kept = [build_segment(one, was.recorder.session) for one in was.recorder.segments][number + 1 :]
    end_s = was.rest()
    modes = renamed(kind, old, new)
    would_be = Player(in_mode(EngineState(compile_table(old), noon), "A"), old, {})
    for item in played[:first]:
        would_be.play_one(item)
    would_be.done.clear()
    _change(would_be, new, modes)
    for item in played[first:]:
        would_be.play_one(item)
    would_be.rest(end_s)
    found = compare_recording(old, new, Recording(tuple(kept)))
    (chain,) = found.chains[:1]
    if kept[0].start.unfinished:
        assert chain.cannot_tell
        return
    assert [one.cannot_tell for one in found.chains] == [None]
    outcome = chain.outcome
    vanish = [*outcome.vanish, *(one for one, _ in outcome.moved)]
    appear = [*outcome.appear, *(one for _, one in outcome.moved)]
    was_done = [(at, _renamed(call, modes)) for at, call in was.done[done:]]
    truth = difference(was_done, would_be.done)
    assert difference(predicted(vanish), predicted(appear)) == truth  # pyright: ignore[reportArgumentType]


def _change(player: Player, new: Config, modes: dict[str, str]) -> None:
    """Load a config into a player, in the mode that takes the place of a renamed one."""
    before = player.state.mode
    load_table(player.state, compile_table(new), player.state.now)
    if before in modes:
        switch_mode(player.state, modes[before], player.state.now)
    player.config, player.modes = new, modes


def _renamed(call: str, modes: dict[str, str]) -> str:
    return f"mode {modes[call[5:]]}" if call[:5] == "mode " and call[5:] in modes else call


def test_a_worker_that_an_event_read_late_starts_takes_no_longer_in_a_replay() -> None:
    """An event that was read late starts its action now, not at the time that it bears."""
    launch = {"type": "Launch", "app": "code"}
    waits = {"type": "Delay", "duration_ms": 80}
    mapping = {
        "trigger": {"type": "Note", "note": 36},
        "action": {"type": "Sequence", "actions": [launch, waits, launch]},
    }
    other = {"trigger": {"type": "Note", "note": 40}, "action": launch}
    old = Config.model_validate({"modes": [{"name": "A", "mappings": [mapping]}]})
    new = Config.model_validate({"modes": [{"name": "A", "mappings": [mapping, other]}]})
    recording, _ = record(
        old,
        [
            InputEvent("note_on", "left", 1, 50, 100, 1.0),
            InputEvent("note_on", "left", 1, 36, 100, 0.9),
            InputEvent("note_on", "left", 1, 40, 100, 2.0),
        ],
        "A",
    )
    (chain,) = compare_recording(old, new, recording).chains
    assert [one.time for one in chain.outcome.appear] == [2.0]
    assert not chain.outcome.vanish
    assert not chain.outcome.moved
