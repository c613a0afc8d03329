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
_PROBING_S = 1.0
"""How long a key waits for the thread that probes: the engine counts as hung after 3 s, and a press that fails
is followed by a release."""
_STILL_LOOKING = "Conductor is still looking for a way to press keys: try again"


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
        self._lock = threading.Lock()
        """Held for moments only: the engine's thread takes it with each key until a route is chosen."""
        self._probe_lock = threading.Lock()
        """Held by the thread that probes, which may wait for the desktop."""
        self._probing: threading.Event | None = None
        self._closed = 0
        """How often the router was closed, so that a thread that probes notices that it is not wanted."""
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
        self._choose(None)

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
            self._closed += 1
            self._chosen = self._probing = None
        for route in self._routes:
            route.close()

    def _choose(self, limit_s: float | None = _PROBING_S) -> InputRoute:
        """Return the route in use, or look for one in another thread and wait for it for a limited time."""
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
                    target=self._probe,
                    args=[self._probing, self._closed],
                    name="input routes",
                    daemon=True,
                ).start()
            probing = self._probing
        # A route may wait for the desktop; the engine's thread must not, or it counts as hung.
        probing.wait(limit_s)
        chosen = self._chosen
        if chosen is None:
            is_failed = probing.is_set() and self._failure
            raise ActionFailed(self._failure if is_failed else _STILL_LOOKING)
        return chosen

    def _probe(self, done: threading.Event, closed: int) -> None:
        """Look for a route that works, unless the router was closed in the meantime."""
        with self._probe_lock:
            if closed == self._closed:
                found, failure = self._probe_routes()
                with self._lock:
                    is_wanted = closed == self._closed
                    if is_wanted:
                        self._chosen, self._failure, self._probing = found, failure, None
                        if found is None:
                            self._failed_at = now()
                if found is not None and not is_wanted:
                    found.close()
        done.set()

    def _probe_routes(self) -> tuple[InputRoute | None, str]:
        """Return the first route that works, or else None and why none does."""
        problems: list[str] = []
        for route in self._routes:
            try:
                problem = route.why_unavailable()
                if problem is None:
                    route.connect()
                    _log.info("keys and mouse go through %s (%s)", route.name, route.reach)
                    return route, ""
            except ActionFailed as failure:
                problem = str(failure)
            except Exception as error:  # noqa: BLE001 - the next route may work
                _log.exception("%s cannot be probed", route.name)
                problem = f"it failed unexpectedly ({error})"
            problems.append(f"{route.name}: {problem}")
        return None, _build_failure(problems)


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
        if keys:
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
