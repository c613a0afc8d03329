"""Runs the engine inside the benchmark's process, with recording, MIDI Learn and explanations."""

from conductor.base.clock import now
from conductor.domain.config import Config
from conductor.domain.events import CONTROL_CLASS, CapturedEvents, InputEvent
from conductor.domain.recording import Recording
from conductor.domain.wire_rows import ExplainedTraceRow
from conductor.engine.explain.events import explain_event
from conductor.engine.explain.facts import collect_facts
from conductor.engine.learn import LearnSession
from conductor.engine.local_time import get_wall_clock
from conductor.engine.recording.events import build_recording
from conductor.engine.script import ScriptedModeSwitch, parse_script
from conductor.engine.simulate import Simulation
from conductor.evaluation.case import Stage

PAUSE_AFTER_SCRIPT_S = 0.5
"""Seconds between the last event of a script and the current time of the engine."""


class BenchmarkEngine:
    """The real engine for a benchmark case; it plays and records scripts, and has no
    effects on the computer.
    """

    def __init__(self, config: Config, stage: Stage) -> None:
        self._stage = stage
        self._simulation = Simulation(config)
        self._learning: LearnSession | None = None
        self.events: list[InputEvent] = []
        self.app: tuple[str, str, str] = ("", "", "")

    @property
    def active_mode(self) -> str:
        return self._simulation.state.mode

    @property
    def active_profile(self) -> str | None:
        return self._simulation.state.profile

    def load_config(self, config: Config) -> None:
        """Load another config; the current mode stays active if the new config has it."""
        mode = self.active_mode
        self._simulation = Simulation(config)
        if config.find_mode(mode) is not None:
            self.switch_mode(mode)

    def switch_mode(self, mode: str) -> None:
        """Make the mode with this name the active mode.

        Raises:
            BadScript: there is no such mode.
        """
        self._simulation.play_items([ScriptedModeSwitch(mode, now())], settle_s=0)

    def play_script(self, script: str) -> None:
        """Play a script as if it had ended shortly before the current time."""
        items = parse_script(script, self._stage.device, self._stage.channel)
        shift = now() - PAUSE_AFTER_SCRIPT_S - max((item.time for item in items), default=0.0)
        moved = [item._replace(time=item.time + shift) for item in items]
        self._simulation.play_items(moved, settle_s=0)
        for event in moved:
            if isinstance(event, InputEvent):
                self.events.append(event)
                if self._learning is not None:
                    self._learning.add_event(event)

    def show_app(self, name: str) -> None:
        """Report an app to the engine as the foreground app."""
        self.app = (name, name, "")
        event = InputEvent("app", "", 0, 0, 0, now(), self.app)
        self._simulation.play_items([event], settle_s=0)

    def build_recording(self) -> Recording:
        """Return the events played so far as a recording, whose start has the current
        mode and no held controls.
        """
        if not self.events:
            return Recording()
        weekday, minute = get_wall_clock(self.events[0].time)
        week_s = ((weekday - 1) * 1_440 + minute) * 60.0
        return build_recording(self.events, mode=self.active_mode, week_s=week_s)

    def start_learning(self) -> None:
        self._learning = LearnSession(now())

    def get_captured_events(self) -> CapturedEvents:
        """Return the events that MIDI Learn has captured so far."""
        session = self._learning
        return (
            CapturedEvents([], now())
            if session is None
            else CapturedEvents(session.events, session.started_at)
        )

    def stop_learning(self) -> CapturedEvents:
        captured, self._learning = self.get_captured_events(), None
        return captured

    def explain_event(self, sequence: int | None) -> ExplainedTraceRow | None:
        """Return the trace of an event with an explanation of its gesture, or None if there is no such event.

        Without `sequence`, the last event is explained.
        """
        all_traces = self._simulation.traces
        traces = [t for t in all_traces if t.event.kind in CONTROL_CLASS]
        if sequence is not None:
            traces = [trace for trace in all_traces if trace.sequence == sequence]
        if not traces:
            return None
        explanation = explain_event(
            traces[-1], all_traces, collect_facts(self._simulation.state, now())
        )
        return {**traces[-1].to_plain(), "failures": [], "explanation": explanation.model_dump()}
