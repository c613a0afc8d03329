"""What the app hears, as the page is told it."""

from collections.abc import Callable
from typing import Any, Protocol

from conductor.app.status import Running

Plain = dict[str, Any]
Tell = Callable[[str, Plain], None]
TOLD_AS_HEARD = ("trace", "skipped", "failure", "devices")


class Standing(Running, Protocol):
    """What is seen of the app."""

    profile: str | None
    muted: list[str]
    paused: bool
    held_keys: list[str]


class PageNews:
    """Turns the app's news into topics; the status is told only when it has changed."""

    def __init__(self, app: Standing, tell: Tell) -> None:
        self._app = app
        self._tell = tell
        self._status: Plain = {}

    def hear(self, kind: str, data: Plain) -> None:
        """Take what a monitor is shown."""
        if kind in TOLD_AS_HEARD:
            self._tell(kind, {key: item for key, item in data.items() if key != "op"})
        elif kind == "notice":
            level, undoes = data.get("level", "warning"), data.get("undoes")
            page = data.get("page")
            self._tell(kind, {"text": data["text"], "level": level, "undoes": undoes, "page": page})

    def stand(self) -> None:
        """Tell where the engine stands, if that is news."""
        app = self._app
        status: Plain = {
            "mode": app.mode,
            "profile": app.profile,
            "muted": app.muted,
            "paused": app.paused,
            "engine_running": app.engine.running.is_set(),
            "held_keys": app.held_keys,
            "modes": [mode.name for mode in app.store.current.modes],
        }
        if status != self._status:
            self._status = status
            self._tell("status", status)
