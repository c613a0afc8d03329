"""Responses that are none of a model's: each ends in words, soon, and shows nobody else what was said."""

import gzip
from collections.abc import Callable, Generator, Iterator
from typing import Any

import pytest
from tests.llm.asking import KEY, KINDS, Waits, ask, failed, request, retries, talk, text_of, user
from tests.llm.turns import last
from tests.support.edge_llm import (
    EdgeServer,
    Reply,
    as_json,
    chat,
    chat_call,
    edge_server,
    error,
    event,
    sse,
)

from conductor.domain.chat.messages import (
    ImagePart,
    ProviderHealth,
    ProviderKind,
    StreamEvent,
)
from conductor.llm import exchange, guard
from conductor.llm.provider import Provider

every_kind = pytest.mark.parametrize("kind", KINDS)


@pytest.fixture
def edge() -> Generator[EdgeServer]:
    with edge_server() as edge:
        yield edge


def refused(edge: EdgeServer, kind: ProviderKind, reply: Reply, **settings: Any) -> str:
    """Expect an answer to be refused at once; gives the words."""
    edge.reply(reply)
    events = ask(kind, edge.url, request(kind, "hello"), **settings)
    assert failed(events).failure.kind == "bad_request"
    assert retries(events) == []
    assert len(edge.asked) == 1
    return failed(events).failure.message


