"""Which client's MIDI Learn session a call concerns, how long a session lasts, and what is published of it."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, cast

import pytest

from conductor.domain.engine_protocol import GetLearnedEvents, StartLearn, StopLearn
from conductor.domain.events import InputEvent
from conductor.domain.page_events import MidiLearnTopic
from conductor.domain.plan import SLASH_COMMAND_CLIENT, Requester
from conductor.domain.wire_rows import EngineStateRow
from conductor.engine.learn import LearnSession
from conductor.runtime.learn_sessions import MAX_SESSIONS, LearnSessions
from conductor.runtime.requests import collect_learned_events

AGENT = Requester(caller="mcp", client="agent", pid=7)
OTHER = Requester(caller="mcp", client="agent", pid=8)
PAGE = Requester(caller="page", client="Firefox", pid=9)


class World:
    """The sessions over the engine's own capturing, at a time that the test sets."""

    def __init__(self) -> None:
        self.at = 100.0
        self.captured: dict[str, LearnSession] = {}
        self.published: list[list[str]] = []
        self.timers: list[tuple[float, Callable[[], None]]] = []
        self.learn = LearnSessions(
            cast(Any, self), self._on_event, self._schedule, clock=lambda: self.at
        )

    async def send_request_async(self, request: StartLearn | StopLearn | GetLearnedEvents) -> Any:
        match request:
            case StartLearn(session=session):
                self.captured[session] = LearnSession(self.at)
                return {"status": "learning"}
            case StopLearn(session=session):
                return collect_learned_events(self.captured.pop(session, None))
            case GetLearnedEvents(session=session):
                return collect_learned_events(self.captured.get(session))

    def play(self, note: int) -> None:
        event = InputEvent("note_on", "pads", 1, note, 100, self.at)
        for session in self.captured.values():
            session.add_event(event)

    def pass_time(self, seconds: float) -> None:
        self.at += seconds
        due, self.timers = [one for one in self.timers if one[0] <= self.at], self.timers
        for _, call in due:
            call()

    def start(self, by: Requester, timeout_ms: int = 10_000) -> str:
        return run(self.learn.start_session(by, timeout_ms))

    def notes(self, by: Requester) -> list[int | str]:
        return [event.number for event in run(self.learn.list_events(by)).events]

    def _on_event(self, _topic: object, payload: object) -> None:
        assert isinstance(payload, MidiLearnTopic)
        self.published.append([one.session_id for one in payload.sessions])

    def _schedule(self, delay_s: float, call: Callable[[], None]) -> None:
        self.timers.append((self.at + delay_s, call))


def run(work: Coroutine[Any, Any, Any]) -> Any:
    return asyncio.run(work)


def test_a_second_client_does_not_end_the_session_of_the_first() -> None:
    world = World()
    first = world.start(AGENT)
    world.play(36)
    second = world.start(OTHER)
    world.play(37)

    assert (world.notes(AGENT), world.notes(OTHER)) == ([36, 37], [37])
    assert [event.number for event in run(world.learn.stop_session(OTHER)).events] == [37]
    assert world.notes(AGENT) == [36, 37]
    assert world.notes(PAGE) == []
    assert world.published == [[first], [first, second], [first]]


def test_a_client_that_starts_again_begins_anew_and_has_one_session() -> None:
    world = World()
    first = world.start(AGENT)
    world.play(36)
    second = world.start(AGENT)

    assert world.notes(AGENT) == []
    assert list(world.captured) == [second]
    assert world.published == [[first], [second]]


def test_a_session_ends_by_itself_and_what_was_captured_until_then_stays_readable() -> None:
    world = World()
    session = world.start(AGENT, 10_000)
    world.pass_time(9)
    world.play(36)
    world.pass_time(2)
    world.play(37)

    assert world.published == [[session], []]
    assert world.learn.list_active_sessions() == ()
    assert world.notes(AGENT) == [36]


def test_a_page_that_goes_on_asking_goes_on_capturing() -> None:
    world = World()
    session = world.start(PAGE, 10_000)
    world.pass_time(9)
    world.learn.extend_session(PAGE, 10_000)
    world.pass_time(9)
    world.play(36)

    assert world.notes(PAGE) == [36]
    assert world.published == [[session]]
    world.pass_time(1)
    assert world.published == [[session], []]


def test_the_user_ends_a_session_of_another_client_who_can_still_read_it() -> None:
    world = World()
    session = world.start(AGENT)
    world.play(36)
    world.pass_time(1)
    run(world.learn.end_session(session))
    world.pass_time(1)
    world.play(37)

    assert world.published == [[session], []]
    assert world.notes(AGENT) == [36]


@pytest.mark.parametrize(
    ("starts", "stops", "found"),
    [
        ({"caller": "bare", "pid": 1}, {"caller": "bare", "pid": 2}, True),
        ({"caller": "cli", "pid": 1}, {"caller": "cli", "pid": 2}, True),
        ({"caller": "cli", "pid": 1}, {"caller": "bare", "pid": 2}, False),
        ({"caller": "mcp", "pid": 1}, {"caller": "mcp", "pid": 2}, False),
        (
            {"caller": "chat", "client": "openai/gpt", "conversation_id": "c1"},
            {"caller": "chat", "client": SLASH_COMMAND_CLIENT, "conversation_id": "c1"},
            True,
        ),
        (
            {"caller": "chat", "conversation_id": "c1"},
            {"caller": "chat", "conversation_id": "c2"},
            False,
        ),
    ],
)
def test_a_later_call_finds_the_session_that_its_client_started(
    starts: dict[str, Any], stops: dict[str, Any], found: bool
) -> None:
    world = World()
    world.start(Requester(**starts))
    world.play(36)
    assert world.notes(Requester(**stops)) == ([36] if found else [])


def test_of_too_many_sessions_the_one_that_ends_first_is_dropped() -> None:
    world = World()
    clients = [Requester(caller="mcp", client="agent", pid=pid) for pid in range(MAX_SESSIONS + 1)]
    for seconds, client in enumerate(clients):
        world.start(client, 60_000 - 1_000 * seconds)
    world.play(36)

    assert len(world.captured) == MAX_SESSIONS
    assert [world.notes(client) for client in clients[-2:]] == [[], [36]]
    assert world.notes(clients[0]) == [36]


def test_nobody_captures_any_more_when_the_engine_has_ended() -> None:
    world = World()
    session = world.start(AGENT)
    state = cast(EngineStateRow, {"engine_running": False})
    world.learn.on_engine_state(state)
    world.learn.on_engine_state(state)

    assert world.published == [[session], []]
    assert world.notes(AGENT) == []
