"""Which browser shows the page, with which command line, and what the doctor says about it."""

import os
import sys
from pathlib import Path

import pytest
from tests.support.running import running_conductor

from conductor.window import browsers
from conductor.window.browsers import (
    AppBrowser,
    build_app_command,
    describe_window,
    end_remaining_browser,
    find_app_browser,
    find_browser_reason,
    find_page_problem,
    find_profile_folder,
)

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="Linux only")


def installed(folder: Path, *names: str) -> dict[str, str]:
    """Return an environment in which only these programs are installed."""
    for name in names:
        (folder / name).write_text("#!/bin/sh\n")
        (folder / name).chmod(0o755)
    return {"PATH": str(folder), "DISPLAY": ":4711"}


@pytest.mark.parametrize(
    ("names", "chosen"),
    [
        (["brave-browser", "microsoft-edge", "google-chrome", "chromium"], "Chromium"),
        (["brave-browser", "microsoft-edge", "google-chrome-stable"], "Chrome"),
        (["brave-browser", "microsoft-edge"], "Edge"),
        (["firefox", "brave-browser"], "Brave"),
        (["firefox"], None),
    ],
)
def test_a_browser_with_an_app_mode_is_preferred(
    names: list[str], chosen: str | None, tmp_path: Path
):
    browser = find_app_browser(installed(tmp_path, *names))
    assert (browser and browser.name) == chosen


def test_root_gets_no_sandbox_and_others_keep_it(monkeypatch: pytest.MonkeyPatch):
    browser = AppBrowser("Chromium", "/usr/bin/chromium")
    for user, expected in ((0, True), (1000, False)):
        monkeypatch.setattr(os, "geteuid", lambda user=user: user)
        command = build_app_command(browser, "http://127.0.0.1:1/#t=x", Path("/home/me/p"))
        assert ("--no-sandbox" in command) is expected


def test_a_browser_in_a_snap_has_its_profile_where_it_may_write(tmp_path: Path):
    snap = find_profile_folder(AppBrowser("Chromium", "/snap/bin/chromium"), tmp_path)
    assert snap == Path.home() / "snap" / "chromium" / "common" / "conductor"
    assert find_profile_folder(AppBrowser("Chrome", "/usr/bin/google-chrome"), tmp_path) == (
        tmp_path / "browser"
    )


def test_a_missing_package_of_qt_is_the_reason_for_a_browser(monkeypatch: pytest.MonkeyPatch):
    assert find_browser_reason() is None
    monkeypatch.setitem(browsers.QT_PACKAGES, "no_such_module", "PySide6")
    assert find_browser_reason() == "this installation has no PySide6"


def test_the_description_names_the_browser_and_the_reason(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    assert describe_window() == "Qt window"
    monkeypatch.setenv("CONDUCTOR_WINDOW", "browser")
    environment = installed(tmp_path, "xdg-open")
    reason = "because CONDUCTOR_WINDOW is set to `browser`"
    assert describe_window(environment) == (
        f"default browser, {reason} and no Chromium, Chrome, Edge or Brave was found"
    )
    installed(tmp_path, "google-chrome")
    program = tmp_path / "google-chrome"
    assert describe_window(environment) == f"app window of Chrome ({program}), {reason}"


def test_without_a_display_or_a_browser_there_is_a_problem(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    monkeypatch.setenv("CONDUCTOR_WINDOW", "browser")
    environment = installed(tmp_path)
    assert "no browser was found" in str(find_page_problem(environment))
    assert "no display" in str(find_page_problem({"PATH": str(tmp_path)}))
    assert find_page_problem(installed(tmp_path, "xdg-open")) is None


def test_only_a_browser_with_this_profile_is_ended(tmp_path: Path):
    """The process id in the lock may have been given to another program since."""
    assert end_remaining_browser(tmp_path) is None
    (tmp_path / "SingletonLock").symlink_to(f"host-{os.getpid()}")
    assert end_remaining_browser(tmp_path) is None


def test_the_doctor_and_the_status_say_which_window_is_used(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    environment = {**installed(tmp_path, "chromium"), "CONDUCTOR_WINDOW": "browser"}
    path = f"{tmp_path}:{os.environ['PATH']}"
    with running_conductor("", environment={**environment, "PATH": path}) as running:
        expected = f"app window of Chromium ({tmp_path / 'chromium'}), because CONDUCTOR_WINDOW is"
        assert expected in running.cli("doctor").stdout
        assert expected in running.cli("status").stdout
