"""What servers say that misbehave: nothing of it reaches the app, and nothing gets through without a yes."""

import asyncio
from pathlib import Path

import pytest
from tests.mcp_client.stand import Stand, beats, hostile, with_host

from conductor.errors import ActionFailed, InvalidParams, UnknownTool
from conductor.mcp.client.values import QuestionAnswer


@pytest.mark.parametrize(
    "field", ["description", "schema", "annotations", "meta", "unknown", "output"]
)
def test_a_tool_that_changes_in_any_field_is_off_until_the_user_accepts_it(
    tmp_path: Path, field: str
):
    server = hostile("changing", tmp_path / "starts", field)

    async def work(stand: Stand):
        await stand.host.start(server)
        assert stand.tool("look").state == "ok"
        assert stand.registry.get("mcp:it:look") is not None
        await stand.host.restart("it")
        changed = stand.tool("look")
        assert (changed.state, stand.tool("stay").state) == ("changed", "ok")
        assert changed.changes is not None
        assert "\n+" in changed.changes
        assert stand.registry.get("mcp:it:look") is None
        with pytest.raises(UnknownTool):
            await stand.host.call("it", "look", {})
        with pytest.raises(InvalidParams, match="changed again"):
            await stand.host.accept("it", "look", "sha256:of something else")
        await stand.host.accept("it", "look", changed.digest)
        assert stand.registry.get("mcp:it:look") is not None
        await stand.text("look")

    with_host(tmp_path, work)


def test_the_identity_of_a_tool_ends_with_its_definition_and_with_its_server(tmp_path: Path):
    async def work(stand: Stand):
        await stand.host.start(hostile("changing", tmp_path / "a", "description"))
        first = stand.registry.get("mcp:it:look")
        await stand.host.restart("it")
        await stand.host.accept("it", "look")
        second = stand.registry.get("mcp:it:look")
        await stand.host.start(hostile("changing", tmp_path / "b", "description"))
        third = stand.registry.get("mcp:it:look")
        assert first is not None
        assert second is not None
        assert third is not None
        assert len({first.identity, second.identity, third.identity}) == 3

    with_host(tmp_path, work)


def test_a_tool_that_comes_later_is_new_and_off_until_it_is_accepted(tmp_path: Path):
    async def work(stand: Stand):
        await stand.host.start(hostile("changing", tmp_path / "starts", "more"))
        await stand.host.restart("it")
        assert stand.tool("extra").state == "new"
        assert stand.registry.get("mcp:it:extra") is None
        view = await stand.host.accept("it", "extra")
        assert view.state == "ok"
        assert stand.registry.get("mcp:it:extra") is not None

    with_host(tmp_path, work)


def test_the_same_server_under_another_name_keeps_its_pins(tmp_path: Path):
    server = hostile("changing", tmp_path / "starts", "description")

    async def work(stand: Stand):
        await stand.host.start(server)
        await stand.host.stop("it")
        await stand.host.start(hostile("changing", tmp_path / "starts", "description", server="b"))
        assert stand.tool("look", "b").state == "changed"

    with_host(tmp_path, work)


def test_names_that_others_use_are_flagged_and_never_taken_over(tmp_path: Path):
    async def work(stand: Stand):
        await stand.host.start(hostile("plain", server="files"))
        await stand.host.start(hostile("shadowing"))
        await stand.host.start(hostile("shadowing", server="twin"))
        assert stand.tool("own").warnings == (
            "the server twin also has a tool named `own`: check which one is called",
        )
        assert stand.tool("look", "files").warnings == ()
        assert {"mcp:it:conductor_get_status", "mcp:twin:own"} <= set(stand.registry.names())
        assert stand.registry.get("conductor_get_status") is None

    with_host(tmp_path, work)


def test_a_tool_that_model_apis_could_not_tell_from_another_is_left_out(tmp_path: Path):
    async def work(stand: Stand):
        await stand.host.start(hostile("twins"))
        assert [one.name for one in stand.registry.all()] == ["mcp:it:a.b", "mcp:it:other"]
        assert "its name is taken" in (stand.tool("a/b").problem or "")
        await stand.host.stop("it")
        assert stand.registry.names() == ()

    with_host(tmp_path, work)


def test_a_tool_that_appears_while_the_server_runs_is_new_and_not_to_be_called(tmp_path: Path):
    async def work(stand: Stand):
        await stand.host.start(hostile("growing"))
        await stand.text("look")
        await stand.until(lambda view: len(view.tools) == 3)
        assert stand.tool("grown0").state == "new"
        assert stand.registry.get("mcp:it:grown0") is None
        with pytest.raises(UnknownTool):
            await stand.host.call("it", "grown0", {})

    with_host(tmp_path, work)


def test_a_description_that_gives_orders_is_said_to_be_the_servers_and_waits_for_a_yes(
    tmp_path: Path,
):
    async def work(stand: Stand):
        await stand.host.start(hostile("leaking"))
        tool = stand.registry.get("mcp:it:add")
        assert tool is not None
        assert tool.description.startswith("[MCP server it] Adds numbers.")
        assert (tool.requires_approval, tool.default_enabled, tool.skill_tier) == (
            True,
            False,
            "integration",
        )

    with_host(tmp_path, work)


