"""Commands about browser pages: list pages, and confirm that a page belongs to the user."""

from pydantic import Field

from conductor.bridge.models import Empty
from conductor.bridge.registry import command, query
from conductor.bridge.services import Call
from conductor.bridge.tokens import PageSession
from conductor.domain.value import Value


class PageRow(Value):
    number: int
    opened: bool
    """Whether the page is open in a browser."""
    confirmed: bool
    given_to: str | None
    """The program and process that requested the address, or None for the address from Conductor's start."""


class PageList(Value):
    pages: tuple[PageRow, ...]


class ConfirmPageParams(Value):
    number: int = Field(ge=1)


@query("pages.list")
def list_pages(params: Empty, call: Call) -> PageList:
    """Return all browser pages, including pages whose address has not been opened yet."""
    return PageList(pages=tuple(map(build_page_row, call.services.pages.list_sessions())))


@command("pages.confirm", "privileged")
def confirm_page(params: ConfirmPageParams, call: Call) -> PageRow:
    """Confirm a browser page for the user, so that the page can make changes."""
    return build_page_row(call.services.pages.confirm_page(params.number))


def build_page_row(session: PageSession) -> PageRow:
    """Build the description of a browser page for the user."""
    requester = session.address_requester
    return PageRow(
        number=session.number,
        opened=session.pages > 0,
        confirmed=session.confirmed,
        given_to=None
        if requester is None
        else f"{requester.executable or 'a program'}, process {requester.pid}",
    )
