"""The packaged app, used as a user would: no Python, no checkout, its own home folder."""

import os
import subprocess
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ONE_FILE = ROOT / "dist" / "conductor"
ONE_FOLDER = ROOT / "dist" / "conductor-folder" / "conductor"

pytestmark = [pytest.mark.package, pytest.mark.timeout(120)]
both_builds = pytest.mark.parametrize("program", [ONE_FILE, ONE_FOLDER], ids=["file", "folder"])


def conductor(program: Path, home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run it away from the checkout, with nothing of the developer's environment to lean on."""
    environment = {
        "CONDUCTOR_HOME": str(home),
        "PATH": os.defpath,
        "HOME": str(home),
        "LANG": "C.UTF-8",
    }
    return subprocess.run(
        [program, *arguments], cwd=home, env=environment, capture_output=True, text=True, timeout=60
    )


@both_builds
def test_it_tells_its_version(program: Path, tmp_path: Path):
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    done = conductor(program, tmp_path, "--version")
    assert done.returncode == 0, done.stderr
    assert version in done.stdout


@both_builds
def test_the_doctor_finds_every_library_inside(program: Path, tmp_path: Path):
    done = conductor(program, tmp_path, "doctor")
    report = done.stdout + done.stderr
    assert report.strip()
    assert "Traceback" not in report
    assert "No module named" not in report
