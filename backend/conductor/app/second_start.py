"""Handles the requests of a second `conductor`: shows the window, or creates an address of the page."""

from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING

from conductor.base.json_types import JsonObject
from conductor.bridge.browser_pages import BrowserPages
from conductor.errors import InvalidParams, NotAvailable
from conductor.mcp.server.methods import PAGE_METHOD, PAGES_PREFIX
from conductor.window.requirements import has_display

if TYPE_CHECKING:
    from conductor.domain.plan import Requester

DESKTOP_SESSION_VARIABLES = (
    "DISPLAY",
    "WAYLAND_DISPLAY",
    "XAUTHORITY",
    "XDG_RUNTIME_DIR",
    "XDG_SESSION_TYPE",
    "XDG_CURRENT_DESKTOP",
    "DBUS_SESSION_BUS_ADDRESS",
)
"""The environment variables that identify a desktop session and its display."""
NO_DISPLAY_MESSAGE = (
    "Conductor was started without a display and accepts a display only from a terminal: run `conductor`"
    " or `conductor run --browser` in a terminal of your desktop"
)
ShowWindow = Callable[[Mapping[str, str] | None], Awaitable[None]]


class SecondStartHandler:
    """Shows the window and creates addresses of the page.

    The request handler has already authorized the request.
    """

    def __init__(self, browser: BrowserPages, show_window: ShowWindow) -> None:
        self._browser = browser
        self._show_window = show_window

    async def show_window(self, params: JsonObject, *, is_user: bool) -> JsonObject:
        """Show the window.

        Only a request of the user may choose the display, because the owner of the display can click in the
        window.

        Raises:
            NotAvailable: The window cannot be shown. The message says why.
        """
        session_variables = params.get("session")
        variables: JsonObject = session_variables if isinstance(session_variables, dict) else {}
        session = {
            name: str(variables[name]) for name in DESKTOP_SESSION_VARIABLES if name in variables
        }
        if not is_user and has_display(session) and not has_display():
            raise NotAvailable(NO_DISPLAY_MESSAGE)
        await self._show_window(session if is_user else None)
        return {"shown": True}

    async def run_command(
        self, name: str, params: JsonObject, by: "Requester"
    ) -> tuple[str, JsonObject]:
        """Run a command of the terminal. Return the detail for the audit log and the reply.

        Raises:
            ConductorError: The command failed.
        """
        if name == PAGE_METHOD:
            address, session = await self._browser.create_address_for(by)
            number = session.number
            return f"address of page {number}", {"address": address, "number": number}
        if name == f"{PAGES_PREFIX}list":
            from conductor.bridge.commands.pages import build_page_row

            rows = [
                build_page_row(page).model_dump(mode="json")
                for page in self._browser.list_sessions()
            ]
            return f"{len(rows)} pages", {"pages": rows}
        if name == f"{PAGES_PREFIX}confirm":
            return self._confirm_page(params)
        raise InvalidParams(f"there is no command `{name[:60]}`")

    def _confirm_page(self, params: JsonObject) -> tuple[str, JsonObject]:
        number = params.get("number")
        if not isinstance(number, int):
            raise InvalidParams("Invalid params: `number` must be a number")
        self._browser.confirm_page(number)
        return f"page {number} may make changes", {"number": number, "confirmed": True}
