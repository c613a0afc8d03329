"""Processes that misbehave: none hangs the app, floods it or outlives it."""

import asyncio
import json
import os
import select
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests.mcp_client.rig import PATIENT, ClientRig, count_loop_turns, hostile, with_client

from conductor.errors import ActionFailed, InvalidParams, NotAvailable
from conductor.mcp.client import stdio, traffic
from conductor.mcp.client.supervisor import SupervisorTimes
from conductor.mcp.client.traffic import ServerLog
from conductor.mcp.client.values import ConsentedServer

QUICK = SupervisorTimes(back_off_s=(0.01, 0.01), settle_s=0.01)


def test_a_call_without_an_answer_times_out_and_is_cancelled_at_the_server(tmp_path: Path):
    log_file = tmp_path / "told"

    async def work(rig: ClientRig):
        await rig.manager.start(hostile("silent", log_file))
        with pytest.raises(ActionFailed, match=r"within 0\.2 s"):
            await rig.manager.call_tool("it", "look", {}, timeout_s=0.2)
        assert await rig.text("second") == "second {}"
        assert log_file.read_text() == "cancelled"

    with_client(tmp_path, work)


def test_a_cancelled_call_is_cancelled_at_the_server(tmp_path: Path):
    log_file = tmp_path / "told"

    async def work(rig: ClientRig):
        await rig.manager.start(hostile("silent", log_file))
        call = asyncio.create_task(rig.manager.call_tool("it", "look", {}))
        await rig.text("second")
        call.cancel()
        await asyncio.wait([call])
        assert call.cancelled()
        await rig.text("second")
        assert log_file.read_text() == "cancelled"

    with_client(tmp_path, work)


def test_many_unanswered_calls_do_not_keep_a_server_from_being_stopped(tmp_path: Path):
    async def work(rig: ClientRig):
        await rig.manager.start(hostile("silent", tmp_path / "told"))
        calls = [asyncio.create_task(rig.manager.call_tool("it", "look", {})) for _ in range(50)]
        await asyncio.sleep(0)
        await rig.manager.stop("it")
        done = await asyncio.gather(*calls, return_exceptions=True)
        assert all(isinstance(item, ActionFailed | NotAvailable) for item in done)
        assert not any("restarted" in str(item) for item in done)

    with_client(tmp_path, work)


def test_a_silent_server_is_given_up_with_a_reason(tmp_path: Path):
    async def work(rig: ClientRig):
        await rig.manager.start(hostile("mute"))
        view = rig.view()
        assert (view.state, view.problem) == ("failed", "it did not answer in time")

    with_client(tmp_path, work, SupervisorTimes(connect_s=1.0, back_off_s=()))


@pytest.mark.parametrize("kind", ["log", "unknown", "changed", "ping", "answers"])
def test_a_server_that_floods_is_ended_without_blocking_the_loop(
    tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
):
    if kind != "log":  # the others need not wait until the whole budget is used up
        monkeypatch.setattr(traffic, "MAX_EXCESS_MESSAGES", 200)

    async def work(rig: ClientRig):
        start = asyncio.create_task(rig.manager.start(hostile("flood", kind)))
        assert await count_loop_turns(start) > 3
        view = await rig.until(lambda view: view.state == "failed")
        assert "sends far more messages than it is asked for" in (view.problem or "")
        assert len(rig.manager.read_server_log("it")) <= 500
        assert len(asyncio.all_tasks()) < 20

    with_client(tmp_path, work)


@pytest.mark.parametrize("kind", ["garbage", "stderr"])
def test_a_server_that_writes_without_end_is_read_slowly_and_can_still_be_called(
    tmp_path: Path, kind: str
):
    async def work(rig: ClientRig):
        await rig.manager.start(hostile("flood", kind))
        assert await rig.text("look", "it", a=1) == 'look {"a": 1}'
        assert len(rig.manager.read_server_log("it")) <= 500

    with_client(tmp_path, work)


def test_a_server_that_hangs_while_it_starts_can_be_stopped_at_once(tmp_path: Path):
    async def work(rig: ClientRig):
        start = asyncio.create_task(rig.manager.start(hostile("mute")))
        await rig.until_known()
        await rig.manager.stop("it")
        await start
        assert rig.view().state == "stopped"

    with_client(tmp_path, work, SupervisorTimes(connect_s=40, back_off_s=()))


def test_a_line_without_an_end_does_not_fill_memory(tmp_path: Path):
    async def work(rig: ClientRig):
        await rig.manager.start(hostile("flood", "endless"))
        await rig.manager.call_tool("it", "look", {})
        await asyncio.sleep(1)
        assert len(asyncio.all_tasks()) < 20
        await rig.manager.stop("it")
        assert rig.view().state == "stopped"

    with_client(tmp_path, work)


