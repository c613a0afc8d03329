"""The packaged app, used as a user would: no Python, no checkout, its own home folder."""

import contextlib
import os
import signal
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from playwright.sync_api import sync_playwright
from tests.support.jack import MidiPeer, jack_server
from tests.support.processes import descendants
from tests.support.running import wait_for
from tests.support.xserver import window_manager, x_server
from tests.window.rig import free_tcp_port, page_of, window_environment

from conductor.base.clock import now
from conductor.cli.client import SocketClient
from conductor.errors import ConductorError

ROOT = Path(__file__).resolve().parents[2]
LARGEST_FILE_MB, LARGEST_FOLDER_MB = 215, 645
"""Watched, so that a dependency does not double the download unseen."""
ONE_FILE = ROOT / "dist" / "conductor"
UNPACKED = ROOT / ".cache" / "package-test"
"""Where the one file unpacks itself in these tests, under the hash of its contents."""
ONE_FOLDER = ROOT / "dist" / "conductor-folder" / "conductor"

pytestmark = [pytest.mark.package, pytest.mark.timeout(300)]
both_builds = pytest.mark.parametrize("program", [ONE_FILE, ONE_FOLDER], ids=["file", "folder"])


def environment(home: Path) -> dict[str, str]:
    """Return an environment with nothing of the developer's to lean on."""
    folder = str(home)
    return {
        "CONDUCTOR_HOME": folder,
        "HOME": folder,
        "PATH": os.defpath,
        "LANG": "C.UTF-8",
        "XDG_CACHE_HOME": str(UNPACKED),
    }


