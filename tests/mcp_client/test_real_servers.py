"""Third-party servers of both protocol eras: lists, calls, resources, questions, changes and stops."""

import asyncio
import subprocess
from pathlib import Path
from typing import Any

import pytest
from tests.mcp_client.rig import ClientRig, module, npm, script, with_client

from conductor.domain.plan import Requester
from conductor.domain.settings import LlmMcp, SkillsSettings
from conductor.errors import ActionFailed, InvalidParams, NotAllowed
from conductor.mcp.client.values import UserAnswer
from conductor.storage.audit import AuditEntry
from conductor.storage.pins import ToolPins
from conductor.tools.approval.permission import DenyWithoutUser, Permission, PermissionRequest
from conductor.tools.executor import ToolExecutor

EVERYTHING = npm("everything")
TIME = module("mcp_server_time")


def test_everything_is_listed_with_its_resources_templates_and_prompts(tmp_path: Path):
    async def work(rig: ClientRig):
        await rig.manager.start(EVERYTHING)
        view = rig.view()
        assert (view.state, view.era, view.problem) == ("ready", "2025-11-25", None)
        assert {"echo", "get-sum"} <= {each.name for each in view.tools}
        assert any(each.is_template for each in view.resources)
        assert {each.name for each in view.prompts} >= {"simple-prompt", "args-prompt"}
        assert view.instructions
        assert rig.tool("echo").skill_id == "mcp:it:echo"

    with_client(tmp_path, work)


def test_tools_give_text_structures_pictures_and_links(tmp_path: Path):
    async def work(rig: ClientRig):
        await rig.manager.start(EVERYTHING)
        assert await rig.text("get-sum", "it", a=2, b=3) == "The sum of 2 and 3 is 5."
        weather = await rig.manager.call_tool(
            "it", "get-structured-content", {"location": "Chicago"}
        )
        assert isinstance(weather.structured, dict)
        assert "temperature" in weather.structured
        assert "[image image/png, " in await rig.text("get-tiny-image")
        assert "[resource demo://resource/" in await rig.text("get-resource-links")
        assert "[resource demo://resource/" in await rig.text(
            "get-resource-reference", "it", resourceType="Text", resourceId=1
        )
        with pytest.raises(InvalidParams, match="`a`"):
            await rig.manager.call_tool("it", "get-sum", {"a": "two", "b": 3})

    with_client(tmp_path, work)


def test_resources_are_read_and_prompts_filled_in(tmp_path: Path):
    async def work(rig: ClientRig):
        await rig.manager.start(EVERYTHING)
        uri = next(item.uri for item in rig.view().resources if not item.is_template)
        (content,) = await rig.manager.read_resource("it", uri)
        assert content.text or content.blob
        (message,) = await rig.manager.get_prompt("it", "args-prompt", {"city": "Oslo"})
        assert "Oslo" in message.text
        with pytest.raises(ActionFailed, match="it answered"):
            await rig.manager.read_resource("it", "demo://no/such/thing")

    with_client(tmp_path, work)


def test_a_question_of_a_server_is_answered_by_the_user(tmp_path: Path):
    async def work(rig: ClientRig):
        await rig.manager.start(EVERYTHING)
        rig.answer = UserAnswer(action="accept", content={"name": "Ada"})
        text = await rig.text("trigger-elicitation-request")
        assert "Ada" in text
        (question,) = rig.questions
        assert question.server == "it"
        assert question.form["properties"]["name"]["type"] == "string"
        rig.answer = UserAnswer(action="decline")
        assert "decline" in await rig.text("trigger-elicitation-request")

    with_client(tmp_path, work)


