"""Servers that other people wrote, in both eras: listed, called, read, asked, followed and stopped."""

import asyncio
import subprocess
from pathlib import Path
from typing import Any

import pytest
from tests.mcp_client.stand import Stand, module, npm, script, with_host

from conductor.domain.plan import Requester
from conductor.domain.settings import LlmMcp, SkillsSettings
from conductor.errors import ActionFailed, InvalidParams, NotAllowed
from conductor.mcp.client.values import QuestionAnswer
from conductor.storage.audit import AuditEntry
from conductor.storage.pins import ToolPins
from conductor.tools.approval.permission import NoPermission, Permission, PermissionRequest
from conductor.tools.executor import Executor

EVERYTHING = npm("everything")
TIME = module("mcp_server_time")


def test_everything_is_listed_with_its_resources_templates_and_prompts(tmp_path: Path):
    async def work(stand: Stand):
        await stand.host.start(EVERYTHING)
        view = stand.view()
        assert (view.state, view.era, view.problem) == ("ready", "2025-11-25", None)
        assert {"echo", "get-sum"} <= {one.name for one in view.tools}
        assert any(one.is_template for one in view.resources)
        assert {one.name for one in view.prompts} >= {"simple-prompt", "args-prompt"}
        assert view.instructions
        assert stand.tool("echo").skill_id == "mcp:it:echo"

    with_host(tmp_path, work)


def test_tools_give_text_structures_pictures_and_links(tmp_path: Path):
    async def work(stand: Stand):
        await stand.host.start(EVERYTHING)
        assert await stand.text("get-sum", "it", a=2, b=3) == "The sum of 2 and 3 is 5."
        weather = await stand.host.call("it", "get-structured-content", {"location": "Chicago"})
        assert isinstance(weather.structured, dict)
        assert "temperature" in weather.structured
        assert "[image image/png, " in await stand.text("get-tiny-image")
        assert "[resource demo://resource/" in await stand.text("get-resource-links")
        assert "[resource demo://resource/" in await stand.text(
            "get-resource-reference", "it", resourceType="Text", resourceId=1
        )
        with pytest.raises(InvalidParams, match="`a`"):
            await stand.host.call("it", "get-sum", {"a": "two", "b": 3})

    with_host(tmp_path, work)


def test_resources_are_read_and_prompts_filled_in(tmp_path: Path):
    async def work(stand: Stand):
        await stand.host.start(EVERYTHING)
        uri = next(one.uri for one in stand.view().resources if not one.is_template)
        (content,) = await stand.host.read("it", uri)
        assert content.text or content.blob
        (message,) = await stand.host.prompt("it", "args-prompt", {"city": "Oslo"})
        assert "Oslo" in message.text
        with pytest.raises(ActionFailed, match="it answered"):
            await stand.host.read("it", "demo://no/such/thing")

    with_host(tmp_path, work)


def test_a_servers_question_is_put_to_the_user_and_the_answer_goes_back(tmp_path: Path):
    async def work(stand: Stand):
        await stand.host.start(EVERYTHING)
        stand.answer = QuestionAnswer(action="accept", content={"name": "Ada"})
        said = await stand.text("trigger-elicitation-request")
        assert "Ada" in said
        (question,) = stand.questions
        assert question.server == "it"
        assert question.form["properties"]["name"]["type"] == "string"
        stand.answer = QuestionAnswer(action="decline")
        assert "decline" in await stand.text("trigger-elicitation-request")

    with_host(tmp_path, work)


def test_an_address_to_open_is_only_shown(tmp_path: Path):
    async def work(stand: Stand):
        await stand.host.start(EVERYTHING)
        stand.answer = QuestionAnswer(action="decline")
        tool = stand.tool("trigger-url-elicitation")
        required = dict.fromkeys(tool.parameters.get("required", []), "https://example.com/x")
        await stand.text("trigger-url-elicitation", "it", **required)
        (question,) = stand.questions
        assert "nothing is opened automatically" in question.message
        assert question.form["properties"] == {}

    with_host(tmp_path, work)


