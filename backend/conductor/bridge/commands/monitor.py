"""Commands of the monitor: what is played, what came of it, and why."""

from pydantic import Field

from conductor.base.clock import now
from conductor.bridge.explain import Step, explanation_steps
from conductor.bridge.models import Nothing, TraceView
from conductor.bridge.registry import query
from conductor.bridge.services import Call
from conductor.bridge.traces import shown
from conductor.domain.engine_protocol import GetRecentTraces
from conductor.domain.explanation import Explanation
from conductor.domain.value import Value
from conductor.errors import InvalidParams


class WatchParams(Value):
    on: bool


class RecentParams(Value):
    limit: int = Field(default=200, ge=1, le=1_000)


class Traces(Value):
    traces: list[TraceView]
    """The oldest first."""
    now: float
    """The engine's clock, to tell the time of day of an event from."""


class ExplainParams(Value):
    sequence: int | None = None
    """Left out: the last event."""


class ExplainedTrace(Value):
    trace: TraceView
    steps: tuple[Step, ...]
    explanation: Explanation


@query("monitor.watch")
def watch(params: WatchParams, call: Call) -> Nothing:
    """Have this page told of every event, or not."""
    call.page.watch(on=params.on)
    return Nothing()


@query("monitor.recent")
def recent(params: RecentParams, call: Call) -> Traces:
    """What was played lately."""
    found = call.desk.ask(GetRecentTraces(params.limit))["traces"]
    return Traces(traces=[TraceView.model_validate(shown(one)) for one in found], now=now())


@query("monitor.explain")
async def explain(params: ExplainParams, call: Call) -> ExplainedTrace:
    """Why an event did or did not act, as a chain of steps."""
    trace = await call.desk.runtime.explain(params.sequence)
    if trace is None:
        raise InvalidParams("no such event is remembered; play something and ask again")
    told = Explanation.model_validate(trace.pop("explanation"))
    view = TraceView.model_validate(shown(trace))
    return ExplainedTrace(trace=view, steps=explanation_steps(trace, told), explanation=told)
