"""A call of a skill by an agent: allowed by a form in its client, once, or in the window or at a terminal."""

from collections.abc import Generator
from typing import Any

import mcp_types as types
import pytest
from tests.mcp.clients import ERAS, WITHOUT_PARTS, Era, text_of, with_client
from tests.support.running import RunningConductor, running_conductor
from tests.tools.terminal import at_terminal
from tests.tools.test_penetration import audited

from conductor.mcp.forms import SHOWN_AT_MOST
from mcp import Client

CONFIG = "[[modes]]\nname = 'Default'\n\n[llm.mcp]\ntoolsets = ['status', 'skills']\n"
DELETE = "conductor_delete_note"


@pytest.fixture(scope="module")
def conductor() -> Generator[RunningConductor]:
    with running_conductor(CONFIG, environment=WITHOUT_PARTS) as one:
        yield one


@pytest.fixture(autouse=True)
def same_config(conductor: RunningConductor) -> None:
    if conductor.config_path.read_text() != CONFIG:
        conductor.use(CONFIG)


async def note(client: Client) -> dict[str, Any]:
    """Keep a note, and give what deletes it."""
    made = await client.call_tool("conductor_add_note", {"title": "mine", "text": "x"})
    assert made.structured_content is not None, text_of(made)
    return {"note_id": made.structured_content["note_id"]}


async def is_kept(client: Client, which: dict[str, Any]) -> bool:
    return not (await client.call_tool("conductor_read_note", which)).is_error


def answering(result: types.ElicitResult, shown: list[str]) -> Any:
    async def answer(_: Any, params: Any) -> types.ElicitResult:
        shown.append(params.message)
        return result

    return answer


YES = types.ElicitResult(action="accept", content={"approve": True})


@pytest.mark.parametrize("era", ERAS)
def test_an_accepted_form_that_showed_the_arguments_allows_the_call_once(
    conductor: RunningConductor, era: Era
):
    shown: list[str] = []

    async def work(client: Client) -> None:
        which = await note(client)
        done = await client.call_tool(DELETE, which)
        assert not done.is_error, text_of(done)
        assert not await is_kept(client, which)
        (message,) = shown
        assert f'"note_id": {which["note_id"]!r}'.replace("'", '"') in message
        again = await client.call_tool(DELETE, await note(client))
        assert not again.is_error
        assert len(shown) == 2, "a form allows one call"

    with_client(conductor, work, era=era, on_elicit=answering(YES, shown))
    audited(conductor, DELETE, "ok")


@pytest.mark.parametrize(
    "answer",
    [
        types.ElicitResult(action="decline"),
        types.ElicitResult(action="accept", content={"approve": False}),
    ],
)
@pytest.mark.parametrize("era", ERAS)
def test_a_declined_form_refuses_the_call_and_is_not_shown_again(
    conductor: RunningConductor, era: Era, answer: types.ElicitResult
):
    shown: list[str] = []

    async def work(client: Client) -> None:
        which = await note(client)
        for _ in range(2):
            refused = await client.call_tool(DELETE, which)
            assert refused.is_error
            assert "does not allow" in text_of(refused)
        assert await is_kept(client, which)

    with_client(conductor, work, era=era, on_elicit=answering(answer, shown))
    assert len(shown) == 1


@pytest.mark.parametrize("era", ERAS)
def test_a_cancelled_form_leaves_the_call_to_the_window_and_the_terminal(
    conductor: RunningConductor, era: Era
):
    async def work(client: Client) -> None:
        which = await note(client)
        waits = await client.call_tool(DELETE, which)
        assert waits.is_error
        words = text_of(waits)
        assert "conductor approvals allow" in words
        approval_id = words.split("conductor approvals allow ")[1].split("`")[0]
        shown = at_terminal(conductor, "approvals", "allow", approval_id, "--yes").stdout
        assert which["note_id"] in shown
        assert not (await client.call_tool(DELETE, which)).is_error
        assert not await is_kept(client, which)

    cancel = types.ElicitResult(action="cancel")
    with_client(conductor, work, era=era, on_elicit=answering(cancel, []))


@pytest.mark.parametrize("settings", ["approval = 'gui'", "approval = 'elicit_or_gui'"])
@pytest.mark.parametrize("era", ERAS)
def test_without_forms_the_client_is_told_what_to_do(
    conductor: RunningConductor, era: Era, settings: str
):
    conductor.use(f"{CONFIG}{settings}\n")
    able = settings[-4:] == "gui'" and "elicit" not in settings

    async def never(_: Any, params: Any) -> types.ElicitResult:
        raise AssertionError("a form was shown")

    async def work(client: Client) -> None:
        which = await note(client)
        assert "conductor approvals allow" in text_of(await client.call_tool(DELETE, which))
        assert await is_kept(client, which)

    with_client(conductor, work, era=era, on_elicit=never if able else None)


def test_an_answer_to_a_form_that_was_never_shown_or_was_for_another_call_counts_for_nothing(
    conductor: RunningConductor,
):
    async def call(client: Client, which: dict[str, Any], state: str | None) -> Any:
        params = types.CallToolRequestParams(
            name=DELETE, arguments=which, input_responses={"approve": YES}, request_state=state
        )
        request = types.CallToolRequest(params=params)
        return await client.session.send_request(request, types.InputRequiredResult)

    async def work(client: Client) -> None:
        first, second = await note(client), await note(client)
        asked = None
        for state in ("made-up", "", None):
            asked = await call(client, first, state)
            assert asked.request_state
        assert asked is not None
        stolen = await call(client, second, asked.request_state)
        assert stolen.request_state != asked.request_state
        assert await is_kept(client, first)
        assert await is_kept(client, second)

    cancel = types.ElicitResult(action="cancel")
    with_client(conductor, work, era="2026-07-28", on_elicit=answering(cancel, []))


@pytest.mark.parametrize("era", ERAS)
def test_arguments_that_nobody_can_read_are_not_asked_about_by_a_form(
    conductor: RunningConductor, era: Era
):
    conductor.use(f"{CONFIG}\n[skills.tiers]\nnetwork = true\n")

    async def never(_: Any, params: Any) -> types.ElicitResult:
        raise AssertionError("a form was shown")

    async def work(client: Client) -> None:
        url = f"https://example.org/{'x' * SHOWN_AT_MOST}"
        refused = await client.call_tool("conductor_web_fetch", {"url": url})
        assert refused.is_error

    with_client(conductor, work, era=era, on_elicit=never)
