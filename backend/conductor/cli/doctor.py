"""`conductor doctor`: checks this computer and says how to fix the problems that it finds."""

import argparse
import asyncio
import importlib.util
import json
import os
import stat
import sys
from dataclasses import asdict

from conductor import __version__
from conductor.base.checks import CheckResult
from conductor.base.paths import PORTAL_TOKEN_FILE, get_home_folder
from conductor.cli.client import SocketClient
from conductor.cli.config_file import read_config
from conductor.cli.devices import scan_devices
from conductor.cli.validate import check_config_file
from conductor.domain.settings import VoiceSettings
from conductor.errors import ConductorError, NotAvailable
from conductor.system.doctor import check_system as system_checks
from conductor.voice.host import VoiceHost
from conductor.window.browsers import describe_window, find_page_problem

REQUIRED_PACKAGES = (
    "mido",
    "pygame",
    "pythonosc",
    "pydantic",
    "sqlmodel",
    "tomlkit",
    "watchdog",
)
MIDI_BINDING_PACKAGES = ("rtmidi", "supriya_midi")
"""Groups of packages of which one must be installed. The version of Python decides which."""


def run(args: argparse.Namespace) -> int:
    """Print the result of each check.

    Return 1 if the home folder, the packages or the config have a problem, otherwise 0. Parts that not
    everyone needs, such as a display or a device, may be missing.
    """
    checks = [
        *_check_home_folder(),
        _check_packages(),
        *_check_midi_ports(),
        *system_checks(get_home_folder() / PORTAL_TOKEN_FILE),
        *_check_voice(),
        _check_window(),
        _check_running_conductor(),
    ]
    if args.json:
        print(json.dumps({"version": __version__, "checks": [asdict(check) for check in checks]}))
    else:
        for check in checks:
            print(f"{'ok ' if check.ok else '-- '} {check.name:<20} {check.detail}")
            for line in (check.remedy, *check.notes):
                if line:
                    print(f"{'':>24} {line}")
    return (
        0
        if all(check.ok for check in checks if check.name in ("home folder", "packages", "config"))
        else 1
    )


def _check_home_folder() -> list[CheckResult]:
    folder = get_home_folder()
    mode = stat.S_IMODE(folder.stat().st_mode)
    private = sys.platform == "win32" or mode & 0o077 == 0
    checks = [
        CheckResult(
            "home folder",
            ok=os.access(folder, os.W_OK),
            detail=f"{folder}" + ("" if private else f" (mode {mode:o}: other users can read it)"),
            remedy="" if private else f"chmod 700 {folder}",
        )
    ]
    path = folder / "config.toml"
    if path.exists():
        report, _ = check_config_file(path)
        detail = f"{path}: {'valid' if report.valid else report.errors[0].format()}"
        remedy = "" if report.valid else "run `conductor validate` for details"
        checks.append(CheckResult("config", report.valid, detail, remedy))
    return checks


def _check_packages() -> CheckResult:
    missing = [name for name in REQUIRED_PACKAGES if not _is_installed(name)]
    if not any(map(_is_installed, MIDI_BINDING_PACKAGES)):
        missing.append(" or ".join(MIDI_BINDING_PACKAGES))
    if missing:
        return CheckResult(
            "packages", ok=False, detail=f"missing: {', '.join(missing)}", remedy="make setup"
        )
    return CheckResult(
        "packages", ok=True, detail=f"Python {sys.version.split()[0]}, all packages installed"
    )


def _is_installed(name: str) -> bool:
    return importlib.util.find_spec(name) is not None


def _check_midi_ports() -> list[CheckResult]:
    devices, problems = scan_devices()
    counts = {
        kind: sum(1 for d in devices if d["kind"] == kind)
        for kind in ("midi_input", "midi_output", "gamepad")
    }
    detail = "{midi_input} inputs, {midi_output} outputs".format(**counts)
    checks = [CheckResult("MIDI", ok=not problems or counts["midi_input"] > 0, detail=detail)]
    checks += [CheckResult("MIDI", ok=False, detail=problem) for problem in problems]
    checks.append(CheckResult("gamepads", ok=True, detail=f"{counts['gamepad']} connected"))
    return checks


def _check_voice() -> list[CheckResult]:
    """Return checks of what recognises speech and of the microphone, or none if both are switched off."""
    try:
        voice = read_config(get_home_folder() / "config.toml").settings.voice
    except ConductorError:  # missing, or reported by the check of the config
        voice = VoiceSettings()
    if not voice.names and voice.transcription == "off":
        return []
    return [_check_speech(voice), asyncio.run(_check_microphone())]


def _check_speech(voice: VoiceSettings) -> CheckResult:
    transcription = {
        "off": "names of mappings and modes only",
        "provider": f"other speech: {voice.provider or 'the first provider that can transcribe'}",
        "server": f"other speech: {voice.server or 'no server is set in Settings > Voice'}",
    }[voice.transcription]
    problem = VoiceHost().find_recognizer_problem() if voice.names else None
    return CheckResult("speech", problem is None, detail=problem or transcription)


async def _check_microphone() -> CheckResult:
    host = VoiceHost()
    try:
        names = await host.list_microphones()
        return CheckResult("microphone", ok=True, detail=", ".join(names))
    except NotAvailable as error:
        return CheckResult("microphone", ok=False, detail=str(error))
    finally:
        await host.close()


def _check_window() -> CheckResult:
    problem = find_page_problem(dict(os.environ))
    if problem is None:
        return CheckResult("window", ok=True, detail=describe_window())
    return CheckResult("window", ok=False, detail=problem)


def _check_running_conductor() -> CheckResult:
    try:
        status = SocketClient().call_method("conductor_get_status")
    except ConductorError as error:
        return CheckResult("running", ok=False, detail=str(error))
    detail = f"{status['lifecycle_state']}, mode {status['mode']}"
    return CheckResult("running", ok=True, detail=detail, notes=tuple(status["problems"]))
