"""Which MCP servers run and why not, and what a Conductor without any does not pay for."""

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Generator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tests.support.processes import descendants

from conductor.config.store import ConfigStore
from conductor.domain.plan import Requester
from conductor.domain.servers import ServerEvent
from conductor.mcp.registry.runs import ServerRuns
from conductor.mcp.registry.servers import Servers
from conductor.mcp.registry.user_questions import UserQuestions
from conductor.runtime.notices import Notices
from conductor.storage.records import Records
from conductor.tools.catalog import REGISTRY

CHECK = """
import asyncio, sys
from pathlib import Path
from conductor.mcp.registry.runs import ServerRuns
from conductor.mcp.registry.servers import Servers
from conductor.config.store import ConfigStore
from conductor.runtime.notices import Notices

home = Path(sys.argv[1])
store = ConfigStore(home / "config.toml")
ignore = lambda *_: None

async def main():
    settings = lambda: store.current_config.skills
    runs = ServerRuns(home, settings, None, None, None, ignore, Notices(ignore), ignore, demo=False)
    servers = Servers(runs, store, None, print)
    runs.open()
    await runs.reconcile_servers()
    assert (await servers.list_servers()).servers == ()
    await runs.close()

asyncio.run(main())
heavy = ("mcp.", "mcp_types", "anyio", "sqlmodel", "jsonschema", "keyring")
print([name for name in sys.modules if name.startswith(heavy)])
"""


def test_without_servers_neither_the_mcp_library_nor_the_database_is_imported(
    tmp_path: Path,
) -> None:
    (tmp_path / "config.toml").write_text("")
    done = subprocess.run(
        [sys.executable, "-c", CHECK, str(tmp_path)], capture_output=True, text=True, timeout=60
    )
    assert (done.stdout.strip(), done.stderr) == ("[]", "")


ENTRY: dict[str, Any] = {"command": "/no/such/program", "args": []}
ME = Requester(caller="window", client="Conductor")


def no_key(_name: str) -> None:
    return


class Stage:
    """Servers without an app around them: a real file, a real config and a real database."""

    def __init__(self, home: Path, *, demo: bool = False) -> None:
        (home / "config.toml").write_text("")
        self.file = home / "mcp.json"
        self.store = ConfigStore(home / "config.toml")
        self.store.load_file()
        self.records = Records(home / "conductor.db")
        self.told: list[Any] = []
        self.shown: list[str] = []
        self.notices = Notices(self._show)
        keys: Any = SimpleNamespace(get_key=no_key, storage_place="environment")
        self.tools_changed: Callable[[], None] = lambda: None
        self.runs = ServerRuns(
            home,
            lambda: self.store.current_config.skills,
            self.records,
            lambda: keys,
            UserQuestions(self._tell, lambda: 0),
            self._tell,
            self.notices,
            lambda: self.tools_changed(),  # noqa: PLW0108 - a test may replace it
            demo=demo,
        )
        self.servers = Servers(self.runs, self.store, lambda: keys, self.notices.show_warning)

    def _show(self, _topic: object, notice: Any, /) -> None:
        self.shown.append(notice["text"])

    def _tell(self, topic: object, payload: Any, /) -> None:
        self.told.append((topic, payload))

    def write(self, **servers: Any) -> None:
        self.file.write_text(json.dumps({"mcpServers": servers}))


@pytest.fixture
def stage(tmp_path: Path) -> Generator[Stage]:
    made = Stage(tmp_path)
    yield made
    made.records.close()


def test_why_a_tool_is_missing_is_said_with_what_to_do(stage: Stage) -> None:
    def why() -> str:
        return stage.servers.explain_missing_tool("x", "t")

    async def work() -> None:
        assert "not started yet" in why()
        stage.servers.runs.open()
        await asyncio.sleep(0)  # it begins
        assert "there is no MCP server called x" in why()
        stage.write(x=ENTRY)
        await stage.servers.runs.reconcile_servers()
        assert "is switched off" in why()
        view = await stage.servers.set_server_enabled("x", ME, on=True)
        assert "is waiting for your consent" in why()
        await stage.servers.record_consent("x", view.digest, ME)
        view = await stage.servers.runs.wait_until_settled("x")
        assert (view.state, "/no/such/program" in why()) == ("failed", True)
        await stage.servers.stop_server("x")
        assert "is stopped" in why()
        await stage.servers.runs.close()

    asyncio.run(work())


