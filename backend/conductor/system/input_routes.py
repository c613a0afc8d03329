"""Chooses how keys and mouse movements reach other programs on Linux: the first route that works.

A route that needs the user's consent is probed without asking for it; it asks at the first key.
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
"""How long a failed choice is reported again before the routes are probed again."""
_PROBING_S = 2.0
"""How long a key waits for another thread that probes."""


class InputRoute(Protocol):
    """One way for keys and mouse movements to reach other programs."""

    @property
    def name(self) -> str: ...
    @property
    def reach(self) -> str:
        """Which programs it reaches, and which text it can type."""
        ...

    @property
    def reaches_all(self) -> bool:
        """Return whether it reaches every program."""
        ...

    @property
    def must_release_for_others(self) -> bool:
        """Return whether keys may stay down when the process that pressed them dies."""
        ...

    @property
    def keyboard(self) -> Keyboard: ...
    @property
    def mouse(self) -> Mouse: ...
    @property
    def is_lost(self) -> bool:
        """Return whether the connection is closed, so that another route may be better now."""
        ...

    def why_unavailable(self) -> str | None:
        """Return why this route cannot be used now; None if it can. Never asks the user."""
        ...

    def connect(self) -> None:
        """Connect ahead of the first key.

        Raises:
            ActionFailed: it cannot connect.
        """
        ...

    def close(self) -> None:
        """Release held keys and disconnect; the next use connects again."""
        ...


class RouteStatus(NamedTuple):
    """A route that was probed, and why it cannot be used."""

    name: str
    reach: str
    reaches_all: bool
    problem: str | None


class InputRouter:
    """Uses the first route that works, and chooses again when its connection is lost."""

    def __init__(self, routes: Sequence[InputRoute], retry_s: float = _RETRY_S) -> None:
        self._routes = routes
        self._retry_s = retry_s
        self._lock = threading.RLock()
        self._chosen: InputRoute | None = None
        self._failure = ""
        self._failed_at = float("-inf")
        self.keyboard: Keyboard = _RoutedKeyboard(self)
        self.mouse: Mouse = _RoutedMouse(self)

    @property
    def chosen(self) -> str | None:
        """The name of the route in use; None before the first key, and if there is none."""
        return None if self._chosen is None else self._chosen.name

    def connect(self) -> None:
        """Choose a route and connect ahead of the first key.

        Raises:
            ActionFailed: no route works.
        """
        self._choose()

    def use(self, work: Callable[[InputRoute], None]) -> None:
        """Call `work` with the route in use.

        Raises:
            ActionFailed: no route works, or `work` failed.
        """
        route = self._choose()
        try:
            work(route)
        except ActionFailed:
            if route.is_lost:
                with self._lock:
                    self._chosen = None
            raise

    def close(self) -> None:
        with self._lock:
            self._chosen = None
            for route in self._routes:
                route.close()

    def _choose(self) -> InputRoute:
        chosen = self._chosen
        if chosen is not None:
            return chosen
        # The thread that connects may wait for the desktop; the engine's thread must not.
        if not self._lock.acquire(timeout=_PROBING_S):
            raise ActionFailed("Conductor is still looking for a way to press keys: try again")
        try:
            if self._chosen is None:
                if now() < self._failed_at + self._retry_s:
                    raise ActionFailed(self._failure)
                self._chosen = self._probe_routes()
            return self._chosen
        finally:
            self._lock.release()

    def _probe_routes(self) -> InputRoute:
        problems: list[str] = []
        for route in self._routes:
            problem = route.why_unavailable()
            if problem is None:
                try:
                    route.connect()
                except ActionFailed as failure:
                    problem = str(failure)
                else:
                    _log.info("keys and mouse go through %s (%s)", route.name, route.reach)
                    return route
            problems.append(f"{route.name}: {problem}")
        self._failed_at = now()
        self._failure = _build_failure(problems)
        raise ActionFailed(self._failure)


def _build_failure(problems: Sequence[str]) -> str:
    """Return the message that no route works, with the problem of each."""
    if len(problems) == 1:
        return problems[0].partition(": ")[2]
    return f"no way to press keys in this session ({'; '.join(problems)}): run `conductor doctor`"


def probe_routes(routes: Sequence[InputRoute]) -> list[RouteStatus]:
    """Probe every route, also those after the first that works."""
    found: list[RouteStatus] = []
    for route in routes:
        found.append(
            RouteStatus(route.name, route.reach, route.reaches_all, route.why_unavailable())
        )
        route.close()
    return found


class _RoutedKeyboard:
    """A keyboard that passes its calls to the route in use."""

    def __init__(self, router: InputRouter) -> None:
        self._router = router

    def press(self, keys: Sequence[str]) -> None:
        self._router.use(lambda route: route.keyboard.press(keys))

    def release(self, keys: Sequence[str]) -> None:
        self._router.use(lambda route: route.keyboard.release(keys))

    def text(self, text: str) -> None:
        self._router.use(lambda route: route.keyboard.text(text))


class _RoutedMouse:
    """A mouse that passes its calls to the route in use."""

    def __init__(self, router: InputRouter) -> None:
        self._router = router

    def click(self, button: str, count: int) -> None:
        self._router.use(lambda route: route.mouse.click(button, count))

    def move_to(self, x: int, y: int) -> None:
        self._router.use(lambda route: route.mouse.move_to(x, y))

    def move_by(self, dx: int, dy: int) -> None:
        self._router.use(lambda route: route.mouse.move_by(dx, dy))

    def scroll(self, dx: int, dy: int) -> None:
        self._router.use(lambda route: route.mouse.scroll(dx, dy))
