"""Commands about pages in browsers: list pages, and confirm that a page belongs to the user."""

from pydantic import Field

from conductor.bridge.models import Nothing
from conductor.bridge.registry import command, query
from conductor.bridge.services import Call
from conductor.bridge.tokens import PageSession
from conductor.domain.value import Value


class PageRow(Value):
    number: int
    opened: bool
    """Whether a browser has it open."""
    confirmed: bool
    given_to: str | None
    """The program and process that requested the address; None for the address of Conductor's start."""


class PageRows(Value):
    pages: tuple[PageRow, ...]


class ConfirmParams(Value):
    number: int = Field(ge=1)


@query("pages.list")
def list_pages(params: Nothing, call: Call) -> PageRows:
    """Return all pages in browsers, including those whose address has not been opened yet."""
    return PageRows(pages=tuple(map(build_page_row, call.services.pages.list_sessions())))


@command("pages.confirm", "privileged")
def confirm_page(params: ConfirmParams, call: Call) -> PageRow:
    """Allow a page to make changes, because the user has confirmed it."""
    return build_page_row(call.services.pages.confirm_page(params.number))


def build_page_row(session: PageSession) -> PageRow:
    """Build the description of a browser page that the user sees."""
    requester = session.given_to
    return PageRow(
        number=session.number,
        opened=session.pages > 0,
        confirmed=session.confirmed,
        given_to=None
        if requester is None
        else f"{requester.executable or 'a program'}, process {requester.pid}",
    )
