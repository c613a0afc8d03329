"""Commands of MIDI Learn, which records the events that the user plays and suggests triggers for them."""

from typing import Any

from pydantic import Field, TypeAdapter, ValidationError

from conductor.base.clock import now
from conductor.bridge.models import Empty, PassThroughModel, PlainTrigger, RowDescription
from conductor.bridge.registry import command, query
from conductor.bridge.rows import describe_trigger_and_action
from conductor.bridge.services import Call
from conductor.domain.control_names import ControlNames
from conductor.domain.events import CapturedEvents
from conductor.domain.page_events import MidiLearnTopic
from conductor.domain.patterns import Suggestion, suggest_for_last_gesture
from conductor.domain.triggers import Trigger
from conductor.domain.value import Value
from conductor.tools.event_rows import build_event_row

_TRIGGER_ADAPTER: TypeAdapter[Any] = TypeAdapter(Trigger)
MAX_LEARNED_EVENTS = 200


class StartLearningParams(Value):
    is_silent: bool = False
    """Whether mappings are paused until the session is stopped, or until the page no longer polls."""


class LearnSession(Value):
    session_id: str
    timeout_ms: int


class EndSessionParams(Value):
    session_id: str = Field(max_length=40)


class LearnEvent(PassThroughModel):
    kind: str
    device: str
    channel: int
    number: int | str
    value: float
    time: float
    """The time of the event in seconds since MIDI Learn was started."""
    text: str


class LearnSuggestion(Value):
    trigger: PlainTrigger
    why: str
    confidence: float
    """How well the trigger fits, from 0.0 to 1.0. The list is sorted by it, best first."""
    words: RowDescription


class LearnResult(Value):
    events: list[LearnEvent]
    """The latest events that were recorded, at most 200."""
    suggestions: tuple[LearnSuggestion, ...]


@command("learn.start")
async def start_learning(params: StartLearningParams, call: Call) -> LearnSession:
    """Start recording the events that the user plays."""
    timeout_ms = _get_timeout_ms(call)
    lease, holder = call.services.engine.pause_lease, _get_pause_holder(call)
    await (lease.begin_pause(holder) if params.is_silent else lease.end_pause(holder))
    session_id = await call.services.learn.start_session(call.requester, timeout_ms)
    return LearnSession(session_id=session_id, timeout_ms=timeout_ms)


@query("learn.poll")
async def poll_learning(params: Empty, call: Call) -> LearnResult:
    """Return the events recorded so far and the triggers that they suggest.

    The session lasts as long as the page asks, because the page restarts its timeout with each event.
    """
    call.services.learn.extend_session(call.requester, _get_timeout_ms(call))
    await call.services.engine.pause_lease.renew_pause(_get_pause_holder(call))
    return _build_learn_result(await call.services.learn.list_events(call.requester), call)


@command("learn.stop")
async def stop_learning(params: Empty, call: Call) -> LearnResult:
    """Stop recording, and return the events and the triggers that they suggest."""
    await call.services.engine.pause_lease.end_pause(_get_pause_holder(call))
    return _build_learn_result(await call.services.learn.stop_session(call.requester), call)


@query("learn.sessions")
def list_sessions(params: Empty, call: Call) -> MidiLearnTopic:
    """Return the clients that are capturing input now."""
    return MidiLearnTopic(sessions=call.services.learn.list_active_sessions())


@command("learn.end", "stateful")
async def end_session(params: EndSessionParams, call: Call) -> Empty:
    """End the session of any client, which can still read what was captured."""
    await call.services.learn.end_session(params.session_id)
    return Empty()


def _get_timeout_ms(call: Call) -> int:
    return call.services.config.store.current_config.settings.learn.timeout_ms


def _get_pause_holder(call: Call) -> tuple[str, *tuple[str | None, ...]]:
    return ("learn", *call.requester.get_principal())


def _build_learn_result(captured: CapturedEvents, call: Call) -> LearnResult:
    at, names = now(), call.services.names.get_names()
    events = [
        LearnEvent.model_validate(
            {
                **build_event_row(event, at - event.time, names),
                "time": round(event.time - captured.started_at, 6),
            }
        )
        for event in captured.events[-MAX_LEARNED_EVENTS:]
    ]
    settings = call.services.config.store.current_config.settings.learn
    found = suggest_for_last_gesture(captured.events, settings, names)
    suggestions = (_build_suggestion(suggestion, names) for suggestion in found)
    return LearnResult(
        events=events, suggestions=tuple(row for row in suggestions if row is not None)
    )


def _build_suggestion(found: Suggestion, names: ControlNames) -> LearnSuggestion | None:
    """Return a suggested trigger as the page shows it.

    Return None if the trigger is invalid, for example because the port of its device has no name.
    """
    try:
        trigger = _TRIGGER_ADAPTER.validate_python(found.trigger)
    except ValidationError:
        return None
    return LearnSuggestion(
        trigger=found.trigger,
        why=found.why,
        confidence=found.score,
        words=describe_trigger_and_action(trigger, None, names),
    )
