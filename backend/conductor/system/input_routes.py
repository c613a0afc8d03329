"""Chooses the route by which keys and mouse movements reach other programs on Linux: the first that works.

Probing a route does not ask for the user's consent. A route that needs consent asks at the first key.
"""

import logging
import threading
from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

from conductor.base.clock import now
from conductor.domain.ports import Keyboard, Mouse
from conductor.errors import ActionFailed

_log = logging.getLogger(__name__)
_RETRY_S = 2.0
"""Seconds after a failure before the routes are probed again. Until then the failure is reported again."""
_PROBE_TIMEOUT_S = 1.0
"""Seconds for which a key waits for the probing thread. An engine that does not respond for 3 s is killed,
and a failed press is followed by a release.
"""
_STILL_PROBING = "Conductor is still looking for a way to press keys: try again"


class InputRoute(Protocol):
    """A way to send keys and mouse movements to other programs."""

    @property
    def name(self) -> str: ...
    @property
    def reach(self) -> str:
        """Which programs the route reaches, and which text it can type."""
        ...

    @property
    def reaches_all(self) -> bool:
        """Whether the route reaches every program."""
        ...

    @property
    def keys_outlive_process(self) -> bool:
        """Whether held keys may stay down when the process that pressed them dies."""
        ...

    @property
    def keyboard(self) -> Keyboard: ...
    @property
    def mouse(self) -> Mouse: ...
    @property
    def is_lost(self) -> bool:
        """Whether the connection is closed, so that the routes must be probed again."""
        ...

    def why_unavailable(self) -> str | None:
        """Return why the route cannot be used now, or None if it can. Never asks the user for consent."""
        ...

    def connect(self) -> None:
        """Connect before the first key is pressed.

        Raises:
            ActionFailed: The connection failed.
        """
        ...

    def close(self) -> None:
        """Release held keys and disconnect. The next use connects again."""
        ...


class RouteStatus(NamedTuple):
    """The result of probing a route. `problem` is the reason why the route cannot be used, or None."""

    name: str
    reach: str
    reaches_all: bool
    problem: str | None


class InputRouter:
    """Sends keys and mouse movements over the first route that works. Chooses again when the route is lost."""

    def __init__(self, routes: Sequence[InputRoute], retry_s: float = _RETRY_S) -> None:
        self._routes = routes
        self._retry_s = retry_s
        self._lock = threading.Lock()
        """Never held for long, because the engine's thread needs it for each key until a route is chosen."""
        self._probe_lock = threading.Lock()
        """Held by the probing thread, which may wait for the desktop."""
        self._probing: threading.Event | None = None
        self._close_count = 0
        """Number of times the router was closed. A probing thread discards its result if the number changed."""
        self._chosen: InputRoute | None = None
        self._failure = ""
        self._failed_at = float("-inf")
        self.keyboard: Keyboard = _RoutedKeyboard(self)
        self.mouse: Mouse = _RoutedMouse(self)

    @property
    def route_name(self) -> str | None:
        """The name of the route in use, or None if no route has been chosen."""
        return None if self._chosen is None else self._chosen.name

    def connect(self) -> None:
        """Choose a route and connect before the first key is pressed.

        Raises:
            ActionFailed: No route works.
        """
        self._get_route(None)

    def call_with_route(self, send: Callable[[InputRoute], None]) -> None:
        """Call `send` with the route in use.

        Raises:
            ActionFailed: No route works, or `send` failed.
        """
        route = self._get_route()
        try:
            send(route)
        except ActionFailed:
            if route.is_lost:
                with self._lock:
                    self._chosen = None
            raise

    def close(self) -> None:
        with self._lock:
            self._close_count += 1
            self._chosen = self._probing = None
        for route in self._routes:
            route.close()

    def _get_route(self, timeout_s: float | None = _PROBE_TIMEOUT_S) -> InputRoute:
        """Return the route in use. If there is none, probe the routes in another thread, and wait for a
        result.
        """
        chosen = self._chosen
        if chosen is not None:
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
            raise ActionFailed(self._failure if has_failed else _STILL_PROBING)
        return chosen

    def _choose_route(self, done: threading.Event, close_count: int) -> None:
        """Choose the first route that works, unless the router was closed since the thread was started."""
        with self._probe_lock:
            if close_count == self._close_count:
                route, failure = self._connect_first_route()
                with self._lock:
                    is_wanted = close_count == self._close_count
                    if is_wanted:
                        self._chosen, self._failure, self._probing = route, failure, None
                        if route is None:
                            self._failed_at = now()
                if route is not None and not is_wanted:
                    route.close()
        done.set()

    def _connect_first_route(self) -> tuple[InputRoute | None, str]:
        """Connect the first route that works, and return it, or return None and a message with all problems."""
        problems: list[str] = []
        for route in self._routes:
            try:
                problem = route.why_unavailable()
                if problem is None:
                    route.connect()
                    _log.info(
                        "keys and mouse movements are sent by %s (%s)", route.name, route.reach
                    )
                    return route, ""
            except ActionFailed as failure:
                problem = str(failure)
            except Exception as error:  # noqa: BLE001 - the next route may work
                _log.exception("%s cannot be probed", route.name)
                problem = f"failed unexpectedly ({error})"
            problems.append(f"{route.name}: {problem}")
        return None, _format_failure(problems)


def _format_failure(problems: Sequence[str]) -> str:
    """Return the message that no route works, with the problem of each route."""
    if len(problems) == 1:
        return problems[0].partition(": ")[2]
    return f"no way to press keys in this session ({'; '.join(problems)}): run `conductor doctor`"


def probe_routes(routes: Sequence[InputRoute]) -> list[RouteStatus]:
    """Probe all routes, including the routes after the first that works."""
    statuses: list[RouteStatus] = []
    for route in routes:
        statuses.append(
            RouteStatus(route.name, route.reach, route.reaches_all, route.why_unavailable())
        )
        route.close()
    return statuses


class _RoutedKeyboard:
    """A keyboard that forwards its calls to the route in use."""

    def __init__(self, router: InputRouter) -> None:
        self._router = router

    def press(self, keys: Sequence[str]) -> None:
        self._router.call_with_route(lambda route: route.keyboard.press(keys))

    def release(self, keys: Sequence[str]) -> None:
        if keys:
            self._router.call_with_route(lambda route: route.keyboard.release(keys))

    def text(self, text: str) -> None:
        self._router.call_with_route(lambda route: route.keyboard.text(text))


class _RoutedMouse:
    """A mouse that forwards its calls to the route in use."""

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
