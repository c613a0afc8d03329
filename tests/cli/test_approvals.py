"""`conductor approvals`: the user's word on calls of skills, given at a terminal of the user's own."""

import json
import shutil
import sys
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from tests.cli.at_the_keys import Keys, at_the_keys
from tests.support.running import WITH_ABILITIES, RunningConductor, running_conductor
from tests.tools.terminal import at_terminal
from tests.tools.test_penetration import raw

from conductor.errors import ConductorError

pytestmark = pytest.mark.timeout(300)
ALONE = {"JACK_DEFAULT_SERVER": "none", "DISPLAY": ""}
CONFIG = f"[[modes]]\nname = 'Default'\n{WITH_ABILITIES}"
DELETE = "conductor_delete_note"


@pytest.fixture(scope="module")
def conductor() -> Generator[RunningConductor]:
    with running_conductor(CONFIG, environment=ALONE) as running:
        yield running


def waiting(conductor: RunningConductor) -> tuple[str, str]:
    """Return a note, and the id under which its deletion waits."""
    note_id = conductor.call("conductor_add_note", title="mine\u202e", text="x")["note_id"]
    with pytest.raises(ConductorError) as refused:
        conductor.call(DELETE, note_id=note_id)
    return note_id, str(refused.value).split("conductor approvals allow ")[1].split("`")[0]


def goes_through(conductor: RunningConductor, note_id: str) -> bool:
    try:
        conductor.call(DELETE, note_id=note_id)
    except ConductorError:
        return False
    return True


def test_a_call_is_shown_whole_and_allowed_after_a_yes(conductor: RunningConductor) -> None:
    note_id, approval_id = waiting(conductor)
    with at_the_keys(conductor.environment, "approvals", "allow", approval_id) as keys:
        keys.wait_for("Allow this call once? [y/N]")
        keys.type("y")
        assert keys.ends() == 0
    assert f'"note_id": "{note_id}"' in keys.shown
    assert "allowed (once)" in keys.shown
    assert goes_through(conductor, note_id)
    assert not goes_through(conductor, note_id)


def test_without_a_yes_nothing_is_done(conductor: RunningConductor) -> None:
    note_id, approval_id = waiting(conductor)
    with at_the_keys(conductor.environment, "approvals", "allow", approval_id) as keys:
        keys.wait_for("[y/N]")
        keys.type("")
        assert keys.ends() == 1
    assert not goes_through(conductor, note_id)
    listed = at_terminal(conductor, "approvals", "list").stdout
    assert f"approval  {approval_id}" in listed
    at_terminal(conductor, "approvals", "deny", approval_id)
    assert approval_id not in at_terminal(conductor, "approvals", "list").stdout


@pytest.mark.parametrize("longer", ["--always", "--conversation"])
def test_a_caller_that_is_not_known_again_is_allowed_once_at_most(
    conductor: RunningConductor, longer: str
) -> None:
    note_id, approval_id = waiting(conductor)
    done = at_terminal(conductor, "approvals", "allow", approval_id, longer, "--yes")
    assert (
        done.returncode,
        "is not possible for this call; allow it only once" in done.stdout,
    ) == (1, True)
    assert not goes_through(conductor, note_id)


def test_an_approval_that_is_over_is_named(conductor: RunningConductor) -> None:
    done = at_terminal(conductor, "approvals", "allow", "0123456789ab", "--yes")
    assert (done.returncode, "no pending approval 0123456789ab" in done.stdout) == (1, True)
    done = at_terminal(conductor, "approvals", "deny", "0123456789ab")
    assert (done.returncode, "waiting for approval" in done.stdout) == (1, True)


def test_without_a_terminal_nothing_is_shown_or_given(conductor: RunningConductor) -> None:
    note_id, approval_id = waiting(conductor)
    for arguments in (("list",), ("allow", approval_id, "--yes"), ("deny", approval_id)):
        done = conductor.cli("approvals", *arguments)
        assert (done.returncode, "terminal" in done.stderr) == (1, True)
        assert note_id not in done.stdout
    assert not goes_through(conductor, note_id)


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("terminal.approvals.list", {}),
        ("terminal.approvals.allow", {"decision": "once"}),
        ("terminal.approvals.allow", {"decision": "always"}),
        ("terminal.approvals.deny", {"decision": "once"}),
    ],
)
def test_a_bare_line_decides_nothing(
    conductor: RunningConductor, method: str, params: dict[str, Any]
) -> None:
    note_id, approval_id = waiting(conductor)
    if params:
        params = {**params, "approval_id": approval_id}
    answer = raw(conductor, {"jsonrpc": "2.0", "method": method, "params": params, "id": 1})
    assert answer["error"]["data"]["kind"] == "not_allowed"
    assert not goes_through(conductor, note_id)


LINE = """
import json, socket, sys
sys.argv = ["conductor", {arguments}]
line = socket.socket(socket.AF_UNIX)
line.connect({path!r})
line.sendall(json.dumps({{"jsonrpc": "2.0", "id": 1, "method": {method!r}, "params": {params!r}}}).encode() + b"\\n")
print(line.makefile().readline())
"""


def test_a_command_that_names_another_decision_or_call_decides_nothing(
    conductor: RunningConductor, tmp_path: Path
) -> None:
    """A program that imitates the command line from its own code is found by what it was started with."""
    note_id, approval_id = waiting(conductor)
    script = tmp_path / "imitate.py"
    params = {"approval_id": approval_id, "decision": "always"}
    script.write_text(
        LINE.format(
            arguments=f'"approvals", "allow", "{approval_id}", "--always"',
            path=str(conductor.home / "mcp.sock"),
            method="terminal.approvals.allow",
            params=params,
        )
    )
    keys = Keys(
        [sys.executable, str(script), "approvals", "allow", approval_id], conductor.environment
    )
    try:
        keys.ends()
    finally:
        keys.close()
    assert json.loads(keys.shown)["error"]["data"]["kind"] == "not_allowed"
    assert not goes_through(conductor, note_id)


def test_another_conductor_on_the_path_allows_nothing(
    conductor: RunningConductor, tmp_path: Path
) -> None:
    note_id, approval_id = waiting(conductor)
    shutil.copytree(
        Path(__file__).parents[2] / "backend" / "conductor",
        tmp_path / "conductor",
        ignore=shutil.ignore_patterns("__pycache__", "node_modules", "ui"),
    )
    environment = {**conductor.environment, "PYTHONPATH": str(tmp_path)}
    with at_the_keys(environment, "approvals", "allow", approval_id, "--yes") as keys:
        assert keys.ends() == 1
    assert "PYTHONPATH is set" in keys.shown
    assert not goes_through(conductor, note_id)


def test_never_ends_the_tool_for_good(conductor: RunningConductor) -> None:
    note_id, approval_id = waiting(conductor)
    done = at_terminal(conductor, "approvals", "deny", approval_id, "--never")
    assert "denied (never)" in done.stdout
    with pytest.raises(ConductorError, match="never allows"):
        conductor.call(DELETE, note_id=note_id)
