"""`conductor servers`: set up at a terminal, with what would run shown whole before the yes."""

import json
import shlex
import sys
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from tests.cli.at_the_keys import at_the_keys
from tests.support.running import (
    RunningConductor,
    conductor_environment,
    running_conductor,
    short_home,
)
from tests.tools.terminal import at_terminal
from tests.tools.test_penetration import raw

pytestmark = pytest.mark.timeout(300)
ALONE = {"JACK_DEFAULT_SERVER": "none", "DISPLAY": ""}
CONFIG = "[skills.tiers]\nintegration = true\n"
GREETER = str(Path(__file__).parents[1] / "support" / "greeter.py")
COMMAND = ("--", sys.executable, GREETER)


@pytest.fixture(scope="module")
def conductor(tmp_path_factory: pytest.TempPathFactory) -> Generator[RunningConductor]:
    environment = {**ALONE, "HOME": str(tmp_path_factory.mktemp("user"))}
    with running_conductor(CONFIG, environment=environment) as running:
        yield running


@pytest.fixture(autouse=True)
def _none_left(conductor: RunningConductor) -> Generator[None]:
    yield
    for one in listed(conductor):
        at_terminal(conductor, "servers", "remove", one["name"])


def listed(conductor: RunningConductor) -> list[dict[str, Any]]:
    return json.loads(conductor.cli("servers", "list", "--json").stdout)["servers"]


def typed(conductor: RunningConductor, answer: str, *arguments: str) -> tuple[int, str]:
    """Run a command at a terminal, and type an answer to its question."""
    with at_the_keys(conductor.environment, "servers", *arguments) as keys:
        keys.wait_for("Type yes: ")
        keys.type(answer)
        return keys.ends(), keys.shown


def test_one_is_added_looked_at_agreed_to_and_used(conductor: RunningConductor) -> None:
    code, shown = typed(
        conductor, "yes", "add", "greeter", "--env", "API_TOKEN=s3cret-w0rd", *COMMAND
    )
    assert code == 0, shown
    for row in (
        f"program    {sys.executable}",
        f"arguments  {GREETER}",
        "folder     your home folder",
        "variables  API_TOKEN",
        "greeter  ready, 4 tools",
    ):
        assert row in shown
    assert "Starting greeter. This usually takes seconds" in shown
    assert "s3cret-w0rd" not in shown
    assert "s3cret-w0rd" not in json.dumps(listed(conductor))
    tools = conductor.cli("servers", "tools", "greeter").stdout
    assert "greet  (on)" in tools
    at_terminal(conductor, "servers", "tools", "greeter", "--off", "crash")
    assert "crash  (off)" in conductor.cli("servers", "tools", "greeter").stdout
    assert "greeter is there" in conductor.cli("servers", "log", "greeter").stdout
    assert "greeter  stopped" in at_terminal(conductor, "servers", "stop", "greeter").stdout
    assert "greeter  ready" in at_terminal(conductor, "servers", "start", "greeter").stdout
    assert "greeter  ready" in at_terminal(conductor, "servers", "restart", "greeter").stdout
    assert "greeter  off" in at_terminal(conductor, "servers", "disable", "greeter").stdout
    tested = at_terminal(conductor, "servers", "test", "greeter")
    assert "greeter is ready and has 4 tools" in tested.stdout
    assert listed(conductor)[0]["state"] == "off"
    at_terminal(conductor, "servers", "enable", "greeter")
    assert listed(conductor)[0]["state"] in ("starting", "ready")


def test_ctrl_c_and_ctrl_d_say_what_is_left(conductor: RunningConductor) -> None:
    for letter, code in (("c", 130), ("d", 1)):
        arguments = ("servers", "add", f"left-{letter}", *COMMAND)
        with at_the_keys(conductor.environment, *arguments) as keys:
            keys.wait_for("Type yes: ")
            keys.press(letter)
            assert keys.ends() == code, keys.shown
            assert f"left-{letter} stays in mcp.json but does not run" in keys.shown
    assert {one["state"] for one in listed(conductor)} == {"needs_consent"}


@pytest.mark.parametrize("answer", ["", "y", "no", "yess"])
def test_without_the_whole_word_nothing_runs(conductor: RunningConductor, answer: str) -> None:
    code, shown = typed(conductor, answer, "add", "greeter", *COMMAND)
    assert code == 1
    assert "does not run without your consent" in shown
    assert listed(conductor)[0]["state"] == "needs_consent"
    assert "greeter" not in conductor.config_path.read_text()


def test_what_hides_in_a_command_is_shown(conductor: RunningConductor) -> None:
    evil = "a\x1b[2Kb\u202ec\nd"
    _, shown = typed(conductor, "no", "add", "evil", "--", "sudo", "npx", "-y", "foo", evil)
    assert r"a\u001b[2Kb\u202ec\u000ad" in shown
    assert "warning    runs with administrator rights (sudo)" in shown
    assert "warning    fetches and runs the newest version of foo" in shown
    assert "warning    contains invisible characters" in shown


