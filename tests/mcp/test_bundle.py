"""The MCP bundle, the description of it for a registry, and the plugin marketplace: valid for those who read them.

The program of the bundle runs in Node against a real Conductor.
"""

import hashlib
import importlib
import json
import os
import shutil
import socket
import subprocess
import sys
import threading
import zipfile
from collections.abc import Generator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from tests.support.processes import processes_of
from tests.support.running import (
    REPOSITORY,
    RunningConductor,
    conductor_environment,
    running_conductor,
    short_home,
)

NODE = REPOSITORY / "node_modules" / ".bin" / "node"
NODE_PROGRAM = str(NODE) if NODE.exists() else "node"
MCPB = REPOSITORY / "node_modules" / "@anthropic-ai" / "mcpb" / "dist" / "cli" / "cli.js"
WITHOUT_PARTS = {"JACK_DEFAULT_SERVER": "none", "DISPLAY": ""}
CONFIG = "[[modes]]\nname = 'Default'\n"
UNSET = "${user_config.program}"
"""What a client passes on for a field that the user left empty."""
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}
INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}
LIST_TOOLS = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}


@pytest.fixture(scope="module")
def build() -> Generator[ModuleType]:
    sys.path.insert(0, str(REPOSITORY / "build"))
    yield importlib.import_module("bundle")
    sys.path.remove(str(REPOSITORY / "build"))


