"""Messages of servers that misbehave: none harms the app, and nothing is used without the user's approval."""

import asyncio
from pathlib import Path

import pytest
from tests.mcp_client.rig import ClientRig, count_loop_turns, hostile, with_client

from conductor.errors import ActionFailed, InvalidParams, UnknownTool
from conductor.mcp.client.values import UserAnswer


@pytest.mark.parametrize(
    "field", ["description", "schema", "annotations", "meta", "unknown", "output"]
)
def test_a_tool_that_changes_in_any_field_is_off_until_the_user_accepts_it(
    tmp_path: Path, field: str
):
    server = hostile("changing", tmp_path / "starts", field)

    async def work(rig: ClientRig):
        await rig.manager.start(server)
        assert rig.tool("look").state == "ok"
        assert rig.registry.find_tool("mcp:it:look") is not None
        await rig.manager.restart("it")
        changed = rig.tool("look")
        assert (changed.state, rig.tool("stay").state) == ("changed", "ok")
        assert changed.changes is not None
        assert "\n+" in changed.changes
        assert rig.registry.find_tool("mcp:it:look") is None
        with pytest.raises(UnknownTool):
            await rig.manager.call_tool("it", "look", {})
        with pytest.raises(InvalidParams, match="changed again"):
            await rig.manager.accept_tool("it", "look", "sha256:of something else")
        await rig.manager.accept_tool("it", "look", changed.digest)
        assert rig.registry.find_tool("mcp:it:look") is not None
        await rig.text("look")

    with_client(tmp_path, work)


def test_the_identity_of_a_tool_ends_with_its_definition_and_with_its_server(tmp_path: Path):
    async def work(rig: ClientRig):
        await rig.manager.start(hostile("changing", tmp_path / "a", "description"))
        first = rig.registry.find_tool("mcp:it:look")
        await rig.manager.restart("it")
        await rig.manager.accept_tool("it", "look")
        second = rig.registry.find_tool("mcp:it:look")
        await rig.manager.start(hostile("changing", tmp_path / "b", "description"))
        third = rig.registry.find_tool("mcp:it:look")
        assert first is not None
        assert second is not None
        assert third is not None
        assert len({first.identity, second.identity, third.identity}) == 3

    with_client(tmp_path, work)


def test_a_tool_that_is_added_later_is_new_and_off_until_it_is_accepted(tmp_path: Path):
    async def work(rig: ClientRig):
        await rig.manager.start(hostile("changing", tmp_path / "starts", "more"))
        await rig.manager.restart("it")
        assert rig.tool("extra").state == "new"
        assert rig.registry.find_tool("mcp:it:extra") is None
        view = await rig.manager.accept_tool("it", "extra")
        assert view.state == "ok"
        assert rig.registry.find_tool("mcp:it:extra") is not None

    with_client(tmp_path, work)


def test_the_same_server_under_another_name_keeps_its_pins(tmp_path: Path):
    server = hostile("changing", tmp_path / "starts", "description")

    async def work(rig: ClientRig):
        await rig.manager.start(server)
        await rig.manager.stop("it")
        await rig.manager.start(hostile("changing", tmp_path / "starts", "description", server="b"))
        assert rig.tool("look", "b").state == "changed"

    with_client(tmp_path, work)


def test_names_that_others_use_are_flagged_and_never_replaced(tmp_path: Path):
    async def work(rig: ClientRig):
        await rig.manager.start(hostile("plain", server="files"))
        await rig.manager.start(hostile("shadowing"))
        await rig.manager.start(hostile("shadowing", server="twin"))
        assert rig.tool("own").warnings == (
            "the server twin also has a tool named `own`: check which one is called",
        )
        assert rig.tool("look", "files").warnings == ()
        assert {"mcp:it:conductor_get_status", "mcp:twin:own"} <= set(
            rig.registry.list_names_and_aliases()
        )
        assert rig.registry.find_tool("conductor_get_status") is None

    with_client(tmp_path, work)


def test_a_tool_that_model_apis_could_not_distinguish_from_another_is_left_out(tmp_path: Path):
    async def work(rig: ClientRig):
        await rig.manager.start(hostile("twins"))
        assert [each.name for each in rig.registry.list_tools()] == ["mcp:it:a.b", "mcp:it:other"]
        assert "its name is taken" in (rig.tool("a/b").problem or "")
        await rig.manager.stop("it")
        assert rig.registry.list_names_and_aliases() == ()

    with_client(tmp_path, work)


def test_a_tool_that_appears_while_the_server_runs_is_new_and_not_to_be_called(tmp_path: Path):
    async def work(rig: ClientRig):
        await rig.manager.start(hostile("growing"))
        await rig.text("look")
        await rig.until(lambda view: len(view.tools) == 3)
        assert rig.tool("grown0").state == "new"
        assert rig.registry.find_tool("mcp:it:grown0") is None
        with pytest.raises(UnknownTool):
            await rig.manager.call_tool("it", "grown0", {})

    with_client(tmp_path, work)


def test_a_description_with_instructions_is_marked_as_the_servers_and_needs_approval(
    tmp_path: Path,
):
    async def work(rig: ClientRig):
        await rig.manager.start(hostile("leaking"))
        tool = rig.registry.find_tool("mcp:it:add")
        assert tool is not None
        assert tool.description.startswith("[MCP server it] Adds numbers.")
        assert (tool.requires_approval, tool.default_enabled, tool.skill_tier) == (
            True,
            False,
            "integration",
        )

    with_client(tmp_path, work)


