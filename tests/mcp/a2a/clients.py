"""The A2A library's own client, as another agent would use it."""

import asyncio
import json
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import httpx
from a2a.client import Client, ClientConfig, ClientFactory
from a2a.helpers import get_data_parts, get_message_text, new_data_part, new_text_part
from a2a.types import (
    GetTaskRequest,
    Message,
    Role,
    SendMessageConfiguration,
    SendMessageRequest,
    StreamResponse,
    Task,
    TaskState,
)
from tests.support.running import RunningConductor

WITHIN_S = 40.0
CONFIG = "[[modes]]\nname = 'Default'\n"
CREATE_MAPPING = {
    "tool": "conductor_create_mapping",
    "arguments": {
        "mode": "Default",
        "trigger": {"type": "Note", "note": 36},
        "action": {"type": "Keystroke", "keys": "cmd+c"},
    },
}


def a2a_config(port: int, more: str = "") -> str:
    return f"{CONFIG}\n[llm.a2a]\nenabled = true\nhttp_port = {port}\n{more}"


@asynccontextmanager
async def connected(port: int, token: str, **options: Any) -> AsyncGenerator[Client]:
    headers = {"Authorization": f"Bearer {token}"}
    async with httpx.AsyncClient(headers=headers, timeout=WITHIN_S) as web:
        factory = ClientFactory(ClientConfig(httpx_client=web, **options))
        yield await factory.create_from_url(f"http://127.0.0.1:{port}")


def with_client(
    conductor: RunningConductor,
    port: int,
    work: Callable[[Client], Awaitable[None]],
    **options: Any,
) -> None:
    """Connect by the agent card, do the work, and hang up."""

    async def run() -> None:
        token = (conductor.home / "mcp-token").read_text()
        async with asyncio.timeout(WITHIN_S), connected(port, token, **options) as client:
            await work(client)

    asyncio.run(run())


def skill(name: str, /, **arguments: Any) -> Message:
    """A message with a data part that calls a skill."""
    return message(new_data_part({"skill": name, "arguments": arguments}))


def text(words: str) -> Message:
    return message(new_text_part(words))


def message(*parts: Any, task_id: str = "", context_id: str = "") -> Message:
    return Message(
        role=Role.ROLE_USER,
        message_id="m1",
        parts=parts,
        task_id=task_id,
        context_id=context_id,
    )


async def send(client: Client, given: Message, *, push: Any = None, at_once: bool = False) -> Task:
    """Send a message, and return the last state of its task in the answer."""
    configuration = SendMessageConfiguration(
        return_immediately=at_once, task_push_notification_config=push
    )
    request = SendMessageRequest(message=given, configuration=configuration)
    events = [event async for event in client.send_message(request)]
    assert events[-1].HasField("task"), events
    return events[-1].task


async def stream(client: Client, given: Message) -> AsyncGenerator[StreamResponse]:
    async for event in client.send_message(SendMessageRequest(message=given)):
        yield event


async def get(client: Client, task_id: str) -> Task:
    return await client.get_task(GetTaskRequest(id=task_id))


async def wait_for_state(client: Client, task_id: str, *states: str) -> Task:
    """Ask for a task until it is in one of these states."""
    while True:
        task = await get(client, task_id)
        if state_of(task) in states:
            return task
        await asyncio.sleep(0.02)


def state_of(task: Any) -> str:
    return TaskState.Name(task.status.state).removeprefix("TASK_STATE_").lower()


def words_of(task: Any) -> str:
    return get_message_text(task.status.message)


def data_of(task: Task, artifact: str) -> Any:
    """Return the JSON of an artifact."""
    [found] = [each for each in task.artifacts if each.artifact_id == artifact]
    [data] = get_data_parts(found.parts)
    return data


def rpc(method: str, params: Any = None, request_id: Any = 1) -> str:
    return json.dumps(
        {"jsonrpc": "2.0", "id": request_id, "method": method, "params": params or {}}
    )
