"""Keys go through the RemoteDesktop portal of a private bus, and the user is asked once."""

import stat
import threading
from collections.abc import Generator
from pathlib import Path

import pytest
from jeepney.io.blocking import DBusConnection
from tests.support.portal import DAMAGED_TOKEN, FakePortal, portal, session_bus

from conductor.errors import ActionFailed
from conductor.system import portal_session
from conductor.system.portal import PortalRoute
from conductor.system.session_bus import open_session_bus

CTRL, KEY_C = 29, 0x63
F13 = 0xFFCA
WAIT_S = 10.0


@pytest.fixture
def bus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[str]:
    with session_bus(tmp_path) as address:
        monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", address)
        yield address


@pytest.fixture
def fake(bus: str) -> Generator[FakePortal]:
    with portal(bus) as fake:
        yield fake


@pytest.fixture
def token(tmp_path: Path) -> Path:
    return tmp_path / "portal-token"


@pytest.fixture
def route(token: Path) -> Generator[PortalRoute]:
    route = PortalRoute(token)
    yield route
    route.close()


def allow(route: PortalRoute) -> None:
    """Press a key, which asks the user, and wait for the answer."""
    with pytest.raises(ActionFailed, match="allow it, then press again"):
        route.keyboard.press_keys(["x"])
    route.wait_for_consent(WAIT_S)


def test_the_first_key_asks_and_the_next_ones_arrive(fake: FakePortal, route: PortalRoute) -> None:
    assert route.get_unavailable_reason() is None
    route.connect()
    assert fake.questions == 0, "probing and connecting ask nothing"
    allow(route)
    route.keyboard.press_keys(["ctrl", "c"])
    route.keyboard.release_keys(["ctrl", "c"])
    assert fake.wait_for_events(4) == [
        ("KeyboardKeycode", CTRL, 1),
        ("KeyboardKeysym", KEY_C, 1),
        ("KeyboardKeysym", KEY_C, 0),
        ("KeyboardKeycode", CTRL, 0),
    ]
    assert fake.questions == 1


def test_a_key_does_not_wait_for_the_answer(fake: FakePortal, route: PortalRoute) -> None:
    fake.may_answer.clear()
    for _ in range(3):
        with pytest.raises(ActionFailed, match="the desktop is asking"):
            route.keyboard.press_keys(["x"])
    fake.may_answer.set()
    route.wait_for_consent(WAIT_S)
    route.keyboard.press_keys(["f13"])
    assert fake.wait_for_events(1) == [("KeyboardKeysym", F13, 1)]
    assert fake.questions == 1


def test_closing_withdraws_the_question_and_the_next_key_asks_again(
    fake: FakePortal, route: PortalRoute
) -> None:
    fake.may_answer.clear()
    with pytest.raises(ActionFailed, match="the desktop is asking"):
        route.keyboard.press_keys(["x"])
    fake.wait_for_question(1)
    route.close()
    fake.may_answer.set()
    allow(route)
    route.keyboard.press_keys(["f13"])
    assert fake.wait_for_events(1) == [("KeyboardKeysym", F13, 1)]
    assert (fake.questions, len(fake.sessions)) == (2, 2)


def find_opener() -> threading.Thread:
    """Return the thread that opens the session, the last one that was started."""
    return [thread for thread in threading.enumerate() if thread.name == "portal consent"][-1]


def test_closing_while_the_bus_is_slow_asks_nothing(
    fake: FakePortal, route: PortalRoute, monkeypatch: pytest.MonkeyPatch
) -> None:
    is_connecting, may_connect = threading.Event(), threading.Event()

    def open_slow_bus() -> DBusConnection:
        is_connecting.set()
        assert may_connect.wait(WAIT_S)
        return open_session_bus()

    monkeypatch.setattr(portal_session, "open_session_bus", open_slow_bus)
    with pytest.raises(ActionFailed, match="the desktop is asking"):
        route.keyboard.press_keys(["x"])
    assert is_connecting.wait(WAIT_S)
    opener = find_opener()
    route.close()
    may_connect.set()
    opener.join(WAIT_S)
    assert (fake.questions, fake.sessions) == (0, [])


