"""A server of model answers for what aimock lacks: signatures, cached tokens, odd ids, strange and broken streams.

It gives whatever a test scripted, byte for byte, and keeps what it was asked:

with edge_server() as edge:
    edge.reply(sse(chunk))
    ...
    assert edge.asked[0].body["store"] is False
"""

import json
import select
import socket
import struct
import threading
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, cast

ANTHROPIC_SIGNATURE = "c2lnbmVkLWJ5LWNsYXVkZQ=="
GEMINI_SIGNATURE = "c2lnbmVkLWJ5LWdlbWluaQ=="
OPENAI_SECRET = "ZW5jcnlwdGVkLWJ5LW9wZW5haQ=="
ODD_ID = "call/bad:id 1"
HELD_FOR_S = 20.0


@dataclass
class Asked:
    """A received request."""

    method: str
    path: str
    headers: dict[str, str]
    body: dict[str, Any]


@dataclass
class Reply:
    """A scripted answer. `then`: it is complete, stays open until the client leaves, or is cut off."""

    chunks: Iterable[bytes]
    status: int = 200
    content_type: str = "text/event-stream"
    headers: dict[str, str] = field(default_factory=dict[str, str])
    then: str = "end"


Script = Reply | Callable[[Asked], Reply]


class EdgeServer:
    """A running server with its script and the received requests."""

    def __init__(self) -> None:
        self.asked: list[Asked] = []
        self.left = threading.Event()
        """A client went away before the answer was whole."""
        self._script: list[Script] = []
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), _handler_of(self))
        self._http.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._http.server_address[1]}"

    def reply(self, *replies: Script) -> None:
        """Add answers for the next requests, in order."""
        self._script += replies

    def next_reply(self, asked: Asked) -> Reply:
        """Return the answer to a request; 404 without a script."""
        self.asked.append(asked)
        script = self._script.pop(0) if self._script else error(404, "nothing is scripted")
        return script if isinstance(script, Reply) else script(asked)

    def serve(self) -> None:
        """Answer until `stop`."""
        self._http.serve_forever(poll_interval=0.05)

    def stop(self) -> None:
        """End the server."""
        self._http.shutdown()
        self._http.server_close()


class Handler(BaseHTTPRequestHandler):
    """Answers one request as scripted; `edge` is set by a class of each server's own."""

    protocol_version = "HTTP/1.1"
    edge: EdgeServer

    def do_POST(self) -> None:
        length = int(self.headers.get("content-length") or 0)
        raw = self.rfile.read(length)
        headers = {name.lower(): value for name, value in self.headers.items()}
        is_json = not headers.get("content-type", "").startswith("multipart/")
        body = (json.loads(raw) if is_json else {"multipart": raw}) if raw else {}
        with suppress(ConnectionError):  # who has heard enough leaves
            self._send(self.edge.next_reply(Asked(self.command, self.path, headers, body)))

    do_GET = do_POST  # noqa: N815 - the library's name

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the library's name
        """Suppress the request log."""

    def _send(self, reply: Reply) -> None:
        self.close_connection = True
        self.send_response(reply.status)
        self.send_header("content-type", reply.content_type)
        for name, value in {**reply.headers, "connection": "close"}.items():
            self.send_header(name, value)
        self.end_headers()
        for chunk in reply.chunks:
            self.wfile.write(chunk)
            self.wfile.flush()
        if reply.then == "hold":
            self._hold()
        elif reply.then == "cut":
            linger = struct.pack("ii", 1, 0)  # closing then sends a reset
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)

    def _hold(self) -> None:
        readable, _, _ = select.select([self.connection], [], [], HELD_FOR_S)
        if readable:
            self.edge.left.set()


def _handler_of(edge: EdgeServer) -> type[Handler]:
    return type("OwnHandler", (Handler,), {"edge": edge})


@contextmanager
def edge_server() -> Generator[EdgeServer]:
    """Run a server for the length of the block."""
    edge = EdgeServer()
    thread = threading.Thread(target=edge.serve, name="edge-llm", daemon=True)
    thread.start()
    try:
        yield edge
    finally:
        edge.stop()
        thread.join(10)


# What the wires send.


def sse(*data: Any, then: str = "end", headers: dict[str, str] | None = None) -> Reply:
    """Make a stream of server-sent events; a dict with a `type` names its event, as Anthropic's do."""
    return Reply([event(each) for each in data], then=then, headers=headers or {})


def event(data: Any) -> bytes:
    """Write one event."""
    text = data if isinstance(data, str) else json.dumps(data, ensure_ascii=False)
    name = cast("dict[str, Any]", data).get("type") if isinstance(data, dict) else None
    head = f"event: {name}\n" if name else ""
    return f"{head}data: {text}\n\n".encode()


def as_json(body: Any, *, status: int = 200, headers: dict[str, str] | None = None) -> Reply:
    """Make an answer that is one JSON value."""
    return Reply([json.dumps(body).encode()], status, "application/json", headers or {})


def error(status: int, message: str, **headers: str) -> Reply:
    """Make an error."""
    body = {"type": "error", "error": {"type": "invalid_request_error", "message": message}}
    return as_json(body, status=status, headers=headers)


