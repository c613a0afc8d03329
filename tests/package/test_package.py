"""The packaged app, used as a user would: no Python, no checkout, its own home folder."""

import os
import signal
import subprocess
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ONE_FILE = ROOT / "dist" / "conductor"
ONE_FOLDER = ROOT / "dist" / "conductor-folder" / "conductor"

pytestmark = [pytest.mark.package, pytest.mark.timeout(120)]
both_builds = pytest.mark.parametrize("program", [ONE_FILE, ONE_FOLDER], ids=["file", "folder"])


def environment(home: Path) -> dict[str, str]:
    """Give an environment with nothing of the developer's to lean on."""
    folder = str(home)
    return {"CONDUCTOR_HOME": folder, "HOME": folder, "PATH": os.defpath, "LANG": "C.UTF-8"}


def conductor(program: Path, home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run it to its end, away from the checkout."""
    command = [program, *arguments]
    return subprocess.run(
        command, cwd=home, env=environment(home), capture_output=True, text=True, timeout=60
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
    assert "missing:" not in report


@both_builds
def test_it_says_what_is_wrong_in_a_config(program: Path, tmp_path: Path):
    config = tmp_path / "config.toml"
    config.write_text("[settings.engin]\n")
    done = conductor(program, tmp_path, "validate", str(config))
    assert done.returncode == 1
    assert "engine" in done.stdout + done.stderr


@both_builds
def test_the_demo_plays_through_an_engine_process_of_its_own(program: Path, tmp_path: Path):
    command = [program, "run", "--demo"]
    with subprocess.Popen(
        command, cwd=tmp_path, env=environment(tmp_path), stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert any("Keystroke" in line for line in process.stdout), "it ended before it acted"
        process.send_signal(signal.SIGINT)
        process.stdout.read()
    assert process.returncode == 0
