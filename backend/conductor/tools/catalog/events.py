"""Tools that list recent events, explain an event, simulate input, and run MIDI Learn."""

import asyncio
from datetime import UTC, datetime, timedelta

from pydantic import Field

from conductor.base.clock import now
from conductor.base.json_types import JsonObject
from conductor.domain.events import CapturedEvents
from conductor.domain.explanation import Explanation, split_explanation
from conductor.domain.patterns import suggest_triggers
from conductor.domain.value import Value
from conductor.engine.script import ScriptedModeSwitch, parse_script
from conductor.engine.script_defaults import apply_script_defaults
from conductor.engine.simulate import Simulation, list_fired_actions
from conductor.tools.context import ReadContext, RuntimeContext
from conductor.tools.event_rows import build_event_row, build_suggestion_row
from conductor.tools.explained_events import find_gesture_start, format_explained_event
from conductor.tools.params import NoParams, Params
from conductor.tools.registry import REGISTRY

MAX_SIMULATION_ROWS = 500


class RecentParams(Params):
    limit: int = Field(default=50, ge=1, le=1_000)


class RecentEvents(Value):
    events: list[JsonObject]


class CapturedEventsResult(Value):
    events: list[JsonObject]
    """The captured events. Their `time` is in seconds since `started_at`."""
    suggestions: list[JsonObject]
    started_at: float
    """Start of the capture, in seconds on the clock that Conductor's processes share."""


class ExplainParams(Params):
    sequence: int | None = None
    """Default: the last event"""


class ExplainedEvent(Value):
    trace: JsonObject | None
    """Event, device, mode, profile, every candidate with its reason, and effects."""
    winner: str | None
    answer: str
    explanation: Explanation | None = None
    """The whole gesture: outcome, verdict, main reasons, and what would change it."""


class SimulateParams(Params):
    gesture: str = Field(min_length=1, max_length=10_000)
    """down 36; wait 600; up 36. Also tap 36, cc 1 64, turn 1 +3, bend 0, button south, osc /a 1"""
    mode: str | None = None
    device: str = Field(default="", max_length=64)


class SimulationResult(Value):
    actions: list[JsonObject]
    steps: list[str]
    final_mode: str


class LearnParams(Params):
    timeout_ms: int | None = Field(default=None, ge=100, le=600_000)


class LearnStatus(Value):
    status: str
    expires_at: str


@REGISTRY.tool(
    "read_only",
    "learn",
    title="Read recent events",
    keywords="which control button pad knob key press pressed play played hit touched moved turned note number",
)
async def get_recent_events(params: RecentParams, context: ReadContext) -> RecentEvents:
    """Return the most recent input events, oldest first."""
    at = now()
    events = await context.list_recent_events(params.limit)
    names = context.read_control_names()
    return RecentEvents(events=[build_event_row(event, at - event.time, names) for event in events])


@REGISTRY.tool("read_only", "learn", title="Read captured events")
async def get_captured_events(params: NoParams, context: ReadContext) -> CapturedEventsResult:
    """Return the events that MIDI Learn has captured so far, with suggested triggers."""
    return _build_captured_result(await context.list_captured_events(), context)


@REGISTRY.tool(
    "stateful",
    "learn",
    title="Start MIDI Learn",
    keywords="learn identify find out which control button pad knob number",
)
async def start_midi_learn(params: LearnParams, context: RuntimeContext) -> LearnStatus:
    """Start capturing what the user plays, to suggest triggers."""
    timeout_ms = params.timeout_ms or context.config.settings.learn.timeout_ms
    await context.start_learn(timeout_ms)
    expires = datetime.now(UTC) + timedelta(milliseconds=timeout_ms)
    return LearnStatus(
        status="learning",
        expires_at=expires.isoformat(timespec="seconds").replace("+00:00", "Z"),
    )


@REGISTRY.tool("stateful", "learn", title="Stop MIDI Learn")
async def stop_midi_learn(params: NoParams, context: RuntimeContext) -> CapturedEventsResult:
    """Stop MIDI Learn, and return the captured events and suggested triggers, best first."""
    return _build_captured_result(await context.stop_learn(), context)


def _build_captured_result(captured: CapturedEvents, context: ReadContext) -> CapturedEventsResult:
    at, names = now(), context.read_control_names()
    rows = [
        {
            **build_event_row(event, at - event.time, names),
            "time": round(event.time - captured.started_at, 6),
        }
        for event in captured.events
    ]
    suggestions = suggest_triggers(captured.events, context.config.settings.learn, names)
    return CapturedEventsResult(
        events=rows,
        suggestions=[build_suggestion_row(suggestion) for suggestion in suggestions],
        started_at=captured.started_at,
    )


@REGISTRY.tool(
    "read_only",
    "learn",
    title="Explain event",
    keywords="why nothing happened happens broken wrong fails react reacts respond work works fire problem",
)
async def explain_event(params: ExplainParams, context: ReadContext) -> ExplainedEvent:
    """Explain why an event did or did not act: device, mode, every candidate mapping, timing, winner."""
    explained = await context.explain_event(params.sequence)
    if explained is None:
        return ExplainedEvent(
            trace=None, winner=None, answer="No such event is recorded; play something first."
        )
    trace, explanation = split_explanation(explained)
    start = find_gesture_start(trace, explanation)
    first = None if start is None else await context.explain_event(start)
    return ExplainedEvent(
        trace={**trace},
        winner=explanation.fired[0].mapping if explanation.fired else None,
        answer=format_explained_event(
            trace,
            explanation,
            None if first is None else first["event"],
            context.config,
            context.read_control_names(),
        ),
        explanation=explanation,
    )


@REGISTRY.tool("read_only", "learn", title="Simulate input")
async def simulate(params: SimulateParams, context: ReadContext) -> SimulationResult:
    """Simulate a gesture on the config without performing actions: what would fire, when and why."""
    return await asyncio.to_thread(_play_simulation, params, context)


def _play_simulation(params: SimulateParams, context: ReadContext) -> SimulationResult:
    config = context.config
    mode = params.mode or context.get_active_mode()
    items = apply_script_defaults(parse_script(params.gesture, params.device, channel=0), config)
    simulation = Simulation(config)
    traces = simulation.play_items([*([ScriptedModeSwitch(mode, 0.0)] if mode else []), *items])
    steps = [
        f"{trace.event.time * 1000:.0f} ms: {row['mapping']} {row['outcome']}: {row['reason']}"
        for trace in traces[:MAX_SIMULATION_ROWS]
        for row in trace.to_plain()["candidates"]
    ]
    return SimulationResult(
        actions=[{**firing} for firing in list_fired_actions(traces)[:MAX_SIMULATION_ROWS]],
        steps=steps[:MAX_SIMULATION_ROWS],
        final_mode=simulation.state.mode,
    )
