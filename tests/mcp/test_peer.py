"""Which process counts as this installation's `conductor` command, and how imitations are detected."""

import os
import subprocess
import sys
from collections.abc import Generator
from itertools import count
from pathlib import Path

import pytest
from tests.cli.at_the_keys import Keys

from conductor.mcp.server.peer import Peer, find_foreign_code, read_own_arguments
from conductor.mcp.server.terminal_user import build_bare_requester, resolve_tool_requester

PYTHON = sys.executable
EXECUTABLE = str(Path("/proc/self/exe").resolve())
numbers = count(1_000_000)
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of an installation in `.venv`, with links to it and files that are not it."""
    own, foreign = (tmp_path / name / ".venv" / "bin" for name in ("own", "foreign"))
    for folder in (own, foreign):
        folder.mkdir(parents=True)
        (folder / "conductor").write_text("#!/usr/bin/env python3\n")
    (tmp_path / "local").mkdir()
    (tmp_path / "local" / "conductor").symlink_to(own / "conductor")
    (tmp_path / "local" / "other-name").symlink_to(own / "conductor")
    (tmp_path / "linked").symlink_to(tmp_path / "own")
    (tmp_path / "hard").mkdir()
    os.link(own / "conductor", tmp_path / "hard" / "conductor")
    monkeypatch.setattr(sys, "executable", str(own / "python"))
    return tmp_path


def started(script: str, folder: Path | None, *words: str) -> Peer:
    command = ("python", script, *(words or ("plans", "list")))
    where = None if folder is None else str(folder)
    return Peer(os.getuid(), os.getpid(), EXECUTABLE, command, next(numbers), "p", where)


@pytest.mark.parametrize(
    ("script", "folder"),
    [
        ("{home}/own/.venv/bin/conductor", ""),
        (".venv/bin/conductor", "own"),
        ("./conductor", "own/.venv/bin"),
        ("../own/.venv/bin/conductor", "foreign"),
        ("{home}/local/conductor", ""),
        ("local/other-name", ""),
        (".venv/bin/conductor", "linked"),
    ],
)
def test_the_own_command_is_known_however_it_was_typed(home: Path, script: str, folder: str):
    peer = started(script.format(home=home), home / folder)
    assert read_own_arguments(peer) == ("plans", "list")
    assert build_bare_requester(peer).caller == "cli"


@pytest.mark.parametrize(
    ("script", "folder"),
    [
        (".venv/bin/conductor", "foreign"),
        ("{home}/foreign/.venv/bin/conductor", "own"),
        ("{home}/own/.venv/bin/missing", ""),
        ("conductor", "own"),
        ("-c", "own/.venv/bin"),
        # a hard link is the same file, but Python loads its modules from the folder of the link
        ("{home}/hard/conductor", ""),
    ],
)
def test_another_file_of_that_name_is_another_program(home: Path, script: str, folder: str):
    peer = started(script.format(home=home), home / folder)
    assert read_own_arguments(peer) is None
    assert build_bare_requester(peer).caller == "bare"


def test_a_relative_path_is_nothing_where_the_folder_is_not_known(home: Path):
    assert read_own_arguments(started(".venv/bin/conductor", None)) is None


@pytest.fixture
def at_keys() -> Generator[Keys]:
    """Start a process of this interpreter that has a terminal, and waits."""
    keys = Keys([sys.executable, "-c", "input('ready')"], {"PWD": "/usr"})
    try:
        keys.wait_for("ready")
        yield keys
    finally:
        keys.close()


def test_a_command_that_went_to_another_folder_after_its_start_is_no_user_s(
    at_keys: Keys, home: Path
):
    ours = started(".venv/bin/conductor", home / "own")._replace(pid=at_keys.process.pid)
    assert find_foreign_code(ours) == "its working directory has changed since it was started"
    assert find_foreign_code(ours._replace(folder="/usr")) is None
    script = ("python", f"{home}/own/.venv/bin/conductor")
    assert find_foreign_code(ours._replace(command=script)) is None


@pytest.mark.parametrize("tool", ["conductor_apply_plan", "conductor_send_sysex"])
def test_the_command_uses_plans_as_the_user_at_a_terminal_only(
    at_keys: Keys, home: Path, tool: str
):
    script = f"{home}/own/.venv/bin/conductor"
    peer = started(script, home, "tools", "call", tool)._replace(pid=at_keys.process.pid)
    assert resolve_tool_requester(tool, peer).is_user
    assert not resolve_tool_requester("conductor_get_status", peer).is_user
    foreign = peer._replace(command=("python", f"{home}/foreign/.venv/bin/conductor"))
    assert not resolve_tool_requester(tool, foreign).is_user
    moved = peer._replace(command=("python", "own/.venv/bin/conductor", *peer.command[2:]))
    assert resolve_tool_requester(tool, moved).caller == "cli"
    assert not resolve_tool_requester(tool, moved).is_user
    with subprocess.Popen(
        [PYTHON, "-c", "input()"], stdin=subprocess.PIPE, start_new_session=True
    ) as alone:
        assert not resolve_tool_requester(tool, peer._replace(pid=alone.pid)).is_user
        alone.communicate(b"\n")
