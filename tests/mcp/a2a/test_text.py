"""Requests in plain text: the user's model answers them, with no more rights than the program has."""

import asyncio
import subprocess
import sys
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest
from a2a.client import Client
from a2a.types import CancelTaskRequest
from tests.agent.stage import COPY, Scripted, call, calls, fails, say, spin, told_to
from tests.mcp.a2a.clients import data_of, send, skill, state_of, text, wait_for_state, words_of
from tests.mcp.a2a.stage import TOKEN, A2aStage

from conductor.domain.chat.messages import ChatRequest, StreamEvent, TextDelta
from conductor.mcp.a2a import executor

LIMITED = "\n[llm.budget]\nstop_usd_per_day = 0.01\n"


def test_a_change_in_plain_words_becomes_a_plan_of_the_program(tmp_path: Path):
    model = Scripted("first", calls(call("create_mapping", **COPY), text="Here it is."))
    stage = A2aStage(tmp_path, model)

    async def work(client: Client) -> None:
        task = await send(client, text("Map pad 36 to copy"))
        assert state_of(task) == "input_required"
        assert words_of(task).startswith("Here it is.")
        plan = data_of(task, "plan")
        assert plan["requested_by"]["caller"] == "http"
        assert not stage.store.current_config.modes[0].mappings
        stage.decide(plan["plan_id"], apply=True)
        await wait_for_state(client, task.id, "completed")
        assert len(stage.store.current_config.modes[0].mappings) == 1

    stage.run(work, streaming=False)
    assert [row.caller for row in stage.audit if row.tool == "conductor_create_mapping"][:1] == [
        "http"
    ]
    [asked] = [row for row in stage.audit if row.tool == "a2a_text"]
    assert asked.outcome == "ok"
    assert "Map pad 36 to copy" in told_to(model.requests[0])


def test_a_description_of_the_skill_is_plain_text_too(tmp_path: Path):
    model = Scripted("first", calls(call("create_mapping", **COPY)))

    async def work(client: Client) -> None:
        task = await send(client, skill("configure_midi_mapping", description="pad 36 copies"))
        assert state_of(task) == "input_required"

    A2aStage(tmp_path, model).run(work, streaming=False)


def test_a_question_is_answered_after_the_model_has_looked_it_up(tmp_path: Path):
    model = Scripted("first", calls(call("get_mappings")), say("Nothing is mapped."))

    async def work(client: Client) -> None:
        task = await send(client, text("What is mapped?"))
        assert state_of(task) == "completed"
        assert task.artifacts[0].parts[0].text == "Nothing is mapped."

    A2aStage(tmp_path, model).run(work, streaming=False)
    assert '"tool":"conductor_get_mappings","ok":true' in told_to(model.requests[1])


def test_the_model_cannot_use_what_programs_may_not_use(tmp_path: Path):
    forbidden = ["send_midi", "apply_plan", "switch_mode", "recall_conversation", "read_file"]
    model = Scripted("first", calls(*(call(tool) for tool in forbidden)), say("I could not."))
    stage = A2aStage(tmp_path, model)

    async def work(client: Client) -> None:
        assert state_of(await send(client, text("Read my files"))) == "completed"

    stage.run(work, streaming=False)
    assert [row.tool for row in stage.audit] == ["a2a_text"]
    offered = {tool.name for tool in model.requests[0].tools}
    assert not offered & {f"conductor_{tool}" for tool in forbidden}
    assert "conductor_batch" in offered
    assert told_to(model.requests[1]).count("was not offered") == len(forbidden)


def test_the_next_provider_is_asked_if_the_first_fails(tmp_path: Path):
    first, second = Scripted("first", fails("overloaded")), Scripted("second", say("Hello."))

    async def work(client: Client) -> None:
        assert state_of(await send(client, text("Hello"))) == "completed"

    A2aStage(tmp_path, first, second).run(work, streaming=False)


