"""Where the engine stands, told when it has changed."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from conductor.runtime.status import Running

    class EngineState(Running, Protocol):
        """What is seen of the app."""

        profile: str | None
        muted: list[str]
        paused: bool
        held_keys: list[str]


Plain = dict[str, Any]


class StatusPublisher:
    """Compares the status with the one that was told last."""

    def __init__(
        self, app: "EngineState", tell: Callable[[Plain], None], is_ready: Callable[[], bool]
    ) -> None:
        """Send changes of `app` to `tell`, once the config is read: the engine runs before."""
        self._app = app
        self._tell = tell
        self._is_ready = is_ready
        self._status: Plain = {}

    def look(self) -> None:
        """Send the status if it has changed."""
        if not self._is_ready():
            return
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
            self._tell(status)

    def tell_again(self) -> None:
        """Send the status whether it has changed or not: somebody is new."""
        self._status = {}
        self.look()
