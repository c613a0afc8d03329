"""Servers that misbehave: nothing of it reaches the app, and nothing gets through without a yes."""

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.mcp_host.stand import PATIENT, Stand, script, with_host

from conductor.errors import (
    ActionFailed,
    InvalidParams,
    NotAvailable,
    UnknownTool,
)
from conductor.mcp.host.supervisor import Times
from conductor.mcp.host.values import QuestionAnswer, Server

QUICK = Times(back_off_s=(0.01, 0.01), settle_s=0.01)


def hostile(mode: str, *rest: object, **more: Any) -> Server:
    return script("hostile", mode, *(str(each) for each in rest), **more)


async def beats(until: "asyncio.Task[object]") -> int:
    """Count how often the loop comes by while something is under way."""
    count = 0
    while not until.done():
        await asyncio.sleep(0.01)
        count += 1
    return count


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
            "the server twin has a tool of this name too, `own`: look twice at which one is called",
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


def test_a_call_that_is_never_answered_ends_in_time_and_the_server_is_told(tmp_path: Path):
    told = tmp_path / "told"

    async def work(stand: Stand):
        await stand.host.start(hostile("silent", told))
        with pytest.raises(ActionFailed, match=r"within 0\.2 s"):
            await stand.host.call("it", "look", {}, timeout_s=0.2)
        assert await stand.text("second") == "second {}"
        assert told.read_text() == "cancelled"

    with_host(tmp_path, work)


def test_a_cancelled_call_is_cancelled_at_the_server(tmp_path: Path):
    told = tmp_path / "told"

    async def work(stand: Stand):
        await stand.host.start(hostile("silent", told))
        call = asyncio.create_task(stand.host.call("it", "look", {}))
        await stand.text("second")
        call.cancel()
        await asyncio.wait([call])
        assert call.cancelled()
        await stand.text("second")
        assert told.read_text() == "cancelled"

    with_host(tmp_path, work)


def test_many_unanswered_calls_do_not_keep_a_server_from_being_stopped(tmp_path: Path):
    async def work(stand: Stand):
        await stand.host.start(hostile("silent", tmp_path / "told"))
        calls = [asyncio.create_task(stand.host.call("it", "look", {})) for _ in range(50)]
        await asyncio.sleep(0)
        await stand.host.stop("it")
        done = await asyncio.gather(*calls, return_exceptions=True)
        assert all(isinstance(one, ActionFailed | NotAvailable) for one in done)

    with_host(tmp_path, work)


def test_a_server_that_says_nothing_is_given_up_with_words(tmp_path: Path):
    async def work(stand: Stand):
        await stand.host.start(hostile("mute"))
        view = stand.view()
        assert (view.state, view.problem) == ("failed", "it did not answer in time")

    with_host(tmp_path, work, Times(connect_s=1.0, back_off_s=()))


@pytest.mark.parametrize("kind", ["log", "unknown", "changed", "ping", "answers"])
def test_a_server_that_floods_is_ended_while_the_loop_goes_on(tmp_path: Path, kind: str):
    async def work(stand: Stand):
        start = asyncio.create_task(stand.host.start(hostile("flood", kind)))
        assert await beats(start) > 3
        view = await stand.until(lambda view: view.state == "failed")
        assert "sends far more than it is asked for" in (view.problem or "")
        assert len(stand.host.log("it")) <= 500
        assert len(asyncio.all_tasks()) < 20

    with_host(tmp_path, work)


@pytest.mark.parametrize("kind", ["garbage", "stderr"])
def test_a_server_that_writes_without_end_is_read_slowly_and_can_still_be_called(
    tmp_path: Path, kind: str
):
    async def work(stand: Stand):
        await stand.host.start(hostile("flood", kind))
        assert await stand.text("look", "it", a=1) == 'look {"a": 1}'
        assert len(stand.host.log("it")) <= 500

    with_host(tmp_path, work)


def test_a_server_that_hangs_while_it_starts_can_be_stopped_at_once(tmp_path: Path):
    async def work(stand: Stand):
        start = asyncio.create_task(stand.host.start(hostile("mute")))
        await stand.until_known()
        await stand.host.stop("it")
        await start
        assert stand.view().state == "stopped"

    with_host(tmp_path, work, Times(connect_s=40, back_off_s=()))


def test_a_line_without_an_end_does_not_fill_memory(tmp_path: Path):
    async def work(stand: Stand):
        await stand.host.start(hostile("flood", "endless"))
        await stand.host.call("it", "look", {})
        await asyncio.sleep(1)
        assert len(asyncio.all_tasks()) < 20
        await stand.host.stop("it")
        assert stand.view().state == "stopped"

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


def test_garbage_on_stdout_is_put_into_the_log_and_passed_over(tmp_path: Path):
    async def work(stand: Stand):
        await stand.host.start(hostile("garbage"))
        assert stand.view().state == "ready"
        assert await stand.text("look") == "look {}"
        assert any("no message of the protocol: hello" in line for line in stand.host.log("it"))

    with_host(tmp_path, work)


