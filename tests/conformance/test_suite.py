"""The official conformance suite, played against our HTTP door with the suite's own tools behind it."""

import re
import subprocess
import sys
from collections.abc import Generator
from pathlib import Path

import pytest
from tests.support.running import REPOSITORY, conductor_environment

MODULES = REPOSITORY / "node_modules"
SUITE = MODULES / "@modelcontextprotocol" / "conformance" / "dist" / "index.js"
NODE = MODULES / ".bin" / "node"
"""The suite needs node 22 or later; this one is installed by package.json where there is a build of it."""
PASSED_BY_THE_LIBRARY = {"2025-11-25": 84, "2026-07-28": 152}


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Generator[str]:
    log = tmp_path_factory.mktemp("suite") / "stderr.txt"
    with log.open("w") as errors:
        server = subprocess.Popen(
            [sys.executable, "-m", "tests.conformance.serve"],
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


@pytest.mark.timeout(180)
@pytest.mark.parametrize("version", PASSED_BY_THE_LIBRARY)
def test_every_scenario_that_the_library_passes_is_passed_on_our_door(
    url: str, version: str, tmp_path: Path
):
    arguments = ["--url", url, "--suite", "all", "--spec-version", version]
    played = subprocess.run(
        [NODE if NODE.exists() else "node", SUITE, "server", *arguments, "--output-dir", tmp_path],
        capture_output=True,
        text=True,
        timeout=170,
        cwd=tmp_path,
    )
    wrong = [line for line in played.stdout.splitlines() if "✗" in line]
    assert played.returncode == 0, "\n".join([*wrong, played.stderr[-2000:]])
    totals = re.search(r"Total: (\d+) passed, (\d+) failed", played.stdout)
    assert totals is not None
    assert totals.groups() == (str(PASSED_BY_THE_LIBRARY[version]), "0")
