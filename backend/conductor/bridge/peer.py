"""Serves one page in a browser over a WebSocket.

Commands run concurrently, and events are sent as fast as the page reads them.
"""

import asyncio
import json

from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketState

from conductor.base.json_types import JsonObject
from conductor.bridge.bridge import Bridge
from conductor.bridge.dispatch import build_failure
from conductor.bridge.emitter import Listener
from conductor.bridge.outbox import Batch
from conductor.bridge.tokens import PageSession
from conductor.bridge.wire import encode_json
from conductor.errors import InvalidParams

CALLS_AT_ONCE = 32
"""Maximum number of concurrent calls; further calls wait in the socket buffer and cannot fill the memory."""


async def serve_page(bridge: Bridge, websocket: WebSocket, session: PageSession) -> None:
    """Serve an accepted WebSocket connection until it is closed."""
    page = bridge.join(session)
    session.pages += 1
    try:
        await websocket.send_text(encode_json({"hello": {"session": session.token}}))
        async with asyncio.TaskGroup() as tasks:
            pumping = tasks.create_task(_send_batches(bridge, websocket, page))
            try:
                await _answer_calls(bridge, websocket, page, tasks)
            finally:
                pumping.cancel()
    except* (WebSocketDisconnect, RuntimeError, OSError):
        pass  # the page disconnected, during a send or between two calls
    finally:
        session.pages -= 1
        bridge.leave(page)


async def _send_batches(bridge: Bridge, websocket: WebSocket, page: Listener) -> None:
    async def send(batch: Batch) -> None:
        await websocket.send_text(encode_json({"batch": batch}))

    await bridge.pump(page, send)


async def _answer_calls(
    bridge: Bridge, websocket: WebSocket, page: Listener, tasks: asyncio.TaskGroup
) -> None:
    slots = asyncio.Semaphore(CALLS_AT_ONCE)

    async def answer(message: JsonObject) -> None:
        try:
            envelope = await bridge.call(message.get("method"), message.get("params", {}), page)
            if websocket.application_state is WebSocketState.CONNECTED:
                await websocket.send_text(encode_json({"id": message.get("id"), **envelope}))
        finally:
            slots.release()

    while True:
        received = await websocket.receive()
        if received["type"] == "websocket.disconnect":
            return
        message = _read_message(received.get("text"))
        if message is None:
            await websocket.send_text(encode_json({"id": None, **_UNREADABLE}))
            continue
        await slots.acquire()
        tasks.create_task(answer(message))


_UNREADABLE = build_failure(InvalidParams.code, "send {id, method, params} as a JSON object")


def _read_message(text: str | None) -> JsonObject | None:
    try:
        message = json.loads(text or "")
    except (ValueError, RecursionError):
        return None
    return message if isinstance(message, dict) else None