def test_a_server_that_dies_at_once_is_given_up_with_its_last_words_and_without_secrets(
    tmp_path: Path,
):
    async def work(stand: Stand):
        await stand.host.start(hostile("gone"))
        view = await stand.until(lambda view: view.state == "failed")
        assert view.problem is not None
        assert "it ended by itself with code 2" in view.problem
        assert "cannot find my settings: key=[hidden]" in view.problem
        assert len(stand.host.log("it")) == 3, "tried three times"
        with pytest.raises(NotAvailable, match="has ended"):
            await stand.host.call("it", "look", {})

    with_host(tmp_path, work, QUICK)


def test_a_server_that_dies_in_a_call_fails_that_call_and_is_started_again(tmp_path: Path):
    async def work(stand: Stand):
        await stand.host.start(hostile("dying"))
        with pytest.raises(ActionFailed, match="hung up"):
            await stand.host.call("it", "look", {})
        view = await stand.until(lambda view: view.state == "starting")
        assert "I have had enough [hidden]" in (view.problem or "")
        await stand.until(lambda view: view.state == "ready")
        assert stand.registry.get("mcp:it:look") is not None

    with_host(tmp_path, work, QUICK)


def test_a_server_that_keeps_dying_is_given_up_and_its_tools_are_gone(tmp_path: Path):
    async def work(stand: Stand):
        await stand.host.start(hostile("dying"))
        for _ in range(2):
            with pytest.raises(ActionFailed):
                await stand.host.call("it", "look", {})
            await stand.until(lambda view: view.state == "starting")
            await stand.until(lambda view: view.state == "ready")
        with pytest.raises(ActionFailed):
            await stand.host.call("it", "look", {})
        await stand.until(lambda view: view.state == "failed")
        assert stand.registry.all() == ()
        await stand.host.restart("it")
        assert stand.view().state == "ready"

    with_host(tmp_path, work, QUICK)


def test_a_server_that_ignores_every_signal_is_ended_all_the_same_with_what_it_started(
    tmp_path: Path,
):
    pids = tmp_path / "pids"

    async def work(stand: Stand):
        await stand.host.start(hostile("pids", pids))
        server, child = map(int, (await stand.text("look")).split())
        await stand.host.stop("it")
        assert not is_alive(server)
        assert not is_alive(child)

    with_host(tmp_path, work)


def test_a_killed_app_leaves_nothing_behind(tmp_path: Path):
    pids = tmp_path / "pids"
    app = subprocess.Popen(
        [sys.executable, "-m", "tests.mcp_host.servers.app", str(tmp_path), str(pids)],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert app.stdout is not None
    server, child = map(int, app.stdout.readline().split())
    warden = parent_of(server)
    ends = [os.pidfd_open(each) for each in (server, child, warden)]
    app.send_signal(signal.SIGKILL)
    app.wait(20)
    app.stdout.close()
    import select

    for end in ends:
        assert select.select([end], [], [], 20)[0], "it has ended"
        os.close(end)


def parent_of(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_hostile_schemas_are_refused_or_bounded_and_the_plain_one_is_checked(tmp_path: Path):
    async def work(stand: Stand):
        await stand.host.start(hostile("schemas", "http://127.0.0.1:9/schema.json"))
        problems = {one.name: one.problem for one in stand.view().tools if one.problem}
        assert set(problems) == {"huge", "deep", "nonsense", "list"}
        for tangled in ("bomb", "loop", "dangling"):
            with pytest.raises(InvalidParams, match="too tangled"):
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


def test_a_server_sees_what_was_named_for_it_and_no_other_variable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("ANTHROPIC_API_KEY", "secret")

    async def work(stand: Stand):
        await stand.host.start(hostile("environment", env={"TOKEN": "mine"}))
        seen = await stand.text("look")
        assert '"TOKEN": "mine"' in seen
        assert "ANTHROPIC" not in seen
        assert "CONDUCTOR" not in seen

    with_host(tmp_path, work)


def test_a_missing_program_or_folder_is_said_and_not_tried_again(tmp_path: Path):
    async def work(stand: Stand):
        await stand.host.start(Server("it", "stdio", argv=("no-such-program", "x; rm -rf /")))
        assert (stand.view().state, stand.view().problem) == (
            "failed",
            "there is no program `no-such-program`: install it, or give its full path",
        )
        await stand.host.start(hostile("plain", cwd=str(tmp_path / "nowhere")))
        assert "is not there" in (stand.view().problem or "")

    with_host(tmp_path, work, QUICK)


def test_arguments_are_never_read_by_a_shell(tmp_path: Path):
    async def work(stand: Stand):
        touched = tmp_path / "touched"
        await stand.host.start(
            hostile("plain", f"$(touch {touched})", f"; touch {touched}", "`id`")
        )
        assert stand.view().state == "ready"
        assert not touched.exists()

    with_host(tmp_path, work)


def test_a_failure_of_a_tool_is_told_as_one(tmp_path: Path):
    async def work(stand: Stand):
        await stand.host.start(hostile("failing"))
        answer = await stand.host.call("it", "look", {})
        assert (answer.is_error, answer.text) == (True, "no such thing")

    with_host(tmp_path, work)


@pytest.mark.parametrize("name", ["", "a b", "a:b", "../x", "x" * 40, "é", "-a"])
def test_a_name_that_could_be_mistaken_for_another_is_refused(tmp_path: Path, name: str):
    async def work(stand: Stand):
        with pytest.raises(InvalidParams):
            await stand.host.start(Server(name, "stdio", argv=("true",)))

    with_host(tmp_path, work, PATIENT)
