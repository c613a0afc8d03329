"""Installed programs and apps, looked up in folders that the test creates."""

import os
import socket
import sys
from pathlib import Path

import pytest

from conductor.system.installed import find_launch_problem, find_run_problem, list_udp_ports

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs Linux")


@pytest.fixture
def computer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a computer with the programs `xterm` and `firefox` and one app, `Bitwig Studio`."""
    programs, apps = tmp_path / "bin", tmp_path / "share" / "applications"
    programs.mkdir()
    apps.mkdir(parents=True)
    for name in ("xterm", "firefox", "no-program.txt"):
        (programs / name).write_text("#!/bin/sh\n")
        (programs / name).chmod(0o644 if name.endswith("txt") else 0o755)
    entry = "[Desktop Entry]\nName=Bitwig Studio\nExec=/opt/bitwig\n"
    (apps / "com.bitwig.desktop").write_text(entry)
    monkeypatch.setenv("PATH", str(programs))
    monkeypatch.setenv("XDG_DATA_DIRS", str(tmp_path / "share"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "none"))
    return tmp_path


@pytest.mark.parametrize(
    "app",
    ["xterm", "Bitwig Studio", "bitwig studio", "com.bitwig", "https://a.example/x", "mailto:me"],
)
@pytest.mark.usefixtures("computer")
def test_a_program_an_app_and_an_address_can_be_launched(app: str) -> None:
    assert find_launch_problem(app) is None


@pytest.mark.parametrize(
    ("app", "message"),
    [
        ("terminal", "there is no program or app `terminal` on this computer"),
        ("term", "there is no program or app `term` on this computer - did you mean `xterm`?"),
        ("Firefx", "there is no program or app `Firefx` on this computer - did you mean `firefox`?"),
        ("bitwig", "there is no program or app `bitwig` on this computer - did you mean `com.bitwig`?"),
        ("/nowhere/xterm", "there is no file `/nowhere/xterm` on this computer"),
    ],
)  # fmt: skip
@pytest.mark.usefixtures("computer")
def test_a_missing_app_is_reported_with_the_closest_name(app: str, message: str) -> None:
    assert find_launch_problem(app) == message


def test_a_path_is_looked_up_in_its_folder(computer: Path) -> None:
    there = computer / "bin"
    assert find_launch_problem(str(there)) is None
    assert find_launch_problem(str(there / "firefix")) == (
        f"there is no file `{there / 'firefix'}` on this computer - did you mean `firefox`?"
    )
    assert find_run_problem(str(there / "xterm")) is None
    assert find_run_problem("xtrem") == (
        "there is no program `xtrem` on this computer - did you mean `xterm`?"
    )
    assert os.access(there / "xterm", os.X_OK)


def test_a_link_to_itself_among_the_programs_is_passed_over(computer: Path) -> None:
    (computer / "bin" / "loop").symlink_to(computer / "bin" / "loop")
    assert "did you mean `xterm`?" in str(find_run_problem("xtrem"))


def test_a_port_that_a_program_listens_on_is_found() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as listener:
        listener.bind(("127.0.0.1", 0))
        ports = list_udp_ports()
        assert ports is not None
        assert listener.getsockname()[1] in ports
