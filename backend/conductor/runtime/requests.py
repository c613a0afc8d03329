"""Answers the app's requests in the engine process: send MIDI, pause, explain, perform an action, learn."""

from collections.abc import Callable, Mapping
from threading import Thread

from pydantic import TypeAdapter

from conductor.base.clock import now
from conductor.devices import identity
from conductor.devices.manager import MidiManager
from conductor.devices.midi.apis import PortKey, get_api_name
from conductor.domain.actions import Action, walk_actions
from conductor.domain.actions.led import LedAction
from conductor.domain.actions.plugin import PluginAction
from conductor.domain.config import Config
from conductor.domain.engine_protocol import ExplainEvent, PerformAction, SendMidi
from conductor.domain.engine_replies import (
    AskForConsentReply,
    ExplainReply,
    LearnedReply,
    PauseReply,
    PerformReply,
    SendMidiReply,
)
from conductor.domain.form_rules import returns_messages
from conductor.domain.performed_once import PERFORMED_ONCE_SCOPE, format_performer_name
from conductor.domain.trace import Trace
from conductor.engine import step
from conductor.engine.engine import Engine
from conductor.engine.explain.facts import collect_facts
from conductor.engine.learn import LearnSession
from conductor.engine.preview import preview_action
from conductor.engine.recording.recorder import TraceRecorder
from conductor.engine.runner import EffectOutcome, EffectRunner
from conductor.engine.state import EngineState
from conductor.errors import ActionFailed, NotAllowed

Reply = Callable[[Mapping[str, object]], None]
"""A function that sends the answer to a request, which is a typed dictionary."""
_ACTION_ADAPTER: TypeAdapter[Action] = TypeAdapter(Action)
OUTCOME_TIMEOUT_S = 3.0
"""Seconds to wait for an action that runs on a worker; the app itself waits 5 seconds for the reply."""


def send_midi(request: SendMidi, midi: MidiManager, reply: Reply) -> None:
    """Send the MIDI messages of a request to an output, and reply with the number of messages sent.

    A port that loops back to Conductor requires the user's approval.
    """

    def refuse_loop(output: PortKey) -> None:
        _refuse_loop(output, midi)

    check = None if request.approved else refuse_loop
    sent = 0
    try:
        for text in request.messages:
            midi.outputs.send(request.port, bytes.fromhex(text), check)
            sent += 1
    except NotAllowed as error:
        reply(SendMidiReply(refused=str(error), sent=sent))
    except ActionFailed as error:
        reply(SendMidiReply(error=str(error), sent=sent))
    else:
        reply(SendMidiReply(sent=sent))


def ask_for_consent(ask: Callable[[], None], reply: Reply) -> None:
    """Ask the user whether Conductor may press keys, and reply once the desktop is asking."""

    def ask_and_reply() -> None:
        try:
            ask()
        except ActionFailed as error:
            reply(AskForConsentReply(error=str(error)))
        except Exception as error:
            reply(AskForConsentReply(error=f"the desktop could not ask ({error})"))
            raise
        else:
            reply(AskForConsentReply(error=""))

    # In its own thread, because the desktop may not answer for seconds, and other messages must not wait.
    Thread(target=ask_and_reply, name="ask for consent", daemon=True).start()


def _refuse_loop(output: PortKey, midi: MidiManager) -> None:
    """Raise NotAllowed for a port that loops back to Conductor, where a message would trigger mappings."""
    name = identity.normalise_port_name(get_api_name(output.api), output.name)
    if returns_messages(name) and midi.listens_to_port(name):
        raise NotAllowed(
            f"{name} sends back what it receives, and Conductor listens to it: this would trigger the"
            " user's mappings; propose conductor_preview_action with a SendMidi action, which the user"
            " approves"
        )


def set_all_paused(*, paused: bool, engine: Engine, runner: EffectRunner, reply: Reply) -> None:
    """Pause or resume all mappings, and reply to the request. Pausing releases all held keys and notes."""

    def apply_pause(state: EngineState) -> Trace:
        if paused:
            runner.cancel_all()
        was_paused = state.paused
        trace = step.pause_mappings(state, now(), paused=paused)
        reply(PauseReply(was_paused=was_paused))
        return trace

    engine.call_in_engine_thread(apply_pause)


def explain_event(
    request: ExplainEvent, engine: Engine, recorder: TraceRecorder, reply: Reply
) -> None:
    """Reply with the trace of an input event, and with an explanation of the gesture that it belongs to."""
    facts = collect_facts(engine.state, now(), list(recorder.failures))
    reply(ExplainReply(trace=recorder.explain(request.sequence, facts)))


def perform_action(
    request: PerformAction,
    engine: Engine,
    runner: EffectRunner,
    recorder: TraceRecorder,
    reply: Reply,
) -> None:
    """Perform an action once, and reply with the reason if it failed.

    An action on a worker is awaited for `OUTCOME_TIMEOUT_S`. Actions of a sequence and calls
    of tools are not awaited.
    """
    action = _ACTION_ADAPTER.validate_python(request.action)
    started, number = now(), request.number
    if action.blocking and not isinstance(action, PluginAction):

        def perform_and_watch(state: EngineState) -> Trace:
            trace = preview_action(state, action, started, number)
            runner.watch_first_effect(
                trace.sequence, started + OUTCOME_TIMEOUT_S, reply_with_outcome
            )
            return trace

        def reply_with_outcome(outcome: EffectOutcome) -> None:
            if outcome.reason is not None:
                reply(PerformReply(error=outcome.reason))
            else:
                reply(PerformReply(performed=True, running=not outcome.is_known))

        engine.call_in_engine_thread(perform_and_watch)
        return
    engine.call_in_engine_thread(lambda state: preview_action(state, action, started, number))

    def reply_with_failure(_: EngineState) -> None:
        reasons = [
            failure["reason"]
            for failure in recorder.failures
            if failure["scope"] == PERFORMED_ONCE_SCOPE
            and failure["mapping"] == format_performer_name(number)
        ]
        reply(PerformReply(error=reasons[0]) if reasons else PerformReply(performed=True))

    engine.call_in_engine_thread(reply_with_failure)


def collect_learned_events(session: LearnSession | None) -> LearnedReply:
    """Return the events that a MIDI Learn session has captured, and its start time on the engine's clock."""
    if session is None:
        return {"events": [], "started_at": now()}
    return {"events": session.to_plain(), "started_at": session.started_at}


def list_output_ports(config: Config) -> set[str]:
    """Return the names of all MIDI outputs that actions of a config send to, so that
    these can be opened early.
    """
    parts = (part for _, _, row in config.list_all_mappings() for part in walk_actions(row.action))
    names = (
        part.device if isinstance(part, LedAction) else getattr(part, "port", None)
        for part in parts
    )
    return {name for name in names if isinstance(name, str)}