def endless(piece: bytes, *, first: bytes = b"") -> Iterator[bytes]:
    """Return bytes until the client leaves, or far more than it may take."""
    yield first
    for _ in range(2 * guard.MAX_STREAM_BYTES // len(piece)):
        yield piece


@every_kind
@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_told_and_not_followed(
    edge: EdgeServer, kind: ProviderKind, status: int
) -> None:
    with edge_server() as other:
        to = {"location": f"{other.url}/v1/chat/completions?key=1"}
        words = refused(edge, kind, Reply([b""], status, headers=to))

        assert (
            f"a redirect to {other.url}. If that address is right, enter it in Settings > Providers"
            in words
        )
        assert other.asked == []


@pytest.mark.parametrize("to", ["file:///etc/passwd", "http://[", "\x01"])
def test_a_redirect_to_no_web_address_is_told(edge: EdgeServer, to: str) -> None:
    assert "redirect" in refused(edge, "custom", Reply([b""], 307, headers={"location": to}))


@every_kind
@pytest.mark.parametrize("kind_of_content", ["text/html; charset=utf-8", "image/png"])
def test_a_page_or_a_file_is_no_answer(
    edge: EdgeServer, kind: ProviderKind, kind_of_content: str
) -> None:
    words = refused(edge, kind, Reply([b"<html>\x89"], content_type=kind_of_content))

    assert f"{edge.url} does not speak the API" in words
    assert "Check the address in Settings > Providers" in words


@every_kind
def test_nothing_at_all_is_no_answer(edge: EdgeServer, kind: ProviderKind) -> None:
    assert "it sent nothing" in refused(edge, kind, Reply([]))


@every_kind
@pytest.mark.parametrize("streaming", [True, False])
@pytest.mark.parametrize(
    "reply",
    [
        as_json({"hello": "world"}),
        as_json([1]),
        as_json("ok"),
        as_json({"choices": None, "content": None, "output": None, "candidates": None}),
        Reply([b"hello"], content_type="text/plain"),
        Reply([b'{"choices": ['], content_type="application/json"),
        sse({"hello": "world"}, {"hello": "again"}),
        sse([1]),
        sse("hello", "[DONE]"),
    ],
    ids=lambda reply: b"".join(reply.chunks).decode().strip()[:24],
)
def test_json_of_another_shape_is_no_answer(
    edge: EdgeServer, kind: ProviderKind, reply: Reply, streaming: bool
) -> None:
    words = refused(edge, kind, reply, streaming=streaming)

    assert f"{edge.url} does not speak the API" in words
    assert "Check the address in Settings > Providers" in words


@every_kind
@pytest.mark.parametrize("streaming", [True, False])
def test_an_error_that_comes_as_a_good_answer_is_one(
    edge: EdgeServer, kind: ProviderKind, streaming: bool
) -> None:
    words = refused(edge, kind, as_json({"error": {"message": "no gpu left"}}), streaming=streaming)
    edge.reply(as_json({"error": {"message": "no key", "code": 401}}))
    events = ask(kind, edge.url, request(kind, "hello"), streaming=streaming)

    assert 'It said: "no gpu left"' in words
    assert failed(events).failure.kind == "auth"


WHOLE = {
    "id": "1",
    "object": "chat.completion",
    "created": 1,
    "model": "m",
    "choices": [
        {
            "index": 0,
            "finish_reason": "stop",
            "message": {"role": "assistant", "content": "All at once."},
        }
    ],
}


def test_a_server_that_does_not_stream_although_asked_to_is_asked_not_to(edge: EdgeServer) -> None:
    edge.reply(as_json(WHOLE), as_json(WHOLE))
    events = ask("custom", edge.url, request("custom", "hello"))

    assert text_of(events) == "All at once."
    assert [asked.body.get("stream", False) for asked in edge.asked] == [True, False]


def test_a_server_that_must_stream_and_does_not_is_told_of(edge: EdgeServer) -> None:
    words = refused(edge, "custom", as_json(WHOLE), streaming=True)

    assert "Switch streaming off for this provider in Settings > Providers" in words


@every_kind
def test_a_packed_answer_is_neither_asked_for_nor_unpacked(
    edge: EdgeServer, kind: ProviderKind
) -> None:
    bomb = gzip.compress(bytes(10_000_000))
    words = refused(edge, kind, Reply([bomb], headers={"content-encoding": "gzip"}))

    assert "compresses its answers" in words
    assert edge.asked[0].headers["accept-encoding"] == "identity"


@every_kind
def test_of_a_packed_error_only_the_status_counts(edge: EdgeServer, kind: ProviderKind) -> None:
    bomb = gzip.compress(bytes(10_000_000))
    edge.reply(Reply([bomb], 401, "application/json", {"content-encoding": "gzip"}))
    events = ask(kind, edge.url, request(kind, "hello"))

    assert failed(events).failure.kind == "auth"


@every_kind
def test_an_error_without_an_end_is_cut(edge: EdgeServer, kind: ProviderKind) -> None:
    edge.reply(Reply(endless(b"A" * 100_000), 401, "text/plain"))
    events = ask(kind, edge.url, request(kind, "hello"))

    assert failed(events).failure.kind == "auth"
    assert len(failed(events).failure.message) < 500


@every_kind
def test_an_event_without_an_end_is_too_much(edge: EdgeServer, kind: ProviderKind) -> None:
    words = refused(edge, kind, Reply(endless(b"A" * 100_000, first=b'data: {"id":"')))

    assert "sent an answer that is too long" in words


def test_comments_without_an_end_are_too_much(edge: EdgeServer) -> None:
    words = refused(edge, "custom", Reply(endless(b": keep\n\n" * 10_000)))

    assert "sent an answer that is too long" in words


def text_without_end() -> Iterator[bytes]:
    yield from endless(event(chat({"content": "word " * 2_000})[0]))


def arguments_without_end() -> Iterator[bytes]:
    begun = chat({"content": "word "}, chat_call(0, "conductor_get_config", '{"a":"', "c1"))
    more = chat(chat_call(0, None, "A" * 10_000, None))[0]
    yield from endless(event(more), first=event(begun[0]) + event(begun[1]))


@pytest.mark.parametrize("without_end", [text_without_end, arguments_without_end])
def test_an_answer_without_an_end_keeps_its_beginning(
    edge: EdgeServer, without_end: Callable[[], Iterator[bytes]]
) -> None:
    edge.reply(Reply(without_end()))
    events = ask("custom", edge.url, request("custom", "hello"))

    assert "sent an answer that is too long" in failed(events).failure.message
    assert "word " in text_of(events)
    assert len(text_of(events)) <= exchange.MAX_ANSWER_LENGTH
    assert failed(events).parts


@every_kind
def test_headers_of_the_environment_go_to_nobody(
    edge: EdgeServer, kind: ProviderKind, monkeypatch: pytest.MonkeyPatch
) -> None:
    for sdk in ("OPENAI", "ANTHROPIC"):
        told = "X-Secret: from-env\nAuthorization: Bearer from-env\nX-Api-Key: from-env"
        monkeypatch.setenv(f"{sdk}_CUSTOM_HEADERS", told)
    edge.reply(last(kind))
    ask(kind, edge.url, request(kind, "hello"))

    (asked,) = edge.asked
    assert "from-env" not in str(asked.headers)
    assert KEY in str(asked.headers)


@pytest.mark.parametrize(("asked_for", "kept_as"), [("99999", 3600), ("-5", None), ("nan", None)])
def test_a_wait_that_a_provider_asks_for_is_a_sane_one(
    edge: EdgeServer, asked_for: str, kept_as: float | None
) -> None:
    edge.reply(*[error(429, "slow down", **{"retry-after": asked_for}) for _ in range(4)])
    waits = Waits()
    events = ask("custom", edge.url, request("custom", "hello"), wait=waits)

    assert failed(events).failure.retry_after_s == kept_as
    assert all(wait_s > 0 for wait_s in waits.seconds)


@pytest.mark.parametrize("kind", ["anthropic", "openai", "google"])
def test_a_damaged_image_is_told_before_anything_is_sent(
    edge: EdgeServer, kind: ProviderKind
) -> None:
    image = ImagePart(name="pads.png", media_type="image/png", data="not base64!")
    events = ask(kind, edge.url, request(kind, user("look", image)))

    assert "The image pads.png is damaged" in failed(events).failure.message
    assert edge.asked == []


def test_a_connection_test_reports_a_redirect(edge: EdgeServer) -> None:
    edge.reply(Reply([b""], 307, headers={"location": "https://elsewhere.example/v1/models"}))

    async def look(provider: Provider) -> ProviderHealth:
        return await provider.test_connection()

    assert "https://elsewhere.example" in talk("custom", edge.url, look).message


def test_escapes_of_a_terminal_are_not_read_out(edge: EdgeServer) -> None:
    edge.reply(as_json({"error": {"message": "bad \x1b[2J\u202ekey \ud83d"}}, status=400))
    events: list[StreamEvent] = ask("custom", edge.url, request("custom", "hello"))

    assert 'It said: "bad [2Jkey' in failed(events).failure.message


def test_a_key_with_hidden_letters_in_it_is_not_read_out(edge: EdgeServer) -> None:
    told = "\u200b".join(KEY)
    edge.reply(as_json({"error": {"message": f"no such key: {told}"}}, status=400))
    events = ask("custom", edge.url, request("custom", "hello"))

    assert KEY not in failed(events).failure.message
    assert "[hidden]" in failed(events).failure.message


@pytest.mark.parametrize("key", ["a", "none", "ollama"])
def test_a_placeholder_for_a_key_is_not_removed_from_messages(edge: EdgeServer, key: str) -> None:
    edge.reply(as_json({"error": {"message": "none of the ollama models reached"}}, status=400))
    events = ask("custom", edge.url, request("custom", "hello"), key=key)

    assert "none of the ollama models reached" in failed(events).failure.message


def test_a_key_is_hidden_only_as_a_separate_word(edge: EdgeServer) -> None:
    edge.reply(as_json({"error": {"message": "key=studio-2026 of studio-2026x"}}, status=400))
    events = ask("custom", edge.url, request("custom", "hello"), key="studio-2026")

    assert "key=[hidden] of studio-2026x" in failed(events).failure.message
