"""The window's page in the user's browser: `conductor run --browser`."""

import asyncio
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from conductor.app.build import App
    from conductor.bridge.server import BridgeServer


class BrowserPage:
    """Served from the first time on that somebody wants it; it ends with the app."""

    def __init__(self, app: "App") -> None:
        self._app = app
        self._server: BridgeServer | None = None
        self._opening = asyncio.Lock()

    async def address(self, port: int = 0) -> str:
        """Give a new address that opens the page once; the port counts the first time.

        Raises:
            NotAvailable: the port is taken.
        """
        async with self._opening:
            if self._server is None:
                bridge = await self._app.open_bridge()
                from conductor.bridge.server import BridgeServer

                server = BridgeServer(bridge, port=port)
                await server.start()
                self._app.doors.append(server.stop)
                self._server = server
        return self._server.new_url()
