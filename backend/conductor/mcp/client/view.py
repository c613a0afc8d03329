"""A server as the window and the terminal see it."""

from collections.abc import Iterable

from conductor.domain.servers import SignInState
from conductor.mcp.client.supervisor import Supervisor
from conductor.mcp.client.texts import TEXT, clean_text, one_line
from conductor.mcp.client.tool_catalog import by_name, shadowing
from conductor.mcp.client.values import ClientView, ToolView


def tool_view(
    server: Supervisor, others: Iterable[tuple[str, str]], signs_in_at: str | None = None
) -> ClientView:
    """Return the view; `others` are the names of tools of others, with whose they are.

    `signs_in_at` is where the user is signing in; empty while that is not known yet.
    """
    connection, names = server.connection, by_name(others)
    about = connection.client.server_info if connection else None
    return ClientView(
        name=server.server.name,
        state=server.state,
        problem=server.problem,
        era=connection.client.protocol_version if connection else None,
        version=one_line(about.version, 80) if about else None,
        server_title=one_line(about.title or about.name, 120) if about else None,
        instructions=clean_text(connection.client.instructions, TEXT) or None
        if connection
        else None,
        tools=tuple(_looked_at(offer.view, names, server) for offer in server.offers.values()),
        resources=connection.resources if connection else (),
        prompts=connection.prompts if connection else (),
        started_at=server.started_at if connection else None,
        sign_in="waiting" if signs_in_at is not None else _sign_in(server),
        sign_in_address=signs_in_at or None,
    )


def _sign_in(server: Supervisor) -> SignInState:
    if server.challenge is not None:
        return "more" if server.connection is not None else "needed"
    return "done" if server.is_signed_in else "none"


def _looked_at(tool: ToolView, others: dict[str, list[str]], server: Supervisor) -> ToolView:
    problem = tool.problem or server.left_out.get(tool.name)
    return tool.model_copy(update={"warnings": shadowing(tool.name, others), "problem": problem})
