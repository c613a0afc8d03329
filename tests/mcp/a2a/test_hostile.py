"""Hostile and broken clients of A2A: no token, web pages, malformed and huge requests, tasks of others."""

import asyncio
import json
import subprocess
import sys
from collections.abc import AsyncGenerator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
from a2a.client import Client
from a2a.server.context import ServerCallContext
from a2a.types import CancelTaskRequest, ListTasksRequest, Task, TaskState, TaskStatus
from a2a.utils.errors import InvalidRequestError, TaskNotCancelableError
from tests.agent.stage import WINDOW
from tests.mcp.a2a.clients import data_of, rpc, send, skill, state_of, wait_for_state, words_of
from tests.mcp.a2a.stage import TOKEN, A2aStage

from conductor.domain.plan import Requester
from conductor.errors import NotAvailable
from conductor.mcp.a2a import handler
from conductor.mcp.a2a.callers import ProgramUser
from conductor.mcp.a2a.tasks import MAX_TASKS_PER_PROGRAM, OwnedTasks

CARD = "/.well-known/agent-card.json"
JSON_TYPE = {"Content-Type": "application/json"}
SIMULATE = {
    "message": {
        "messageId": "1",
        "role": "ROLE_USER",
        "parts": [{"data": {"skill": "simulate", "arguments": {"gesture": "tap 36"}}}],
    }
}


async def post(web: httpx.AsyncClient, body: str | bytes, **headers: str) -> httpx.Response:
    return await web.post("/a2a", content=body, headers={**JSON_TYPE, **headers})


async def error_of(web: httpx.AsyncClient, body: str | bytes, **headers: str) -> int:
    answer = await post(web, body, **headers)
    assert answer.status_code == 200
    return answer.json()["error"]["code"]


def test_the_card_says_how_to_connect_and_all_else_needs_the_token(tmp_path: Path):
    stage = A2aStage(tmp_path)

    async def work(web: httpx.AsyncClient) -> None:
        card = (await web.get(CARD, headers={"Authorization": ""})).json()
        assert card["supportedInterfaces"][0]["url"] == f"http://127.0.0.1:{stage.port}/a2a"
        assert card["capabilities"]["streaming"] is True
        assert card["capabilities"]["pushNotifications"] is True
        assert [one["id"] for one in card["skills"]] == [
            "configure_midi_mapping", "capture_midi_events", "explain_event", "simulate",
        ]  # fmt: skip
        assert TOKEN not in json.dumps(card)
        for given in ("", "Bearer", "Bearer wrong", f"Basic {TOKEN}"):
            answer = await post(web, rpc("GetTask", {"id": "x"}), Authorization=given)
            assert answer.status_code == 401
            assert answer.headers["www-authenticate"] == "Bearer"

    stage.run_http(work)


def test_a_web_page_cannot_use_it_not_even_with_the_token_or_by_dns_rebinding(tmp_path: Path):
    async def work(web: httpx.AsyncClient) -> None:
        body = rpc("SendMessage", SIMULATE)
        for host in ("evil.example", "evil.example:80", "169.254.169.254", "127.0.0.1"):
            assert (await post(web, body, Host=host)).status_code == 421
            assert (await web.get(CARD, headers={"Host": host})).status_code == 421
        assert (await post(web, body, Origin="https://evil.example")).status_code == 403
        form = {"Content-Type": "text/plain"}
        assert (await web.post("/a2a", content=body, headers=form)).status_code == 400
        assert (await post(web, body)).status_code == 200

    A2aStage(tmp_path).run_http(work)


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ("", -32700),
        ("{", -32700),
        ("[" * 100_000, -32700),
        (b"\xff\xfe{}", -32700),
        ("[]", -32600),
        ('"SendMessage"', -32600),
        (f"[{rpc('GetTask')}]", -32600),
        ('{"method": "GetTask", "id": 1}', -32600),
        (rpc("message/send", SIMULATE), -32601),
        (rpc("conductor_get_status"), -32601),
        (rpc("SendMessage"), -32602),
        (rpc("SendMessage", {"message": {"parts": []}}), -32602),
        (rpc("SendMessage", {"message": 7}), -32602),
        (rpc("SendMessage", {"message": {**SIMULATE["message"], "role": "ROLE_AGENT"}}), -32602),
        (rpc("SendMessage", {"message": {**SIMULATE["message"], "parts": [{"text": ""}]}}), -32602),
        (rpc("GetTask", {"id": ["x"]}), -32602),
        (rpc("GetTask", {"id": "x" * 10_000}), -32001),
        (rpc("CancelTask", {"id": "../../etc/passwd"}), -32001),
        (rpc("SubscribeToTask", {"id": "x"}), -32001),
        (rpc("GetTaskPushNotificationConfig", {"taskId": "x", "id": "x"}), -32001),
        (rpc("GetExtendedAgentCard"), -32004),
        (
            rpc("SendMessage", {"message": {**SIMULATE["message"], "taskId": "invented"}}),
            -32001,
        ),
    ],
)
def test_a_malformed_request_is_answered_with_its_error(
    tmp_path: Path, body: str | bytes, code: int
):
    async def work(web: httpx.AsyncClient) -> None:
        assert await error_of(web, body) == code
        assert (await post(web, rpc("SendMessage", SIMULATE))).json()["result"]["task"]

    A2aStage(tmp_path).run_http(work)


