"""Chooses the input route, the way in which keys and mouse movements reach other programs on Linux.

Probing a route does not ask for the user's consent. A route that needs consent asks at the first key.

A route may start to work later than Conductor, such as the portal of a desktop that is still starting. While
a route of lower priority is in use, the better routes are therefore probed again. A route that would ask for
consent does not replace one that works, because a dialog would appear at a time when nobody expects it.
"""

import logging
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import NamedTuple

from conductor.base.clock import now
from conductor.domain.engine_replies import InputConsent
from conductor.domain.ports import Keyboard, Mouse
from conductor.errors import ActionFailed
from conductor.system.input_route import HOW_TO_ASK, ConsentRoute, InputRoute, is_consent_route

_log = logging.getLogger(__name__)
_RETRY_INTERVAL_S = 2.0
"""Seconds after a failure before the routes are probed again; until then the same failure is reported."""
_PROBE_TIMEOUT_S = 1.0
"""Seconds that a key waits for the thread that probes the routes. An engine that does not respond for 3 s is
killed, and a failed press is followed by a release."""
_FIRST_UPGRADE_DELAY_S = 5.0
_MAX_UPGRADE_DELAY_S = 60.0
"""The longest delay in seconds until the better routes are probed again. Each delay is twice the previous
one, because most routes that do not work at login never will."""
_NEEDS_CONSENT = f"it needs your permission: {HOW_TO_ASK}"
_CONSENT_TIMEOUT_S = 300.0
_STILL_PROBING_MESSAGE = "Conductor is still looking for a way to press keys: try again"


class RouteStatus(NamedTuple):
    """The result of probing an input route: the name of the route, and the reason why
    it cannot be used or None.
    """

    name: str
    reach_description: str
    reaches_all: bool
    problem: str | None


