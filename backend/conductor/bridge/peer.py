"""Serves one page in a browser over a WebSocket.

Commands run concurrently, and events are sent as fast as the page reads them.
"""

import asyncio
import json

from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketState

from conductor.base.json_types import JsonObject
from conductor.bridge.bridge import Bridge
from conductor.bridge.dispatch import build_error_response
from conductor.bridge.emitter import Listener
from conductor.bridge.outbox import Batch
from conductor.bridge.tokens import PageSession
from conductor.bridge.wire import encode_json
from conductor.errors import InvalidParams

MAX_CONCURRENT_CALLS = 32
"""The maximum number of concurrent calls.

Further calls wait in the buffer of the socket, so they cannot fill the memory.
"""


async def serve_page(bridge: Bridge, websocket: WebSocket, session: PageSession) -> None:
    """Serve an accepted WebSocket connection until the page or the server closes it."""
    page = bridge.add_page(session)
    session.add_connection()
    try:
        await websocket.send_text(encode_json({"hello": {"session": session.token}}))
        async with asyncio.TaskGroup() as tasks:
            sender = tasks.create_task(_send_batches(bridge, websocket, page))
            try:
                await _answer_calls(bridge, websocket, page, tasks)
            finally:
                sender.cancel()
                bridge.remove_page(
                    page
                )  # at once, though calls may still run: it closes the microphone
    except* (WebSocketDisconnect, RuntimeError, OSError):
        pass  # the page disconnected during a send or between two calls
    finally:
        session.remove_connection()
        bridge.remove_page(page)


async def _send_batches(bridge: Bridge, websocket: WebSocket, page: Listener) -> None:
    async def send(batch: Batch) -> None:
        await websocket.send_text(encode_json({"batch": batch}))

    await bridge.send_events(page, send)


async def _answer_calls(
    bridge: Bridge, websocket: WebSocket, page: Listener, tasks: asyncio.TaskGroup
) -> None:
    slots = asyncio.Semaphore(MAX_CONCURRENT_CALLS)

    async def answer_call(message: JsonObject) -> None:
        try:
            response = await bridge.run_command(
                message.get("method"), message.get("params", {}), page
            )
            if websocket.application_state is WebSocketState.CONNECTED:
                await websocket.send_text(encode_json({"id": message.get("id"), **response}))
        finally:
            slots.release()

    while True:
        received = await websocket.receive()
        if received["type"] == "websocket.disconnect":
            return
        message = _parse_message(received.get("text"))
        if message is None:
            await websocket.send_text(encode_json({"id": None, **_INVALID_MESSAGE_RESPONSE}))
            continue
        await slots.acquire()
        tasks.create_task(answer_call(message))


_INVALID_MESSAGE_RESPONSE = build_error_response(
    InvalidParams.code, "send {id, method, params} as a JSON object"
)


def _parse_message(text: str | None) -> JsonObject | None:
    try:
        message = json.loads(text or "")
    except (ValueError, RecursionError):
        return None
    return message if isinstance(message, dict) else None