@pytest.mark.parametrize(
    ("providers", "more", "words"),
    [
        ([], "", "has set up no model"),
        ([Scripted("first")], "\n[llm]\nenabled = false\n", "has set up no model"),
        ([Scripted("first", fails("quota"))], "", "It failed (quota)"),
    ],
)
def test_without_an_answer_the_task_fails_and_names_the_data_part(
    tmp_path: Path, providers: list[Any], more: str, words: str
):
    async def work(client: Client) -> None:
        task = await send(client, text("Map pad 36 to copy"))
        assert state_of(task) == "failed"
        assert words in words_of(task)
        assert '{"skill": "simulate"' in words_of(task)

    A2aStage(tmp_path, *providers, more=more).run(work, streaming=False)


def test_the_users_spending_limit_counts(tmp_path: Path):
    stage = A2aStage(tmp_path, Scripted("first", say("Hello.", tokens=100)), more=LIMITED)
    stage.dollars_per_token = 1.0

    async def work(client: Client) -> None:
        task = await send(client, text("Hello"))
        assert state_of(task) == "failed"
        assert "llm.budget" in words_of(task)

    stage.run(work, streaming=False)


def test_a_program_can_send_only_some_texts_at_once(tmp_path: Path):
    model = Scripted("first", *(say("Hello.") for _ in range(5)))

    async def work(client: Client) -> None:
        ends = [state_of(await send(client, text("Hello"))) for _ in range(6)]
        assert ends == ["completed"] * 5 + ["failed"]

    A2aStage(tmp_path, model).run(work, streaming=False)


SENDER = """
import http.client, json, sys
port, token = sys.argv[1:3]
web = http.client.HTTPConnection("127.0.0.1", int(port), timeout=30)
headers = {"Authorization": "Bearer " + token, "Content-Type": "application/json", "A2A-Version": "1.0"}
message = {"messageId": "1", "role": "ROLE_USER", "parts": [{"text": "Hello"}]}
body = {"jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": {"message": message}}
web.request("POST", "/a2a", json.dumps(body), headers)
print(json.loads(web.getresponse().read())["result"]["task"]["status"]["state"])
"""


async def send_by_process(stage: A2aStage, *arguments: str) -> str:
    """Send a text by a process of its own, and return the last state of the task."""
    command = [sys.executable, "-c", SENDER, str(stage.port), TOKEN, *arguments]
    sent = await asyncio.to_thread(subprocess.run, command, capture_output=True, text=True)
    return sent.stdout.strip().removeprefix("TASK_STATE_").lower()


def test_a_program_gets_no_more_texts_by_starting_another_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(executor, "TEXT_BURST", 2)
    stage = A2aStage(tmp_path, Scripted("first", *(say("Hello.") for _ in range(3))))

    async def work(_client: Client) -> None:
        ends = [await send_by_process(stage) for _ in range(3)]
        assert ends == ["completed", "completed", "failed"]
        assert await send_by_process(stage, "another program") == "completed"

    stage.run(work, streaming=False)


def test_all_programs_together_can_send_only_some_texts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(executor, "ALL_TEXTS_BURST", 2)
    stage = A2aStage(tmp_path, Scripted("first", *(say("Hello.") for _ in range(3))))

    async def work(_client: Client) -> None:
        ends = [await send_by_process(stage, str(number)) for number in range(3)]
        assert ends == ["completed", "completed", "failed"]

    stage.run(work, streaming=False)


def test_cancelling_stops_the_model(tmp_path: Path):
    started = asyncio.Event()

    async def think(_request: ChatRequest) -> AsyncGenerator[StreamEvent]:
        yield TextDelta(text="Let me")
        started.set()
        await asyncio.Event().wait()

    model = Scripted("first", think)
    stage = A2aStage(tmp_path, model)

    async def work(client: Client) -> None:
        task = await send(client, text("Hello"), at_once=True)
        await started.wait()
        cancelled = await client.cancel_task(CancelTaskRequest(id=task.id))
        assert state_of(cancelled) == "canceled"
        await spin(lambda: [row.outcome for row in stage.audit] == ["cancelled"])
        assert model.closed == 1

    stage.run(work, streaming=False)