def test_an_address_is_agreed_to_as_well(conductor: RunningConductor) -> None:
    url = "http://example.invalid/mcp"
    _, shown = typed(conductor, "no", "add", "far", "--url", url, "--header", "X-Key: 12345678")
    assert f"address    {url}" in shown
    assert "headers    X-Key" in shown
    assert "warning    is not encrypted" in shown
    assert "12345678" not in shown


def test_a_secret_can_be_typed_where_no_history_keeps_it(conductor: RunningConductor) -> None:
    arguments = ("servers", "add", "greeter", "--env", "API_TOKEN", *COMMAND)
    with at_the_keys(conductor.environment, *arguments) as keys:
        keys.wait_for("API_TOKEN: ")
        keys.type("typed-s3cret")
        keys.wait_for("Type yes: ")
        keys.type("no")
        keys.ends()
        assert "typed-s3cret" not in keys.shown
    assert "typed-s3cret" in (conductor.home / "mcp.json").read_text()


def test_servers_of_another_program_are_listed_and_taken_over(conductor: RunningConductor) -> None:
    cursor = Path(conductor.environment["HOME"]) / ".cursor" / "mcp.json"
    cursor.parent.mkdir()
    entry = {"command": sys.executable, "args": [GREETER]}
    cursor.write_text(json.dumps({"mcpServers": {"greeter": entry, "other": entry}}))
    seen = conductor.cli("servers", "import").stdout
    assert f"Cursor  (cursor: {cursor})" in seen
    assert f"greeter  {shlex.join((sys.executable, GREETER))}" in seen
    code, shown = typed(conductor, "yes", "import", "cursor", "greeter")
    assert (code, "greeter  ready" in shown) == (0, True)
    assert [one["name"] for one in listed(conductor)] == ["greeter"]
    code, shown = typed(conductor, "yes", "import", str(cursor), "--all")
    assert "greeter was not imported" in shown
    assert [one["name"] for one in listed(conductor)] == ["greeter", "other"]


def test_what_cannot_be_is_said(conductor: RunningConductor) -> None:
    for arguments, words in (
        (("start", "nobody"), "no MCP server called 'nobody'; no server has been added"),
        (("remove", "nobody"), "no MCP server called 'nobody'"),
        (("add", "x"), "a command after `--`"),
        (("add", "x", "--url", "ftp://x"), "must begin with https://"),
        (("add", "x", "--url", "http://["), "is not a valid address"),
        (("add", "x", "--url", "http://x:99999"), "is not a valid address"),
        (("import", "/no/such.json", "--all"), "/no/such.json does not exist; check the path"),
    ):
        done = at_terminal(conductor, "servers", *arguments)
        assert (done.returncode, words in done.stdout) == (1, True), done.stdout


def test_without_a_terminal_nothing_is_changed(conductor: RunningConductor) -> None:
    for arguments in (("add", "x", *COMMAND), ("remove", "x"), ("start", "x"), ("stop", "x")):
        done = conductor.cli("servers", *arguments)
        assert (done.returncode, "at a terminal" in done.stderr) == (1, True)
    assert listed(conductor) == []


@pytest.mark.parametrize(
    ("verb", "params"),
    [
        ("list", {}),
        ("add", {"name": "x", "entry": {"command": "x"}}),
        ("consent", {"name": "x", "digest": "y"}),
        ("start", {"name": "x"}),
        ("import", {"client": "cursor", "names": []}),
        ("nonsense", {}),
    ],
)
def test_a_bare_line_of_another_program_is_refused(
    conductor: RunningConductor, verb: str, params: dict[str, Any]
) -> None:
    line = {"jsonrpc": "2.0", "id": 1, "method": f"terminal.servers.{verb}", "params": params}
    assert raw(conductor, line)["error"]["data"]["kind"] == "not_allowed"
    assert listed(conductor) == []


def test_the_file_is_looked_at_and_changed_without_a_running_conductor() -> None:
    with short_home() as home:
        environment = conductor_environment(home, ALONE)
        with at_the_keys(environment, "servers", "add", "greeter", *COMMAND) as keys:
            assert keys.ends() == 0
            assert "It does not run without your consent" in keys.shown
        with at_the_keys(environment, "servers", "list") as keys:
            assert keys.ends() == 0
            assert "greeter  off" in keys.shown
        with at_the_keys(environment, "servers", "start", "greeter") as keys:
            assert keys.ends() == 3
        with running_conductor(CONFIG, environment=ALONE, home=home) as running:
            seen = running.call("conductor_list_plugins")["plugins"]
            assert [(one["name"], one["state"]) for one in seen] == [("greeter", "off")]
        with at_the_keys(environment, "servers", "remove", "greeter") as keys:
            assert keys.ends() == 0
        assert json.loads((home / "mcp.json").read_text()) == {"mcpServers": {}}