def test_ten_megabytes_are_cut_and_the_loop_goes_on(tmp_path: Path):
    async def work(stand: Stand):
        await stand.host.start(hostile("big"))
        call = asyncio.create_task(stand.host.call("it", "look", {}))
        assert await beats(call) > 3
        answer = call.result()
        assert answer.cut
        assert len(answer.text) < 70_000
        assert answer.text.startswith("xxx")

    with_host(tmp_path, work)


def test_a_page_comes_whole_and_another_text_cleaned_and_cut(tmp_path: Path):
    async def work(stand: Stand):
        await stand.host.start(hostile("plain"))
        (page,) = await stand.host.read("it", "ui://it/page.html")
        assert page.text == "\u202e" + "x" * 1_000_000
        (text,) = await stand.host.read("it", "file:///etc/passwd")
        assert text.text is not None
        assert len(text.text) < 200_001
        assert "\u202e" not in text.text

    with_host(tmp_path, work)


def test_results_that_would_take_long_to_read_are_refused_in_words(tmp_path: Path):
    async def work(stand: Stand):
        await stand.host.start(hostile("big"))
        for tool, arguments in (("second", {}), ("look", {"kind": "too large"})):
            with pytest.raises(ActionFailed, match="too large"):
                await stand.host.call("it", tool, arguments)
        answer = await stand.host.call("it", "look", {"kind": "structured"})
        assert answer.structured is None
        assert answer.cut
        assert stand.view().state == "ready"

    with_host(tmp_path, work)


def test_what_nobody_sees_is_taken_out_of_every_text(tmp_path: Path):
    async def work(stand: Stand):
        await stand.host.start(hostile("tricks"))
        view, tool = stand.view(), stand.tool("tricky")
        answer = await stand.text("tricky")
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
        assert len(stand.tool("long").description) == 2_000
        refused = {one.name: one.problem for one in view.tools if one.problem}
        assert set(refused) == {"name", "bad name; rm", "hidden_parameter", "large"}
        registered = set(stand.registry.names())
        assert not any("rm" in name or "hidden" in name for name in registered)

    with_host(tmp_path, work)


def test_hostile_schemas_are_refused_or_bounded_and_the_plain_one_is_checked(tmp_path: Path):
    async def work(stand: Stand):
        await stand.host.start(hostile("schemas", "http://127.0.0.1:9/schema.json"))
        problems = {one.name: one.problem for one in stand.view().tools if one.problem}
        assert set(problems) == {"huge", "deep", "nonsense", "list"}
        for tangled in ("bomb", "loop", "dangling"):
            with pytest.raises(InvalidParams, match="too complex"):
                await stand.host.call("it", tangled, {"n": 1, "a": 1})
        assert stand.tool("network").parameters["properties"] == {"a": {}}
        assert stand.tool("file").parameters == {"type": "object"}
        for fine in ("network", "file", "regex"):
            assert await stand.text(fine, "it", a="a" * 40 + "!") == "ok"
        with pytest.raises(InvalidParams, match="`a`: 0 is less than the minimum of 1"):
            await stand.host.call("it", "plain", {"a": 0})
        with pytest.raises(InvalidParams, match="'a' is a required property"):
            await stand.host.call("it", "plain", {})
        assert await stand.text("plain", "it", a=1) == "ok"

    with_host(tmp_path, work)


def test_more_tools_than_anybody_reads_are_left_out(tmp_path: Path):
    async def work(stand: Stand):
        await stand.host.start(hostile("many"))
        assert len(stand.view().tools) == 512

    with_host(tmp_path, work)


def test_asking_for_files_and_for_the_users_model_is_refused(tmp_path: Path):
    async def work(stand: Stand):
        await stand.host.start(hostile("outside"))
        answer = await stand.host.call("it", "look", {})
        assert answer.text.count('"code"') == 2
        assert "[resource file:///etc/passwd: p]" in answer.text
        assert "root:" not in answer.text

    with_host(tmp_path, work)


def test_questions_come_one_by_one_cleaned_and_not_without_limit(tmp_path: Path):
    async def work(stand: Stand):
        await stand.host.start(hostile("asking", 6))
        stand.answer = QuestionAnswer(action="accept", content={"name": "me", "more": 1})
        stand.may_answer.clear()
        call = asyncio.create_task(stand.text("look"))
        await stand.logged("refused", 3)
        assert len(stand.questions) == 1
        stand.may_answer.set()
        said = await call
        assert said.count("accept") == 3
        assert said.count("error") == 3
        assert stand.questions[0].message.startswith("Who Danger gnitseretni zerowidth")
        assert "\u202e" not in str(stand.questions[0].form)

    with_host(tmp_path, work)


def test_a_question_that_is_no_plain_form_is_refused_without_bothering_the_user(tmp_path: Path):
    async def work(stand: Stand):
        await stand.host.start(hostile("asking", 1))
        assert await stand.text("second") == '["error"]'
        assert stand.questions == []

    with_host(tmp_path, work)


def test_a_failure_of_a_tool_is_told_as_one(tmp_path: Path):
    async def work(stand: Stand):
        await stand.host.start(hostile("failing"))
        answer = await stand.host.call("it", "look", {})
        assert (answer.is_error, answer.text) == (True, "no such thing")

    with_host(tmp_path, work)
