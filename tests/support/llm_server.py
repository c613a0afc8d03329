"""A server that speaks the wires of all providers from scripted answers: aimock, started for the tests.

with llm_server() as server:
    server.base_url("anthropic")
    assert server.journal()
"""

import json
import socket
import subprocess
import urllib.request
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.support.running import REPOSITORY, wait_for

CLI = REPOSITORY / "node_modules" / "@copilotkit" / "aimock" / "dist" / "cli.js"
POOL = REPOSITORY / "tests" / "data" / "llm"
"""What all tests share. A server that also serves `POOL / "invalid"` cannot be reset: it takes such answers
only when it starts."""
PATHS = {
    "anthropic": "",
    "openai": "/v1",
    "google": "",
    "openrouter": "/api/v1",
    "litellm": "/v1",
    "custom": "/v1",
}
"""What follows the server's address in the base URL of each kind of provider."""


class LlmServer:
    """A running aimock server, with the operations that tests need."""

    def __init__(self, port: int, fixtures: Sequence[Path]) -> None:
        self.url = f"http://127.0.0.1:{port}"
        self._fixtures = fixtures

    def base_url(self, kind: str) -> str:
        """Return the base URL for a kind of provider."""
        return self.url + PATHS[kind]

    def add(self, *fixtures: dict[str, Any]) -> None:
        """Add scripted answers, for messages that the pool does not know."""
        self._call("POST", "/__aimock/fixtures", {"fixtures": list(fixtures)})

    def fail_once(self, status: int, body: dict[str, Any] | None = None) -> None:
        """Answer the next request with an error."""
        self._call("POST", "/__aimock/error", {"status": status, "body": body or {}})

    def chaos(self, **rates: float) -> None:
        """Disturb requests at random until `calm`, such as `disconnectRate=1`."""
        self._call("POST", "/__aimock/chaos", rates)

    def calm(self) -> None:
        """End the chaos."""
        self._call("DELETE", "/__aimock/chaos")

    def reset(self) -> None:
        """Forget the journal, the chaos, the counts and the answers that were added."""
        self._call("POST", "/__aimock/reset")
        for path in self._fixtures:
            self.add(*json.loads(path.read_text())["fixtures"])

    def journal(self) -> list[dict[str, Any]]:
        """Return the requests that came, oldest first, with their bodies in one common form."""
        return self._call("GET", "/__aimock/journal")

    def bodies(self) -> list[dict[str, Any]]:
        """Return the bodies of the requests to models that came, oldest first."""
        return [entry["body"] for entry in self.journal() if entry.get("body")]

    def answers(self) -> bool:
        """Return whether the server is up."""
        try:
            return bool(self._call("GET", "/health"))
        except OSError:
            return False

    def _call(self, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        data = json.dumps(body).encode() if body is not None else None
        headers = {"content-type": "application/json"}
        asked = urllib.request.Request(self.url + path, data, headers, method=method)
        with urllib.request.urlopen(asked, timeout=20) as answer:
            text = answer.read()
        return json.loads(text) if text else None


@contextmanager
def llm_server(*fixtures: Path, more: Sequence[str] = ()) -> Generator[LlmServer]:
    """Run an aimock with these fixtures for the length of the block."""
    port = free_port()
    files = sorted(file for path in fixtures or (POOL,) for file in fixture_files(path))
    given = [word for file in files for word in ("-f", str(file))]
    options = ["-p", str(port), "--chunk-size", "8", "--strict", "--log-level", "warn", *more]
    process = subprocess.Popen(["node", CLI, *given, *options], stdin=subprocess.DEVNULL)
    try:
        server = LlmServer(port, files)
        wait_for(lambda: process.poll() is not None or server.answers(), bool)
        assert process.poll() is None, "aimock ended: are the node packages installed?"
        yield server
    finally:
        process.kill()
        process.wait()


def fixture_files(path: Path) -> list[Path]:
    """Return the files of scripted answers in a folder, or the file itself."""
    return [path] if path.is_file() else list(path.glob("*.json"))


def free_port() -> int:
    """Return a free TCP port."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
