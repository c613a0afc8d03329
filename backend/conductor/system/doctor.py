"""Checks the OS boundary in this session, with remedies for what does not work."""

import os
import sys

from conductor.base.checks import CheckResult
from conductor.errors import ActionFailed


def check_system(platform: str = sys.platform) -> list[CheckResult]:
    """Check the keyboard, the app in front and the volume without pressing or changing anything."""
    if platform == "darwin":
        return [_check_mac_permission()]
    if platform == "win32":
        return [
            CheckResult(
                "keyboard", ok=True, detail="SendInput; apps run as administrator ignore it"
            )
        ]
    return [_check_x11_keyboard(), _check_x11_foreground(), _check_pulse()]


def _check_x11_keyboard() -> CheckResult:
    from conductor.system.x11_link import X11Link

    link = X11Link()
    try:
        link.call(lambda display: display.sync())
    except ActionFailed as problem:
        return _build_failed_check("keyboard and mouse", problem)
    finally:
        link.close()
    name = os.environ.get("DISPLAY", "")
    if os.environ.get("WAYLAND_DISPLAY"):
        detail = f"XTEST on {name}, which is XWayland: only X11 apps get the keys"
        remedy = "log in to an X11 (Xorg) session to reach every app"
        return CheckResult("keyboard and mouse", ok=True, detail=detail, remedy=remedy)
    return CheckResult("keyboard and mouse", ok=True, detail=f"XTEST on display {name}")


def _check_x11_foreground() -> CheckResult:
    from conductor.system.foreground_x11 import why_unavailable

    reason = why_unavailable()
    if reason:
        return _build_failed_check("app in front", reason)
    return CheckResult(
        "app in front", ok=True, detail="the window manager reports the active window"
    )


def _check_pulse() -> CheckResult:
    from conductor.system.volume import PulseVolume

    volume = PulseVolume()
    try:
        return CheckResult("volume", ok=True, detail=volume.output())
    except ActionFailed as problem:
        return _build_failed_check("volume", problem)
    finally:
        volume.close()


def _build_failed_check(name: str, reason: object) -> CheckResult:
    """Build a failed check from a message of the form `problem: remedy`."""
    detail, _, remedy = str(reason).rpartition(": ")
    return CheckResult(name, ok=False, detail=detail or remedy, remedy=remedy if detail else "")


def _check_mac_permission() -> CheckResult:
    """Check whether macOS allows posting events. Untested: never run on a Mac."""
    remedy = "System Settings > Privacy & Security > Accessibility: turn Conductor on"
    try:
        from ApplicationServices import (  # pyright: ignore[reportMissingImports]
            AXIsProcessTrusted,
        )
    except ImportError:
        return CheckResult(
            "keyboard and mouse", ok=False, detail="PyObjC is missing", remedy=remedy
        )
    trusted = bool(AXIsProcessTrusted())
    detail = "Accessibility is granted" if trusted else "Accessibility is not granted"
    return CheckResult(
        "keyboard and mouse", ok=trusted, detail=detail, remedy="" if trusted else remedy
    )
