"""The first input route that works is chosen in the background, and a better one replaces it when no key is held."""

import threading
from collections.abc import Callable, Sequence

import pytest
from tests.support.simulate import RecordingMouse

from conductor.domain.ports import Keyboard, Mouse
from conductor.errors import ActionFailed
from conductor.system.input_routes import InputRouter

WAIT_S = 10.0


class Route:
    """A route that works or not as the test says, and records its keys."""

    reach_description = "everything"
    reaches_all = True
    keys_outlive_process = False
    needs_consent = False

    def __init__(self, name: str, problem: str | None = None) -> None:
        self.name = name
        self.problem = problem
        self.connect_problem: Exception | None = None
        self.probe_count = 0
        self.may_answer = threading.Event()
        self.may_answer.set()
        self.may_type = threading.Event()
        self.may_type.set()
        self.is_typing = threading.Event()
        self.is_lost = False
        self.is_closed = threading.Event()
        self.sent: list[str] = []
        self.keyboard: Keyboard = self
        self.mouse: Mouse = RecordingMouse([])

    def get_unavailable_reason(self) -> str | None:
        self.probe_count += 1
        assert self.may_answer.wait(WAIT_S)
        return self.problem

    def connect(self) -> None:
        if self.connect_problem is not None:
            raise self.connect_problem

    def close(self) -> None:
        self.is_closed.set()

    def press_keys(self, keys: Sequence[str]) -> None:
        if self.is_lost:
            raise ActionFailed("the connection was lost")
        self.sent += [f"press {key}" for key in keys]

    def release_keys(self, keys: Sequence[str]) -> None:
        self.sent += [f"release {key}" for key in keys]

    def type_text(self, text: str) -> None:
        self.is_typing.set()
        assert self.may_type.wait(WAIT_S)
        self.sent.append(f"text {text}")


def run_in_thread(work: Callable[[], object]) -> threading.Thread:
    thread = threading.Thread(target=work)
    thread.start()
    return thread


def wait_for_threads() -> None:
    """Wait until no thread probes or closes a route."""
    for thread in threading.enumerate():
        if "input route" in thread.name:
            thread.join(WAIT_S)


def tap(router: InputRouter, key: str) -> None:
    router.keyboard.press_keys([key])
    router.keyboard.release_keys([key])


def test_the_first_route_that_works_is_used() -> None:
    first, second, third = Route("first", "no socket"), Route("second"), Route("third")
    router = InputRouter([first, second, third])
    assert router.route_name is None
    router.keyboard.press_keys(["a"])
    assert (router.route_name, second.sent, third.probe_count) == ("second", ["press a"], 0)


def test_a_key_does_not_wait_for_a_desktop_that_does_not_answer() -> None:
    slow = Route("slow")
    slow.may_answer.clear()
    router = InputRouter([slow])
    for _ in range(2):
        with pytest.raises(ActionFailed, match="still looking for a way"):
            router.keyboard.press_keys(["a"])
    slow.may_answer.set()
    wait_for_threads()
    router.keyboard.press_keys(["b"])
    assert (slow.sent, slow.probe_count) == (["press b"], 1)


def test_simultaneous_keys_wait_for_one_probe() -> None:
    slow = Route("slow")
    slow.may_answer.clear()
    router = InputRouter([slow])
    threads = [run_in_thread(lambda: router.keyboard.press_keys(["a"])) for _ in range(5)]
    slow.may_answer.set()
    for thread in threads:
        thread.join(WAIT_S)
    assert (slow.sent, slow.probe_count) == (["press a"] * 5, 1)


def test_a_router_that_is_closed_meanwhile_closes_the_route_that_was_found() -> None:
    slow = Route("slow")
    slow.may_answer.clear()
    router = InputRouter([slow])
    with pytest.raises(ActionFailed, match="still looking for a way"):
        router.keyboard.press_keys(["a"])
    router.close()
    slow.is_closed.clear()
    slow.may_answer.set()
    assert slow.is_closed.wait(WAIT_S)
    assert router.route_name is None


def test_a_failure_names_all_routes_and_is_repeated_for_a_while() -> None:
    broken, refused = Route("broken"), Route("refused", "not allowed")
    broken.connect_problem = ValueError("a bug")
    router = InputRouter([broken, refused])
    for _ in range(2):
        with pytest.raises(ActionFailed, match=r"unexpectedly \(a bug\); refused: not"):
            router.keyboard.press_keys(["a"])
    assert broken.probe_count == 1
    again = InputRouter([broken, refused], retry_s=0.0)
    with pytest.raises(ActionFailed):
        again.keyboard.press_keys(["a"])
    broken.connect_problem = None
    again.keyboard.press_keys(["a"])
    assert again.route_name == "broken"


def test_a_better_route_that_works_later_is_used_when_no_key_is_held() -> None:
    better, poorer = Route("better", "not started"), Route("poorer")
    router = InputRouter([better, poorer], upgrade_s=0.0)
    router.keyboard.press_keys(["shift"])
    better.problem = None
    tap(router, "a")
    wait_for_threads()
    tap(router, "b")
    assert (router.route_name, poorer.is_closed.is_set()) == ("poorer", False)
    router.keyboard.release_keys(["shift"])
    tap(router, "c")
    assert poorer.is_closed.wait(WAIT_S)
    assert router.route_name == "better"
    assert poorer.sent == [
        "press shift",
        "press a",
        "release a",
        "press b",
        "release b",
        "release shift",
    ]
    assert better.sent == ["press c", "release c"]


