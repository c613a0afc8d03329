"""A2A over real HTTP with the library's own client: skills, decisions of the user, streams and cancellation."""

import json
from collections.abc import Generator
from contextlib import aclosing
from typing import Any

import pytest
from a2a.client import Client
from a2a.types import (
    CancelTaskRequest,
    ListTasksRequest,
    SendMessageConfiguration,
    SendMessageRequest,
    SubscribeToTaskRequest,
)
from a2a.utils.errors import TaskNotCancelableError, TaskNotFoundError
from tests.mcp.a2a.clients import (
    CREATE_MAPPING,
    a2a_config,
    data_of,
    get,
    message,
    send,
    skill,
    state_of,
    stream,
    text,
    wait_for_state,
    with_client,
    words_of,
)
from tests.mcp.test_http import WITHOUT_PARTS, answers, free_port
from tests.support.running import RunningConductor, running_conductor, wait_for
from tests.tools.terminal import at_terminal


@pytest.fixture(scope="module")
def port() -> int:
    return free_port()


@pytest.fixture(scope="module")
def conductor(port: int) -> Generator[RunningConductor]:
    with running_conductor(a2a_config(port), environment=WITHOUT_PARTS) as running:
        wait_for(lambda: answers(port), bool)
        yield running


def create_mode(name: str) -> dict[str, Any]:
    return {"tool": "conductor_create_mode", "arguments": {"name": name}}


def audited(conductor: RunningConductor, tool: str) -> list[dict[str, Any]]:
    rows = json.loads(conductor.cli("audit", "--json", "--limit", "200").stdout)
    return [row for row in rows if row["tool"] == tool]


def test_a_simulation_is_answered_with_its_result_and_audited_as_a_call_over_http(
    conductor: RunningConductor, port: int
):
    async def work(client: Client) -> None:
        task = await send(client, skill("simulate", gesture="tap 36"))
        assert state_of(task) == "completed", words_of(task)
        assert data_of(task, "simulate")["final_mode"] == "Default"

    with_client(conductor, port, work, streaming=False)
    rows = wait_for(lambda: audited(conductor, "conductor_simulate"), bool)
    assert (rows[0]["caller"], rows[0]["client"]) == ("http", "A2A client")


def test_an_event_is_explained(conductor: RunningConductor, port: int):
    async def work(client: Client) -> None:
        task = await send(client, skill("explain_event"))
        assert state_of(task) == "completed", words_of(task)
        assert "No such event" in data_of(task, "explain_event")["answer"]

    with_client(conductor, port, work, streaming=False)


def test_a_change_waits_for_the_user_and_is_completed_by_the_approval(
    conductor: RunningConductor, port: int
):
    async def work(client: Client) -> None:
        task = await send(client, skill("configure_midi_mapping", changes=[CREATE_MAPPING]))
        assert state_of(task) == "input_required"
        plan = data_of(task, "plan")
        assert plan["status"] == "pending"
        assert plan["requested_by"]["caller"] == "http"
        assert "cmd" in plan["diff_preview"]
        assert plan["plan_id"] in words_of(task)
        assert "note = 36" not in conductor.config_path.read_text()
        at_terminal(conductor, "plans", "approve", plan["plan_id"], "--yes")
        task = await wait_for_state(client, task.id, "completed")
        assert data_of(task, "plan")["status"] == "applied"
        assert "note = 36" in conductor.config_path.read_text()

    with_client(conductor, port, work, streaming=False)


def test_a_change_that_the_user_rejects_ends_as_rejected(conductor: RunningConductor, port: int):
    async def work(client: Client) -> None:
        task = await send(client, skill("configure_midi_mapping", changes=[create_mode("No")]))
        at_terminal(conductor, "plans", "reject", data_of(task, "plan")["plan_id"])
        task = await wait_for_state(client, task.id, "rejected", "failed", "completed")
        assert state_of(task) == "rejected"
        assert "rejected by" in words_of(task)
        assert data_of(task, "plan")["status"] == "rejected"

    with_client(conductor, port, work, streaming=False)


