"""The input router uses the RemoteDesktop portal of a private bus beside a poorer route that works."""

import threading
import time
from collections.abc import Generator, Sequence
from contextlib import suppress
from pathlib import Path

import pytest
from tests.support.portal import portal, session_bus
from tests.support.simulate import RecordingMouse

from conductor.domain.ports import Keyboard, Mouse
from conductor.errors import ActionFailed
from conductor.system import portal_session
from conductor.system.input_routes import InputRouter
from conductor.system.portal import PortalRoute

F13 = 0xFFCA
WAIT_S = 10.0


@pytest.fixture
def bus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[str]:
    with session_bus(tmp_path) as address:
        monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", address)
        yield address


@pytest.fixture
def token(tmp_path: Path) -> Path:
    return tmp_path / "portal-token"


def test_a_refusal_is_reported_and_the_next_route_is_used(bus: str, token: Path) -> None:
    with portal(bus, answer=1) as fake:
        refused, other = PortalRoute(token), OtherRoute()
        router = InputRouter([refused, other])
        with pytest.raises(ActionFailed, match="the desktop is asking"):
            router.keyboard.press_keys(["x"])
        refused.wait_for_consent(WAIT_S)
        with pytest.raises(ActionFailed, match="you did not allow it"):
            router.keyboard.press_keys(["y"])
        router.keyboard.press_keys(["z"])
        assert other.pressed == ["z"]
        assert (router.route_name, fake.questions) == ("other", 1)
        assert not token.exists()
        router.close()


def test_a_portal_without_consent_that_starts_later_asks_nothing(bus: str, token: Path) -> None:
    late, other = PortalRoute(token), OtherRoute()
    router = InputRouter([late, other], upgrade_s=0.0)
    router.keyboard.press_keys(["x"])
    router.keyboard.release_keys(["x"])
    wait_for_probe()
    assert router.route_problem is None, "a portal that never worked is no failure"
    with portal(bus) as fake:
        for key in "yz":
            router.keyboard.press_keys([key])
            router.keyboard.release_keys([key])
            wait_for_probe()
        assert (router.route_name, other.pressed) == ("other", ["x", "y", "z"])
        assert (fake.questions, fake.sessions) == (0, [])
        assert "RemoteDesktop portal: it needs your permission" in (router.route_problem or "")
        router.close()


def test_a_portal_that_starts_later_replaces_a_poorer_route(bus: str, token: Path) -> None:
    token.write_text("a token")
    late, other = PortalRoute(token), OtherRoute()
    router = InputRouter([late, other], upgrade_s=0.0)
    router.keyboard.press_keys(["x"])
    assert router.route_name == "other"
    assert router.route_problem is None, "a portal that never worked is no failure"
    with portal(bus) as fake:
        fake.tokens.append("a token")
        router.keyboard.press_keys(["y"])
        wait_for_probe()
        assert router.route_name == "other", "keys are held"
        router.keyboard.release_keys(["x", "y"])
        wait_for_route(router, "RemoteDesktop portal")
        router.keyboard.press_keys(["f13"])
        while ("KeyboardKeysym", F13, 1) not in fake.wait_for_events(1):
            pass
        assert other.pressed == ["x", "y"]
        fake.crash()
        wait_for_route(router, "other")
        assert "ServiceUnknown" in (router.route_problem or "")
        assert "(other is used instead)" in (router.route_problem or "")
    router.close()


