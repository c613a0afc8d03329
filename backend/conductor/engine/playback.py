"""Plays a part of a recording through the engine under one config; no action is performed.

Under the recorded config the playback is exact: actions on workers take as long as recorded, and runs that
failed immediately fail again. Under another config, the recorded result of an action is used if the same
action responds to the same event; all other actions succeed immediately.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, assert_never

from conductor.domain.actions.led import LedAction
from conductor.domain.actions.midi_forward import MidiForwardAction
from conductor.domain.actions.send_midi import SendMidiAction
from conductor.domain.config import Config
from conductor.domain.events import InputEvent
from conductor.domain.recording import (
    ActionPerformed,
    ClockAnchored,
    DeviceMuted,
    DevicesChanged,
    EngineCommand,
    ModeSwitched,
    Panicked,
    PauseChanged,
    RecordedEffect,
    RecordedEntry,
    RunFailed,
    Segment,
)
from conductor.domain.renames import NO_RENAMES, Renames
from conductor.domain.trace import Effect, Trace
from conductor.engine import play, step
from conductor.engine.preview import preview_action
from conductor.engine.recording.clock import RecordedClock
from conductor.engine.recording.inputs import InputIdTranslator
from conductor.engine.snapshot import restore_snapshot
from conductor.engine.state import EngineState
from conductor.engine.step import feed_event, run_due_deadlines
from conductor.engine.table import MappingTable, compile_table
from conductor.engine.touches import ControlTouch, find_touch

SETTLE_TIME_S = 5.0
"""Seconds after the last event in which taps and chords are still decided."""
MAX_DEADLINE_STEPS = 20_000
"""The maximum number of steps that deadlines may cause while a whole recording is played, about a second of
work. A `Repeat` of 1,000 on each of a hundred presses causes ten times as many, and a repetition that is
never released has no end."""


@dataclass(frozen=True)
class SegmentChain:
    """Consecutive segments of one session under one config, which are played together from the state
    at the start of the first.
    """

    segments: tuple[Segment, ...]

    @property
    def config_id(self) -> str:
        return self.segments[0].config_id

    def iterate_entries(self) -> Iterator[RecordedEntry]:
        for segment in self.segments:
            yield from segment.entries

    @cached_property
    def fed_entries(self) -> tuple[RecordedEntry, ...]:
        """The entries that a playback passes to the engine: all except deadlines, which
        the engine produces itself.
        """
        return tuple(entry for entry in self.iterate_entries() if not is_timer_entry(entry))


def build_chains(segments: Sequence[Segment]) -> list[SegmentChain]:
    """Return the segments in chains, which end where a config was loaded or another session begins.

    Loading an equivalent config also ends a chain, because it drops pending gestures. If the first segment
    of a chain begins with an unfinished gesture or action, which a snapshot cannot contain, the chain ends
    before the next segment that begins without one.
    """
    found: list[list[Segment]] = []
    for segment in segments:
        last = found[-1][-1] if found else None
        follows = last is not None and not segment.is_loaded and last.session == segment.session
        if follows and (found[-1][0].start.unfinished == () or segment.start.unfinished):
            found[-1].append(segment)
        else:
            found.append([segment])
    return [SegmentChain(tuple(one)) for one in found]


def is_timer_entry(entry: RecordedEntry) -> bool:
    """Return whether an entry is a deadline, which a playback does not pass to the engine."""
    return isinstance(entry.input, InputEvent) and entry.input.kind == "timer"


class RecordedResult(NamedTuple):
    """What became of an action on a worker in the recording: its duration in seconds,
    and whether it succeeded.
    """

    after_s: float
    is_done: bool


class RecordedResults:
    """The recorded results of actions on workers, by action and by the index of the input that caused it."""

    def __init__(self) -> None:
        self._answers: dict[str, list[tuple[int, RecordedResult]]] = {}

    def add_result(self, source: int, action: str, answer: RecordedResult) -> None:
        self._answers.setdefault(action, []).append((source, answer))

    def find_result(self, source: int, action: str) -> RecordedResult | None:
        """Return the recorded result for an action that the input with index `source` causes,
        or None if there is none.

        It is the last result up to that input, or else the first one.
        """
        answers = self._answers.get(action, [])
        before = [answer for at, answer in answers if at <= source]
        return before[-1] if before else next((answer for _, answer in answers), None)


class PlayedTrace(NamedTuple):
    """A trace of a playback, with the mode and the variables after it."""

    trace: Trace
    fed: int
    """The index of the last entry that was played before the trace; -1 before the first entry."""
    mode: str
    """The mode that was active after the trace."""
    variables: Mapping[str, object]
    """The variables that the trace has set, with their new values."""


class Playback:
    """Plays a chain of segments under one config, and collects the traces.

    With `exact`, actions on workers end as they did in the recording, which is correct only for the
    config of the recording.
    """

    def __init__(
        self,
        chain: SegmentChain,
        config: Config,
        *,
        table: MappingTable | None = None,
        recorded_with: MappingTable | None = None,
        renames: Renames = NO_RENAMES,
        lost_output: str = "",
        exact: bool = False,
        timers: int | None = None,
    ) -> None:
        """Prepare a playback.

        Args:
            recorded_with: the compiled config of the recording, if it is known and not `config`.
            lost_output: a virtual output that `config` removes, so that sending to it fails.
            timers: the limit of steps that deadlines cause.
        """
        self.traces: list[PlayedTrace] = []
        self.reached = 0
        """The number of inputs that were played."""
        self.is_cut = False
        """Whether the playback had to stop at the limit of steps."""
        self.source_events: list[InputEvent] = []
        """The played inputs, with the device ids under this config. A command is
        represented by a timer event."""
        self.inputs_by_trace: dict[int, int] = {}
        """The index of the input that each trace belongs to, by the sequence number of the trace."""
        self.touches: set[ControlTouch] = set()
        self._chain = chain
        self._config = config
        self._exact = exact
        self._lost_output = lost_output
        self._renames = renames
        self._timers = MAX_DEADLINE_STEPS if timers is None else timers
        self._steps = len(chain.fed_entries) + self._timers
        self._pending: list[tuple[float, int, bool]] = []
        """The results of workers that are still to come: time, number of the run, and
        whether the action succeeded."""
        self._names = InputIdTranslator(chain.segments[0].devices, config, renames)
        self._table = table or compile_table(config)
        self.state = self._start_from_snapshot(chain.segments[0], recorded_with)
        self._answers = RecordedResults()
        self.answers = RecordedResults()
        """The results of this playback, if it is exact, for the playback under another config."""
        self._waiting: dict[int, tuple[int, str, float]] = {}

    def _start_from_snapshot(
        self, segment: Segment, recorded_with: MappingTable | None
    ) -> EngineState:
        clock = RecordedClock(self._chain.segments)
        start = segment.start
        if self._exact:
            return restore_snapshot(start, self._table, clock)
        # Memories refer to mappings by their position, which has no meaning if the config is unknown.
        if recorded_with is None:
            return self._start_without_memories(segment, clock)
        # Restored under the recorded config and then reloaded, so that the rules of a
        # reload decide what is kept.
        state = restore_snapshot(start, recorded_with, clock)
        step.load_table(state, self._table, start.time)
        return self._switch_to_renamed_mode(state, start.mode)

    def _start_without_memories(self, segment: Segment, clock: RecordedClock) -> EngineState:
        """Return the state at the start, without the memories of mappings, because the
        recorded config is unknown.
        """
        start = segment.start
        blank = start._replace(
            mode=self._translate_mode(start.mode),
            base_mode=self._translate_mode(start.base_mode),
            previous_mode=self._translate_mode(start.previous_mode),
            controls=tuple(control._replace(memories=()) for control in start.controls),
        )
        state = restore_snapshot(blank, self._table, clock)
        step.load_table(state, self._table, start.time)
        return state

    def _translate_mode(self, name: str) -> str:
        """Return the current name of a recorded mode, or the start mode if the mode no longer exists."""
        name = self._renames.get_new_mode(name)
        return name if name in self._table.modes else self._config.get_start_mode()

    def _switch_to_renamed_mode(self, state: EngineState, mode: str) -> EngineState:
        name = self._renames.modes.get(mode)
        if name in self._table.modes and state.mode != name:
            step.switch_mode(state, name, state.now)
        return state

    def count_extra_steps(self) -> int:
        """Return the number of steps that were used in addition to one for each input."""
        return min(self._timers, max(0, self._timers - self._steps))

    def play_chain(self, answers: RecordedResults | None = None) -> "Playback":
        """Play the whole chain and return this playback.

        `answers` are the results of workers in the exact playback.
        """
        self._answers = answers or RecordedResults()
        for entry in self._chain.fed_entries:
            if not self._advance_to(entry.time):
                self.is_cut = True
                return self
            self._play_entry(entry)
            self.reached += 1
        self._end_recording()
        self.is_cut = not self._advance_to(self._get_end_time() + SETTLE_TIME_S)
        return self

    def _end_recording(self) -> None:
        """Complete all running actions as successful, because the recording ends before their results."""
        end_s = self._get_end_time()
        for run, (source, action, since) in self._waiting.items():
            self.answers.add_result(
                source, action, RecordedResult(max(0.0, end_s - since), is_done=True)
            )
            self._pending.append((end_s, run, True))
        self._waiting.clear()
        if self._exact:
            self._answers = self.answers
        self._exact = False

    def _get_end_time(self) -> float:
        last = next((e.time for e in reversed(list(self._chain.iterate_entries()))), None)
        return self._chain.segments[-1].start.time if last is None else last

    def _play_entry(self, entry: RecordedEntry) -> None:
        if isinstance(entry.input, InputEvent):
            self._play_event(entry, entry.input)
        else:
            self.source_events.append(InputEvent("timer", "", 0, 0, 0, entry.time))
            trace = self._apply_command(entry.input, entry.time)
            if trace is not None:
                self._collect_traces(trace)

    def _play_event(self, entry: RecordedEntry, event: InputEvent) -> None:
        if event.kind == "completed":
            self.source_events.append(event)
            # Under another config, runs have other numbers; `_schedule_answer` creates these events there.
            if self._exact:
                self._record_answer(entry, event)
                self._feed_event(event)
            return
        arrives = self._names.translate_event(event)
        self.source_events.append(arrives or event)
        if arrives is not None:
            self._feed_event(arrives)

    def _feed_event(self, event: InputEvent) -> None:
        touch = find_touch(event, self.state)
        if touch is not None:
            self.touches.add(touch)
        for trace in feed_event(self.state, event):
            if trace.event is event:
                self.inputs_by_trace[trace.sequence] = len(self.source_events) - 1
            self._collect_traces(trace)

    def _apply_command(self, command: EngineCommand, time: float) -> Trace | None:
        """Apply a recorded command, such as a mode switch by the user, and return its trace."""
        state = self.state
        match command:
            case ModeSwitched(mode):
                name = self._renames.get_new_mode(mode)
                return step.switch_mode(state, name, time) if name in self._table.modes else None
            case DeviceMuted(device, muted):
                arrives = self._names.translate_event(
                    InputEvent("device_back", device, 0, 0, 0, time)
                )
                name = device if arrives is None else arrives.device
                return step.mute_device(state, name, time, muted=muted)
            case PauseChanged(paused):
                return step.pause_mappings(state, time, paused=paused)
            case Panicked():
                return step.release_everything(state, time)
            case ActionPerformed(action):
                return preview_action(state, action, time)
            case RunFailed(run):
                if self._exact:
                    self._record_failure(run, time)
                    play.fail_run(state, run)
                return None
            case DevicesChanged(devices):
                self._names.set_connected_devices(devices)
                return None
            case ClockAnchored():
                return None
            case _:
                assert_never(command)

    def _advance_to(self, until: float) -> bool:
        """Run deadlines and results of workers up to a time; return False if the limit of steps is reached."""
        # A deadline shortly after an event runs together with it, so the engine's
        # clock may already be ahead.
        until = max(until, self.state.now)
        while self._steps > 0:
            due = self.state.get_due_time()
            answer = min(self._pending) if self._pending else None
            # If a deadline and an event have the same time, the deadline runs first, as in the live engine.
            if answer is not None and answer[0] <= until and (due is None or answer[0] < due):
                self._pending.remove(answer)
                at, run, is_done = answer
                self._feed_event(InputEvent("completed", "", 0, run, int(is_done), at))
            elif due is not None and due <= until:
                for trace in run_due_deadlines(self.state, due):
                    self._collect_traces(trace)
            else:
                return True
            self._steps -= 1
        return False

    def _collect_traces(self, trace: Trace) -> None:
        self._steps -= 1
        # In an exact playback, recorded `RunFailed` commands end the runs that have failed.
        if trace.effects and not self._exact:
            trace.effects[:] = self._filter_performable(trace.effects)
        if trace.effects or trace.fired:
            variables = {
                effect.action.name: self.state.variables.get(effect.action.name)  # pyright: ignore[reportAttributeAccessIssue]
                for effect in trace.effects
                if effect.kind == "variable"
            }
            fed = len(self.source_events) - 1
            self.traces.append(PlayedTrace(trace, fed, self.state.mode, variables))
        for effect in trace.effects:
            if effect.waits:
                self._schedule_answer(effect, trace)

    def _filter_performable(self, effects: list[Effect]) -> Iterator[Effect]:
        """Yield the effects that can be performed. Any other effect ends its run, as in the live engine."""
        failed: set[int] = set()
        for effect in effects:
            if effect.run in failed:
                continue
            if not self._can_perform(effect):
                if effect.run:
                    failed.add(effect.run)
                    play.fail_run(self.state, effect.run)
            else:
                yield effect

    def _can_perform(self, effect: Effect) -> bool:
        """Return whether an action could be started, as far as the recording shows."""
        if type(effect.action) is MidiForwardAction and not effect.fire.message:
            return False
        return not (self._lost_output and is_sent_to_output(effect, self._lost_output))

    def _schedule_answer(self, effect: Effect, trace: Trace) -> None:
        source, action = len(self.source_events) - 1, repr(effect.action)
        if self._exact:
            self._waiting[effect.run] = (source, action, self.state.now)
            return
        recorded = self._answers.find_result(source, action)
        if not self._is_command_allowed(effect):
            recorded = RecordedResult(0.0, is_done=False)
        answer = recorded or RecordedResult(0.0, is_done=True)
        self._pending.append((self.state.now + answer.after_s, effect.run, answer.is_done))

    def _is_command_allowed(self, effect: Effect) -> bool:
        return self._config.settings.engine.allow_shell or not effect.action.runs_command()

    def _record_answer(self, entry: RecordedEntry, event: InputEvent) -> None:
        """Store the result of a worker, for the playback under another config."""
        waiting = self._waiting.pop(int(event.number), None)
        if waiting is not None:
            source, action, since = waiting
            after_s = max(0.0, entry.time - since)
            self.answers.add_result(source, action, RecordedResult(after_s, bool(event.value)))

    def _record_failure(self, run: int, time: float) -> None:
        waiting = self._waiting.pop(run, None)
        if waiting is not None:
            source, action, since = waiting
            self.answers.add_result(
                source, action, RecordedResult(max(0.0, time - since), is_done=False)
            )


def to_recorded_effect(effect: Effect) -> RecordedEffect:
    """Return an effect in the form in which recordings contain effects."""
    ref, fire = effect.ref, effect.fire
    action_type: str = effect.action.type  # pyright: ignore[reportAttributeAccessIssue, reportUnknownVariableType]
    return RecordedEffect(effect.kind, ref.scope, ref.index, action_type, fire.value, fire.steps)


def is_sent_to_output(effect: Effect, output: str) -> bool:
    """Return whether an effect is sent to a MIDI output, of which the effect may name only a part."""
    match effect.action:
        case SendMidiAction(port=port) | MidiForwardAction(port=port) | LedAction(device=port):
            return bool(output) and port.casefold() in output.casefold()
        case _:
            return False
