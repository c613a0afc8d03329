"""Calls of skills by agents: only if offered, and approved only in the window or at a terminal."""

from collections.abc import Generator
from typing import Any

import mcp_types as types
import pytest
from tests.mcp.clients import ERAS, FORMS, WITHOUT_PARTS, Era, text_of, with_client
from tests.support.running import RunningConductor, running_conductor
from tests.tools.terminal import at_terminal

from mcp import Client

CONFIG = f"[[modes]]\nname = 'Default'\n{FORMS}toolsets = ['status', 'skills']\n"
DELETE = "conductor_delete_note"


@pytest.fixture(scope="module")
def conductor() -> Generator[RunningConductor]:
    with running_conductor(CONFIG, environment=WITHOUT_PARTS) as running:
        yield running


@pytest.fixture(autouse=True)
def same_config(conductor: RunningConductor) -> None:
    if conductor.config_path.read_text() != CONFIG:
        conductor.use(CONFIG)


async def note(client: Client) -> dict[str, Any]:
    """Save a note; return the arguments that delete it."""
    created = await client.call_tool("conductor_add_note", {"title": "mine", "text": "x"})
    assert created.structured_content is not None, text_of(created)
    return {"note_id": created.structured_content["note_id"]}


async def is_kept(client: Client, which: dict[str, Any]) -> bool:
    return not (await client.call_tool("conductor_read_note", which)).is_error


def answering(result: types.ElicitResult, shown: list[str]) -> Any:
    async def answer(_: Any, params: Any) -> types.ElicitResult:
        shown.append(params.message)
        return result

    return answer


YES = types.ElicitResult(action="accept", content={"approve": True})


@pytest.mark.parametrize("era", ERAS)
def test_the_asking_program_never_allows_a_call_by_its_own_form(
    conductor: RunningConductor, era: Era
):
    shown: list[str] = []

    async def work(client: Client) -> None:
        which = await note(client)
        waits = await client.call_tool(DELETE, which)
        assert waits.is_error
        words = text_of(waits)
        assert "conductor approvals allow" in words
        assert await is_kept(client, which)
        approval_id = words.split("conductor approvals allow ")[1].split("`")[0]
        output = at_terminal(conductor, "approvals", "allow", approval_id, "--yes").stdout
        assert which["note_id"] in output
        assert not (await client.call_tool(DELETE, which)).is_error
        assert not await is_kept(client, which)

    with_client(conductor, work, era=era, on_elicit=answering(YES, shown))
    assert shown == []


def test_an_unrequested_answer_in_a_call_is_ignored(conductor: RunningConductor):
    async def work(client: Client) -> None:
        which = await note(client)
        for state in ("made-up", "", None):
            params = types.CallToolRequestParams(
                name=DELETE, arguments=which, input_responses={"approve": YES}, request_state=state
            )
            request = types.CallToolRequest(params=params)
            refused = await client.session.send_request(request, types.CallToolResult)
            assert refused.is_error
        assert await is_kept(client, which)

    with_client(conductor, work, era="2026-07-28", on_elicit=answering(YES, []))


@pytest.mark.parametrize("era", ERAS)
def test_skills_that_are_not_offered_cannot_be_called(conductor: RunningConductor, era: Era):
    conductor.use("[[modes]]\nname = 'Default'\n")

    async def work(client: Client) -> None:
        listed = {tool.name for tool in (await client.list_tools()).tools}
        for name in ("conductor_find_notes", "conductor_recall", "conductor_find_tasks", DELETE):
            assert name not in listed
            refused = await client.call_tool(name, {"query": "x"})
            assert "llm.mcp.toolsets" in text_of(refused), name

    with_client(conductor, work, era=era)
