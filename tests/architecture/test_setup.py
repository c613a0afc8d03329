"""What the task runner says and checks before it downloads anything."""

import errno
import importlib
import os
import shutil
from pathlib import Path
from types import ModuleType

import pytest

BUILD = Path(__file__).resolve().parents[2] / "build"
TRIXIE = """installed|libasound2t64, libasound2 (= 1.2.14-1), libatopology2
installed|libglib2.0-0t64, libglib2.0-0 (= 2.84.4-3)
config-files|libnss3,
installed|libgl1,
"""


@pytest.fixture(autouse=True)
def _path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(BUILD))


@pytest.fixture
def prerequisites(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    module = importlib.import_module("prerequisites")
    monkeypatch.setattr(module, "ROOT", tmp_path)
    monkeypatch.setattr(module, "STATE", tmp_path / ".setup")
    monkeypatch.setattr(module, "VENV", tmp_path / ".venv")
    return module


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Return the module on a computer whose dpkg-query prints `packages.txt`."""
    program = tmp_path / "dpkg-query"
    program.write_text(f'#!/bin/sh\nexec cat "{tmp_path}/packages.txt"\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    return importlib.import_module("machine")


def test_a_package_that_is_provided_by_a_renamed_one_is_not_missing(
    machine: ModuleType, tmp_path: Path
):
    (tmp_path / "packages.txt").write_text(TRIXIE)
    wanted = dict.fromkeys(("libasound2", "libglib2.0-0", "libnss3", "libgl1"), "")
    assert machine.list_missing(wanted) == ["libnss3"]


def test_a_missing_package_has_the_name_of_this_debian(machine: ModuleType, tmp_path: Path):
    (tmp_path / "packages.txt").write_text("installed|libssl3t64, libssl3 (= 3.5.1-1)\n")
    assert machine.list_missing({"libasound2": "", "libnss3": ""}) == ["libasound2t64", "libnss3"]
    (tmp_path / "packages.txt").write_text("installed|libssl3, \n")
    assert machine.list_missing({"libasound2": ""}) == ["libasound2"]


def test_the_setup_says_at_first_what_it_will_do_and_download(
    prerequisites: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    prerequisites.announce(dev=False, system_packages=["libnss3", "libgl1"])
    first = capsys.readouterr().out.splitlines()[0]
    assert first.startswith(f"Setting up Conductor in {tmp_path}: Python packages, ")
    assert "and 2 system packages, a download of about" in first
    assert " MB. This takes " in first


def test_nothing_is_said_when_there_is_nothing_to_do(
    prerequisites: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    (tmp_path / ".venv").mkdir()
    (tmp_path / ".setup").mkdir()
    for step in ("runtime", "page", "knowledge-model"):
        (tmp_path / ".setup" / f"{step}.stamp").touch()
    prerequisites.announce(dev=False, system_packages=[])
    assert capsys.readouterr().out == ""
    prerequisites.announce(dev=True, system_packages=[])
    assert "developer tools" in capsys.readouterr().out


def test_too_little_space_is_found_before_anything_is_downloaded(
    prerequisites: ModuleType,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
):
    usage = shutil.disk_usage("/")._replace(free=10**8)

    def report_usage(_path: Path) -> object:
        return usage

    monkeypatch.setattr(prerequisites.shutil, "disk_usage", report_usage)
    with pytest.raises(SystemExit):
        prerequisites.check(dev=False)
    assert "has 100 MB free; the set-up needs" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("code", "said"),
    [(errno.EROFS, "cannot be written to"), (errno.EACCES, "cannot be"), (errno.ENOSPC, "is full")],
)
def test_a_folder_that_cannot_be_written_to_is_explained(
    prerequisites: ModuleType, code: int, said: str
):
    assert said in prerequisites.describe_os_error(OSError(code, "", "/checkout/.setup"))


def test_other_errors_keep_their_traceback(prerequisites: ModuleType):
    assert prerequisites.describe_os_error(OSError(errno.ECHILD, "")) is None
