"""The app in front: who watches it, which ones were there, and telling the engine and the page."""

from collections.abc import Callable
from typing import Any

from conductor.domain.engine_protocol import PostEvents
from conductor.domain.search_pattern import MAX_TEXT_LENGTH
from conductor.domain.wire_rows import EventRow
from conductor.runtime.supervisor import EngineSupervisor

KEPT = 20
Tell = Callable[[str, dict[str, Any]], None]


class ForegroundApps:
    """Follows the app in front from `start` on."""

    def __init__(
        self, engine: EngineSupervisor, tell_page: Tell, notice: Callable[[str], None]
    ) -> None:
        self._engine = engine
        self._tell_page = tell_page
        self._notice = notice
        self.seen: list[tuple[str, str, str]] = []
        """Apps that were in front, the present one first."""

    def start(self, *, needed: bool) -> Any:
        """Watch the app in front; where that cannot be, say so if profiles need it."""
        from conductor.system.foreground import Foreground

        watcher = Foreground(self._came)
        reason = watcher.available()
        if reason is not None and needed:
            self._notice(f"profiles cannot follow the app in front: {reason}")
        watcher.start()
        return watcher

    def post(self) -> None:
        """Send the app in front to the engine."""
        for app in self.seen[:1]:
            event = EventRow(
                kind="app", device="", channel=0, number=0, value=0, time=0, data=list(app)
            )
            self._engine.send(PostEvents([event]))

    def _came(self, executable: str, bundle_id: str, title: str) -> None:
        app = (executable, bundle_id, title[:MAX_TEXT_LENGTH])
        others = [one for one in self.seen if one[:2] != app[:2]]
        self.seen[:] = [app, *others][:KEPT]
        self.post()
        words = {"executable": executable, "bundle_id": bundle_id, "title": app[2]}
        self._tell_page("front", words)