@pytest.mark.parametrize("way", ["add", "enable", "import"])
def test_a_server_is_switched_on_in_the_config_only_with_consent(stage: Stage, way: str) -> None:
    async def work() -> None:
        if way == "add":
            await stage.servers.add_server("x", ENTRY, ME)
        elif way == "enable":
            stage.write(x=ENTRY)
            await stage.servers.runs.reconcile_servers()
            await stage.servers.set_server_enabled("x", ME, on=True)
        else:
            found = stage.file.with_name("found.json")
            found.write_text(json.dumps({"mcpServers": {"x": ENTRY}}))
            await stage.servers.import_servers("file", ["x"], ME, file=found)
        view = stage.servers.list_server_views()[0]
        assert (view.state, view.enabled) == ("needs_consent", False)
        assert stage.store.current_config.skills.servers == ()
        await stage.servers.record_consent("x", view.digest, ME)
        assert stage.store.current_config.skills.servers == ("x",)
        await stage.servers.runs.close()

    asyncio.run(work())


def test_a_server_that_is_switched_off_again_awaits_no_consent(stage: Stage) -> None:
    async def work() -> None:
        view = await stage.servers.add_server("x", ENTRY, ME)
        assert (await stage.servers.set_server_enabled("x", ME, on=False)).state == "off"
        await stage.servers.record_consent("x", view.digest, ME)
        assert stage.store.current_config.skills.servers == ()
        await stage.servers.runs.close()

    asyncio.run(work())


def test_a_mistake_in_the_file_is_told_once_and_changes_nothing(stage: Stage) -> None:
    async def work() -> None:
        stage.write(x=ENTRY)
        await stage.servers.runs.reconcile_servers()
        stage.file.write_text("{")
        await stage.servers.runs.reconcile_servers()
        await stage.servers.runs.reconcile_servers()
        assert [one.name for one in stage.servers.list_server_views()] == ["x"]
        assert "mcp.json, line 1, column 2" in ((await stage.servers.list_servers()).problem or "")
        assert any("keep running as before" in one for one in stage.notices.texts)
        stage.write(y=ENTRY)
        assert (await stage.servers.list_servers()).problem is None
        assert [one.name for one in stage.servers.list_server_views()] == ["y"]

    asyncio.run(work())
    assert len([one for one in stage.shown if "keep running as before" in one]) == 1
    assert stage.notices.texts == []
    assert ("servers", ServerEvent(name="x", server=None)) in stage.told


def test_a_server_that_becomes_another_one_is_told_of(stage: Stage) -> None:
    async def work() -> None:
        view = await stage.servers.add_server("x", ENTRY, ME)
        await stage.servers.record_consent("x", view.digest, ME)
        await stage.servers.runs.wait_until_settled("x")
        stage.write(x={**ENTRY, "args": ["--evil"]})
        await stage.servers.runs.reconcile_servers()
        assert stage.servers.list_server_views()[0].state == "needs_consent"
        changed = "the MCP server x was changed: it is stopped until you agree to it"
        assert stage.notices.texts == [changed]
        stage.write(x=ENTRY)
        await stage.servers.runs.reconcile_servers()
        assert stage.servers.list_server_views()[0].consented
        await stage.servers.runs.close()

    asyncio.run(work())
    assert stage.notices.texts == []


SERVER = str(Path(__file__).parents[1] / "mcp_client" / "servers" / "hostile.py")


def reaper_of(name: str) -> int:
    """Return the parent process of a server."""
    for pid in descendants(os.getpid()):
        if name.encode() in Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0"):
            return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    raise AssertionError(f"{name} does not run")


async def running(servers: Servers, name: str) -> None:
    entry = {"command": sys.executable, "args": [SERVER, "plain", name]}
    view = await servers.add_server(name, entry, ME)
    await servers.record_consent(name, view.digest, ME)
    assert (await servers.runs.wait_until_settled(name)).state == "ready"