def test_ten_megabytes_are_truncated_without_blocking_the_loop(tmp_path: Path):
    async def work(rig: ClientRig):
        await rig.manager.start(hostile("big"))
        call = asyncio.create_task(rig.manager.call_tool("it", "look", {}))
        assert await count_loop_turns(call) > 3
        answer = call.result()
        assert answer.cut
        assert len(answer.text) < 70_000
        assert answer.text.startswith("xxx")

    with_client(tmp_path, work)


def test_a_page_stays_complete_and_other_texts_are_cleaned_and_truncated(tmp_path: Path):
    async def work(rig: ClientRig):
        await rig.manager.start(hostile("plain"))
        (page,) = await rig.manager.read_resource("it", "ui://it/page.html")
        assert page.text == "\u202e" + "x" * 1_000_000
        (text,) = await rig.manager.read_resource("it", "file:///etc/passwd")
        assert text.text is not None
        assert len(text.text) < 200_001
        assert "\u202e" not in text.text

    with_client(tmp_path, work)


def test_results_that_would_take_long_to_parse_are_refused_with_a_reason(tmp_path: Path):
    async def work(rig: ClientRig):
        await rig.manager.start(hostile("big"))
        for tool, arguments in (("second", {}), ("look", {"kind": "too large"})):
            with pytest.raises(ActionFailed, match="too large"):
                await rig.manager.call_tool("it", tool, arguments)
        answer = await rig.manager.call_tool("it", "look", {"kind": "structured"})
        assert answer.structured is None
        assert answer.cut
        assert rig.view().state == "ready"

    with_client(tmp_path, work)


def test_invisible_characters_are_removed_from_every_text(tmp_path: Path):
    async def work(rig: ClientRig):
        await rig.manager.start(hostile("tricks"))
        view, tool = rig.view(), rig.tool("tricky")
        answer = await rig.text("tricky")
        for shown in (
            tool.description,
            tool.title,
            view.instructions or "",
            view.server_title or "",
            answer,
        ):
            assert shown.startswith("Danger gnitseretni zerowidth")
            assert shown.endswith("end")
            assert not set(shown) & set("\x1b\x9b\u202e\u200b\x08\r\x07")
            assert shown.isascii()
        assert len(rig.tool("long").description) == 2_000
        refused = {each.name: each.problem for each in view.tools if each.problem}
        assert set(refused) == {"name", "bad name; rm", "hidden_parameter", "large"}
        registered = set(rig.registry.list_names_and_aliases())
        assert not any("rm" in name or "hidden" in name for name in registered)

    with_client(tmp_path, work)


def test_hostile_schemas_are_refused_or_bounded_and_the_plain_one_is_checked(tmp_path: Path):
    async def work(rig: ClientRig):
        await rig.manager.start(hostile("schemas", "http://127.0.0.1:9/schema.json"))
        problems = {each.name: each.problem for each in rig.view().tools if each.problem}
        assert set(problems) == {"huge", "deep", "nonsense", "list"}
        for tangled in ("bomb", "loop", "dangling"):
            with pytest.raises(InvalidParams, match="too complex"):
                await rig.manager.call_tool("it", tangled, {"n": 1, "a": 1})
        assert rig.tool("network").parameters["properties"] == {"a": {}}
        assert rig.tool("file").parameters == {"type": "object"}
        for fine in ("network", "file", "regex"):
            assert await rig.text(fine, "it", a="a" * 40 + "!") == "ok"
        with pytest.raises(InvalidParams, match="`a`: 0 is less than the minimum of 1"):
            await rig.manager.call_tool("it", "plain", {"a": 0})
        with pytest.raises(InvalidParams, match="'a' is a required property"):
            await rig.manager.call_tool("it", "plain", {})
        assert await rig.text("plain", "it", a=1) == "ok"

    with_client(tmp_path, work)


def test_tools_beyond_the_limit_are_left_out(tmp_path: Path):
    async def work(rig: ClientRig):
        await rig.manager.start(hostile("many"))
        assert len(rig.view().tools) == 512

    with_client(tmp_path, work)


def test_asking_for_files_and_for_the_users_model_is_refused(tmp_path: Path):
    async def work(rig: ClientRig):
        await rig.manager.start(hostile("outside"))
        answer = await rig.manager.call_tool("it", "look", {})
        assert answer.text.count('"code"') == 2
        assert "[resource file:///etc/passwd: p]" in answer.text
        assert "root:" not in answer.text

    with_client(tmp_path, work)


def test_questions_are_asked_one_at_a_time_cleaned_and_limited(tmp_path: Path):
    async def work(rig: ClientRig):
        await rig.manager.start(hostile("asking", 6))
        rig.answer = UserAnswer(action="accept", content={"name": "me", "more": 1})
        rig.may_answer.clear()
        call = asyncio.create_task(rig.text("look"))
        await rig.logged("refused", 3)
        assert len(rig.questions) == 1
        rig.may_answer.set()
        answer_text = await call
        assert answer_text.count("accept") == 3
        assert answer_text.count("error") == 3
        assert rig.questions[0].message.startswith("Who Danger gnitseretni zerowidth")
        assert "\u202e" not in str(rig.questions[0].form)

    with_client(tmp_path, work)


def test_a_question_that_is_not_a_plain_form_is_refused_without_asking_the_user(tmp_path: Path):
    async def work(rig: ClientRig):
        await rig.manager.start(hostile("asking", 1))
        assert await rig.text("second") == '["error"]'
        assert rig.questions == []

    with_client(tmp_path, work)


def test_a_failure_of_a_tool_is_reported_as_an_error(tmp_path: Path):
    async def work(rig: ClientRig):
        await rig.manager.start(hostile("failing"))
        answer = await rig.manager.call_tool("it", "look", {})
        assert (answer.is_error, answer.text) == (True, "no such thing")

    with_client(tmp_path, work)