def test_garbage_on_stdout_is_logged_and_ignored(tmp_path: Path):
    async def work(rig: ClientRig):
        await rig.manager.start(hostile("garbage"))
        assert rig.view().state == "ready"
        assert await rig.text("look") == "look {}"
        assert any(
            "not an MCP message: hello" in line for line in rig.manager.read_server_log("it")
        )

    with_client(tmp_path, work)


@pytest.mark.parametrize(
    ("prints", "reported"),
    [
        (r"printf 'Welcome \033[2Jto evil\n{oops\n'", "Welcome to evil / {oops"),
        ("printf '%020000d' 0", "0" * 50),
    ],
)
def test_a_program_that_does_not_speak_mcp_is_given_up_at_once_with_its_output(
    tmp_path: Path, prints: str, reported: str
):
    async def work(rig: ClientRig):
        argv = ("sh", "-c", f"{prints}; cat > /dev/null")
        await rig.manager.start(ConsentedServer("it", "stdio", argv=argv))
        view = rig.view()
        assert view.state == "failed"
        assert (view.problem or "").startswith(f"it does not speak MCP: it printed {reported}")
        assert len(view.problem or "") < 500
        assert any("not an MCP message: " in line for line in rig.manager.read_server_log("it"))

    with_client(tmp_path, work, SupervisorTimes(connect_s=3.0, back_off_s=(0.01, 0.01)))


def test_a_server_that_never_answers_is_not_retried_forever(tmp_path: Path):
    async def work(rig: ClientRig):
        await rig.manager.start(hostile("mute"))
        view = await rig.until(lambda view: view.state == "failed")
        assert view.problem == "it did not answer in time"

    with_client(
        tmp_path, work, SupervisorTimes(connect_s=0.4, back_off_s=(0.01,), quick_failure_s=0.1)
    )


def test_a_server_that_dies_at_once_is_given_up_with_its_last_words_and_without_secrets(
    tmp_path: Path,
):
    async def work(rig: ClientRig):
        await rig.manager.start(hostile("gone"))
        view = await rig.until(lambda view: view.state == "failed")
        assert view.problem is not None
        assert "it exited with code 2" in view.problem
        assert "cannot find my settings: key=[hidden]" in view.problem
        assert len(rig.manager.read_server_log("it")) == 3, "tried three times"
        with pytest.raises(NotAvailable, match="has stopped"):
            await rig.manager.call_tool("it", "look", {})

    with_client(tmp_path, work, QUICK)


def test_a_server_that_dies_in_a_call_fails_that_call_and_is_started_again(tmp_path: Path):
    async def work(rig: ClientRig):
        await rig.manager.start(hostile("dying"))
        with pytest.raises(ActionFailed, match="it exited with code 3; it is being restarted"):
            await rig.manager.call_tool("it", "look", {})
        view = await rig.until(lambda view: view.state == "starting")
        assert "it exited with code 3; it is being restarted" in (view.problem or "")
        assert "I have had enough [hidden]" in (view.problem or "")
        await rig.until(lambda view: view.state == "ready")
        assert rig.registry.find_tool("mcp:it:look") is not None

    with_client(tmp_path, work, QUICK)


def test_a_server_that_keeps_dying_is_given_up_and_its_tools_are_gone(tmp_path: Path):
    async def work(rig: ClientRig):
        await rig.manager.start(hostile("dying"))
        for _ in range(2):
            with pytest.raises(ActionFailed):
                await rig.manager.call_tool("it", "look", {})
            await rig.until(lambda view: view.state == "starting")
            await rig.until(lambda view: view.state == "ready")
        with pytest.raises(ActionFailed):
            await rig.manager.call_tool("it", "look", {})
        await rig.until(lambda view: view.state == "failed")
        assert rig.registry.list_tools() == ()
        await rig.manager.restart("it")
        assert rig.view().state == "ready"

    with_client(tmp_path, work, QUICK)


def test_a_server_that_ignores_signals_is_killed_with_its_children(
    tmp_path: Path,
):
    pids = tmp_path / "pids"

    async def work(rig: ClientRig):
        await rig.manager.start(hostile("pids", pids))
        server, child = map(int, (await rig.text("look")).split())
        await rig.manager.stop("it")
        assert not is_alive(server)
        assert not is_alive(child)

    with_client(tmp_path, work)


