"""A server of the suite's in a process of its own, and the suite played against it."""

import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from tests.support.running import REPOSITORY, conductor_environment

MODULES = REPOSITORY / "node_modules"
SUITE = MODULES / "@modelcontextprotocol" / "conformance" / "dist" / "index.js"
NODE = MODULES / ".bin" / "node"
"""The suite needs node 22 or later; this one is installed by package.json where there is a build of it."""


@contextmanager
def served(module: str, folder: Path) -> Generator[str]:
    """Run a module that serves and prints its port; give its address."""
    log = folder / "stderr.txt"
    with log.open("w") as errors:
        server = subprocess.Popen(
            [sys.executable, "-m", module],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            env=conductor_environment(log.parent),
            cwd=REPOSITORY,
            text=True,
        )
        assert server.stdin is not None
        assert server.stdout is not None
        port = server.stdout.readline().strip()
        assert port, log.read_text()
        yield f"http://127.0.0.1:{port}/mcp"
        server.stdin.close()
        server.stdout.close()
        assert server.wait(20) == 0, log.read_text()[-2000:]


def play(arguments: list[str], folder: Path) -> "subprocess.CompletedProcess[str]":
    """Play the suite as a client of a server."""
    return subprocess.run(
        [NODE if NODE.exists() else "node", SUITE, "server", *arguments, "--output-dir", folder],
        capture_output=True,
        text=True,
        timeout=170,
        cwd=folder,
    )
