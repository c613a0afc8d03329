"""The floors: which room may import which, as written in pyproject.toml."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_every_import_points_down_and_each_library_stays_in_its_room():
    command = [Path(sys.executable).parent / "lint-imports", "--no-cache", "--no-logo"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