def test_an_address_to_open_is_only_shown(tmp_path: Path):
    async def work(rig: ClientRig):
        await rig.manager.start(EVERYTHING)
        rig.answer = UserAnswer(action="decline")
        tool = rig.tool("trigger-url-elicitation")
        required = dict.fromkeys(tool.parameters.get("required", []), "https://example.com/x")
        await rig.text("trigger-url-elicitation", "it", **required)
        (question,) = rig.questions
        assert "nothing is opened automatically" in question.message
        assert question.form["properties"] == {}

    with_client(tmp_path, work)


def test_progress_is_reported_and_a_cancelled_call_leaves_the_server_usable(tmp_path: Path):
    async def work(rig: ClientRig):
        await rig.manager.start(EVERYTHING)
        progress_rows: list[tuple[float, float | None, str | None]] = []
        answer = await rig.manager.call_tool(
            "it",
            "trigger-long-running-operation",
            {"duration": 0.4, "steps": 2},
            progress=lambda done, total, words: progress_rows.append((done, total, words)),
        )
        assert "completed" in answer.text
        assert [row[:2] for row in progress_rows][-1] == (2.0, 2.0)
        first = asyncio.Event()
        call = asyncio.create_task(
            rig.manager.call_tool(
                "it",
                "trigger-long-running-operation",
                {"duration": 40, "steps": 400},
                progress=lambda _done, _total, _words: first.set(),
            )
        )
        await first.wait()
        call.cancel()
        await asyncio.wait([call])
        assert call.cancelled()
        assert await rig.text("echo", "it", message="still here") == "Echo: still here"

    with_client(tmp_path, work)


def test_files_are_written_and_nothing_outside_is_read(tmp_path: Path):
    folder = tmp_path / "allowed"
    folder.mkdir()

    async def work(rig: ClientRig):
        await rig.manager.start(npm("filesystem", str(folder)))
        await rig.text("write_file", "it", path=str(folder / "a.txt"), content="hello")
        assert (folder / "a.txt").read_text() == "hello"
        assert "hello" in await rig.text("read_text_file", "it", path=str(folder / "a.txt"))
        answer = await rig.manager.call_tool("it", "read_text_file", {"path": "/etc/passwd"})
        assert answer.is_error
        assert "root:" not in answer.text

    with_client(tmp_path, work)


def test_a_variable_that_is_named_for_a_server_reaches_it(tmp_path: Path):
    memory = tmp_path / "memory.jsonl"

    async def work(rig: ClientRig):
        await rig.manager.start(npm("memory", env={"MEMORY_FILE_PATH": str(memory)}))
        entity = {"name": "pads", "entityType": "device", "observations": ["has 16 pads"]}
        await rig.text("create_entities", "it", entities=[entity])
        assert "has 16 pads" in memory.read_text()
        found = await rig.manager.call_tool("it", "search_nodes", {"query": "pads"})
        assert "has 16 pads" in found.text

    with_client(tmp_path, work)


def test_modern_servers_are_called_too(tmp_path: Path):
    repository = tmp_path / "repository"
    subprocess.run(["git", "init", "-q", repository], check=True)

    async def work(rig: ClientRig):
        git = module("mcp_server_git", "--repository", str(repository), server="git")
        await asyncio.gather(rig.manager.start(TIME), rig.manager.start(git))
        assert rig.view().era == rig.view("git").era == "2026-07-28"
        assert "Europe/Oslo" in await rig.text("get_current_time", "it", timezone="Europe/Oslo")
        answer = await rig.manager.call_tool("it", "get_current_time", {"timezone": "Nowhere"})
        assert answer.is_error
        status = await rig.manager.call_tool("git", "git_status", {"repo_path": str(repository)})
        assert "No commits yet" in status.text

    with_client(tmp_path, work)


def test_the_era_of_a_server_is_stored_for_its_next_start(tmp_path: Path):
    async def work(rig: ClientRig):
        pins = ToolPins(lambda: rig.database)
        await asyncio.gather(rig.manager.start(EVERYTHING), rig.manager.start(TIME_TOO))
        assert pins.read_protocol_era(EVERYTHING.identity) == "legacy"
        assert pins.read_protocol_era(TIME_TOO.identity) == "modern"
        await rig.manager.restart("it")
        assert rig.view().state == "ready"

    with_client(tmp_path, work)


