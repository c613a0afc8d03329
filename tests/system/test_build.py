"""The platform's parts are created and work together, and the doctor reports what is missing."""

import threading
from pathlib import Path

import pytest
from tests.support.pulse import pulse_server
from tests.support.xserver import KeyWindow, XServer, window_manager

from conductor.domain.ports import Keyboard, Mouse, OscOut, Programs, Volume
from conductor.errors import ActionFailed
from conductor.system.build import (
    SystemOutputs,
    make_keyboard,
    make_mouse,
    make_programs,
    make_volume,
)
from conductor.system.doctor import check_system
from conductor.system.osc_out import UdpOscOut

NO_TOKEN = Path("/nowhere/token")


@pytest.mark.x11
def test_a_key_and_a_click_reach_the_window_and_close_releases_keys(window: KeyWindow) -> None:
    system = SystemOutputs(NO_TOKEN)
    system.keyboard.press_keys(["cmd"])
    system.mouse.move_to(10, 10)
    system.mouse.click("right", 1)
    assert window.next_key().name == "Super_L"
    assert window.next_button().modifiers == {"super"}
    system.close()
    released = window.next_key()
    assert (released.name, released.pressed) == ("Super_L", False)


@pytest.mark.x11
def test_a_system_connects_ahead_of_the_first_key(window: KeyWindow) -> None:
    system = SystemOutputs(NO_TOKEN)
    system.connect()
    for thread in [one for one in threading.enumerate() if one.name == "input connect"]:
        thread.join(10)
    assert system.input_route == "XTEST"
    system.keyboard.press_keys(["a"])
    assert window.next_key().name == "a"
    system.close()


def test_connecting_without_a_display_is_harmless(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DISPLAY", raising=False)
    system = SystemOutputs(NO_TOKEN)
    system.connect()
    system.close()
    with pytest.raises(ActionFailed, match="no X display"):
        system.keyboard.press_keys(["a"])


def test_every_part_can_be_created_without_a_session(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DISPLAY", raising=False)
    keyboard: Keyboard = make_keyboard()
    mouse: Mouse = make_mouse()
    programs: Programs = make_programs()
    volume: Volume = make_volume()
    osc: OscOut = UdpOscOut()
    assert all((keyboard, mouse, programs, volume, osc))
    SystemOutputs(NO_TOKEN).close()


def test_the_doctor_reports_what_is_missing_and_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.setenv("PULSE_SERVER", f"unix:{tmp_path}/nothing")
    checks = {check.name: check for check in check_system(NO_TOKEN)}
    assert not any(check.ok for check in checks.values())
    assert all(check.remedy for check in checks.values())
    assert checks["keyboard and mouse"].detail == "no X display"
    assert checks["volume"].detail == "no sound server responds"


@pytest.mark.x11
@pytest.mark.pulse
def test_the_doctor_reports_no_problem_on_a_desktop_with_sound(
    xserver: XServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pulse_server(tmp_path) as pulse, window_manager(xserver.display):
        monkeypatch.setenv("PULSE_SERVER", pulse.address)
        assert [(check.name, check.ok) for check in check_system(NO_TOKEN)] == [
            ("keyboard and mouse", True),
            ("app in front", True),
            ("volume", True),
        ]