def conductor(program: Path, home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run it to its end, away from the checkout."""
    command = [program, *arguments]
    return subprocess.run(
        command, cwd=home, env=environment(home), capture_output=True, text=True, timeout=60
    )


@both_builds
def test_it_prints_its_version(program: Path, tmp_path: Path):
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    done = conductor(program, tmp_path, "--version")
    assert done.returncode == 0, done.stderr
    assert version in done.stdout


@both_builds
def test_the_doctor_finds_every_library_inside(program: Path, tmp_path: Path):
    done = conductor(program, tmp_path, "doctor")
    report = done.stdout + done.stderr
    assert report.strip()
    assert "Traceback" not in report
    assert "No module named" not in report
    assert "missing:" not in report


@both_builds
def test_it_says_what_is_wrong_in_a_config(program: Path, tmp_path: Path):
    config = tmp_path / "config.toml"
    config.write_text("[settings.engin]\n")
    done = conductor(program, tmp_path, "validate", str(config))
    assert done.returncode == 1
    assert "engine" in done.stdout + done.stderr


@both_builds
def test_the_demo_plays_through_an_engine_process_of_its_own(program: Path, tmp_path: Path):
    command = [program, "run", "--demo"]
    with subprocess.Popen(
        command, cwd=tmp_path, env=environment(tmp_path), stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert any("Keystroke" in line for line in process.stdout), "it ended before it acted"
        process.send_signal(signal.SIGINT)
        process.stdout.read()
    assert process.returncode == 0


CONFIG = """
[[modes]]
name = "Default"

[[modes.mappings]]
trigger = { type = "Note", note = 36 }
action = { type = "SendMidi", port = "Package", message_type = "CC", controller = 74, value = 99 }
"""


@both_builds
@pytest.mark.jack
def test_a_note_from_another_process_becomes_a_control_change(program: Path, tmp_path: Path):
    (tmp_path / "config.toml").write_text(CONFIG)
    with (
        jack_server() as server,
        MidiPeer("Package") as peer,
        subprocess.Popen(
            [program, "run", "--headless", "--quiet"],
            cwd=tmp_path,
            env={**environment(tmp_path), **server.environment},
        ) as process,
    ):
        try:
            send_until(peer, "90 24 64", "b0 4a 63")
        finally:
            process.send_signal(signal.SIGINT)
    assert process.returncode == 0


@both_builds
@pytest.mark.jack
@pytest.mark.x11
@pytest.mark.window
def test_a_double_click_opens_the_window_and_a_note_still_becomes_a_control_change(
    program: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    """Start it with no arguments and no terminal, as a desktop does, and let a second start show it."""
    (tmp_path / "config.toml").write_text(CONFIG)
    port = free_tcp_port()
    with (
        jack_server() as server,
        x_server() as screen,
        window_manager(screen.display),
        MidiPeer("Package") as peer,
        sync_playwright() as playwright,
    ):
        shown = {**environment(tmp_path), **window_environment(screen.display, port)}
        began = now()
        with subprocess.Popen(
            [program], cwd=tmp_path, env={**shown, **server.environment}, stdin=subprocess.DEVNULL
        ) as process:
            try:
                wait_for(lambda: answers(tmp_path), bool, 60)
                answered_s = now() - began
                page = page_of(playwright, port)
                page.wait_for_selector("text=Conductor")
                painted_s = now() - began
                wait_for(lambda: page.evaluate("innerWidth"), lambda width: width >= 900)
                send_until(peer, "90 24 64", "b0 4a 63")
                again = subprocess.run([program], env=shown, capture_output=True, text=True)
                assert "showing its window" in again.stdout, again.stderr
            finally:
                family = descendants(process.pid)
                process.send_signal(signal.SIGINT)
    assert process.returncode == 0
    assert family
    with capsys.disabled():
        say(f"\n{program.name}: answers in {answered_s:.1f} s, window in {painted_s:.1f} s")


def say(text: str) -> None:
    sys.stdout.write(f"{text}\n")


def answers(home: Path) -> bool:
    """Return whether it answers on its socket."""
    try:
        client = SocketClient(home / "mcp.sock")
    except ConductorError:
        return False
    with contextlib.closing(client):
        return bool(client.call_method("conductor_get_status"))


def test_neither_build_has_grown_out_of_hand(capsys: pytest.CaptureFixture[str]):
    file_mb = ONE_FILE.stat().st_size / 1e6
    files = (file for file in ONE_FOLDER.parent.rglob("*") if not file.is_symlink())
    folder_mb = sum(file.stat().st_size for file in files if file.is_file()) / 1e6
    with capsys.disabled():
        say(f"\none file: {file_mb:.0f} MB, one folder: {folder_mb:.0f} MB")
    assert file_mb < LARGEST_FILE_MB
    assert folder_mb < LARGEST_FOLDER_MB


@both_builds
def test_agents_get_the_descriptions_of_fields(program: Path, tmp_path: Path):
    """They come from docstrings below the fields, which only the sources have."""
    done = conductor(program, tmp_path, "tools", "list", "--json")
    assert "Such as 15% of 847" in done.stdout, done.stderr


def test_the_one_file_is_unpacked_once_and_repairs_itself(tmp_path: Path):
    own = {**environment(tmp_path), "XDG_CACHE_HOME": str(tmp_path / "cache")}

    def version() -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [ONE_FILE, "--version"], env=own, capture_output=True, text=True, check=True
        )

    first, second = version(), version()
    assert "once for this version" in first.stderr
    assert first.stdout == second.stdout
    assert second.stderr == ""
    [library] = (tmp_path / "cache").rglob("lib/libQt6WebEngineCore.so.6")
    library.write_bytes(b"")
    assert "once for this version" in version().stderr
    assert library.stat().st_size > 1_000_000


def test_the_one_file_tells_agents_the_file_that_the_user_has(tmp_path: Path):
    done = conductor(ONE_FILE, tmp_path, "mcp", "install", "--client", "claude-code", "--dry-run")
    assert str(ONE_FILE) in done.stdout, done.stdout + done.stderr
    assert str(UNPACKED) not in done.stdout


def test_the_licences_lie_beside_the_program_and_no_library_is_under_the_gpl():
    notices = (ONE_FILE.parent / "THIRD-PARTY-NOTICES.txt").read_text()
    for name in ("pydantic", "PySide6", "pygame", "svelte", "chromadb"):
        assert name in notices
    assert not list(ONE_FOLDER.parent.rglob("libreadline*"))


@pytest.mark.parametrize("name", ["conductor.desktop", "conductor.png"])
def test_a_desktop_entry_and_an_icon_lie_beside_the_program(name: str):
    assert (ONE_FILE.parent / name).stat().st_size > 100


def send_until(peer: MidiPeer, message: str, answer: str) -> None:
    """Play a message until the answer comes: a packaged app takes a moment to open its ports."""
    for _ in range(60):
        peer.send(message)
        try:
            peer.wait_for(answer, timeout_s=0.5)
        except TimeoutError:
            continue
        return
    raise TimeoutError(f"no {answer}: {peer.received}")
