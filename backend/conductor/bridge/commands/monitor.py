"""Commands of the monitor: watch events, list recent traces, and explain a trace."""

from pydantic import Field

from conductor.base.clock import Epoch
from conductor.bridge.explain import Step, build_explanation_steps
from conductor.bridge.models import Empty, TraceView
from conductor.bridge.registry import query
from conductor.bridge.services import Call
from conductor.bridge.topics import FailureTopic
from conductor.bridge.traces import describe_trace
from conductor.domain.engine_protocol import GetRecentTraces
from conductor.domain.explanation import Explanation, split_explanation
from conductor.domain.value import Value
from conductor.errors import InvalidParams

_EPOCH = Epoch()


class WatchEventsParams(Value):
    on: bool


class RecentTracesParams(Value):
    limit: int = Field(default=200, ge=1, le=1_000)


class RecentTraces(Value):
    traces: list[TraceView]
    """The traces of recent events, oldest first."""
    failures: list[FailureTopic]
    """The failures of actions that belong to the returned traces."""
    epoch: float
    """The Unix time at which the engine's clock was 0.

    Added to the time of an event, it gives the time of day.
    """


class ExplainTraceParams(Value):
    sequence: int | None = None
    """The sequence number of the event, or null for the last event."""


class ExplainedTrace(Value):
    trace: TraceView
    steps: tuple[Step, ...]
    explanation: Explanation


@query("monitor.watch")
async def watch_events(params: WatchEventsParams, call: Call) -> Empty:
    """Start or stop sending the trace of every event to this page.

    This runs on the event loop, because worker threads would not keep the order of two calls: a page whose
    view changes stops and starts at nearly the same moment, and would then receive no events.
    """
    call.page.set_trace_watching(on=params.on)
    return Empty()


@query("monitor.recent")
def list_recent_traces(params: RecentTracesParams, call: Call) -> RecentTraces:
    """Return the traces of recent events and the failures of their actions."""
    found = call.services.engine.send_request(GetRecentTraces(params.limit))
    names = call.services.names.get_names()
    return RecentTraces(
        traces=[
            TraceView.model_validate(describe_trace(trace, names)) for trace in found["traces"]
        ],
        failures=[FailureTopic.model_validate(failure) for failure in found["failures"]],
        epoch=_EPOCH.get_epoch_unix_s(),
    )


@query("monitor.explain")
async def explain_trace(params: ExplainTraceParams, call: Call) -> ExplainedTrace:
    """Explain step by step why an event did or did not trigger an action."""
    explained = await call.services.runtime.explain_event(params.sequence)
    if explained is None:
        raise InvalidParams("the event is not in the history; play something and try again")
    trace, explanation = split_explanation(explained)
    view = TraceView.model_validate(describe_trace(trace))
    return ExplainedTrace(
        trace=view, steps=build_explanation_steps(trace, explanation), explanation=explanation
    )
