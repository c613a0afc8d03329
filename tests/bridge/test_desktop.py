"""A page, and the user at a terminal, ask for permission to press keys and install the extension of GNOME."""

import json
import os
from collections.abc import Generator
from pathlib import Path

import pytest
from tests.support.gnome import fake_gsettings, gnome_shell
from tests.support.page import CommandFailed, Page
from tests.support.portal import FakePortal, portal, session_bus
from tests.support.running import RunningConductor, running_conductor, wait_for
from tests.tools.terminal import at_terminal

from conductor.system.gnome.extension import UUID


@pytest.fixture(scope="module")
def desktop(tmp_path_factory: pytest.TempPathFactory) -> Generator[tuple[FakePortal, Path]]:
    """Run a desktop of GNOME on Wayland, whose user first refuses."""
    folder = tmp_path_factory.mktemp("desktop")
    settings = fake_gsettings(folder)
    with (
        session_bus(folder) as address,
        portal(address, answer=1) as fake,
        gnome_shell(address, None),
        pytest.MonkeyPatch.context() as patch,
    ):
        patch.setenv("DBUS_SESSION_BUS_ADDRESS", address)
        yield fake, settings


@pytest.fixture(scope="module")
def conductor(desktop: tuple[FakePortal, Path]) -> Generator[RunningConductor]:
    _, settings = desktop
    environment = {
        "DBUS_SESSION_BUS_ADDRESS": os.environ["DBUS_SESSION_BUS_ADDRESS"],
        "WAYLAND_DISPLAY": "wayland-7",
        "XDG_RUNTIME_DIR": str(settings.parent),
        "XDG_DATA_HOME": str(settings.parent / "data"),
        "PATH": f"{settings.parent}:{os.environ['PATH']}",
        "DISPLAY": "",
    }
    with running_conductor(
        "", environment=environment, own_process=True, with_page=True
    ) as running:
        yield running


@pytest.fixture(scope="module")
def page(conductor: RunningConductor) -> Generator[Page]:
    with Page(conductor.address()) as page:
        yield page


def test_who_refused_is_asked_again_from_a_terminal_or_a_page(
    desktop: tuple[FakePortal, Path], conductor: RunningConductor, page: Page
) -> None:
    fake, _ = desktop

    def read_consent() -> str:
        return page.call("desktop.access")["input_consent"]

    assert read_consent() == "needed"
    refused = conductor.cli("desktop", "ask")
    assert (refused.returncode, "at a terminal" in refused.stderr) == (1, True)
    assert fake.questions == 0
    asked = at_terminal(conductor, "desktop", "ask")
    assert (asked.returncode, "Allow it in the dialog" in asked.stdout) == (0, True)
    wait_for(read_consent, lambda consent: consent == "refused")
    assert "`conductor desktop ask` asks again" in conductor.cli("status").stdout
    fake.answer = 0
    page.call("desktop.ask")
    wait_for(read_consent, lambda consent: consent == "allowed")
    assert page.call("desktop.access")["input_route"] == "RemoteDesktop portal"
    assert fake.questions == 2
    page.call("desktop.ask")
    assert (read_consent(), fake.questions) == ("allowed", 2)
    status = conductor.status()
    assert (status["input_route"], status["input_consent"]) == ("RemoteDesktop portal", "allowed")


def test_the_extension_is_installed_and_removed_from_a_page_and_a_terminal(
    desktop: tuple[FakePortal, Path], conductor: RunningConductor, page: Page
) -> None:
    _, settings = desktop
    access = page.call("desktop.access")
    assert access["extension"] == "missing"
    assert "choose Install in Settings > Input and output" in access["extension_problem"]
    assert "Log out and in again" in page.call("desktop.install_extension")["text"]
    assert page.call("desktop.access")["extension"] == "not_loaded"
    assert json.loads(settings.read_text())["enabled-extensions"] == f"['{UUID}']"
    page.call("desktop.remove_extension")
    assert page.call("desktop.access")["extension"] == "missing"
    assert "Log out and in" in conductor.cli("desktop", "install-extension").stdout
    assert page.call("desktop.access")["extension"] == "not_loaded"
    assert conductor.cli("desktop", "remove-extension").returncode == 0
    assert json.loads(settings.read_text())["enabled-extensions"] == "[]"


def test_a_desktop_that_asks_nobody_says_so(desktop: tuple[FakePortal, Path], page: Page) -> None:
    fake, _ = desktop
    fake.properties["AvailableDeviceTypes"] = ("u", 0)
    with pytest.raises(CommandFailed, match="offers no keyboard"):
        page.call("desktop.ask")