def test_a_killed_app_leaves_nothing_behind(tmp_path: Path):
    pids = tmp_path / "pids"
    app = subprocess.Popen(
        [sys.executable, "-m", "tests.mcp_client.servers.app", str(tmp_path), str(pids)],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert app.stdout is not None
    server, child = map(int, app.stdout.readline().split())
    reaper = parent_of(server)
    ends = [os.pidfd_open(each) for each in (server, child, reaper)]
    app.send_signal(signal.SIGKILL)
    app.wait(20)
    app.stdout.close()
    for end in ends:
        assert select.select([end], [], [], 20)[0], "it has ended"
        os.close(end)


COUNTED = """
import sys
from pathlib import Path
from conductor.mcp.client import reaper

looks, parents = [], reaper._list_parents
reaper._list_parents = lambda: looks.append(1) or parents()
reaper.main(sys.argv[2:])
Path(sys.argv[1]).write_text(str(len(looks)))
"""
LEAVES_A_STUBBORN_ONE = """
import os, signal
if os.fork():
    signal.pause()
signal.signal(signal.SIGTERM, signal.SIG_IGN)
os.write(1, b"up\\n")
signal.pause()
"""


def test_the_reaper_reads_proc_only_now_and_then_while_it_waits(tmp_path: Path):
    reads, writes = os.pipe()
    argv = [sys.executable, "-c", LEAVES_A_STUBBORN_ONE]
    os.write(writes, json.dumps({"argv": argv, "cwd": None, "env": None}).encode() + b"\n")
    counted = tmp_path / "looks"
    reaper = subprocess.Popen(
        [sys.executable, "-c", COUNTED, str(counted), str(reads)],
        stdout=subprocess.PIPE,
        pass_fds=(reads,),
    )
    os.close(reads)
    assert reaper.stdout is not None
    assert reaper.stdout.readline() == b"up\n"
    os.close(writes)
    reaper.wait(30)
    reaper.stdout.close()
    assert 1 < int(counted.read_text()) < 25


def parent_of(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_more_variables_than_a_pipe_holds_at_once_are_handed_over(tmp_path: Path):
    async def work(rig: ClientRig):
        await rig.manager.start(hostile("plain", env={f"V{at}": "x" * 50_000 for at in range(20)}))
        assert rig.view().state == "ready"

    with_client(tmp_path, work)


def test_a_reaper_that_does_not_read_its_parameters_does_not_block_the_app(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    ended = tmp_path / "ended"
    monkeypatch.setattr(
        stdio, "_build_reaper_command", lambda: ["sh", "-c", f"sleep 2; touch {ended}; exit 3"]
    )

    async def work():
        server = ConsentedServer("it", "stdio", argv=("sh",), env={"V": "x" * 1_000_000})
        program = stdio.ServerProcess(server, ServerLog())
        try:
            await program.start()
            assert not ended.exists()
            await program.wait_until_exited()
            assert await program.describe_exit() == "it exited with code 3"
        finally:
            await program.stop()

    asyncio.run(work())


def test_a_server_sees_what_was_named_for_it_and_no_other_variable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("ANTHROPIC_API_KEY", "secret")

    async def work(rig: ClientRig):
        await rig.manager.start(hostile("environment", env={"TOKEN": "mine"}))
        seen = await rig.text("look")
        assert '"TOKEN": "mine"' in seen
        assert "ANTHROPIC" not in seen
        assert "CONDUCTOR" not in seen

    with_client(tmp_path, work)


def test_a_missing_program_or_folder_is_reported_and_not_retried(tmp_path: Path):
    async def work(rig: ClientRig):
        await rig.manager.start(
            ConsentedServer("it", "stdio", argv=("no-such-program", "x; rm -rf /"))
        )
        assert (rig.view().state, rig.view().problem) == (
            "failed",
            "the program `no-such-program` was not found: install it, or give its full path",
        )
        await rig.manager.start(hostile("plain", cwd=str(tmp_path / "nowhere")))
        assert "does not exist" in (rig.view().problem or "")

    with_client(tmp_path, work, QUICK)


def test_arguments_are_never_read_by_a_shell(tmp_path: Path):
    async def work(rig: ClientRig):
        touched = tmp_path / "touched"
        await rig.manager.start(
            hostile("plain", f"$(touch {touched})", f"; touch {touched}", "`id`")
        )
        assert rig.view().state == "ready"
        assert not touched.exists()

    with_client(tmp_path, work)


@pytest.mark.parametrize("name", ["", "a b", "a:b", "../x", "x" * 40, "é", "-a"])
def test_a_name_that_could_be_mistaken_for_another_is_refused(tmp_path: Path, name: str):
    async def work(rig: ClientRig):
        with pytest.raises(InvalidParams):
            await rig.manager.start(ConsentedServer(name, "stdio", argv=("true",)))

    with_client(tmp_path, work, PATIENT)


def test_a_server_that_is_stopped_before_its_first_step_does_not_keep_its_start_waiting(
    tmp_path: Path,
):
    async def work(rig: ClientRig):
        start = asyncio.create_task(rig.manager.start(hostile("mute")))
        while "it" not in rig.manager.list_server_names():  # noqa: ASYNC110 - each turn of the loop counts
            await asyncio.sleep(0)
        await rig.manager.stop("it")
        await start
        assert rig.view().state == "stopped"

    with_client(tmp_path, work, SupervisorTimes(connect_s=40, back_off_s=()))