def test_a_stop_and_the_list_wait_for_no_other_server_that_does_not_end(stage: Stage) -> None:
    async def work(servers: Servers) -> None:
        await running(servers, "hangs")
        await running(servers, "ends")
        reaper = reaper_of("hangs")
        os.kill(reaper, signal.SIGSTOP)
        removing = asyncio.create_task(servers.remove_server("hangs", ME))
        try:
            while servers.runs.is_server_running("hangs"):
                servers.runs.changes.clear()
                await servers.runs.changes.wait()
            assert (await servers.stop_server("ends")).state == "stopped"
            with pytest.raises(AssertionError, match="does not run"):
                reaper_of("ends")
            assert [one.name for one in (await servers.list_servers()).servers] == ["ends"]
            assert not removing.done()
        finally:
            os.kill(reaper, signal.SIGCONT)
        await removing
        await servers.runs.close()

    asyncio.run(work(stage.servers))


def test_a_server_that_is_changed_in_the_file_restarts_when_the_old_one_has_ended(
    stage: Stage,
) -> None:
    async def work(servers: Servers) -> None:
        await running(servers, "it")
        reaper = reaper_of("it")
        os.kill(reaper, signal.SIGSTOP)
        written = json.loads(stage.file.read_text())
        written["mcpServers"]["it"]["timeout"] = 5
        stage.file.write_text(json.dumps(written))
        await servers.runs.start_reconciling()
        assert servers.list_server_views()[0].state == "starting"
        os.kill(reaper, signal.SIGCONT)
        assert (await servers.runs.wait_until_settled("it")).state == "ready"
        assert reaper_of("it") != reaper
        await servers.runs.close()

    asyncio.run(work(stage.servers))


@pytest.mark.parametrize("way", ["stop", "remove"])
def test_that_tools_have_gone_with_their_server_is_told(stage: Stage, way: str) -> None:
    told: list[list[str]] = []

    async def work(servers: Servers) -> None:
        await running(servers, "it")
        stage.tools_changed = lambda: told.append(
            [name for name in REGISTRY.list_names_and_aliases() if name.startswith("mcp:")]
        )
        await (servers.stop_server("it") if way == "stop" else servers.remove_server("it", ME))
        await servers.runs.close()

    asyncio.run(work(stage.servers))
    assert told[-1] == []


def test_a_stop_ends_a_try_too(stage: Stage) -> None:
    async def work(servers: Servers) -> None:
        entry = {"command": sys.executable, "args": [SERVER, "mute", "it"]}
        view = await servers.add_server("it", entry, ME)
        await servers.set_server_enabled("it", ME, on=False)
        await servers.record_consent("it", view.digest, ME)
        trying = asyncio.create_task(servers.test_server("it"))
        while not servers.runs.is_server_running("it"):
            servers.runs.changes.clear()
            await servers.runs.changes.wait()
        await servers.stop_server("it")
        tried = await trying
        assert (tried.ok, tried.words) == (False, "it is off")
        await servers.runs.close()

    asyncio.run(work(stage.servers))


def test_in_the_demo_nothing_is_started(tmp_path: Path) -> None:
    stage = Stage(tmp_path, demo=True)

    async def work() -> None:
        stage.write(x=ENTRY)
        await stage.servers.runs.reconcile_servers()
        view = await stage.servers.set_server_enabled("x", ME, on=True)
        await stage.servers.record_consent("x", view.digest, ME)
        assert stage.servers.list_server_views()[0].state == "off"
        assert stage.servers.runs.manager is None

    asyncio.run(work())
    stage.records.close()


def test_two_changes_of_the_config_at_once_are_both_made(stage: Stage) -> None:
    async def work() -> None:
        stage.write(**{f"s{number}": ENTRY for number in range(4)})
        await stage.servers.runs.reconcile_servers()
        for view in stage.servers.list_server_views():
            stage.servers.runs.get_consents().record_consent(view.name, view.digest)
        jobs = [stage.servers.set_server_enabled(f"s{number}", ME, on=True) for number in range(4)]
        await asyncio.gather(*jobs)
        await stage.servers.runs.close()

    asyncio.run(work())
    assert sorted(stage.store.current_config.skills.servers) == ["s0", "s1", "s2", "s3"]
