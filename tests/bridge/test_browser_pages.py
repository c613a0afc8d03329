"""A page that is asked for while Conductor ends is refused instead of served by nobody."""

from typing import cast

import pytest

from conductor.bridge import server
from conductor.bridge.bridge import Bridge
from conductor.bridge.browser_pages import BrowserPages
from conductor.errors import NotAvailable
from conductor.runtime.notices import Notices


@pytest.mark.anyio
async def test_no_address_is_given_while_conductor_shuts_down():
    async def open_bridge() -> Bridge:
        raise AssertionError("opened while it shuts down")

    pages = BrowserPages(open_bridge, Notices(lambda _topic, _payload: None))
    await pages.close()
    with pytest.raises(NotAvailable, match="shutting down"):
        await pages.create_address()


@pytest.mark.anyio
async def test_a_page_server_that_starts_while_conductor_shuts_down_is_stopped(
    monkeypatch: pytest.MonkeyPatch,
):
    servers: list[str] = []

    class Server:
        def __init__(self, _bridge: Bridge, port: int) -> None:
            servers.append(f"made at {port}")

        async def start(self) -> None:
            await pages.close()

        async def stop(self) -> None:
            servers.append("stopped")

    async def open_bridge() -> Bridge:
        return cast(Bridge, object())

    monkeypatch.setattr(server, "BridgeServer", Server)
    pages = BrowserPages(open_bridge, Notices(lambda _topic, _payload: None))
    with pytest.raises(NotAvailable, match="shutting down"):
        await pages.create_address()
    assert servers == ["made at 0", "stopped"]
