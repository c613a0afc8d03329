"""Answers of a broken portal that do not have the types of the specification are failures of the portal."""

from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from tests.support.portal import FakePortal, portal, session_bus

from conductor.errors import ActionFailed
from conductor.system.input_routes import probe_routes
from conductor.system.portal import PortalRoute

WAIT_S = 10.0


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[FakePortal]:
    with session_bus(tmp_path) as address, portal(address) as fake:
        monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", address)
        yield fake


@pytest.fixture
def token(tmp_path: Path) -> Path:
    return tmp_path / "portal-token"


@pytest.fixture
def route(token: Path) -> Generator[PortalRoute]:
    route = PortalRoute(token)
    yield route
    route.close()


def open_session(route: PortalRoute) -> None:
    with pytest.raises(ActionFailed, match="the desktop is asking"):
        route.keyboard.press_keys(["x"])
    route.wait_for_consent(WAIT_S)


@pytest.mark.parametrize("value", [("s", "7"), ("b", True), ("as", ["7"]), None])
def test_an_invalid_property_makes_the_route_unavailable(
    fake: FakePortal, route: PortalRoute, value: tuple[str, Any] | None
) -> None:
    fake.properties["AvailableDeviceTypes"] = value
    [status] = probe_routes([route])
    assert "its answer to AvailableDeviceTypes is invalid" in (status.problem or "")


@pytest.mark.parametrize("value", [("s", "2"), None])
def test_an_invalid_version_is_a_failure(
    fake: FakePortal, route: PortalRoute, value: tuple[str, Any] | None
) -> None:
    fake.properties["version"] = value
    open_session(route)
    assert route.is_lost
    with pytest.raises(ActionFailed, match="its answer to version is invalid"):
        route.keyboard.press_keys(["x"])


@pytest.mark.parametrize(
    ("method", "results"),
    [
        ("CreateSession", {"session_handle": ("u", 1)}),
        ("Start", {"devices": ("s", "3")}),
        ("Start", {"devices": ("b", True)}),
        ("Start", {"restore_token": ("u", 1)}),
    ],
)
def test_an_invalid_result_is_a_failure(
    fake: FakePortal, route: PortalRoute, token: Path, method: str, results: dict[str, Any]
) -> None:
    fake.wrong_results[method] = results
    open_session(route)
    assert route.is_lost
    with pytest.raises(ActionFailed, match=f"its answer to {method} is invalid"):
        route.keyboard.press_keys(["x"])
    assert not token.exists()


def test_an_invalid_answer_to_a_stored_token_deletes_it(
    fake: FakePortal, route: PortalRoute, token: Path
) -> None:
    open_session(route)
    route.close()
    assert token.exists()
    fake.wrong_results["Start"] = {"devices": ("s", "3")}
    with pytest.raises(ActionFailed, match="its answer to Start is invalid"):
        route.connect()
    assert not token.exists()


def test_an_empty_signal_is_a_failure(fake: FakePortal, route: PortalRoute) -> None:
    fake.answers_empty = True
    open_session(route)
    assert route.is_lost
    with pytest.raises(ActionFailed, match="its answer to Start is invalid"):
        route.keyboard.press_keys(["x"])