def test_a_dialog_that_stays_open_despite_a_token_keeps_the_poorer_route(
    bus: str, token: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("conductor.system.portal._SESSION_OPEN_TIMEOUT_S", 0.2)
    token.write_text("a token that the desktop has forgotten")
    asking, other = PortalRoute(token), OtherRoute()
    router = InputRouter([asking, other], upgrade_s=0.0)
    router.mouse.move_by(0, 0)
    with portal(bus) as fake:
        fake.may_answer.clear()
        for key in "xyz":
            router.keyboard.press_keys([key])
            router.keyboard.release_keys([key])
            wait_for_probe()
            assert router.route_name == "other"
        assert other.pressed == ["x", "y", "z"]
        assert "the desktop is asking" in (router.route_problem or "")
        fake.may_answer.set()
        asking.wait_for_consent(WAIT_S)
        wait_for_route(router, "RemoteDesktop portal")
        assert (fake.questions, router.route_problem) == (1, None)
        router.close()


def test_a_portal_that_failed_at_the_start_is_named_while_the_desktop_offers_it(
    bus: str, token: Path
) -> None:
    token.write_text("a token")
    failing, other = PortalRoute(token), OtherRoute()
    router = InputRouter([failing, other], upgrade_s=0.0)
    with portal(bus, answer=2):
        for _ in range(3):
            router.mouse.move_by(0, 0)
            wait_for_probe()
            assert "Start ended without an answer" in (router.route_problem or "")
    router.mouse.move_by(0, 0)
    wait_for_probe()
    assert (router.route_name, router.route_problem) == ("other", None)
    router.close()


def test_a_question_that_ended_without_an_answer_is_not_asked_again_beside_another_route(
    bus: str, token: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = [1000.0]
    monkeypatch.setattr(portal_session, "now", lambda: clock[0])
    failing, other = PortalRoute(token), OtherRoute()
    router = InputRouter([failing, other], upgrade_s=0.0)
    with portal(bus, answer=2) as fake:
        with pytest.raises(ActionFailed, match="the desktop is asking"):
            router.keyboard.press_keys(["x"])
        failing.wait_for_consent(WAIT_S)
        with pytest.raises(ActionFailed, match="Start ended without an answer"):
            router.keyboard.press_keys(["x"])
        router.mouse.move_by(0, 0)
        assert router.route_name == "other"
        clock[0] += 6.0
        for key in "xyz":
            router.keyboard.press_keys([key])
            router.keyboard.release_keys([key])
            wait_for_probe()
        assert (router.route_name, other.pressed) == ("other", ["x", "y", "z"])
        assert fake.questions == 1
        assert "it needs your permission" in (router.route_problem or "")
        router.close()


def wait_for_probe() -> None:
    """Wait until the better routes have been probed."""
    for thread in threading.enumerate():
        # Another thread may be starting it, and a thread that has not started cannot be joined.
        if thread.name == "better input routes" and thread.is_alive():
            thread.join(WAIT_S)


def wait_for_route(router: InputRouter, name: str) -> None:
    """Move the mouse by nothing until a route is in use."""
    deadline = time.monotonic() + WAIT_S
    while router.route_name != name:
        assert time.monotonic() < deadline, router.route_name
        with suppress(ActionFailed):
            router.mouse.move_by(0, 0)
        wait_for_probe()


class OtherRoute:
    """A route that records the keys."""

    name = "other"
    reach_description = "everything"
    reaches_all = True
    keys_outlive_process = False
    needs_consent = False
    is_lost = False

    def __init__(self) -> None:
        self.pressed: list[str] = []
        self.keyboard: Keyboard = self
        self.mouse: Mouse = RecordingMouse([])

    def press_keys(self, keys: Sequence[str]) -> None:
        self.pressed += keys

    def release_keys(self, keys: Sequence[str]) -> None: ...

    def type_text(self, text: str) -> None: ...

    def get_unavailable_reason(self) -> str | None:
        return None

    def connect(self) -> None: ...

    def close(self) -> None: ...


def test_a_user_who_refused_is_asked_again_and_the_portal_replaces_the_fallback(
    bus: str, token: Path
) -> None:
    asking, other = PortalRoute(token), OtherRoute()
    router = InputRouter([asking, other], upgrade_s=60.0)
    assert router.consent == "needed"
    with portal(bus, answer=1) as fake:
        with pytest.raises(ActionFailed, match="the desktop is asking"):
            router.keyboard.press_keys(["x"])
        asking.wait_for_consent(WAIT_S)
        with pytest.raises(ActionFailed, match="choose Ask now in Settings"):
            router.keyboard.press_keys(["x"])
        router.keyboard.press_keys(["y"])
        assert (router.route_name, router.consent) == ("other", "refused")
        fake.answer = 0
        fake.may_answer.clear()
        router.ask_for_consent()
        fake.wait_for_question(2)
        assert router.consent == "asking"
        fake.may_answer.set()
        router.keyboard.release_keys(["y"])
        wait_for_route(router, "RemoteDesktop portal")
        assert (router.consent, fake.questions) == ("allowed", 2)
        router.close()


def test_asking_again_with_a_stale_token_deletes_it_and_shows_the_dialog(
    bus: str, token: Path
) -> None:
    token.write_text("a token of last year")
    route = PortalRoute(token)
    with portal(bus, answer=1) as fake:
        fake.refuses_tokens = True
        fake.may_answer.clear()
        route.ask_for_consent()
        fake.wait_for_question(1)
        assert not token.exists()
        fake.answer = 0
        fake.may_answer.set()
        route.wait_for_consent(WAIT_S)
        assert route.consent == "allowed"
        assert token.read_text() == fake.tokens[-1]
        route.close()


def test_a_session_without_a_portal_says_that_it_asks_nobody(bus: str, token: Path) -> None:
    router = InputRouter([PortalRoute(token), OtherRoute()])
    with pytest.raises(ActionFailed, match="no RemoteDesktop portal"):
        router.ask_for_consent()
    router.keyboard.press_keys(["x"])
    assert (router.route_name, router.consent) == ("other", None)
    router.close()
    with pytest.raises(ActionFailed, match="needs no permission"):
        InputRouter([OtherRoute()]).ask_for_consent()