def test_closing_withdraws_the_question_after_an_earlier_one_was_withdrawn(
    fake: FakePortal, route: PortalRoute, monkeypatch: pytest.MonkeyPatch
) -> None:
    may_end = threading.Event()

    def describe_late(problem: Exception) -> str:
        assert may_end.wait(WAIT_S)
        return str(problem)

    monkeypatch.setattr(portal_session, "describe_bus_failure", describe_late)
    fake.may_answer.clear()
    with pytest.raises(ActionFailed, match="the desktop is asking"):
        route.keyboard.press_keys(["x"])
    fake.wait_for_question(1)
    first = find_opener()
    route.close()
    with pytest.raises(ActionFailed, match="the desktop is asking"):
        route.keyboard.press_keys(["x"])
    fake.wait_for_question(2)
    may_end.set()
    first.join(WAIT_S)
    second = find_opener()
    route.close()
    second.join(WAIT_S)
    assert not second.is_alive()


def test_text_of_any_script_and_the_mouse(fake: FakePortal, route: PortalRoute) -> None:
    allow(route)
    route.keyboard.type_text("é€🎹")
    typed = [event[1] for event in fake.wait_for_events(6)]
    assert typed == [0xE9, 0xE9, 0x10020AC, 0x10020AC, 0x101F3B9, 0x101F3B9]
    route.mouse.click("right", 1)
    route.mouse.move_by(3, -4)
    route.mouse.scroll(1, 2)
    assert fake.wait_for_events(5) == [
        ("PointerButton", 0x111, 1),
        ("PointerButton", 0x111, 0),
        ("PointerMotion", 3.0, -4.0),
        ("PointerAxisDiscrete", 0, -2),
        ("PointerAxisDiscrete", 1, 1),
    ]
    with pytest.raises(ActionFailed, match="relative move"):
        route.mouse.move_to(1, 2)


def test_ten_restarts_ask_once_and_each_uses_a_new_token(
    fake: FakePortal, route: PortalRoute, token: Path
) -> None:
    allow(route)
    route.close()
    assert stat.S_IMODE(token.stat().st_mode) == 0o600
    for number in range(10):
        again = PortalRoute(token)
        again.connect()
        again.wait_for_consent(WAIT_S)
        again.keyboard.press_keys(["f13"])
        again.keyboard.release_keys(["f13"])
        assert len(fake.wait_for_events(2)) == 2
        again.close()
        assert len(fake.tokens) == number + 2
        assert token.read_text() == fake.tokens[-1]
    assert fake.questions == 1


def test_a_session_that_the_user_ends_is_opened_again_by_the_next_key(
    fake: FakePortal, route: PortalRoute
) -> None:
    allow(route)
    fake.end_session()
    wait_for_failure(route)
    route.wait_for_consent(WAIT_S)
    fake.events.clear()
    route.keyboard.press_keys(["f13"])
    assert fake.wait_for_events(1) == [("KeyboardKeysym", F13, 1)]
    assert (len(fake.sessions), fake.questions) == (2, 1)


def wait_for_failure(route: PortalRoute) -> None:
    """Move the mouse by nothing until the end of the session has arrived."""
    reason = ""
    while not reason:
        try:
            route.mouse.move_by(0, 0)
        except ActionFailed as failure:
            reason = str(failure)
    assert "the desktop is asking" in reason


def test_a_device_that_the_user_left_out_is_named(bus: str, route: PortalRoute) -> None:
    with portal(bus, devices=1):
        allow(route)
        route.keyboard.press_keys(["x"])
        with pytest.raises(ActionFailed, match="did not allow Conductor to use this device"):
            route.mouse.move_by(1, 1)


@pytest.mark.parametrize("devices", [0, 2])
def test_a_consent_without_the_keyboard_is_a_refusal(
    bus: str, route: PortalRoute, token: Path, devices: int
) -> None:
    with portal(bus, devices=devices) as fake:
        allow(route)
        assert is_paused(route), "another route may press the keys"
        with pytest.raises(ActionFailed, match=r"asked again, .*and allow the keyboard"):
            route.keyboard.press_keys(["x"])
        assert not token.exists()
        route.close()
        fake.devices = 3
        restarted = PortalRoute(token)
        allow(restarted)
        restarted.keyboard.press_keys(["f13"])
        assert fake.wait_for_events(1) == [("KeyboardKeysym", F13, 1)]
        assert fake.questions == 2
        restarted.close()


