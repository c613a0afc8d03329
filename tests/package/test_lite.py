"""The packaged app without Qt, used as a user would: its page opens in an app window of a browser."""

import os
import signal
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest
from playwright.sync_api import sync_playwright
from tests.package.test_package import CONFIG, ROOT, answers, environment, say, send_until
from tests.support.chromium import find_chromium
from tests.support.jack import MidiPeer, jack_server
from tests.support.running import wait_for
from tests.window.rig import free_tcp_port, page_of

LARGEST_MB = 120
"""Watched, so that a dependency does not double the download unseen."""
LITE = ROOT / "dist" / "conductor-lite"
UNPACKED = ROOT / ".cache" / "package-test-lite"

pytestmark = [pytest.mark.package, pytest.mark.timeout(300)]


def lite_environment(home: Path, more: Mapping[str, str]) -> dict[str, str]:
    return {**environment(home), "XDG_CACHE_HOME": str(UNPACKED), **more}


def put_on_path(folder: Path, port: int) -> Mapping[str, str]:
    """Put a `chromium` on the search path that needs no display, and that Playwright can drive.

    A headless browser does not know the option `--app`.
    """
    browser = find_chromium()
    options = f"--headless --no-sandbox --window-size=1280,800 --remote-debugging-port={port}"
    program = folder / "chromium"
    program.write_text(
        f'#!/bin/sh\napp="$1"\nshift\nexec "{browser}" {options} "$@" "${{app#--app=}}"\n'
    )
    program.chmod(0o755)
    # the mapping presses no key, so nothing connects to the display
    return {"PATH": f"{folder}:{os.defpath}", "DISPLAY": ":4711"}


@pytest.mark.jack
def test_a_double_click_opens_the_page_in_a_browser_and_a_note_becomes_a_control_change(
    tmp_path: Path,
):
    home = tmp_path / "home"
    home.mkdir()
    (home / "config.toml").write_text(CONFIG)
    port = free_tcp_port()
    with (
        jack_server() as server,
        MidiPeer("Package") as peer,
        sync_playwright() as playwright,
        subprocess.Popen(
            [LITE],
            cwd=home,
            env=lite_environment(home, {**put_on_path(tmp_path, port), **server.environment}),
            stdin=subprocess.DEVNULL,
        ) as process,
    ):
        try:
            wait_for(lambda: answers(home), bool, 90)
            page = page_of(playwright, port)
            page.wait_for_selector("text=Conductor")
            wait_for(lambda: page.evaluate("location.hash"), lambda part: part == "")
            send_until(peer, "90 24 64", "b0 4a 63")
            browser = page.context.browser
            assert browser is not None
            browser.new_browser_cdp_session().send("Browser.close")
            assert process.wait(60) == 0
        finally:
            if process.poll() is None:
                process.send_signal(signal.SIGINT)


def test_the_doctor_says_which_browser_shows_the_page_and_why(tmp_path: Path):
    done = subprocess.run(
        [LITE, "doctor"],
        cwd=tmp_path,
        env=lite_environment(tmp_path, put_on_path(tmp_path, 0)),
        capture_output=True,
        text=True,
        timeout=120,
    )
    report = done.stdout + done.stderr
    assert "app window of Chromium" in report
    assert "has no pywebview and no PySide6" in report
    assert "No module named" not in report


def test_it_is_small_and_contains_no_qt(capsys: pytest.CaptureFixture[str]):
    size_mb = LITE.stat().st_size / 1e6
    with capsys.disabled():
        say(f"\nlite: {size_mb:.0f} MB")
    assert size_mb < LARGEST_MB
    assert not list(UNPACKED.rglob("libQt6*"))