def test_a_client_of_an_older_version_is_told_which_is_supported(tmp_path: Path):
    async def work(web: httpx.AsyncClient) -> None:
        body = rpc("SendMessage", SIMULATE)
        answer = await post(web, body, **{"A2A-Version": "0.3"})
        assert "Expected version '1.0'" in answer.json()["error"]["message"]

    A2aStage(tmp_path).run_http(work)


def test_a_huge_body_is_refused_before_it_is_read(tmp_path: Path):
    async def work(web: httpx.AsyncClient) -> None:
        huge = json.dumps({"padding": "x" * 400_000})
        assert (await post(web, huge)).status_code == 413

        async def pieces() -> AsyncGenerator[bytes]:
            for _ in range(20):
                yield b"x" * 100_000

        answer = await web.post("/a2a", content=pieces(), headers=JSON_TYPE)
        assert answer.status_code == 413

    A2aStage(tmp_path).run_http(work)


def test_the_limits_for_agents_apply(tmp_path: Path):
    stage = A2aStage(tmp_path, more="\n[llm.mcp]\nread_only = true\n")
    mode = {"tool": "conductor_create_mode", "arguments": {"name": "Mine"}}

    async def work(client: Client) -> None:
        refused = await send(client, skill("configure_midi_mapping", changes=[mode]))
        assert state_of(refused) == "failed"
        assert "read_only" in words_of(refused)
        read = await send(client, skill("simulate", gesture="tap 36"))
        assert state_of(read) == "completed"

    stage.run(work, streaming=False)
    assert stage.plans.list_plans() == []


def test_a_change_is_reported_as_applied_though_agents_were_switched_off_meanwhile(tmp_path: Path):
    stage = A2aStage(tmp_path)
    mode = {"tool": "conductor_create_mode", "arguments": {"name": "Mine"}}

    async def refuse(name: str) -> None:
        if name == "conductor_apply_plan":
            text = stage.store.path.read_text() + "\n[llm.mcp]\nread_only = true\n"
            stage.store.path.write_text(text)
            stage.store.load_file()

    async def work(client: Client) -> None:
        task = await send(client, skill("configure_midi_mapping", changes=[mode]))
        stage.intercept = refuse
        stage.decide(data_of(task, "plan")["plan_id"], apply=True)
        task = await wait_for_state(client, task.id, "completed", "failed")
        assert state_of(task) == "completed"

    stage.run(work, streaming=False)