def test_a_route_that_would_ask_does_not_replace_one_that_works() -> None:
    asking, poorer = Route("asking", "not started"), Route("poorer")
    asking.needs_consent = True
    router = InputRouter([asking, poorer], upgrade_s=0.0)
    tap(router, "a")
    wait_for_threads()
    assert router.route_problem is None
    asking.problem = None
    for key in "bc":
        tap(router, key)
        wait_for_threads()
    assert (router.route_name, asking.sent) == ("poorer", [])
    assert "asking: it needs your permission: choose Ask now" in (router.route_problem or "")
    asking.needs_consent = False
    tap(router, "d")
    wait_for_threads()
    tap(router, "e")
    assert (router.route_name, router.route_problem) == ("asking", None)


def test_a_route_that_asks_is_used_when_no_other_has_been_chosen() -> None:
    asking, poorer = Route("asking"), Route("poorer")
    asking.needs_consent = True
    router = InputRouter([asking, poorer])
    tap(router, "a")
    assert (router.route_name, poorer.sent) == ("asking", [])


def test_keys_do_not_wait_while_better_routes_are_probed() -> None:
    better, poorer = Route("better", "not started"), Route("poorer")
    router = InputRouter([better, poorer], upgrade_s=0.0)
    tap(router, "a")
    wait_for_threads()
    better.may_answer.clear()
    better.problem = None
    for _ in range(50):
        tap(router, "b")
    assert len(poorer.sent) == 102
    assert better.probe_count == 3, "one probe at a time"
    better.may_answer.set()
    wait_for_threads()
    assert router.route_name == "better"


def test_better_routes_are_probed_less_and_less_often(monkeypatch: pytest.MonkeyPatch) -> None:
    time = [1000.0]
    monkeypatch.setattr("conductor.system.input_routes.now", lambda: time[0])
    better, poorer = Route("better", "never"), Route("poorer")
    router = InputRouter([better, poorer])
    probed_at: list[float] = []
    for _ in range(200):
        count = better.probe_count
        tap(router, "a")
        wait_for_threads()
        if better.probe_count > count:
            probed_at.append(time[0] - 1000.0)
        time[0] += 1.0
    assert probed_at == [0.0, 5.0, 15.0, 35.0, 75.0, 135.0, 195.0]


def test_a_long_text_ends_on_the_route_on_which_it_began() -> None:
    better, poorer = Route("better", "not started"), Route("poorer")
    router = InputRouter([better, poorer], upgrade_s=0.0)
    tap(router, "a")
    wait_for_threads()
    poorer.may_type.clear()
    typing = run_in_thread(lambda: router.keyboard.type_text("long"))
    assert poorer.is_typing.wait(WAIT_S)
    wait_for_threads()
    better.problem = None
    tap(router, "b")
    wait_for_threads()
    assert (router.route_name, poorer.is_closed.is_set()) == ("poorer", False)
    poorer.may_type.set()
    typing.join(WAIT_S)
    tap(router, "c")
    assert (router.route_name, better.sent) == ("better", ["press c", "release c"])


def test_a_route_that_is_lost_is_replaced_by_the_better_one_that_waits() -> None:
    better, poorer = Route("better", "not started"), Route("poorer")
    router = InputRouter([better, poorer], upgrade_s=0.0)
    router.keyboard.press_keys(["shift"])
    better.problem = None
    tap(router, "a")
    wait_for_threads()
    poorer.is_lost = True
    with pytest.raises(ActionFailed, match="the connection was lost"):
        router.keyboard.press_keys(["b"])
    assert router.route_name == "better"
    assert router.route_problem is None


def test_a_route_that_is_lost_is_named_until_it_works_again() -> None:
    best, fallback = Route("best"), Route("fallback")
    router = InputRouter([best, fallback], upgrade_s=0.0)
    tap(router, "a")
    assert router.route_problem is None
    best.is_lost = True
    with pytest.raises(ActionFailed, match="the connection was lost"):
        router.keyboard.press_keys(["b"])
    assert router.route_problem == "best: the connection was lost"
    best.problem = "gone"
    tap(router, "b")
    wait_for_threads()
    assert router.route_problem == "best: gone (fallback is used instead)"
    best.connect_problem = ActionFailed("busy")
    best.problem, best.is_lost = None, False
    tap(router, "c")
    wait_for_threads()
    assert router.route_problem == "best: busy (fallback is used instead)"
    best.connect_problem = None
    tap(router, "d")
    wait_for_threads()
    tap(router, "e")
    assert (router.route_name, router.route_problem) == ("best", None)


def test_a_route_that_failed_is_named_until_the_session_no_longer_offers_it() -> None:
    best, fallback = Route("best"), Route("fallback")
    best.connect_problem = ActionFailed("busy")
    router = InputRouter([best, fallback], upgrade_s=0.0)
    for key in "abc":
        tap(router, key)
        wait_for_threads()
        assert router.route_problem == "best: busy (fallback is used instead)"
    best.problem = "gone"
    tap(router, "d")
    wait_for_threads()
    assert (router.route_name, router.route_problem) == ("fallback", None)
