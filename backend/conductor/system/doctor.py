"""Checks keyboard, mouse, foreground app and volume in this session, and suggests remedies for problems."""

import sys
from collections.abc import Sequence
from pathlib import Path

from conductor.base.checks import CheckResult
from conductor.errors import ActionFailed
from conductor.system.build import make_input_routes
from conductor.system.foreground import make_foreground_sources
from conductor.system.foreground_watch import (
    APP_NOT_REVEALED_MESSAGE,
    ForegroundSource,
    find_remedy,
    probe_sources,
)
from conductor.system.input_route import InputRoute
from conductor.system.input_routes import probe_routes

INPUT_ROUTE_ADVICE = (
    "allow Conductor to use /dev/uinput: "
    """echo 'KERNEL=="uinput", SUBSYSTEM=="misc", TAG+="uaccess", OPTIONS+="static_node=uinput"' """
    "| sudo tee /etc/udev/rules.d/60-uinput.rules, then restart the computer"
)
FOREGROUND_ADVICE = "use modes and a pad for `ModeChange` instead of profiles for apps"


def check_system(portal_token: Path, platform: str = sys.platform) -> list[CheckResult]:
    """Return checks of the keyboard, the foreground app and the volume.

    No key is pressed and nothing is changed.
    """
    if platform == "darwin":
        return [_check_mac_permission()]
    if platform == "win32":
        return [
            _check_elevation(),
        ]
    return [
        check_input_routes(make_input_routes(portal_token)),
        check_foreground(make_foreground_sources()),
        _check_pulse(),
    ]


def check_input_routes(routes: Sequence[InputRoute]) -> CheckResult:
    """Return a check that names the first input route that works, and says why the routes before it do not."""
    statuses = probe_routes(routes)
    chosen = next((route for route in statuses if route.problem is None), None)
    notes = tuple(
        f"{route.name}: {route.problem or 'also works, but has lower priority'}"
        for route in statuses
        if route is not chosen
    )
    if chosen is not None:
        detail = f"{chosen.name}: {chosen.reach_description}"
        remedy = "" if chosen.reaches_all else INPUT_ROUTE_ADVICE
        return CheckResult("keyboard and mouse", ok=True, detail=detail, remedy=remedy, notes=notes)
    if len(statuses) == 1:
        return _build_failed_check("keyboard and mouse", statuses[0].problem)
    detail = "Conductor cannot press keys in this Wayland session"
    return CheckResult(
        "keyboard and mouse", ok=False, detail=detail, remedy=INPUT_ROUTE_ADVICE, notes=notes
    )


def check_foreground(sources: Sequence[ForegroundSource]) -> CheckResult:
    """Return a check that names the first source of the foreground app that works,
    and says why others do not.
    """
    statuses = probe_sources(sources)
    chosen = next((source for source in statuses if source.problem is None), None)
    notes = tuple(
        f"{source.name}: {source.problem or 'also works, but has lower priority'}"
        for source in statuses
        if source is not chosen
    )
    if chosen is not None:
        detail = f"{chosen.name} reports the active window"
        return CheckResult("app in front", ok=True, detail=detail, notes=notes)
    if len(statuses) == 1:
        return _build_failed_check("app in front", statuses[0].problem)
    return CheckResult(
        "app in front",
        ok=False,
        detail=APP_NOT_REVEALED_MESSAGE,
        remedy=find_remedy(sources) or FOREGROUND_ADVICE,
        notes=notes,
    )


def _check_pulse() -> CheckResult:
    from conductor.system.volume import PulseVolume

    volume = PulseVolume()
    try:
        return CheckResult("volume", ok=True, detail=volume.get_output_name())
    except ActionFailed as problem:
        return _build_failed_check("volume", problem)
    finally:
        volume.close()


def _build_failed_check(name: str, reason: object) -> CheckResult:
    """Return a failed check from an error message of the form `problem: remedy`."""
    detail, _, remedy = str(reason).rpartition(": ")
    return CheckResult(name, ok=False, detail=detail or remedy, remedy=remedy if detail else "")


def _check_mac_permission() -> CheckResult:
    """Check whether macOS lets Conductor press keys."""
    from conductor.system.macos.permission import GRANT_ADVICE, is_trusted

    try:
        trusted = is_trusted()
    except ActionFailed as problem:
        return _build_failed_check("keyboard and mouse", problem)
    detail = "Accessibility is granted" if trusted else "Accessibility is not granted"
    remedy = "" if trusted else f"{GRANT_ADVICE}; `conductor desktop ask` opens it"
    return CheckResult("keyboard and mouse", ok=trusted, detail=detail, remedy=remedy)


def _check_elevation() -> CheckResult:
    """Check whether Windows would discard the keys for the app that is now in front."""
    from conductor.system.windows.foreground import find_elevated_app

    app = find_elevated_app()
    return CheckResult(
        "keyboard and mouse",
        ok=app is None,
        detail="SendInput; reaches every app that does not run as administrator",
        remedy=""
        if app is None
        else f"{app} is in front and runs as administrator: keys do not reach it",
    )
