"""Commands about pages in a browser: list them, and confirm that one belongs to the user."""

from pydantic import Field

from conductor.bridge.models import Empty
from conductor.bridge.registry import command, query
from conductor.bridge.services import Call
from conductor.bridge.tokens import PageSession
from conductor.domain.value import Value


class PageRow(Value):
    number: int
    opened: bool
    """Whether a browser currently shows the page."""
    confirmed: bool
    given_to: str | None
    """The program and process that requested the address, or None for the address that Conductor itself
    printed.
    """


class PageList(Value):
    pages: tuple[PageRow, ...]


class ConfirmPageParams(Value):
    number: int = Field(ge=1)


@query("pages.list")
def list_pages(params: Empty, call: Call) -> PageList:
    """Return all pages for which an address was created, even if it has not been opened yet."""
    return PageList(pages=tuple(map(build_page_row, call.services.pages.list_sessions())))


@command("pages.confirm", "privileged")
def confirm_page(params: ConfirmPageParams, call: Call) -> PageRow:
    """Allow a page in a browser to make changes, after the user has confirmed that it is theirs."""
    return build_page_row(call.services.pages.confirm_page(params.number))


def build_page_row(session: PageSession) -> PageRow:
    """Return what the user sees of a page in a browser: its number, its state and who requested it."""
    requester = session.address_requester
    return PageRow(
        number=session.number,
        opened=session.pages > 0,
        confirmed=session.confirmed,
        given_to=None
        if requester is None
        else f"{requester.executable or 'a program'}, process {requester.pid}",
    )