OTHER = """
import http.client, json, sys
port, token, task_id = sys.argv[1:]
web = http.client.HTTPConnection("127.0.0.1", int(port), timeout=30)
headers = {"Authorization": "Bearer " + token, "Content-Type": "application/json", "A2A-Version": "1.0"}
message = {"messageId": "2", "role": "ROLE_USER", "taskId": task_id, "parts": [{"text": "apply it"}]}
config = {"taskId": task_id, "url": "https://example.com/hook"}
for method, params in (
    ("GetTask", {"id": task_id}), ("CancelTask", {"id": task_id}), ("SubscribeToTask", {"id": task_id}),
    ("SendMessage", {"message": message}), ("SendStreamingMessage", {"message": message}),
    ("CreateTaskPushNotificationConfig", config),
    ("ListTaskPushNotificationConfigs", {"taskId": task_id}), ("ListTasks", {}),
):
    web.request("POST", "/a2a", json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}), headers)
    answer = json.loads(web.getresponse().read())
    print(method, answer["error"]["code"] if "error" in answer else answer["result"]["totalSize"])
"""


def test_another_process_with_the_same_token_has_no_part_in_a_task(tmp_path: Path):
    stage = A2aStage(tmp_path)
    mode = {"tool": "conductor_create_mode", "arguments": {"name": "Mine"}}

    async def work(client: Client) -> None:
        task = await send(client, skill("configure_midi_mapping", changes=[mode]))
        command = [sys.executable, "-c", OTHER, str(stage.port), TOKEN, task.id]
        other = await asyncio.to_thread(subprocess.run, command, capture_output=True, text=True)
        assert other.stdout.splitlines() == [
            "GetTask -32001",
            "CancelTask -32001",
            "SubscribeToTask -32001",
            "SendMessage -32001",
            "SendStreamingMessage -32001",
            "CreateTaskPushNotificationConfig -32001",
            "ListTaskPushNotificationConfigs -32001",
            "ListTasks 0",
        ], other.stderr
        assert stage.plans.get_plan(data_of(task, "plan")["plan_id"]).status == "pending"

    stage.run(work, streaming=False)


def test_a_task_cannot_be_cancelled_once_the_user_has_decided(tmp_path: Path):
    stage = A2aStage(tmp_path)
    mode = {"tool": "conductor_create_mode", "arguments": {"name": "Mine"}}
    reached, go = asyncio.Event(), asyncio.Event()

    async def hold(name: str) -> None:
        if name == "conductor_apply_plan":
            reached.set()
            await go.wait()

    stage.intercept = hold

    async def work(client: Client) -> None:
        task = await send(client, skill("configure_midi_mapping", changes=[mode]))
        stage.decide(data_of(task, "plan")["plan_id"], apply=True)
        await reached.wait()
        with pytest.raises(TaskNotCancelableError, match="get it for its result"):
            await client.cancel_task(CancelTaskRequest(id=task.id))
        go.set()
        assert "Mine" in stage.store.current_config.model_dump_json()

    stage.run(work, streaming=False)


def test_a_task_that_is_applied_while_it_is_cancelled_is_completed(tmp_path: Path):
    stage = A2aStage(tmp_path)
    mode = {"tool": "conductor_create_mode", "arguments": {"name": "Mine"}}
    reject_plan = stage.plans.reject_plan

    def apply_first(plan_id: str, *args: Any) -> Any:
        stage.plans.approve_plan(plan_id, WINDOW)
        stage.plans.apply_plan(plan_id, WINDOW)
        return reject_plan(plan_id, *args)

    async def work(client: Client) -> None:
        task = await send(client, skill("configure_midi_mapping", changes=[mode]))
        stage.plans.reject_plan = apply_first  # pyright: ignore[reportAttributeAccessIssue]
        task = await client.cancel_task(CancelTaskRequest(id=task.id))
        assert state_of(task) == "completed"

    stage.run(work, streaming=False)


def test_a_client_cannot_start_any_number_of_tasks_that_never_end(tmp_path: Path):
    stage = A2aStage(tmp_path)
    never = asyncio.Event()
    stage.intercept = lambda _name: never.wait()

    async def work(client: Client) -> None:
        for _ in range(MAX_TASKS_PER_PROGRAM):
            await send(client, skill("simulate", gesture="tap 36"), at_once=True)
        with pytest.raises(InvalidRequestError, match="too many tasks"):
            await send(client, skill("simulate", gesture="tap 36"), at_once=True)

    stage.run(work, streaming=False)


