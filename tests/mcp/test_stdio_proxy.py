"""`conductor mcp` copies bytes between an agent's stdio and the socket, in every state of Conductor."""

import fcntl
import json
import os
import pty
import signal
import subprocess
import sys
import termios
from typing import Any

import pytest
from tests.support.processes import processes_of
from tests.support.running import (
    RunningConductor,
    conductor_environment,
    running_conductor,
    short_home,
    wait_for,
)

WITHOUT_PARTS = {"JACK_DEFAULT_SERVER": "none", "DISPLAY": ""}
STATUS_LINE = '{"jsonrpc":"2.0","method":"conductor_get_status","params":{},"id":1}'
CONFIG = "[[modes]]\nname = 'Default'\n"


class Proxy:
    """A running `conductor mcp`; with `terminal`, one that has a controlling terminal as in a shell."""

    def __init__(
        self, environment: dict[str, str], *arguments: str, terminal: bool = False
    ) -> None:
        self._master, self._slave = pty.openpty()

        def take_terminal() -> None:
            fcntl.ioctl(self._slave, termios.TIOCSCTTY, 0)

        self.process = subprocess.Popen(
            [sys.executable, "-m", "conductor", "mcp", *arguments],
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            preexec_fn=take_terminal if terminal else None,  # noqa: PLW1509
            pass_fds=(self._slave,),
        )

    def __enter__(self) -> "Proxy":
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.communicate(timeout=20)
        os.close(self._master)
        os.close(self._slave)

    def ask(self, line: str) -> dict[str, Any]:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def end_input(self) -> tuple[int, str, str]:
        """Close standard input; return the exit code and the remaining output."""
        out, errors = self.process.communicate(timeout=20)
        return self.process.returncode, out, errors


def test_it_answers_and_ends_with_its_input():
    running = running_conductor(CONFIG, environment=WITHOUT_PARTS)
    with running as conductor, Proxy(conductor.environment) as proxy:
        assert proxy.ask(STATUS_LINE)["result"]["daemon_running"] is True
        assert proxy.end_input() == (0, "", "")


def test_it_imports_no_library_but_the_standard_one():
    code = (
        "import sys; import conductor.__main__, conductor.mcp.server.stdio_proxy;"
        "print([m for m in sys.modules if m.split('.')[0] in ('argparse', 'pydantic', 'mcp', 'anyio')])"
    )
    with short_home() as home:
        seen = subprocess.run(
            [sys.executable, "-c", code],
            env=conductor_environment(home),
            capture_output=True,
            text=True,
            timeout=20,
        )
    assert seen.stdout.strip() == "[]", seen.stderr


def test_without_a_conductor_the_first_answer_says_what_to_do():
    with short_home() as home, Proxy(conductor_environment(home), "--no-start") as proxy:
        answer = proxy.ask('{"jsonrpc":"2.0","id":"a","method":"initialize","params":{}}')
        assert answer["id"] == "a"
        assert answer["error"]["code"] == -32000
        assert "conductor run" in answer["error"]["message"]
        code, rest, errors = proxy.end_input()
        assert (code, rest) == (1, "")
        assert "not running" in errors


def test_it_starts_a_conductor_that_outlives_it():
    with short_home() as home:
        environment = conductor_environment(home, WITHOUT_PARTS)
        try:
            with Proxy(environment) as proxy:
                pid = proxy.ask(STATUS_LINE)["result"]["engine"]["pid"]
                assert proxy.end_input()[0] == 0
            with Proxy(environment, "--no-start") as proxy:
                assert proxy.ask(STATUS_LINE)["result"]["engine"]["pid"] == pid
        finally:
            for pid in processes_of(home):
                os.kill(pid, signal.SIGINT)
            wait_for(lambda: processes_of(home), lambda left: not left)


def test_it_finds_a_socket_that_the_config_puts_elsewhere():
    with short_home() as home:
        text = f"[llm.mcp]\nsocket_path = '{home}/other.sock'\n"
        (home / "config.toml").write_text(text)
        environment = conductor_environment(home, WITHOUT_PARTS)
        running = RunningConductor(home, None, environment=WITHOUT_PARTS)
        try:
            wait_for((home / "other.sock").exists, bool)
            with Proxy(environment, "--no-start") as proxy:
                assert proxy.ask(STATUS_LINE)["result"]["daemon_running"] is True
        finally:
            running.process.send_signal(signal.SIGINT)
            running.process.wait(20)
            running.clean_up()


def test_it_ends_with_a_failure_when_conductor_goes_away():
    running = running_conductor(CONFIG, environment=WITHOUT_PARTS)
    with running as conductor, Proxy(conductor.environment) as proxy:
        proxy.ask(STATUS_LINE)
        conductor.stop()
        assert proxy.process.wait(20) == 1


@pytest.mark.parametrize("method", ["terminal.approve", "terminal.reject"])
def test_terminal_commands_are_refused_through_the_proxy(method: str):
    with running_conductor(CONFIG, environment=WITHOUT_PARTS) as conductor:
        plan = conductor.call("conductor_create_mode", name="Keys")
        with Proxy(conductor.environment, terminal=True) as proxy:
            params = {"plan_id": plan["plan_id"], "apply": True}
            line = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
            answer = proxy.ask(json.dumps(line))
            assert answer["error"]["data"]["kind"] == "not_allowed"
        assert conductor.call("conductor_get_plan", plan_id=plan["plan_id"])["status"] == "pending"
