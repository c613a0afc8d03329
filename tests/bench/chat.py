"""The chat of a running Conductor: Enter to the request on the wire, first token to the page, a long history."""

import contextlib
import json
import queue
import statistics
import threading
from collections.abc import Generator
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from tests.bench.rows import Row, ms
from tests.support.page import Page, running_page

from conductor.base.clock import now
from conductor.domain.chat.messages import ChatMessage, TextPart
from conductor.storage.conversations import Conversations
from conductor.storage.database import Database

WIRE_AIM_MS, TOKEN_AIM_MS, OPEN_AIM_MS = 50.0, 50.0, 300.0
LONG = 10_000
OPENINGS = 10
WARM_UP = 3
ANSWER_WITHIN_S = 60.0
SAID = {"type": "text", "text": "Is it so?"}
CONFIG = """
[llm]
default_provider = "bench"

[llm.providers.bench]
kind = "custom"
model = "bench"
base_url = "http://127.0.0.1:{port}/v1"
"""


class Model(BaseHTTPRequestHandler):
    """A model with one word to say; notes when it was asked and when it spoke."""

    asked: queue.SimpleQueue[float]
    spoke: queue.SimpleQueue[float]
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self._head("application/json")
        self.wfile.write(b'{"data":[]}')
        self.close_connection = True

    def do_POST(self) -> None:
        self.asked.put(now())
        self.rfile.read(int(self.headers["content-length"]))
        self._head("text/event-stream")
        self._chunk({"role": "assistant"}, None)
        self.spoke.put(now())
        self._chunk({"content": "Yes."}, None)
        self._chunk({}, "stop")
        self.wfile.write(b"data: [DONE]\n\n")
        self.close_connection = True

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the library's name
        return

    def _head(self, kind: str) -> None:
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("connection", "close")
        self.end_headers()

    def _chunk(self, delta: dict[str, str], finish: str | None) -> None:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        chunk = {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "bench"}
        data = json.dumps({**chunk, "choices": [choice]})
        self.wfile.write(f"data: {data}\n\n".encode())
        self.wfile.flush()


def measure(messages: int) -> list[Row]:
    """Send this many messages one after the other in one conversation."""
    with (
        _model() as (model, port),
        running_page(CONFIG.format(port=port), own_process=True) as (conductor, page),
    ):
        begun = page.call("chat.send", parts=[SAID])["conversation_id"]
        _ended(page)
        for times in (model.asked, model.spoke):
            times.get(timeout=ANSWER_WITHIN_S)
        figures = [_one(page, model, begun) for _ in range(WARM_UP + messages)][WARM_UP:]
        opened = _openings(page, _long_conversation(conductor.home / "conductor.db"))
    wire, token = ([one[n] for one in figures] for n in (0, 1))
    return [
        _row("chat: Enter to request on the wire", wire, WIRE_AIM_MS),
        _row("chat: first token to news event", token, TOKEN_AIM_MS),
        _row(f"chat: history of {LONG:,} messages, asked for to given", opened, OPEN_AIM_MS),
    ]


def _long_conversation(file: Path) -> str:
    """Write a conversation of many messages, and give its id."""
    database = Database(file)
    kept = Conversations(lambda: database)
    made = kept.create_conversation("bench", "bench", "A long one").conversation_id
    parent: str | None = None
    for number in range(LONG):
        message = ChatMessage(
            message_id=f"long-{number}",
            conversation_id=made,
            parent_id=parent,
            role="assistant" if number % 2 else "user",
            created_at=datetime.now(UTC),
            parts=(TextPart(text=f"Message {number}. " + "What a pad does. " * 12),),
        )
        kept.save_messages(message)
        parent = message.message_id
    database.close()
    return made


def _openings(page: Page, conversation: str) -> list[float]:
    """Open it some times, and give each time in ms."""
    figures: list[float] = []
    for _ in range(OPENINGS):
        began = now()
        found = page.call("chat.open", conversation_id=conversation)
        figures.append(1000 * (now() - began))
        assert found["messages"]
    return figures


def _row(name: str, figures: list[float], aim_ms: float) -> Row:
    median = statistics.median(figures)
    measured = f"p50 {ms(median)} max {ms(max(figures))} ms of {len(figures)}"
    return Row(name, measured, f"{aim_ms:g} ms", median <= aim_ms, {"ms": figures})


def _one(page: Page, model: type[Model], conversation: str) -> tuple[float, float]:
    """Send a message, wait for the end of the answer, and return both times in ms."""
    page.news.clear()
    entered = now()
    sent = page.call("chat.send", parts=[SAID], conversation_id=conversation)
    page.wait_news("chat", lambda news: _is_text(news, sent["message_id"]))
    seen = now()
    asked, spoke = model.asked.get(timeout=ANSWER_WITHIN_S), model.spoke.get(timeout=1)
    _ended(page)
    return 1000 * (asked - entered), 1000 * (seen - spoke)


def _ended(page: Page) -> None:
    """Wait until the answer has ended; the very first one waits for the import of a library."""
    ended = now() + ANSWER_WITHIN_S
    while True:
        try:
            page.wait_news("chat", lambda news: news["type"] == "state" and not news["running"])
            return
        except TimeoutError:
            if now() > ended:
                raise


def _is_text(news: dict[str, Any], message_id: str) -> bool:
    return (
        news["type"] == "part"
        and news["message_id"] == message_id
        and news["part"]["type"] == "text"
    )


@contextlib.contextmanager
def _model() -> Generator[tuple[type[Model], int]]:
    asked: queue.SimpleQueue[float] = queue.SimpleQueue()
    spoke: queue.SimpleQueue[float] = queue.SimpleQueue()
    handler = type("BenchModel", (Model,), {"asked": asked, "spoke": spoke})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, name="model", daemon=True)
        thread.start()
        try:
            yield handler, server.server_port
        finally:
            server.shutdown()
            thread.join()