def test_a_client_cannot_hold_any_number_of_streams_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(handler, "MAX_STREAMS_PER_PROGRAM", 2)
    stage = A2aStage(tmp_path)
    mode = {"tool": "conductor_create_mode", "arguments": {"name": "Mine"}}

    async def work(client: Client) -> None:
        task = await send(client, skill("configure_midi_mapping", changes=[mode]))
        headers = {"Authorization": f"Bearer {TOKEN}", "A2A-Version": "1.0", **JSON_TYPE}
        body = rpc("SubscribeToTask", {"id": task.id})
        url = f"http://127.0.0.1:{stage.port}/a2a"
        async with (
            httpx.AsyncClient(headers=headers) as web,
            web.stream("POST", url, content=body) as first,
            web.stream("POST", url, content=body) as second,
        ):
            assert first.headers["content-type"].startswith("text/event-stream")
            assert second.headers["content-type"].startswith("text/event-stream")
            third = (await web.post(url, content=body)).json()
            assert "too many open streams" in third["error"]["message"]

    stage.run(work, streaming=False)


def context_of(**fields: Any) -> ServerCallContext:
    return ServerCallContext(user=ProgramUser(Requester(caller="http", **fields)))


def ended_task(task_id: str) -> Task:
    return Task(id=task_id, status=TaskStatus(state=TaskState.TASK_STATE_COMPLETED))


def test_a_program_that_the_system_does_not_know_gets_a_task_only_by_its_id():
    async def run() -> None:
        tasks = OwnedTasks(lambda _task_id: None)
        anonymous = context_of()
        await tasks.save(ended_task("secret"), anonymous)
        assert (await tasks.list(ListTasksRequest(), anonymous)).total_size == 0
        assert await tasks.get("secret", anonymous) is not None
        assert await tasks.get("secret", context_of(pid=7)) is None

    asyncio.run(run())


def test_an_ended_task_is_kept_for_an_hour():
    time = datetime(2026, 11, 29, tzinfo=UTC)
    removed: list[str] = []

    async def run() -> None:
        nonlocal time
        tasks, owner = OwnedTasks(removed.append, lambda: time), context_of(pid=7)
        await tasks.save(ended_task("one"), owner)
        time += timedelta(minutes=59)
        assert await tasks.get("one", owner) is not None
        time += timedelta(minutes=1)
        assert await tasks.get("one", owner) is None
        assert removed == ["one"]

    asyncio.run(run())


def test_room_for_a_task_is_made_by_removing_the_oldest_of_the_program_that_has_ended():
    removed: list[str] = []

    async def run() -> None:
        tasks = OwnedTasks(removed.append)
        first, restarted = context_of(pid=7, program="a"), context_of(pid=8, program="a")
        for number in range(MAX_TASKS_PER_PROGRAM):
            await tasks.save(ended_task(str(number)), first)
        await tasks.make_room(context_of(pid=9, program="b"))
        assert removed == []
        await tasks.make_room(restarted)  # another process of the program has no room of its own
        assert removed == ["0"]

    asyncio.run(run())


def test_a_changed_token_applies_to_the_next_request(tmp_path: Path):
    stage = A2aStage(tmp_path)
    changed = "another-token-of-the-tests"

    async def work(web: httpx.AsyncClient) -> None:
        assert (await post(web, rpc("SendMessage", SIMULATE))).status_code == 200
        (stage.home / "mcp-token").write_text(changed)
        assert (await post(web, rpc("SendMessage", SIMULATE))).status_code == 401
        with_changed = {"Authorization": f"Bearer {changed}"}
        assert (await post(web, rpc("SendMessage", SIMULATE), **with_changed)).status_code == 200
        (stage.home / "mcp-token").write_text("short")
        short = {"Authorization": "Bearer short"}
        assert (await post(web, rpc("SendMessage", SIMULATE), **short)).status_code == 401
        assert stage.server is not None
        with pytest.raises(NotAvailable, match="must contain a token of at least 16"):
            stage.server.reload_files()

    stage.run_http(work)