@pytest.fixture(scope="module")
def bundle(build: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder into which a client unpacks the bundle."""
    place = tmp_path_factory.mktemp("bundle")
    build.write_bundle(place / "conductor.mcpb")
    with zipfile.ZipFile(place / "conductor.mcpb") as archive:
        archive.extractall(place / "unpacked")
    return place / "unpacked"


@pytest.fixture(scope="module")
def conductor() -> Generator[RunningConductor]:
    with running_conductor(CONFIG, environment=WITHOUT_PARTS, own_process=False) as running:
        yield running


def exchange(
    bundle: Path, environment: dict[str, str], *messages: dict[str, Any]
) -> tuple[int, list[dict[str, Any]], str]:
    """Run the program as its manifest says. Return its exit code, its answers and its error output."""
    config = json.loads((bundle / "manifest.json").read_text())["server"]["mcp_config"]
    words = [word.replace("${__dirname}", str(bundle)) for word in config["args"]]
    process = subprocess.Popen(
        [NODE_PROGRAM, *words],
        env={**os.environ, **environment},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        lines = "".join(f"{json.dumps(message)}\n" for message in messages)
        out, errors = process.communicate(lines, timeout=40)
    finally:
        process.kill()
    return process.returncode, [json.loads(line) for line in out.splitlines()], errors


def test_a_client_reaches_the_running_conductor_and_its_tools(
    bundle: Path, conductor: RunningConductor
):
    environment = {"CONDUCTOR_HOME": str(conductor.home), "CONDUCTOR_PROGRAM": UNSET}
    code, answers, errors = exchange(bundle, environment, INITIALIZE, INITIALIZED, LIST_TOOLS)
    assert (code, errors) == (0, "")
    assert answers[0]["result"]["serverInfo"]["name"] == "conductor"
    listed = {tool["name"] for tool in answers[1]["result"]["tools"]}
    manifest = json.loads((bundle / "manifest.json").read_text())
    assert {tool["name"] for tool in manifest["tools"]} == listed


def test_the_official_tool_finds_the_bundle_valid(bundle: Path):
    done = subprocess.run(
        [NODE_PROGRAM, str(MCPB), "validate", str(bundle)],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Manifest schema validation passes" in done.stdout
    assert "ERROR" not in done.stdout + done.stderr


def test_the_official_tool_refuses_a_manifest_with_a_mistake(bundle: Path, tmp_path: Path):
    broken = shutil.copytree(bundle, tmp_path / "broken")
    manifest = json.loads((broken / "manifest.json").read_text())
    manifest["server"]["type"] = "perl"
    (broken / "manifest.json").write_text(json.dumps(manifest))
    command = [NODE_PROGRAM, str(MCPB), "validate", str(broken)]
    assert subprocess.run(command, capture_output=True, timeout=60).returncode != 0


def test_two_bundles_of_the_same_sources_are_equal(build: ModuleType, tmp_path: Path):
    build.write_bundle(tmp_path / "first")
    for source in build.SOURCES.values():
        os.utime(source)
    build.write_bundle(tmp_path / "second")
    assert (tmp_path / "first").read_bytes() == (tmp_path / "second").read_bytes()


def test_without_a_conductor_the_first_answer_says_what_to_do(bundle: Path):
    with short_home() as home:
        environment = {
            "CONDUCTOR_HOME": str(home),
            "CONDUCTOR_PROGRAM": str(home / "none"),
            "PATH": "",
        }
        code, answers, errors = exchange(bundle, environment, {**INITIALIZE, "id": "a"})
    assert code == 1
    assert (answers[0]["id"], answers[0]["error"]["code"]) == ("a", -32000)
    assert "choose its program" in answers[0]["error"]["message"]
    assert "is not running" in errors


def test_it_starts_the_program_that_the_user_chose(bundle: Path):
    with short_home() as home:
        program = home / "conductor"
        program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m conductor "$@"\n')
        program.chmod(0o755)
        environment = {
            **conductor_environment(home, WITHOUT_PARTS),
            "CONDUCTOR_PROGRAM": str(program),
        }
        try:
            code, answers, _ = exchange(bundle, environment, INITIALIZE)
            assert (code, answers[0]["id"]) == (0, 1)
        finally:
            for pid in processes_of(home):
                os.kill(pid, 2)


def test_a_program_that_ends_at_once_is_not_waited_for(bundle: Path):
    with short_home() as home:
        environment = {
            "CONDUCTOR_HOME": str(home),
            "CONDUCTOR_PROGRAM": shutil.which("false") or "",
        }
        code, answers, _ = exchange(bundle, environment, INITIALIZE)
    assert code == 1
    assert "could not be started" in answers[0]["error"]["message"]


class FakeListener:
    """Listens as Conductor does where there are no Unix sockets: on a port, behind a token in a file."""

    def __init__(self, path: Path) -> None:
        self._server = socket.create_server(("127.0.0.1", 0))
        path.write_text(json.dumps({"port": self._server.getsockname()[1], "token": "secret"}))
        self.received: list[bytes] = []
        self._thread = threading.Thread(target=self._serve)
        self._thread.start()

    def _serve(self) -> None:
        connection, _ = self._server.accept()
        with connection, connection.makefile("rwb") as stream:
            self.received = [stream.readline(), stream.readline()]
            stream.write(b'{"jsonrpc":"2.0","id":1,"result":{}}\n')

    def close(self) -> None:
        self._thread.join(20)
        self._server.close()


def test_on_windows_it_reads_the_port_and_the_token_from_the_file(bundle: Path, tmp_path: Path):
    listener = FakeListener(tmp_path / "mcp.sock")
    _, answers, _ = exchange(bundle, {"CONDUCTOR_HOME": str(tmp_path)}, INITIALIZE)
    listener.close()
    assert listener.received[0] == b"secret\n"
    assert json.loads(listener.received[1])["method"] == "initialize"
    assert answers == [{"jsonrpc": "2.0", "id": 1, "result": {}}]


def test_it_follows_a_socket_path_in_the_config(bundle: Path, tmp_path: Path):
    listener = FakeListener(tmp_path / "elsewhere")
    path = json.dumps(str(tmp_path / "elsewhere"))
    (tmp_path / "config.toml").write_text(f"[llm.mcp]\nsocket_path = {path}\n")
    _, answers, _ = exchange(bundle, {"CONDUCTOR_HOME": str(tmp_path)}, INITIALIZE)
    listener.close()
    assert answers[0]["id"] == 1


def lint(folder: Path) -> list[dict[str, Any]]:
    """Return the findings of skillsaw, which has the schemas of registries and marketplaces."""
    command = [sys.executable, "-m", "skillsaw", "lint", "--format", "json", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    found: list[dict[str, Any]] = json.loads(done.stdout)["violations"]
    return [one for one in found if one["severity"] == "error"]


def test_the_description_for_a_registry_is_valid_and_has_the_hash(
    build: ModuleType, tmp_path: Path
):
    address = "https://github.com/example/conductor"
    assert build.main(["--repository", address, "--output", str(tmp_path)]) == 0
    package = json.loads((tmp_path / "server.json").read_text())["packages"][0]
    digest = hashlib.sha256((tmp_path / "conductor.mcpb").read_bytes()).hexdigest()
    assert package["fileSha256"] == digest
    assert lint(tmp_path) == []
    broken = (tmp_path / "server.json").read_text().replace(package["fileSha256"], "0")
    (tmp_path / "server.json").write_text(broken)
    assert lint(tmp_path) != []


def test_without_a_repository_no_description_is_written(build: ModuleType, tmp_path: Path):
    assert build.main(["--output", str(tmp_path)]) == 0
    assert [path.name for path in tmp_path.iterdir()] == ["conductor.mcpb"]
    with pytest.raises(SystemExit):
        build.main(["--repository", "https://example.com/conductor"])


def test_the_marketplace_is_valid_and_lists_every_skill(tmp_path: Path):
    for name in ("skills", ".claude-plugin"):
        shutil.copytree(REPOSITORY / name, tmp_path / name)
    assert lint(tmp_path) == []
    (plugin,) = json.loads((tmp_path / ".claude-plugin" / "marketplace.json").read_text())[
        "plugins"
    ]
    root = tmp_path / plugin["source"]
    assert {(root / path).resolve() for path in plugin["skills"]} == set(
        (tmp_path / "skills").iterdir()
    )
    (tmp_path / ".claude-plugin" / "marketplace.json").write_text(
        '{"name": "conductor", "plugins": []}'
    )
    assert lint(tmp_path) != []