class InputRouter:
    """Sends keys and mouse movements over the first input route that works, and
    chooses again when it is lost.
    """

    def __init__(
        self,
        routes: Sequence[InputRoute],
        retry_s: float = _RETRY_INTERVAL_S,
        upgrade_s: float = _FIRST_UPGRADE_DELAY_S,
    ) -> None:
        self._routes = routes
        self._retry_s = retry_s
        self._first_upgrade_s = self._upgrade_s = upgrade_s
        self._lock = threading.Lock()
        """Held only briefly, because the engine's thread needs it for each key until a route is chosen."""
        self._probe_lock = threading.Lock()
        """Held by the probing thread, which may wait for the desktop."""
        self._probing: threading.Event | None = None
        self._close_count = 0
        """The number of calls of `close`. A probing thread discards its result if the number has changed."""
        self._chosen: InputRoute | None = None
        self._better: InputRoute | None = None
        """A connected route that replaces the chosen route as soon as no key is held."""
        self._upgrade_at = float("inf")
        self._held: set[str] = set()
        """The keys that are held on the chosen route; only this route can release them."""
        self._call_count = 0
        """The number of calls that are in progress on the chosen route, such as the typing of a long text."""
        self._choice_count = 0
        """The number of choices of a route so far. A call that started before the last choice
        changes nothing when it ends."""
        self._lost: InputRoute | None = None
        """The last route that failed although the session offers it, until this or a better route is chosen. A
        route that has never worked is also forgotten when the session no longer offers it.
        """
        self._worked: set[str] = set()
        """The names of all routes that have been in use since the start."""
        self._problems: dict[str, str] = {}
        """The reason why each route could not be used when it was last tried, by the name of the route."""
        self._missing: set[str] = set()
        """The names of the routes that the session did not offer when they were last tried."""
        self._failure = ""
        self._failed_at = float("-inf")
        self.keyboard: Keyboard = _RoutedKeyboard(self)
        self.mouse: Mouse = _RoutedMouse(self)

    @property
    def route_name(self) -> str | None:
        """The name of the route in use; None if no route has been chosen yet."""
        return None if self._chosen is None else self._chosen.name

    @property
    def route_problem(self) -> str | None:
        """The reason why a better route of the session cannot be used, or None if the best one is in use."""
        with self._lock:
            if self._lost is None:
                return None
            problem = f"{self._lost.name}: {self._problems[self._lost.name]}"
            if self._chosen is None:
                return problem
            return f"{problem} ({self._chosen.name} is used instead)"

    @property
    def consent(self) -> InputConsent | None:
        """Whether the user allows the route that needs consent, or None if this session needs none."""
        route, chosen = self._find_consent_route(), self._chosen
        if route is None or route.name in self._missing:
            return None
        if chosen is not None and self._get_route_rank(chosen) < self._get_route_rank(route):
            return None  # a better route works without consent
        return route.consent

    def connect(self) -> None:
        """Choose a route and connect it, so that the first key is not delayed.

        Raises:
            ActionFailed: No route works.
        """
        self._get_route(None)

    def ask_for_consent(self) -> None:
        """Ask the user now. The route is used as soon as the user allows it.

        Raises:
            ActionFailed: The session has no route that needs consent.
        """
        route = self._find_consent_route()
        problem = (
            "this session needs no permission to press keys"
            if route is None
            else route.get_unavailable_reason()
        )
        if route is None or problem is not None:
            raise ActionFailed(str(problem))
        with self._lock:
            self._missing.discard(route.name)
            close_count = self._close_count
        route.ask_for_consent()
        threading.Thread(
            target=self._use_after_consent,
            args=[route, close_count],
            name="input consent",
            daemon=True,
        ).start()

    def call_with_route(
        self,
        send: Callable[[InputRoute], None],
        pressed: Sequence[str] = (),
        released: Sequence[str] = (),
    ) -> None:
        """Call `send` with the route in use, choosing a route first if there is none. `pressed` and
        `released` are the keys that `send` presses and releases.

        Raises:
            ActionFailed: No route works, or `send` failed.
        """
        self._get_route()
        with self._lock:
            self._switch_to_better_route()
            route, choice_count = self._chosen, self._choice_count
            if route is None:  # the route was lost or closed by another thread
                raise ActionFailed(_STILL_PROBING_MESSAGE)
            self._held.update(pressed)
            self._call_count += 1
        try:
            send(route)
        except ActionFailed as failure:
            self._drop_lost_route(route, str(failure))
            raise
        finally:
            with self._lock:
                if choice_count == self._choice_count:
                    self._held.difference_update(released)
                    self._call_count -= 1

    def close(self) -> None:
        with self._lock:
            self._close_count += 1
            self._probing = None
            self._use_route(None)
        for route in self._routes:
            route.close()

    def _find_consent_route(self) -> ConsentRoute | None:
        return next((route for route in self._routes if is_consent_route(route)), None)

    def _use_after_consent(self, route: ConsentRoute, close_count: int) -> None:
        """Wait for the user's answer, and then use the route without waiting for a key."""
        route.wait_for_consent(_CONSENT_TIMEOUT_S)
        with self._lock:
            if close_count != self._close_count:
                return
            self._failed_at = float("-inf")
            self._upgrade_s, self._upgrade_at = self._first_upgrade_s, now()
        with suppress(ActionFailed):  # the next key reports the failure
            self._get_route()

    def _drop_lost_route(self, route: InputRoute, failure: str) -> None:
        with self._lock:
            if route.is_lost and route is self._chosen:
                self._lost = route
                self._problems[route.name] = failure
                self._use_route(self._better)

    def _use_route(self, route: InputRoute | None) -> None:
        """Make this route the chosen one. The caller must hold the lock."""
        self._chosen, self._better = route, None
        self._choice_count += 1
        self._call_count = 0
        self._held.clear()
        if route is not None:
            self._worked.add(route.name)
            self._upgrade_s = self._first_upgrade_s
            self._upgrade_at = now() + self._upgrade_s
            if self._lost is not None and self._get_route_rank(route) <= self._get_route_rank(
                self._lost
            ):
                self._lost = None

    def _get_route_rank(self, route: InputRoute) -> int:
        return self._routes.index(route)

    def _switch_to_better_route(self) -> None:
        """Switch to the better route if there is one and no key or call uses the current route.

        The caller must hold the lock.
        """
        if self._better is not None and not self._held and not self._call_count:
            replaced = self._chosen
            self._use_route(self._better)
            if replaced is not None:
                # In a thread of its own, because closing a route may wait for the desktop.
                threading.Thread(
                    target=replaced.close, name="input route close", daemon=True
                ).start()

    def _get_route(self, timeout_s: float | None = _PROBE_TIMEOUT_S) -> InputRoute:
        """Return the route in use.

        Without a route, probe all routes in another thread and wait for the result. With a route, probe
        better routes from time to time, without waiting.
        """
        chosen = self._chosen
        if chosen is not None:
            if now() >= self._upgrade_at:
                self._start_upgrade(chosen)
            return chosen
        with self._lock:
            if self._chosen is not None:
                return self._chosen
            if self._probing is None:
                if now() < self._failed_at + self._retry_s:
                    raise ActionFailed(self._failure)
                self._probing = threading.Event()
                threading.Thread(
                    target=self._choose_route,
                    args=[self._probing, self._close_count],
                    name="input routes",
                    daemon=True,
                ).start()
            probing = self._probing
        # A route may wait for the desktop. The engine's thread must not, or the engine would be killed.
        probing.wait(timeout_s)
        chosen = self._chosen
        if chosen is None:
            has_failed = probing.is_set() and self._failure
            raise ActionFailed(self._failure if has_failed else _STILL_PROBING_MESSAGE)
        return chosen

    def _start_upgrade(self, chosen: InputRoute) -> None:
        with self._lock:
            if chosen is not self._chosen or now() < self._upgrade_at:
                return
            self._upgrade_at = float("inf")
            better = self._routes[: self._get_route_rank(chosen)]
            if better:
                threading.Thread(
                    target=self._find_better_route,
                    args=[chosen, better],
                    name="better input routes",
                    daemon=True,
                ).start()

    def _find_better_route(self, chosen: InputRoute, routes: Sequence[InputRoute]) -> None:
        """Connect the first of these routes that works, to replace the chosen route later."""
        with self._probe_lock:
            if chosen is not self._chosen:
                return
            better, _ = self._connect_first_route(routes, may_ask=False)
            with self._lock:
                is_wanted = chosen is self._chosen
                if is_wanted:
                    self._upgrade_s = min(2 * self._upgrade_s, _MAX_UPGRADE_DELAY_S)
                    self._upgrade_at = float("inf") if better else now() + self._upgrade_s
                    self._better = better
                    self._switch_to_better_route()
            if better is not None and not is_wanted:
                better.close()

    def _choose_route(self, done: threading.Event, close_count: int) -> None:
        """Choose the first route that works.

        The result is discarded if the router was closed in the meantime.
        """
        with self._probe_lock:
            if close_count == self._close_count:
                route, failure = self._connect_first_route(self._routes)
                with self._lock:
                    is_wanted = close_count == self._close_count
                    if is_wanted:
                        self._use_route(route)
                        self._failure, self._probing = failure, None
                        if route is None:
                            self._failed_at = now()
                if route is not None and not is_wanted:
                    route.close()
        done.set()

    def _connect_first_route(
        self, routes: Sequence[InputRoute], *, may_ask: bool = True
    ) -> tuple[InputRoute | None, str]:
        """Connect the first route that works; return it, or None and a message with the problem of each route.

        With `may_ask`, the route may ask for the user's consent at the first key.
        """
        problems: list[str] = []
        for route in routes:
            has_failed = is_missing = False
            try:
                problem = route.get_unavailable_reason()
                is_missing = problem is not None
                if problem is None:
                    # connecting may reveal that a stored consent is no longer valid
                    route.connect()
                    if may_ask or not route.needs_consent:
                        _log.info(
                            "keys and mouse movements are sent by %s (%s)",
                            route.name,
                            route.reach_description,
                        )
                        return route, ""
                    problem, has_failed = _NEEDS_CONSENT, True
            except ActionFailed as failure:
                problem, has_failed = str(failure), True
            except Exception as error:  # noqa: BLE001 - the next route may work
                _log.exception("%s cannot be probed", route.name)
                problem = f"failed unexpectedly ({error})"
            problems.append(f"{route.name}: {problem}")
            with self._lock:
                self._problems[route.name] = problem
                self._missing.discard(route.name)
                if is_missing:
                    self._missing.add(route.name)
                if has_failed:
                    self._lost = route
                elif is_missing and route is self._lost and route.name not in self._worked:
                    self._lost = None
        return None, _format_failure(problems)


