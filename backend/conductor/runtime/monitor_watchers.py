"""Who looks at the monitor: the engine tells each trace only while somebody does."""

from typing import Literal

from conductor.domain.engine_protocol import WatchTraces
from conductor.runtime.supervisor import EngineSupervisor


class MonitorWatchers:
    """This process's own monitor, those on the socket, and the page."""

    def __init__(self, engine: EngineSupervisor) -> None:
        self._engine = engine
        self.here = self.socket = self.page = False

    def look(self, who: Literal["here", "socket", "page"], *, on: bool) -> None:
        """Record that a monitor was opened or closed."""
        setattr(self, who, on)
        self.tell()

    def from_socket(self, on: bool) -> None:  # noqa: FBT001
        self.look("socket", on=on)

    def from_page(self, on: bool) -> None:  # noqa: FBT001
        self.look("page", on=on)

    def any(self) -> bool:
        return self.here or self.socket or self.page

    def tell(self) -> None:
        """Send the current state to the engine, which may have been restarted."""
        self._engine.send(WatchTraces(self.any()))
