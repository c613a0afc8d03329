"""The MIDI Learn sessions of all clients. Each client has its own, so that none ends that of another."""

import asyncio
import itertools
from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from conductor.base.clock import now
from conductor.domain.engine_protocol import GetLearnedEvents, StartLearn, StopLearn
from conductor.domain.engine_replies import LearnedReply
from conductor.domain.events import CapturedEvents
from conductor.domain.page_events import MidiLearnSession, MidiLearnTopic
from conductor.domain.plan import Requester
from conductor.domain.wire_rows import EngineStateRow, event_from_plain
from conductor.runtime.events import MIDI_LEARN_TOPIC, Publish
from conductor.runtime.supervisor import EngineSupervisor

MAX_SESSIONS = 8
"""How many sessions are kept. Of more, the one that ends first is dropped, with its events."""
ONE_CALL_CALLERS = ("cli", "bare")
"""Callers that may start a process for each call, which then stops the session of an earlier one."""

ScheduleFunction = Callable[[float, Callable[[], None]], object]


@dataclass(frozen=True)
class _Session:
    session_id: str
    by: Requester
    until: float
    """The time on the engine's clock at which it ends. Its events stay readable until it is stopped."""


def _call_later(delay_s: float, call: Callable[[], None]) -> object:
    return asyncio.get_running_loop().call_later(delay_s, call)


class LearnSessions:
    """Starts and stops the sessions in the engine, and publishes which clients are capturing input.

    Call the coroutines on the event loop.
    """

    def __init__(
        self,
        engine: EngineSupervisor,
        publish: Publish,
        schedule: ScheduleFunction = _call_later,
        clock: Callable[[], float] = now,
    ) -> None:
        self._engine = engine
        self._publish = publish
        self._schedule = schedule
        self._clock = clock
        self._ids = itertools.count(1)
        self._sessions: tuple[_Session, ...] = ()
        """All sessions, oldest first. Replaced as a whole, because the engine may end in another thread."""
        self._published: tuple[MidiLearnSession, ...] = ()

    async def start_session(self, by: Requester, timeout_ms: int) -> str:
        """Start capturing for a client and return the id of the session. Its earlier session is dropped."""
        dropped = [one for one in self._sessions if _get_key(one.by) == _get_key(by)]
        others = [one for one in self._sessions if one not in dropped]
        if len(others) >= MAX_SESSIONS:
            dropped.append(min(others, key=lambda one: one.until))
        for session in dropped:
            await self._engine.send_request_async(StopLearn(session.session_id))
        session = _Session(str(next(self._ids)), by, self._clock() + timeout_ms / 1000)
        await self._engine.send_request_async(StartLearn(session.session_id))
        self._replace_sessions(*(one for one in self._sessions if one not in dropped), session)
        self._schedule(timeout_ms / 1000, self._publish_change)
        return session.session_id

    def extend_session(self, by: Requester, timeout_ms: int) -> None:
        """Extend a client's session to end after the timeout from now on, if the client has a session."""
        session = self._find_session(by)
        if session is not None:
            later = replace(session, until=self._clock() + timeout_ms / 1000)
            self._replace_sessions(*(later if one is session else one for one in self._sessions))
            self._schedule(timeout_ms / 1000, self._publish_change)

    async def list_events(self, by: Requester | None) -> CapturedEvents:
        """Return the events that a client's session has captured so far."""
        session = None if by is None else self._find_session(by)
        return await self._read_events(session, GetLearnedEvents)

    async def stop_session(self, by: Requester) -> CapturedEvents:
        """Stop a client's session and return its events."""
        session = self._find_session(by)
        events = await self._read_events(session, StopLearn)
        self._replace_sessions(*(one for one in self._sessions if one is not session))
        return events

    async def end_session(self, session_id: str) -> None:
        """End a session of any client, as the user asks in the window. Its events stay readable."""
        self._replace_sessions(
            *(
                replace(one, until=min(one.until, self._clock()))
                if one.session_id == session_id
                else one
                for one in self._sessions
            )
        )

    def list_active_sessions(self) -> tuple[MidiLearnSession, ...]:
        """Return the sessions that are capturing now, oldest first."""
        at = self._clock()
        return tuple(_build_view(one, one.until - at) for one in self._sessions if one.until > at)

    def on_engine_state(self, state: EngineStateRow) -> None:
        """Forget all sessions when the engine has ended, because their events are lost. Safe in any thread."""
        if not state["engine_running"] and self._sessions:
            self._replace_sessions()

    def _find_session(self, by: Requester) -> _Session | None:
        """Return the session of a client.

        A terminal command or a bare line may come from a new process for each call, so for these the newest
        session of the same kind of caller is found.
        """
        newest_first = self._sessions[::-1]
        own = next((one for one in newest_first if _get_key(one.by) == _get_key(by)), None)
        if own is None and by.caller in ONE_CALL_CALLERS:
            return next((one for one in newest_first if one.by.caller == by.caller), None)
        return own

    async def _read_events(
        self, session: _Session | None, request: type[GetLearnedEvents] | type[StopLearn]
    ) -> CapturedEvents:
        """Return the events of a session with times on the engine's clock, without those after its end."""
        if session is None:
            return CapturedEvents([], self._clock())
        ask: Any = request(session.session_id)
        answer: LearnedReply = await self._engine.send_request_async(ask)
        started = answer["started_at"]
        events = [event_from_plain(plain) for plain in answer["events"]]
        return CapturedEvents(
            [
                event._replace(time=started + event.time)
                for event in events
                if started + event.time <= session.until
            ],
            started,
        )

    def _replace_sessions(self, *sessions: _Session) -> None:
        self._sessions = sessions
        self._publish_change()

    def _publish_change(self) -> None:
        active = self.list_active_sessions()
        if [one.session_id for one in active] != [one.session_id for one in self._published]:
            self._published = active
            self._publish(MIDI_LEARN_TOPIC, MidiLearnTopic(sessions=active))


def _get_key(by: Requester) -> Hashable:
    """Return what stays the same in all calls of a client: in the chat, the model may change."""
    if by.caller == "chat":
        return by.caller, by.conversation_id
    return by.get_process()


def _build_view(session: _Session, remaining_s: float) -> MidiLearnSession:
    by = session.by
    return MidiLearnSession(
        session_id=session.session_id,
        caller=by.caller,
        client=by.client,
        executable=by.executable,
        conversation_id=by.conversation_id,
        expires_at=datetime.now(UTC) + timedelta(seconds=remaining_s),
    )