def test_progress_is_told_and_a_cancelled_call_leaves_the_server_usable(tmp_path: Path):
    async def work(stand: Stand):
        await stand.host.start(EVERYTHING)
        told: list[tuple[float, float | None, str | None]] = []
        answer = await stand.host.call(
            "it",
            "trigger-long-running-operation",
            {"duration": 0.4, "steps": 2},
            progress=lambda done, total, words: told.append((done, total, words)),
        )
        assert "completed" in answer.text
        assert [row[:2] for row in told][-1] == (2.0, 2.0)
        first = asyncio.Event()
        call = asyncio.create_task(
            stand.host.call(
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
        assert await stand.text("echo", "it", message="still here") == "Echo: still here"

    with_host(tmp_path, work)


def test_files_are_written_and_nothing_outside_is_read(tmp_path: Path):
    folder = tmp_path / "allowed"
    folder.mkdir()

    async def work(stand: Stand):
        await stand.host.start(npm("filesystem", str(folder)))
        await stand.text("write_file", "it", path=str(folder / "a.txt"), content="hello")
        assert (folder / "a.txt").read_text() == "hello"
        assert "hello" in await stand.text("read_text_file", "it", path=str(folder / "a.txt"))
        answer = await stand.host.call("it", "read_text_file", {"path": "/etc/passwd"})
        assert answer.is_error
        assert "root:" not in answer.text

    with_host(tmp_path, work)


def test_a_variable_that_is_named_for_a_server_reaches_it(tmp_path: Path):
    memory = tmp_path / "memory.jsonl"

    async def work(stand: Stand):
        await stand.host.start(npm("memory", env={"MEMORY_FILE_PATH": str(memory)}))
        entity = {"name": "pads", "entityType": "device", "observations": ["has 16 pads"]}
        await stand.text("create_entities", "it", entities=[entity])
        assert "has 16 pads" in memory.read_text()
        found = await stand.host.call("it", "search_nodes", {"query": "pads"})
        assert "has 16 pads" in found.text

    with_host(tmp_path, work)


def test_servers_of_the_newer_kind_are_called_too(tmp_path: Path):
    repository = tmp_path / "repository"
    subprocess.run(["git", "init", "-q", repository], check=True)

    async def work(stand: Stand):
        git = module("mcp_server_git", "--repository", str(repository), server="git")
        await asyncio.gather(stand.host.start(TIME), stand.host.start(git))
        assert stand.view().era == stand.view("git").era == "2026-07-28"
        assert "Europe/Oslo" in await stand.text("get_current_time", "it", timezone="Europe/Oslo")
        answer = await stand.host.call("it", "get_current_time", {"timezone": "Nowhere"})
        assert answer.is_error
        status = await stand.host.call("git", "git_status", {"repo_path": str(repository)})
        assert "No commits yet" in status.text

    with_host(tmp_path, work)


def test_how_a_server_speaks_is_remembered_for_its_next_start(tmp_path: Path):
    async def work(stand: Stand):
        pins = ToolPins(lambda: stand.database)
        await asyncio.gather(stand.host.start(EVERYTHING), stand.host.start(TIME_TOO))
        assert pins.era(EVERYTHING.identity) == "legacy"
        assert pins.era(TIME_TOO.identity) == "modern"
        await stand.host.restart("it")
        assert stand.view().state == "ready"

    with_host(tmp_path, work)


TIME_TOO = module("mcp_server_time", server="time")


def test_a_server_that_was_wrongly_remembered_is_asked_anew(tmp_path: Path):
    async def work(stand: Stand):
        pins = ToolPins(lambda: stand.database)
        await asyncio.to_thread(pins.set_era, EVERYTHING.identity, "modern")
        await stand.host.start(EVERYTHING)
        assert stand.view().state == "ready"

    with_host(tmp_path, work)


def test_a_tool_that_appears_at_a_server_of_the_newer_kind_is_seen_and_is_new(tmp_path: Path):
    async def work(stand: Stand):
        await stand.host.start(script("growing"))
        assert stand.view().era == "2026-07-28"
        for count in (2, 3):
            await stand.text("look")
            await stand.until(lambda view, count=count: len(view.tools) == count)
        assert [one.state for one in stand.view().tools] == ["ok", "new", "new"]

    with_host(tmp_path, work)


class NoAudit:
    def write(self, entry: AuditEntry) -> None: ...
    def write_durably(self, entry: AuditEntry) -> bool:
        return True


class Contexts:
    def skill(self, by: Requester) -> None: ...


def gate(stand: Stand, settings: SkillsSettings, permission: Permission) -> Executor:
    contexts: Any = Contexts()
    return Executor(
        stand.registry, contexts, LlmMcp, NoAudit(), skills=lambda: settings, permission=permission
    )


class Yes:
    async def require(self, request: PermissionRequest) -> str:
        return "once"


def test_nothing_is_called_through_the_gate_before_somebody_says_yes(tmp_path: Path):
    written = tmp_path / "allowed" / "stolen.txt"
    written.parent.mkdir()
    by = Requester(caller="chat", client="a model")
    arguments = {"path": str(written), "content": "secrets"}

    async def work(stand: Stand):
        await stand.host.start(npm("filesystem", str(written.parent), server="fs"))
        tool = "mcp:fs:write_file"
        off = gate(stand, SkillsSettings(), Yes())
        assert off.tools() == ()
        with pytest.raises(NotAllowed, match="switched off"):
            (await off.call(tool, arguments, by)).plain()
        unasked = gate(stand, SkillsSettings(tools={tool: True}), NoPermission())
        assert [one.name for one in unasked.tools()] == [tool]
        for name in (tool, "mcp__fs__write_file"):
            with pytest.raises(NotAllowed, match="needs the user's approval"):
                (await unasked.call(name, arguments, by)).plain()
        assert not written.exists()

    with_host(tmp_path, work)


def test_the_gate_hands_over_exact_arguments_and_marks_whose_words_come_back(tmp_path: Path):
    async def work(stand: Stand):
        await stand.host.start(npm("everything", server="ev"))
        on = SkillsSettings(tools={"mcp:ev:echo": True, "mcp:ev:get-sum": True})
        asked = gate(stand, on, Yes())
        by = Requester(caller="chat", client="a model")
        outcome = await asked.call("mcp__ev__echo", {"message": "hi"}, by)
        assert outcome.plain()["text"] == "Echo: hi"
        assert outcome.tool is not None
        assert outcome.tool.origin == "MCP server ev"
        assert outcome.tool.description.startswith("[MCP server ev] ")
        with pytest.raises(InvalidParams, match="params for get-sum of ev: 'b' is a required prop"):
            (await asked.call("mcp:ev:get-sum", {"a": 1}, by)).plain()
        await stand.host.stop("ev")
        assert stand.registry.all() == ()

    with_host(tmp_path, work)
