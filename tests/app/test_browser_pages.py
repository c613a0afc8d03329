"""A page that is asked for while Conductor ends is refused instead of served by nobody."""

import pytest

from conductor.app.browser import BrowserPages
from conductor.bridge.bridge import Bridge
from conductor.errors import NotAvailable


@pytest.mark.anyio
async def test_no_address_is_given_while_conductor_shuts_down():
    async def open_bridge() -> Bridge:
        raise AssertionError("opened while it shuts down")

    pages = BrowserPages(open_bridge)
    await pages.close()
    with pytest.raises(NotAvailable, match="shutting down"):
        await pages.address()