def test_no_message_approves_a_plan(conductor: RunningConductor, port: int):
    async def work(client: Client) -> None:
        task = await send(client, skill("configure_midi_mapping", changes=[create_mode("Yes")]))
        answer = message(*text("Yes, apply it").parts, task_id=task.id, context_id=task.context_id)
        again = await send(client, answer)
        assert (again.id, state_of(again)) == (task.id, "input_required")
        assert "A message does not approve it" in words_of(again)
        bare = SendMessageConfiguration(history_length=0)
        request = SendMessageRequest(message=answer, configuration=bare)
        [event] = [each async for each in client.send_message(request)]
        assert (event.task.id, list(event.task.history)) == (task.id, [])
        await client.cancel_task(CancelTaskRequest(id=task.id))

    with_client(conductor, port, work, streaming=False)
    assert "Yes" not in conductor.config_path.read_text()


def test_a_cancelled_task_takes_its_plan_back(conductor: RunningConductor, port: int):
    async def work(client: Client) -> None:
        task = await send(client, skill("configure_midi_mapping", changes=[create_mode("Gone")]))
        plan_id = data_of(task, "plan")["plan_id"]
        cancelled = await client.cancel_task(CancelTaskRequest(id=task.id))
        assert state_of(cancelled) == "canceled"
        shown = conductor.cli("plans", "show", plan_id).stdout
        assert "rejected" in shown
        assert "the client cancelled its task" in shown
        with pytest.raises(TaskNotCancelableError):
            await client.cancel_task(CancelTaskRequest(id=task.id))

    with_client(conductor, port, work, streaming=False)


def test_a_stream_has_the_task_the_plan_and_the_users_decision(
    conductor: RunningConductor, port: int
):
    async def work(client: Client) -> None:
        seen: list[str] = []
        given = skill("configure_midi_mapping", changes=[create_mode("Streamed")])
        async for event in stream(client, given):
            kind = str(event.WhichOneof("payload"))
            update = getattr(event, kind)
            seen.append(state_of(update) if kind != "artifact_update" else "artifact")
            if seen[-1] == "input_required":
                plan_id = words_of(update).split("approve ")[1].split("`")[0]
                at_terminal(conductor, "plans", "approve", plan_id, "--yes")
        assert seen == [
            "submitted", "working", "artifact", "input_required", "artifact", "completed",
        ]  # fmt: skip

    with_client(conductor, port, work)


def test_a_client_that_lost_its_stream_follows_the_task_in_another(
    conductor: RunningConductor, port: int
):
    async def work(client: Client) -> None:
        async with aclosing(stream(client, skill("capture_midi_events"))) as lost:
            task = (await anext(lost)).task
        seen: list[str] = []
        async for event in client.subscribe(SubscribeToTaskRequest(id=task.id)):
            seen.append(state_of(getattr(event, str(event.WhichOneof("payload")))))
            if seen == ["working"]:
                await client.cancel_task(CancelTaskRequest(id=task.id))
        assert seen[-1] == "canceled"

    with_client(conductor, port, work)
    wait_for(lambda: audited(conductor, "conductor_stop_midi_learn"), bool)


def test_events_are_captured_for_the_time_that_was_asked(conductor: RunningConductor, port: int):
    async def work(client: Client) -> None:
        task = await send(client, skill("capture_midi_events", duration_secs=0.1))
        assert state_of(task) == "completed", words_of(task)
        assert data_of(task, "capture_midi_events")["events"] == []

    with_client(conductor, port, work, streaming=False)


def test_a_program_sees_its_own_tasks_in_the_list(conductor: RunningConductor, port: int):
    async def work(client: Client) -> None:
        task = await send(client, skill("simulate", gesture="tap 40"))
        listed = await client.list_tasks(ListTasksRequest())
        assert task.id in [each.id for each in listed.tasks]
        with pytest.raises(TaskNotFoundError):
            await get(client, "00000000-0000-0000-0000-000000000000")

    with_client(conductor, port, work, streaming=False)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (skill("simulate"), "gesture"),
        (skill("simulate", gesture="dance"), "dance"),
        (skill("reset_everything"), "skill"),
        (skill("capture_midi_events", duration_secs=1e9), "duration_secs"),
        (skill("configure_midi_mapping", changes=[]), "operations"),
        (
            skill(
                "configure_midi_mapping",
                changes=[{"tool": "conductor_send_midi", "arguments": {"port": "x"}}],
            ),
            "only tools that change the config",
        ),
        (text("Map pad 36 to copy"), "data part"),
    ],
)
def test_a_request_that_cannot_be_done_fails_and_says_why(
    conductor: RunningConductor, port: int, given: Any, words: str
):
    async def work(client: Client) -> None:
        task = await send(client, given)
        assert state_of(task) == "failed"
        assert words in words_of(task)

    with_client(conductor, port, work, streaming=False)
