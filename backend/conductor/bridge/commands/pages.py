"""Commands about pages in browsers: which there are, and the user's word that one is theirs."""

from pydantic import Field

from conductor.bridge.models import Nothing
from conductor.bridge.registry import command, query
from conductor.bridge.services import Call
from conductor.bridge.tokens import PageSession
from conductor.domain.value import Value


class PageRow(Value):
    number: int
    opened: bool
    """Whether a browser has it open now."""
    confirmed: bool
    given_to: str | None
    """The program and process that got the address; None for that of Conductor's own start."""


class PageRows(Value):
    pages: tuple[PageRow, ...]


class ConfirmParams(Value):
    number: int = Field(ge=1)


@query("pages.list")
def rows(params: Nothing, call: Call) -> PageRows:
    """Every page in a browser that an address was given for."""
    return PageRows(pages=tuple(map(page_row, call.desk.pages.sessions())))


@command("pages.confirm", "privileged")
def confirm(params: ConfirmParams, call: Call) -> PageRow:
    """Allow a page that a second start opened to change things."""
    return page_row(call.desk.pages.confirm(params.number))


def page_row(session: PageSession) -> PageRow:
    """Return what the user is told of a page."""
    asker = session.given_to
    return PageRow(
        number=session.number,
        opened=session.pages > 0,
        confirmed=session.confirmed,
        given_to=None
        if asker is None
        else f"{asker.executable or 'a program'}, process {asker.pid}",
    )
