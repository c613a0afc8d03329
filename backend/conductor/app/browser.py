"""The window's page in the user's browser: `conductor run --browser`."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from conductor.app.build import App


async def open_in_browser(app: "App", port: int = 0) -> str:
    """Serve the page and give the address that opens it once; it ends with the app.

    Raises:
        NotAvailable: the port is taken.
    """
    bridge = await app.open_bridge()
    from conductor.bridge.server import BridgeServer

    server = BridgeServer(bridge, port=port)
    await server.start()
    app.doors.append(server.stop)
    return server.new_url()
