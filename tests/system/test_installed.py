"""Installed programs and apps, looked up in folders that the test creates."""

import os
import socket
import sys
from pathlib import Path

import pytest

from conductor.system.installed import (
    InstalledApp,
    find_launch_problem,
    find_run_problem,
    list_installed_apps,
    list_udp_ports,
)

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


def test_the_apps_of_the_menu_are_listed_by_the_names_that_open_and_recognise_them(
    computer: Path,
) -> None:
    apps = computer / "share" / "applications"
    for name, fields in {
        "org.a.notes": "Name=Notes\nExec=/usr/bin/notes-a %U",
        "org.b.notes": "Name=Notes\nExec=flatpak run org.b.notes",
        "hidden": "Name=Helper\nExec=helper\nNoDisplay=true",
        "folder": "Name=Games\nType=Directory",
        "empty": "Name=Broken",
    }.items():
        (apps / f"{name}.desktop").write_text(f"[Desktop Entry]\n{fields}\n")
    assert list_installed_apps("linux") == [
        InstalledApp("Bitwig Studio", "Bitwig Studio", "bitwig"),
        InstalledApp("Notes", "org.a.notes", "notes-a"),
        InstalledApp("Notes", "org.b.notes", ""),
    ]
    for app in list_installed_apps("linux"):
        assert find_launch_problem(app.launch) is None


def test_an_entry_of_the_user_hides_the_one_of_the_system(
    computer: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = computer / "own" / "applications"
    own.mkdir(parents=True)
    (own / "com.bitwig.desktop").write_text("[Desktop Entry]\nName=Bitwig\nHidden=true\n")
    monkeypatch.setenv("XDG_DATA_HOME", str(own.parent))
    assert list_installed_apps("linux") == []


def test_the_menu_of_windows_and_the_bundles_of_macos_are_listed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    menu = tmp_path / "Microsoft" / "Windows" / "Start Menu" / "Programs" / "Music"
    menu.mkdir(parents=True)
    (menu / "Live.lnk").touch()
    monkeypatch.setenv("PROGRAMDATA", str(tmp_path))
    monkeypatch.delenv("APPDATA", raising=False)
    assert list_installed_apps("win32") == [InstalledApp("Live", str(menu / "Live.lnk"), "")]

    bundle = tmp_path / "Live.app" / "Contents"
    (bundle / "Helper.app").mkdir(parents=True)
    info = b"<plist><dict><key>CFBundleIdentifier</key><string>com.live</string></dict></plist>"
    (bundle / "Info.plist").write_bytes(info)
    monkeypatch.setattr("conductor.system.installed.MAC_APP_FOLDERS", (str(tmp_path),))
    assert list_installed_apps("darwin") == [InstalledApp("Live", "Live", "com.live")]


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