def test_a_token_that_no_longer_allows_the_keyboard_is_deleted_and_the_next_key_asks(
    fake: FakePortal, route: PortalRoute, token: Path
) -> None:
    allow(route)
    route.close()
    fake.devices = 0
    route.connect()
    assert not token.exists()
    assert not route.is_lost
    fake.devices = 3
    allow(route)
    route.keyboard.press_keys(["f13"])
    assert fake.wait_for_events(1) == [("KeyboardKeysym", F13, 1)]
    assert (fake.questions, token.read_text()) == (2, fake.tokens[-1])


def test_without_a_portal_or_a_bus_the_reason_is_returned(
    bus: str, route: PortalRoute, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert "no RemoteDesktop portal on the session bus" in (route.get_unavailable_reason() or "")
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", f"unix:path={tmp_path}/none")
    assert "no RemoteDesktop portal on the session bus" in (route.get_unavailable_reason() or "")


def test_a_portal_that_goes_away_is_reported(bus: str, route: PortalRoute) -> None:
    with portal(bus):
        allow(route)
    assert "no RemoteDesktop portal" in (route.get_unavailable_reason() or "")


def test_a_portal_that_crashes_loses_the_session_and_the_next_one_is_used(
    bus: str, route: PortalRoute
) -> None:
    with portal(bus) as fake:
        allow(route)
        fake.crash()
        wait_for_failure(route)
        route.wait_for_consent(WAIT_S)
        assert route.is_lost
    with portal(bus) as fake:
        assert route.get_unavailable_reason() is None, "another process of the portal may work"
        assert not route.is_lost
        allow(route)
        route.keyboard.press_keys(["f13"])
        assert fake.wait_for_events(1) == [("KeyboardKeysym", F13, 1)]


def test_a_portal_that_crashes_while_it_asks_is_not_waited_for(
    bus: str, route: PortalRoute
) -> None:
    with portal(bus) as fake:
        fake.may_answer.clear()
        with pytest.raises(ActionFailed, match="the desktop is asking"):
            route.keyboard.press_keys(["x"])
        fake.wait_for_question(1)
        fake.crash()
        route.wait_for_consent(WAIT_S)
        with pytest.raises(ActionFailed, match="it ended before it answered"):
            route.keyboard.press_keys(["x"])


@pytest.mark.parametrize("answer", [1, 2])
def test_a_refused_token_is_deleted_and_the_next_key_asks_once(
    fake: FakePortal,
    route: PortalRoute,
    token: Path,
    answer: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(portal_session, "_FIRST_RETRY_DELAY_S", 0.0)
    allow(route)
    route.close()
    fake.refuses_tokens, fake.answer = True, answer
    again = PortalRoute(token)
    again.connect()
    if answer == 2:  # the desktop may have been starting
        assert token.exists()
        again.connect()
    assert not token.exists()
    assert not again.is_lost
    fake.answer = 0
    allow(again)
    again.keyboard.press_keys(["f13"])
    assert fake.wait_for_events(1) == [("KeyboardKeysym", F13, 1)]
    assert fake.questions == 2
    assert token.read_text() == fake.tokens[-1]
    again.close()


def test_a_valid_token_survives_one_missing_answer_after_another_failure(
    fake: FakePortal, route: PortalRoute, token: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(portal_session, "_FIRST_RETRY_DELAY_S", 0.0)
    allow(route)
    route.close()
    fake.has_no_version = True
    for _ in range(2):
        route.connect()
    fake.has_no_version = False
    fake.refuses_tokens, fake.answer = True, 2
    route.connect()
    assert token.read_text() == fake.tokens[-1]
    fake.refuses_tokens = False
    route.connect()
    fake.refuses_tokens = True
    route.close()
    route.connect()
    assert token.read_text() == fake.tokens[-1], "the token was accepted in between"
    assert fake.questions == 1


def test_a_damaged_token_is_deleted(fake: FakePortal, route: PortalRoute, token: Path) -> None:
    token.write_text(DAMAGED_TOKEN)
    route.connect()
    assert not token.exists()
    allow(route)
    assert token.read_text() == fake.tokens[-1]


@pytest.mark.parametrize(
    "content",
    [b"\0" * 36, b"a\0b", b"\xff\xfe", "é".encode(), b"a\nb", b"\x1b[0m", b"a" * 1001],
    ids=["zeros", "NUL", "no UTF-8", "no ASCII", "two lines", "control character", "too long"],
)
def test_a_file_that_cannot_contain_a_token_is_deleted(
    fake: FakePortal, route: PortalRoute, token: Path, content: bytes
) -> None:
    token.write_bytes(content)
    route.connect()
    assert not token.exists()
    assert fake.sessions == [], "there is no consent"
    allow(route)
    route.keyboard.press_keys(["f13"])
    assert fake.wait_for_events(1) == [("KeyboardKeysym", F13, 1)]
    assert token.read_text() == fake.tokens[-1]


def test_a_token_of_the_longest_length_is_used(
    fake: FakePortal, route: PortalRoute, token: Path
) -> None:
    token.write_text("a" * 1000)
    fake.tokens.append("a" * 1000)
    route.connect()
    route.keyboard.press_keys(["f13"])
    assert fake.wait_for_events(1) == [("KeyboardKeysym", F13, 1)]
    assert fake.questions == 0


def test_a_used_token_is_deleted_if_no_other_follows(
    fake: FakePortal, route: PortalRoute, token: Path
) -> None:
    allow(route)
    route.close()
    fake.remembers = False
    route.connect()
    route.keyboard.press_keys(["f13"])
    assert not token.exists()


def test_a_failure_is_retried_after_a_growing_pause(
    bus: str, route: PortalRoute, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = [1000.0]
    monkeypatch.setattr(portal_session, "now", lambda: clock[0])
    with portal(bus, answer=2) as fake:
        for attempt, pause_s in enumerate((5.0, 10.0, 20.0), 1):
            allow(route)
            with pytest.raises(ActionFailed, match="Start ended without an answer"):
                route.keyboard.press_keys(["x"])
            assert is_paused(route)
            clock[0] += pause_s - 0.1
            assert is_paused(route)
            clock[0] += 0.2
            assert not is_paused(route)
            route.connect()
            assert fake.questions == attempt, "probing asks nothing"
        fake.answer = 0
        allow(route)
        route.keyboard.press_keys(["f13"])


@pytest.mark.parametrize("is_bus_down", [False, True])
def test_the_pause_also_grows_after_failures_before_the_session_is_requested(
    bus: str, route: PortalRoute, monkeypatch: pytest.MonkeyPatch, is_bus_down: bool
) -> None:
    clock = [1000.0]
    monkeypatch.setattr(portal_session, "now", lambda: clock[0])
    with portal(bus) as fake:
        fake.has_no_version = not is_bus_down
        for pause_s in (5.0, 10.0, 20.0):
            with monkeypatch.context() as patch:
                if is_bus_down:
                    patch.setattr(portal_session, "open_session_bus", fail_to_connect)
                allow(route)
            assert is_paused(route)
            clock[0] += pause_s - 0.1
            assert is_paused(route)
            clock[0] += 0.2
            assert not is_paused(route)


def is_paused(route: PortalRoute) -> bool:
    """Probe the route, and return whether it must not be used although the desktop offers it."""
    assert route.get_unavailable_reason() is None
    return route.is_lost


def fail_to_connect() -> DBusConnection:
    raise ConnectionRefusedError("the bus is busy")


def test_a_refusal_lasts_until_the_portal_is_restarted(bus: str, route: PortalRoute) -> None:
    with portal(bus, answer=1):
        allow(route)
        assert is_paused(route)
        with pytest.raises(ActionFailed, match="you did not allow it"):
            route.connect()
    with portal(bus):
        assert route.get_unavailable_reason() is None
        route.connect()
        allow(route)