def _format_failure(problems: Sequence[str]) -> str:
    """Return the error message that no route works, with the problem of each route."""
    if len(problems) == 1:
        return problems[0].partition(": ")[2]
    return f"no way to press keys in this session ({'; '.join(problems)}): run `conductor doctor`"


def probe_routes(routes: Sequence[InputRoute]) -> list[RouteStatus]:
    """Probe every route, also those after the first that works, and return their
    problems for `conductor doctor`.
    """
    statuses: list[RouteStatus] = []
    for route in routes:
        statuses.append(
            RouteStatus(
                route.name,
                route.reach_description,
                route.reaches_all,
                route.get_unavailable_reason(),
            )
        )
        route.close()
    return statuses


class _RoutedKeyboard:
    """A keyboard that sends its keys over the input route in use."""

    def __init__(self, router: InputRouter) -> None:
        self._router = router

    def press_keys(self, keys: Sequence[str]) -> None:
        self._router.call_with_route(lambda route: route.keyboard.press_keys(keys), pressed=keys)

    def release_keys(self, keys: Sequence[str]) -> None:
        if keys:
            self._router.call_with_route(
                lambda route: route.keyboard.release_keys(keys), released=keys
            )

    def type_text(self, text: str) -> None:
        self._router.call_with_route(lambda route: route.keyboard.type_text(text))


class _RoutedMouse:
    """A mouse that sends its movements and clicks over the input route in use."""

    def __init__(self, router: InputRouter) -> None:
        self._router = router

    def click(self, button: str, count: int) -> None:
        self._router.call_with_route(lambda route: route.mouse.click(button, count))

    def move_to(self, x: int, y: int) -> None:
        self._router.call_with_route(lambda route: route.mouse.move_to(x, y))

    def move_by(self, dx: int, dy: int) -> None:
        self._router.call_with_route(lambda route: route.mouse.move_by(dx, dy))

    def scroll(self, dx: int, dy: int) -> None:
        self._router.call_with_route(lambda route: route.mouse.scroll(dx, dy))
