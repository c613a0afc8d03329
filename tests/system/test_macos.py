"""Keys and the foreground app on macOS, with stand-ins for the frameworks and for pynput."""

import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from tests.system.test_build import NO_TOKEN

from conductor.errors import ActionFailed
from conductor.system.build import SystemOutputs, make_keyboard
from conductor.system.doctor import check_system
from conductor.system.macos.foreground import read_frontmost_app


class FakeMac:
    """A Mac. `windows` are listed from front to back."""

    def __init__(self) -> None:
        self.windows: list[dict[str, Any]] | None = []
        self.bundles = {11: "com.example.editor", 12: None}
        self.is_trusted = False
        self.asked: list[dict[str, bool]] = []
        self.pressed: list[str] = []

    def list_windows(self, option: int, number: int) -> list[dict[str, Any]] | None:
        assert (option, number) == (1 | 16, 0)
        return self.windows

    def release(self, key: str) -> None:
        self.pressed.append(f"-{key}")

    def find_app(self, pid: int) -> Any:
        if pid not in self.bundles:
            return None
        return SimpleNamespace(bundleIdentifier=lambda: self.bundles[pid])


def window(pid: int, layer: int = 0, alpha: float = 1.0, **more: Any) -> dict[str, Any]:
    return {
        "kCGWindowOwnerPID": pid,
        "kCGWindowLayer": layer,
        "kCGWindowAlpha": alpha,
        "kCGWindowOwnerName": f"App {pid}",
        **more,
    }


def make_module(name: str, **members: Any) -> ModuleType:
    module = ModuleType(name)
    module.__dict__.update(members)
    return module


@pytest.fixture
def mac(monkeypatch: pytest.MonkeyPatch) -> FakeMac:
    fake = FakeMac()
    keys = ["OwnerPID", "OwnerName", "Layer", "Alpha", "Name"]
    quartz = make_module(
        "Quartz",
        CGWindowListCopyWindowInfo=fake.list_windows,
        kCGWindowListOptionOnScreenOnly=1,
        kCGWindowListExcludeDesktopElements=16,
        kCGNullWindowID=0,
        **{f"kCGWindow{key}": f"kCGWindow{key}" for key in keys},
    )
    running = SimpleNamespace(runningApplicationWithProcessIdentifier_=fake.find_app)
    accessibility = make_module(
        "ApplicationServices",
        AXIsProcessTrusted=lambda: fake.is_trusted,
        AXIsProcessTrustedWithOptions=fake.asked.append,
        kAXTrustedCheckOptionPrompt="prompt",
    )
    controller = SimpleNamespace(
        press=fake.pressed.append, release=fake.release, type=fake.pressed.append
    )
    library = make_module(
        "pynput.keyboard",
        Controller=lambda: controller,
        Key=SimpleNamespace(cmd="cmd", f13="f13"),
        KeyCode=SimpleNamespace(from_char=str),
    )
    mouse = make_module("pynput.mouse", Controller=lambda: None)
    for module in (
        quartz,
        make_module("AppKit", NSRunningApplication=running),
        accessibility,
        make_module("pynput", keyboard=library, mouse=mouse),
        library,
        mouse,
    ):
        monkeypatch.setitem(sys.modules, module.__name__, module)
    return fake


def test_the_front_window_of_the_ordinary_layer_names_the_app(mac: FakeMac) -> None:
    mac.windows = [window(90, layer=25), window(91, alpha=0.0), window(11), window(12)]
    assert read_frontmost_app() == ("App 11", "com.example.editor", "")
    mac.windows = [window(12, kCGWindowName="Song")]
    assert read_frontmost_app() == ("App 12", "", "Song")
    mac.windows = [window(13)]
    assert read_frontmost_app() == ("App 13", "", "")
    for nothing in ([], None):
        mac.windows = nothing
        assert read_frontmost_app() == ("", "", "")


def test_keys_without_the_permission_are_an_error_and_the_user_can_be_asked(mac: FakeMac) -> None:
    system = SystemOutputs(NO_TOKEN, "darwin")
    for send in (
        lambda: system.keyboard.press_keys(["cmd", "c"]),
        lambda: system.keyboard.type_text("a"),
    ):
        with pytest.raises(ActionFailed, match="Privacy & Security > Accessibility"):
            send()
    assert mac.pressed == []
    assert system.input_consent == "needed"
    assert not check_system(NO_TOKEN, "darwin")[0].ok
    system.ask_for_consent()
    assert mac.asked == [{"prompt": True}]
    mac.is_trusted = True
    system.keyboard.press_keys(["cmd", "c"])
    assert mac.pressed == ["cmd", "c"]
    assert (system.input_consent, system.input_route) == ("allowed", "CGEvent")
    assert check_system(NO_TOKEN, "darwin")[0].ok


def test_held_keys_come_up_after_the_permission_was_taken_away(mac: FakeMac) -> None:
    mac.is_trusted = True
    keyboard = make_keyboard("darwin")
    keyboard.press_keys(["f13"])
    mac.is_trusted = False
    keyboard.release_keys(["f13"])
    assert mac.pressed == ["f13", "-f13"]
