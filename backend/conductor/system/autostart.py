"""Starts Conductor at login through a file in the user's autostart folder, which requires no privileges.

Tested on Linux only; the files for macOS and Windows are untested.
"""

import os
import shlex
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from xml.sax.saxutils import escape

from conductor.base.program import build_lasting_command
from conductor.errors import NotAvailable

LAUNCH_AGENT_LABEL = "app.conductor.desktop"
AUTOSTART_ARGUMENTS = ("run", "--window", "--hidden")


def build_start_command() -> list[str]:
    """Return the command that starts Conductor at login, with its window hidden in the tray."""
    program, *rest = build_lasting_command()
    windowed = Path(program).with_name("conductorw.exe")
    if sys.platform == "win32" and windowed.is_file():
        program = str(windowed)  # conductor.exe would open a console
    return [program, *rest, *AUTOSTART_ARGUMENTS]


class Autostart:
    """Creates and removes the file that starts Conductor when the current user logs in."""

    def __init__(
        self,
        command: Sequence[str],
        *,
        platform: str = sys.platform,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self._command = list(command)
        self._platform = platform
        self.path = _find_autostart_file(
            platform, os.environ if environment is None else environment
        )

    def is_enabled(self) -> bool:
        """Return whether an autostart file exists and starts this installation of Conductor."""
        try:
            return self.path.read_text(encoding="utf-8") == self._build_autostart_file()
        except (OSError, ValueError):
            return False

    def set_enabled(self, *, on: bool) -> None:
        """Enable or disable the start of Conductor at login. The autostart file of another
        installation is not removed.

        Raises:
            NotAvailable: The autostart file cannot be written or removed.
        """
        if on == self.is_enabled():
            return
        try:
            if on:
                self.path.parent.mkdir(parents=True, exist_ok=True)
                self.path.write_text(self._build_autostart_file(), encoding="utf-8")
            else:
                self.path.unlink(missing_ok=True)
        except OSError as error:
            raise NotAvailable(
                f"start at login could not be changed: {self.path}: {error.strerror}"
            ) from error

    def _build_autostart_file(self) -> str:
        if self._platform == "darwin":
            return _format_launch_agent(self._command)
        if self._platform == "win32":
            return _format_batch_file(self._command)
        return _format_desktop_entry(self._command)


def _find_autostart_file(platform: str, environment: Mapping[str, str]) -> Path:
    home = Path(environment.get("HOME") or Path.home())
    if platform == "darwin":
        return home / "Library" / "LaunchAgents" / f"{LAUNCH_AGENT_LABEL}.plist"
    if platform == "win32":
        roaming = Path(environment.get("APPDATA") or home / "AppData" / "Roaming")
        return roaming / "Microsoft/Windows/Start Menu/Programs/Startup/Conductor.cmd"
    config = Path(environment.get("XDG_CONFIG_HOME") or home / ".config")
    return config / "autostart" / "conductor.desktop"


def _format_desktop_entry(command: Sequence[str]) -> str:
    return "\n".join(
        (
            "[Desktop Entry]",
            "Type=Application",
            "Name=Conductor",
            "Comment=MIDI controllers and gamepads at work",
            f"Exec={' '.join(map(_quote_exec_word, command))}",
            "Icon=conductor",
            "Terminal=false",
            "X-GNOME-Autostart-enabled=true",
            "",
        )
    )


def _quote_exec_word(word: str) -> str:
    """Quote an argument for an `Exec` line, which the Desktop Entry Specification
    requires to be escaped twice.
    """
    if word == shlex.quote(word):
        return word.replace("%", "%%")
    inner = "".join(f"\\{letter}" if letter in '"`$\\' else letter for letter in word)
    return '"' + inner.replace("\\", "\\\\").replace("%", "%%") + '"'


def _format_launch_agent(command: Sequence[str]) -> str:
    words = "".join(f"<string>{escape(word)}</string>" for word in command)
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN"'
        ' "http://www.apple.com/DTDs/PropertyList-1.0.dtd">\n'
        f'<plist version="1.0"><dict><key>Label</key><string>{LAUNCH_AGENT_LABEL}</string>'
        f"<key>ProgramArguments</key><array>{words}</array>"
        "<key>RunAtLoad</key><true/></dict></plist>\n"
    )


def _format_batch_file(command: Sequence[str]) -> str:
    words = " ".join(f'"{word}"'.replace("%", "%%") for word in command)
    return f'@start "" {words}\n'
