"""Tracks the foreground app, and reports it to the engine and the page."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

from conductor.domain.search_pattern import MAX_SEARCHED_CHARACTERS
from conductor.runtime.events import FOREGROUND_APP_TOPIC, Publish

if TYPE_CHECKING:
    from conductor.system.foreground import ForegroundWatcher

MAX_RECENT_APPS = 20
APP_NOT_KNOWN_YET_MESSAGE = "the foreground app is not known yet; try again in a moment"


class ForegroundApp(NamedTuple):
    """An app that is or was in the foreground: its executable, bundle id and window title."""

    executable: str
    bundle_id: str
    title: str


class ForegroundReceiver(Protocol):
    """Receives each change of the foreground app. Implemented by `EngineConnection`."""

    def set_foreground_app(self, app: tuple[str, str, str]) -> None: ...


class ForegroundApps:
    """Tracks the current foreground app and, since `start`, the recent ones.

    `on_problem` is called with the reason why profiles cannot follow the foreground app, and with None when
    the problem has been solved.
    """

    def __init__(
        self,
        engine: ForegroundReceiver,
        publish: Publish,
        on_problem: Callable[[str | None], None],
    ) -> None:
        self._engine = engine
        self._publish = publish
        self._on_problem = on_problem
        self._recent: tuple[ForegroundApp, ...] = ()
        self._watcher: ForegroundWatcher | None = None

    def start(self, *, needed: bool) -> None:
        """Start to watch the foreground app.

        If that is impossible and a profile needs it (`needed`), report the problem.
        """
        from conductor.system.foreground import ForegroundWatcher

        watcher = ForegroundWatcher(self._on_app_change)
        reason = watcher.get_unavailable_reason()
        if reason is not None and needed:
            self._on_problem(f"profiles cannot follow the foreground app: {reason}")
        watcher.start()
        self._watcher = watcher

    def stop(self) -> None:
        if self._watcher is not None:
            self._watcher.stop()

    def get_current_app(self) -> ForegroundApp | None:
        return self._recent[0] if self._recent else None

    def list_recent_apps(self) -> Sequence[ForegroundApp]:
        """Return the apps that were in the foreground, the current app first."""
        return [app for app in self._recent if any(app)]

    def get_problem(self) -> str | None:
        """Return why the foreground app cannot be determined, or None if it can."""
        return (
            APP_NOT_KNOWN_YET_MESSAGE
            if self._watcher is None
            else self._watcher.get_unavailable_reason()
        )

    def _on_app_change(self, executable: str, bundle_id: str, title: str) -> None:
        app = ForegroundApp(executable, bundle_id, title[:MAX_SEARCHED_CHARACTERS])
        earlier = [known for known in self._recent if known[:2] != app[:2]]
        self._recent = (app, *earlier)[:MAX_RECENT_APPS]
        # Checked, because a watcher without a display also reports a change, to an empty app.
        if self.get_problem() is None:
            self._on_problem(None)
        self._engine.set_foreground_app(app)
        self._publish(
            FOREGROUND_APP_TOPIC,
            {"executable": app.executable, "bundle_id": app.bundle_id, "title": app.title},
        )
