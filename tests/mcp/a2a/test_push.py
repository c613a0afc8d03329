"""Push notifications: what an address may be, what is sent there, and that a bad one does not delay a task."""

import asyncio
import contextlib
import ipaddress
import json
import socket
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from a2a.client import Client
from a2a.types import (
    AuthenticationInfo,
    DeleteTaskPushNotificationConfigRequest,
    GetTaskPushNotificationConfigRequest,
    ListTaskPushNotificationConfigsRequest,
    TaskPushNotificationConfig,
)
from a2a.utils.errors import InvalidParamsError
from tests.mcp.a2a.clients import data_of, send, skill, state_of, wait_for_state
from tests.mcp.a2a.stage import A2aStage

from conductor.capabilities.web_address import (
    Address,
    explain_non_public_address,
    parse_web_address,
)
from conductor.capabilities.web_post import post_json
from conductor.errors import NotAllowed
from conductor.mcp.a2a.push import MAX_CONFIGS_PER_TASK

CREATE_MODE = {"tool": "conductor_create_mode", "arguments": {"name": "Mine"}}


class Receiver:
    """An HTTP server that receives push notifications, and answers them as a test says."""

    def __init__(self, answer: bytes = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n") -> None:
        self._answer = answer
        self.heads: list[str] = []
        self.events: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self.url = ""

    @asynccontextmanager
    async def listening(self) -> AsyncGenerator["Receiver"]:
        server = await asyncio.start_server(self._receive, "127.0.0.1", 0)
        self.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/hook"
        try:
            yield self
        finally:
            server.close()

    async def _receive(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        [length] = [
            int(line.partition(":")[2])
            for line in head.splitlines()
            if line.lower().startswith("content-length:")
        ]
        self.heads.append(head)
        self.events.put_nowait(json.loads(await reader.readexactly(length)))
        writer.write(self._answer)
        with contextlib.suppress(ConnectionError):
            await writer.drain()
        writer.close()


def config(url: str, task_id: str = "", **fields: Any) -> TaskPushNotificationConfig:
    return TaskPushNotificationConfig(url=url, task_id=task_id, **fields)


def test_every_event_of_a_task_is_sent_in_order_with_the_clients_token(tmp_path: Path):
    stage = A2aStage(tmp_path)

    async def work(client: Client) -> None:
        async with Receiver().listening() as hook:
            auth = AuthenticationInfo(scheme="Bearer", credentials="hook-secret")
            push = config(hook.url, token="hook-token", authentication=auth)
            given = skill("configure_midi_mapping", changes=[CREATE_MODE])
            task = await send(client, given, push=push)
            stage.decide(data_of(task, "plan")["plan_id"], apply=True)
            seen: list[str] = []
            while "TASK_STATE_COMPLETED" not in seen:
                event = await hook.events.get()
                update = event.get("task") or event.get("statusUpdate")
                seen.append(update["status"]["state"] if update else "artifact")
            assert seen == [
                "TASK_STATE_SUBMITTED", "TASK_STATE_WORKING", "artifact",
                "TASK_STATE_INPUT_REQUIRED", "artifact", "TASK_STATE_COMPLETED",
            ]  # fmt: skip
            assert "X-A2A-Notification-Token: hook-token" in hook.heads[0]
            assert "Authorization: Bearer hook-secret" in hook.heads[0]

    stage.run(work, streaming=False)


def test_a_config_can_be_listed_read_and_deleted(tmp_path: Path):
    stage = A2aStage(tmp_path)

    async def work(client: Client) -> None:
        async with Receiver().listening() as hook:
            task = await send(client, skill("configure_midi_mapping", changes=[CREATE_MODE]))
            added = await client.create_task_push_notification_config(
                config(hook.url, task.id, id="mine")
            )
            assert (added.id, added.task_id, added.url) == ("mine", task.id, hook.url)
            ids = {"task_id": task.id, "id": "mine"}
            read = await client.get_task_push_notification_config(
                GetTaskPushNotificationConfigRequest(**ids)
            )
            assert read == added
            await client.delete_task_push_notification_config(
                DeleteTaskPushNotificationConfigRequest(**ids)
            )
            listed = await client.list_task_push_notification_configs(
                ListTaskPushNotificationConfigsRequest(task_id=task.id)
            )
            assert list(listed.configs) == []
            stage.decide(data_of(task, "plan")["plan_id"], apply=False)
            await wait_for_state(client, task.id, "rejected")
            assert hook.events.empty()

    stage.run(work, streaming=False)


def unused_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.mark.parametrize(
    "url",
    [
        "http://169.254.169.254/latest/meta-data/",
        "http://[::ffff:169.254.169.254]/",
        "http://2852039166/",
        "http://168.63.129.16/",
        "http://10.0.0.1/hook",
        "http://192.168.1.1/hook",
        "http://172.16.0.1/hook",
        "http://100.64.0.1/hook",
        "http://[fd00::1]/hook",
        "http://[fe80::1]/hook",
        "http://0.0.0.0:8080/hook",
        "http://127.1:9/hook",
        "http://localhost:PORT/hook",
        "http://127.0.0.1:PORT/hook",
        "http://[::1]:PORT/hook",
        "http://127.0.0.1:22/",
        "http://user:password@example.com/hook",
        "file:///etc/passwd",
        "gopher://127.0.0.1:6379/_FLUSHALL",
        "javascript:alert(1)",
        "http://",
        "//example.com/hook",
        "http://nowhere.invalid/hook",
        "https://example.com/\r\nHost: evil",
        "http://example.com/LONG",
    ],
)
def test_an_address_that_is_not_the_clients_own_or_public_is_refused(tmp_path: Path, url: str):
    stage = A2aStage(tmp_path)
    url = url.replace("PORT", str(unused_port())).replace("LONG", "x" * 5_000)

    async def work(client: Client) -> None:
        given = skill("configure_midi_mapping", changes=[CREATE_MODE])
        with pytest.raises(InvalidParamsError):
            await send(client, given, push=config(url))
        task = await send(client, given)
        with pytest.raises(InvalidParamsError):
            await client.create_task_push_notification_config(config(url, task.id))

    stage.run(work, streaming=False)


def test_a_port_on_which_another_process_listens_is_refused(tmp_path: Path):
    stage = A2aStage(tmp_path)

    async def work(client: Client) -> None:
        program = "import socket; s = socket.create_server(('127.0.0.1', 0)); print(s.getsockname()[1], flush=True); input()"
        other = await asyncio.create_subprocess_exec(
            "python3", "-c", program, stdin=-1, stdout=asyncio.subprocess.PIPE
        )
        assert other.stdout is not None
        port = int(await other.stdout.readline())
        with pytest.raises(InvalidParamsError, match="does not listen"):
            await send(client, skill("explain_event"), push=config(f"http://127.0.0.1:{port}/"))
        other.kill()
        await other.wait()

    stage.run(work, streaming=False)


@pytest.mark.parametrize("value", ["a\r\nX-Other: 1", "é", "x" * 5_000])
def test_a_token_cannot_add_a_header(tmp_path: Path, value: str):
    async def work(client: Client) -> None:
        async with Receiver().listening() as hook:
            with pytest.raises(InvalidParamsError, match="printable ASCII"):
                await send(client, skill("explain_event"), push=config(hook.url, token=value))

    A2aStage(tmp_path).run(work, streaming=False)


def test_a_task_has_a_limited_number_of_configs(tmp_path: Path):
    stage = A2aStage(tmp_path)

    async def work(client: Client) -> None:
        async with Receiver().listening() as hook:
            task = await send(client, skill("configure_midi_mapping", changes=[CREATE_MODE]))
            for number in range(MAX_CONFIGS_PER_TASK):
                await client.create_task_push_notification_config(
                    config(hook.url, task.id, id=str(number))
                )
            with pytest.raises(InvalidParamsError, match=r"has 5 push .* delete one"):
                await client.create_task_push_notification_config(
                    config(hook.url, task.id, id="one more")
                )

    stage.run(work, streaming=False)


@pytest.mark.parametrize(
    "answer",
    [
        b"HTTP/1.1 302 Found\r\nLocation: http://169.254.169.254/\r\nContent-Length: 0\r\n\r\n",
        b"HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n",
        b"not http",
        b"",
    ],
)
def test_an_address_that_answers_badly_neither_fails_nor_delays_the_task(
    tmp_path: Path, answer: bytes
):
    async def work(client: Client) -> None:
        async with Receiver(answer).listening() as hook:
            given = skill("simulate", gesture="tap 36")
            task = await send(client, given, push=config(hook.url))
            assert state_of(task) == "completed"
            for _ in range(4):
                await hook.events.get()

    A2aStage(tmp_path).run(work, streaming=False)


def test_a_name_that_leads_elsewhere_when_it_is_used_is_refused():
    async def rebind(_host: str, _port: int) -> Sequence[Address]:
        return [ipaddress.ip_address("127.0.0.1")]

    async def run() -> None:
        url = parse_web_address("http://example.com/hook")
        with pytest.raises(NotAllowed):
            await post_json(url, b"{}", [], explain_non_public_address, resolve=rebind)

    asyncio.run(run())