TIME_TOO = module("mcp_server_time", server="time")


def test_a_wrong_stored_era_is_negotiated_again(tmp_path: Path):
    async def work(rig: ClientRig):
        pins = ToolPins(lambda: rig.database)
        await asyncio.to_thread(pins.set_protocol_era, EVERYTHING.identity, "modern")
        await rig.manager.start(EVERYTHING)
        assert rig.view().state == "ready"

    with_client(tmp_path, work)


def test_a_tool_that_appears_at_a_server_of_the_newer_kind_is_seen_and_is_new(tmp_path: Path):
    async def work(rig: ClientRig):
        await rig.manager.start(script("growing"))
        assert rig.view().era == "2026-07-28"
        for count in (2, 3):
            await rig.text("look")
            await rig.until(lambda view, count=count: len(view.tools) == count)
        assert [each.state for each in rig.view().tools] == ["ok", "new", "new"]

    with_client(tmp_path, work)


class NoAudit:
    def write(self, entry: AuditEntry) -> None: ...
    def write_durably(self, entry: AuditEntry) -> bool:
        return True


class Contexts:
    def build_skill_context(self, by: Requester) -> None: ...


def gate(rig: ClientRig, settings: SkillsSettings, permission: Permission) -> ToolExecutor:
    contexts: Any = Contexts()
    return ToolExecutor(
        rig.registry, contexts, LlmMcp, NoAudit(), skills=lambda: settings, permission=permission
    )


class Yes:
    async def require_permission(self, request: PermissionRequest) -> str:
        return "once"


def test_the_tool_executor_calls_nothing_before_the_user_approves(tmp_path: Path):
    written = tmp_path / "allowed" / "stolen.txt"
    written.parent.mkdir()
    by = Requester(caller="chat", client="a model")
    arguments = {"path": str(written), "content": "secrets"}

    async def work(rig: ClientRig):
        await rig.manager.start(npm("filesystem", str(written.parent), server="fs"))
        tool = "mcp:fs:write_file"
        off = gate(rig, SkillsSettings(), Yes())
        assert off.list_chat_tools() == ()
        with pytest.raises(NotAllowed, match="switched off"):
            (await off.call_tool(tool, arguments, by)).to_plain()
        unasked = gate(rig, SkillsSettings(tools={tool: True}), DenyWithoutUser())
        assert [each.name for each in unasked.list_chat_tools()] == [tool]
        for name in (tool, "mcp__fs__write_file"):
            with pytest.raises(NotAllowed, match="needs the user's approval"):
                (await unasked.call_tool(name, arguments, by)).to_plain()
        assert not written.exists()

    with_client(tmp_path, work)


def test_the_tool_executor_passes_exact_arguments_and_marks_the_origin_of_results(tmp_path: Path):
    async def work(rig: ClientRig):
        await rig.manager.start(npm("everything", server="ev"))
        on = SkillsSettings(tools={"mcp:ev:echo": True, "mcp:ev:get-sum": True})
        asked = gate(rig, on, Yes())
        by = Requester(caller="chat", client="a model")
        outcome = await asked.call_tool("mcp__ev__echo", {"message": "hi"}, by)
        assert outcome.to_plain()["text"] == "Echo: hi"
        assert outcome.tool is not None
        assert outcome.tool.origin == "MCP server ev"
        assert outcome.tool.description.startswith("[MCP server ev] ")
        with pytest.raises(InvalidParams, match="params for get-sum of ev: 'b' is a required prop"):
            (await asked.call_tool("mcp:ev:get-sum", {"a": 1}, by)).to_plain()
        await rig.manager.stop("ev")
        assert rig.registry.list_tools() == ()

    with_client(tmp_path, work)
