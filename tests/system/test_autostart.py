"""Starting at login is one file in the user's own folder, written and removed."""

import plistlib
import subprocess
from pathlib import Path

import pytest

from conductor.system.autostart import Autostart

COMMAND = ["/opt/my apps/con$ductor%", "run", "--window", "--hidden"]


def autostart(tmp_path: Path, platform: str = "linux", command: list[str] = COMMAND) -> Autostart:
    return Autostart(command, platform=platform, environment={"HOME": str(tmp_path)})


@pytest.mark.parametrize("platform", ["linux", "darwin", "win32"])
def test_autostart_is_turned_on_and_off(tmp_path: Path, platform: str):
    start = autostart(tmp_path, platform)
    assert not start.is_enabled()
    for _ in range(2):
        start.set_enabled(on=True)
        assert start.is_enabled()
    for _ in range(2):
        start.set_enabled(on=False)
        assert not start.path.exists()


def test_the_entry_of_another_installation_is_kept_until_this_one_is_turned_on(tmp_path: Path):
    other = autostart(tmp_path, command=["/usr/bin/conductor"])
    other.set_enabled(on=True)
    start = autostart(tmp_path)
    start.set_enabled(on=False)
    assert other.is_enabled()
    start.set_enabled(on=True)
    assert start.is_enabled()


def test_a_desktop_reads_the_same_command_from_the_entry(tmp_path: Path):
    start = autostart(tmp_path)
    start.set_enabled(on=True)
    assert start.path == tmp_path / ".config/autostart/conductor.desktop"
    line = next(line for line in start.path.read_text().splitlines() if line.startswith("Exec="))
    text = line.removeprefix("Exec=").replace("\\\\", "\\").replace("%%", "%")
    said = subprocess.run(["sh", "-c", f"printf '%s\\n' {text}"], capture_output=True, text=True)
    assert said.stdout.splitlines() == COMMAND


def test_a_mac_reads_the_same_command_from_the_agent(tmp_path: Path):
    start = autostart(tmp_path, "darwin")
    start.set_enabled(on=True)
    assert plistlib.loads(start.path.read_bytes())["ProgramArguments"] == COMMAND