def claude(*blocks: dict[str, Any], stop: str = "end_turn", **usage: int) -> list[dict[str, Any]]:
    """Return Anthropic's events for blocks; each has a `start` and `deltas`."""
    used = {"input_tokens": 100, "output_tokens": 1, **usage}
    message = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude-sonnet-5-5",
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": used,
    }
    events: list[dict[str, Any]] = [{"type": "message_start", "message": message}]
    for index, block in enumerate(blocks):
        events.append(
            {"type": "content_block_start", "index": index, "content_block": block["start"]}
        )
        events += [
            {"type": "content_block_delta", "index": index, "delta": delta}
            for delta in block["deltas"]
        ]
        events.append({"type": "content_block_stop", "index": index})
    events.append(
        {
            "type": "message_delta",
            "delta": {"stop_reason": stop, "stop_sequence": None},
            "usage": {"output_tokens": 20},
        }
    )
    return [*events, {"type": "message_stop"}]


def claude_text(*pieces: str) -> dict[str, Any]:
    """Return a block of text."""
    deltas = [{"type": "text_delta", "text": piece} for piece in pieces]
    return {"start": {"type": "text", "text": ""}, "deltas": deltas}


def claude_thinking(text: str, signature: str = ANTHROPIC_SIGNATURE) -> dict[str, Any]:
    """Return a block of thinking, signed."""
    return {
        "start": {"type": "thinking", "thinking": "", "signature": ""},
        "deltas": [
            {"type": "thinking_delta", "thinking": text},
            {"type": "signature_delta", "signature": signature},
        ],
    }


def claude_call(name: str, *pieces: str, call_id: str = "toolu_01") -> dict[str, Any]:
    """Return a call."""
    return {
        "start": {"type": "tool_use", "id": call_id, "name": name, "input": {}},
        "deltas": [{"type": "input_json_delta", "partial_json": piece} for piece in pieces],
    }


def chat(
    *deltas: dict[str, Any], stop: str | None = "stop", usage: dict[str, Any] | None = None
) -> list[Any]:
    """Return the chunks of OpenAI's chat completions."""
    head = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    ends = [*deltas, None] if stop else [*deltas]
    chunks: list[Any] = [
        {
            **head,
            "choices": [
                {"index": 0, "delta": delta or {}, "finish_reason": None if delta else stop}
            ],
        }
        for delta in ends
    ]
    if usage:
        chunks.append({**head, "choices": [], "usage": usage})
    return [*chunks, "[DONE]"]


def chat_call(index: int, name: str | None, arguments: str, call_id: str | None) -> dict[str, Any]:
    """Return a piece of a call."""
    call: dict[str, Any] = {"index": index, "function": {"arguments": arguments}}
    if call_id is not None:
        call |= {"id": call_id, "type": "function"}
        call["function"]["name"] = name
    return {"tool_calls": [call]}


def gemini(*parts: dict[str, Any], stop: str | None = "STOP", **usage: int) -> list[dict[str, Any]]:
    """Return the chunks of Gemini, one for each part."""
    chunks: list[dict[str, Any]] = [
        {"candidates": [{"content": {"role": "model", "parts": [part]}, "index": 0}]}
        for part in parts
    ]
    if stop:
        chunks[-1]["candidates"][0]["finishReason"] = stop
    used = {"promptTokenCount": 100, "candidatesTokenCount": 20, "totalTokenCount": 120, **usage}
    chunks[-1]["usageMetadata"] = used
    return chunks


def responses(*items: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the events of OpenAI's Responses for finished items of the output."""
    answer: dict[str, Any] = {
        "id": "resp_1",
        "object": "response",
        "created_at": 1,
        "model": "gpt-6.1-sol",
        "status": "in_progress",
        "output": [],
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
    }
    events: list[dict[str, Any]] = [{"type": "response.created", "response": answer}]
    for index, item in enumerate(items):
        place = {"output_index": index, "item_id": item["id"]}
        empty = {**item, "content": []} if item["type"] == "message" else {**item, "arguments": ""}
        if item["type"] == "reasoning":
            empty = {**item, "summary": []}
        events.append({"type": "response.output_item.added", **place, "item": empty})
        events += _deltas(item, place)
        events.append({"type": "response.output_item.done", **place, "item": item})
    usage = {
        "input_tokens": 100,
        "output_tokens": 20,
        "total_tokens": 120,
        "input_tokens_details": {"cached_tokens": 60},
        "output_tokens_details": {"reasoning_tokens": 5},
    }
    whole = {**answer, "status": "completed", "output": list(items), "usage": usage}
    events.append({"type": "response.completed", "response": whole})
    return [{**each, "sequence_number": at} for at, each in enumerate(events)]


def _deltas(item: dict[str, Any], place: dict[str, Any]) -> list[dict[str, Any]]:
    if item["type"] == "message":
        text = item["content"][0]["text"]
        delta = {"type": "response.output_text.delta", "content_index": 0, "logprobs": []}
        return [{**delta, **place, "delta": text}]
    if item["type"] == "function_call":
        arguments = item["arguments"]
        return [{"type": "response.function_call_arguments.delta", **place, "delta": arguments}]
    summary = item["summary"][0]["text"]
    delta = {"type": "response.reasoning_summary_text.delta", "summary_index": 0}
    return [{**delta, **place, "delta": summary}]
