"""Third-party clients through the proxy: the TypeScript SDKs and the Inspector."""

import json
import shutil
import subprocess
import sys
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from tests.support.running import REPOSITORY, RunningConductor, running_conductor

NODE = REPOSITORY / "node_modules" / ".bin" / "node"
INSPECTOR = REPOSITORY / "node_modules" / ".bin" / "mcp-inspector"
PROXY = (sys.executable, "-m", "conductor", "mcp")
PROGRAM = NODE.resolve() if NODE.exists() else Path(shutil.which("node") or "node").resolve()
CONFIG = f"""[[modes]]
name = 'Default'

[llm.mcp]
approval = 'elicit_or_gui'
form_clients = ['typescript-test at {PROGRAM}']
"""
TOOL_FAILED = 5


@pytest.fixture(scope="module")
def conductor() -> Generator[RunningConductor]:
    with running_conductor(
        CONFIG, environment={"JACK_DEFAULT_SERVER": "none", "DISPLAY": ""}
    ) as running:
        yield running


def node(
    conductor: RunningConductor, script: Path, *arguments: str
) -> subprocess.CompletedProcess[str]:
    program = str(NODE) if NODE.exists() else "node"
    return subprocess.run(
        [program, str(script), *arguments],
        env=conductor.environment,
        capture_output=True,
        text=True,
        timeout=50,
        cwd=REPOSITORY,
    )


@pytest.mark.parametrize("era", ["v1", "legacy", "auto", "modern"])
def test_the_typescript_clients_list_call_read_and_approve(conductor: RunningConductor, era: str):
    script = Path(__file__).with_name("sdk_client.mjs")
    done = node(conductor, script, era, sys.executable)
    assert done.returncode == 0, done.stderr
    seen: dict[str, Any] = json.loads(done.stdout)
    config = seen.pop("config")
    assert config.startswith(CONFIG.partition("\n\n")[0])
    assert seen.pop("tools") > 20
    assert seen == {"running": True, "wrong": True, "diffShown": True, "applied": "applied"}
    assert f"Mode {era}" in conductor.config_path.read_text()


def inspect(conductor: RunningConductor, *arguments: str) -> tuple[int, Any]:
    home = f"CONDUCTOR_HOME={conductor.home}"  # the Inspector hands on little of its environment
    proxy = ("env", home, *PROXY)
    done = node(conductor, INSPECTOR.resolve(), "--cli", *proxy, *arguments, "--format", "json")
    return done.returncode, json.loads(done.stdout) if done.stdout.strip() else done.stderr


def test_the_inspector_lists_tools_and_calls_them(conductor: RunningConductor):
    code, answer = inspect(conductor, "--method", "tools/list")
    assert code == 0, answer
    assert "conductor_get_status" in json.dumps(answer)
    code, answer = inspect(
        conductor, "--method", "tools/call", "--tool-name", "conductor_get_status"
    )
    assert code == 0, answer
    assert "daemon_running" in json.dumps(answer)


def test_the_inspector_sees_a_tools_error_as_one(conductor: RunningConductor):
    code, answer = inspect(
        conductor,
        *("--method", "tools/call", "--tool-name", "conductor_switch_mode"),
        *("--tool-arg", "mode=Nope"),
    )
    assert code == TOOL_FAILED, answer


def test_the_inspector_reads_a_resource_and_gets_a_prompt(conductor: RunningConductor):
    code, answer = inspect(conductor, "--method", "resources/read", "--uri", "conductor://config")
    assert code == 0, answer
    assert "Default" in json.dumps(answer)
    code, answer = inspect(
        conductor,
        *("--method", "prompts/get", "--prompt-name", "map_control", "--prompt-args", "what=copy"),
    )
    assert code == 0, answer
    assert "copy" in json.dumps(answer)
