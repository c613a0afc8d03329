"""Answers that come too slowly to be waited for: each ends in words, and keeps what had come."""

import socketserver
import threading
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from itertools import chain, islice

import pytest
from tests.llm.asking import KINDS, ask, failed, request, retries, talk
from tests.llm.turns import last
from tests.support.edge_llm import EdgeServer, Reply, chat, edge_server, event

from conductor.domain.chat.messages import (
    ProviderHealth,
    ProviderKind,
    StreamEvent,
    TextPart,
)
from conductor.llm.options import ModelTimeouts
from conductor.llm.provider import Provider

EVERY_S = 0.02
SOON_S, SHORT_S = 0.5, 0.1
"""Limits: between two events, which must hold on a busy machine, and one that always passes."""
SIGN_OF_LIFE = b": still here\n\n"
FOREVER = 3_000
"""Pieces: a minute of them, long after any test has ended."""


@pytest.fixture
def edge() -> Generator[EdgeServer]:
    with edge_server() as edge:
        yield edge


def trickle(piece: bytes, *, first: bytes = b"") -> Iterator[bytes]:
    """Return a little now and then, until the client leaves."""
    yield first
    for _ in range(FOREVER):
        threading.Event().wait(EVERY_S)
        yield piece


def ends_as_too_slow(events: list[StreamEvent], url: str) -> None:
    failure = failed(events).failure
    assert failure.kind == "network"
    assert "sent almost nothing for minutes" in failure.message
    assert f"Check the server or proxy at {url}, or choose another model" in failure.message
    assert retries(events) == []


@pytest.mark.parametrize("kind", KINDS)
def test_a_byte_now_and_then_is_no_answer(edge: EdgeServer, kind: ProviderKind) -> None:
    edge.reply(Reply(trickle(b"x", first=b"data: ")))
    events = ask(kind, edge.url, request(kind, "hello"), limits=ModelTimeouts(max_silence_s=SOON_S))

    ends_as_too_slow(events, edge.url)
    assert len(edge.asked) == 1


def test_what_came_before_the_trickle_is_kept(edge: EdgeServer) -> None:
    said = event(chat({"role": "assistant", "content": "Well, "})[0])
    edge.reply(Reply(trickle(b"x", first=said)))
    events = ask(
        "custom", edge.url, request("custom", "hello"), limits=ModelTimeouts(max_silence_s=SOON_S)
    )

    ends_as_too_slow(events, edge.url)
    assert [part.text for part in failed(events).parts if isinstance(part, TextPart)] == ["Well, "]


@pytest.mark.parametrize("kind", KINDS)
def test_signs_of_life_alone_are_no_answer_either(edge: EdgeServer, kind: ProviderKind) -> None:
    edge.reply(Reply(trickle(SIGN_OF_LIFE)))
    events = ask(kind, edge.url, request(kind, "hello"), limits=ModelTimeouts(answer_s=SHORT_S))

    ends_as_too_slow(events, edge.url)


@pytest.mark.parametrize("streaming", [True, False])
def test_an_answer_in_one_piece_may_not_trickle(edge: EdgeServer, streaming: bool) -> None:
    edge.reply(Reply(trickle(b" "), content_type="application/json"))
    asked = request("custom", "hello")
    events = ask(
        "custom", edge.url, asked, limits=ModelTimeouts(answer_s=SHORT_S), streaming=streaming
    )

    ends_as_too_slow(events, edge.url)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "google"])  # sends none
def test_signs_of_life_while_a_model_thinks_are_waited_for(
    edge: EdgeServer, kind: ProviderKind
) -> None:
    slow = islice(trickle(SIGN_OF_LIFE), int(2 * SOON_S / EVERY_S))
    edge.reply(Reply(chain(slow, last(kind).chunks)))
    events = ask(kind, edge.url, request(kind, "hello"), limits=ModelTimeouts(max_silence_s=SOON_S))

    assert events[-1].type == "done", events[-1]


class _HeadThatTrickles(socketserver.BaseRequestHandler):
    def handle(self) -> None:
        try:
            self.request.sendall(b"HTTP/1.1 200 OK\r\nx-slow: ")
            for letter in trickle(b"x"):
                self.request.sendall(letter)
        except OSError:
            return


@contextmanager
def head_that_trickles() -> Generator[str]:
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), _HeadThatTrickles) as server:
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever, name="slow-head", daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
            thread.join()


@pytest.mark.parametrize("kind", KINDS)
def test_a_head_that_trickles_is_not_waited_for(kind: ProviderKind) -> None:
    with head_that_trickles() as url:
        events = ask(kind, url, request(kind, "hello"), limits=ModelTimeouts(answer_s=SHORT_S))

    ends_as_too_slow(events, url)


@pytest.mark.parametrize("kind", KINDS)
def test_the_connection_test_has_an_end(edge: EdgeServer, kind: ProviderKind) -> None:
    edge.reply(*[Reply(trickle(b" "), content_type="application/json") for _ in range(2)])

    async def look(provider: Provider) -> ProviderHealth:
        return await provider.test_connection()

    health = talk(kind, edge.url, look, limits=ModelTimeouts(connection_test_s=SHORT_S))
    assert health.failure is not None
    assert health.failure.kind == "network"
    assert f"Check the server or proxy at {edge.url}" in health.message
