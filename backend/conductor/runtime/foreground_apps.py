"""Tracks the foreground app, and reports it to the engine and the page."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

from conductor.domain.search_pattern import MAX_TEXT_LENGTH
from conductor.runtime.events import FRONT, Publish

if TYPE_CHECKING:
    from conductor.system.foreground import Foreground

MAX_KEPT = 20
NOT_KNOWN_YET = "the foreground app is not known yet; try again in a moment"


class FrontApp(NamedTuple):
    """The app that is in the foreground."""

    executable: str
    bundle_id: str
    title: str


class Engine(Protocol):
    """The part of `EngineConnection` that `ForegroundApps` uses."""

    def set_front(self, app: tuple[str, str, str]) -> None: ...


class ForegroundApps:
    """The apps that have been in the foreground since `start`.

    `on_problem` is called with the reason why profiles cannot follow the foreground app, and with None once
    they can.
    """

    def __init__(
        self,
        engine: Engine,
        publish: Publish,
        on_problem: Callable[[str | None], None],
    ) -> None:
        self._engine = engine
        self._publish = publish
        self._on_problem = on_problem
        self._seen: tuple[FrontApp, ...] = ()
        self._watcher: Foreground | None = None

    def start(self, *, needed: bool) -> None:
        """Watch the foreground app. If that is impossible and profiles need it, show a notice."""
        from conductor.system.foreground import Foreground

        watcher = Foreground(self._on_change)
        reason = watcher.available()
        if reason is not None and needed:
            self._on_problem(f"profiles cannot follow the foreground app: {reason}")
        watcher.start()
        self._watcher = watcher

    def stop(self) -> None:
        if self._watcher is not None:
            self._watcher.stop()

    def current(self) -> FrontApp | None:
        return self._seen[0] if self._seen else None

    def recent(self) -> Sequence[FrontApp]:
        """Return the apps that were in the foreground, starting with the current app."""
        return [app for app in self._seen if any(app)]

    def problem(self) -> str | None:
        """Return why the foreground app cannot be determined, or None if it can."""
        return NOT_KNOWN_YET if self._watcher is None else self._watcher.available()

    def _on_change(self, executable: str, bundle_id: str, title: str) -> None:
        app = FrontApp(executable, bundle_id, title[:MAX_TEXT_LENGTH])
        others = [seen for seen in self._seen if seen[:2] != app[:2]]
        self._seen = (app, *others)[:MAX_KEPT]
        if self.problem() is None:  # no app is also what a watcher without a display reports
            self._on_problem(None)
        self._engine.set_front(app)
        self._publish(
            FRONT,
            {"executable": app.executable, "bundle_id": app.bundle_id, "title": app.title},
        )
