"""Builds the view of a server that the page and the terminal show."""

from collections.abc import Iterable

from conductor.domain.servers import SignInState
from conductor.mcp.client.supervisor import ServerSupervisor
from conductor.mcp.client.texts import MAX_CLEAN_TEXT_LENGTH, clean_line, clean_text
from conductor.mcp.client.tool_catalog import find_shadowing_warnings, index_similar_names
from conductor.mcp.client.values import ClientView, ToolView


def build_client_view(
    server: ServerSupervisor,
    other_tools: Iterable[tuple[str, str]],
    sign_in_address: str | None = None,
) -> ClientView:
    """Return the current view of a server for the page and the terminal.

    `other_tools` contains the other tools in the registry as pairs of owner and tool. `sign_in_address` is
    None if no sign-in is pending, and empty until the address is known.
    """
    connection, shadowing_index = server.connection, index_similar_names(other_tools)
    info = connection.client.server_info if connection else None
    return ClientView(
        name=server.server.name,
        state=server.state,
        problem=server.problem,
        era=connection.client.protocol_version if connection else None,
        version=clean_line(info.version, 80) if info else None,
        server_title=clean_line(info.title or info.name, 120) if info else None,
        instructions=clean_text(connection.client.instructions, MAX_CLEAN_TEXT_LENGTH) or None
        if connection
        else None,
        tools=tuple(
            _add_warnings(tool.view, shadowing_index, server) for tool in server.offered.values()
        ),
        resources=connection.resources if connection else (),
        prompts=connection.prompts if connection else (),
        started_at=server.started_at if connection else None,
        sign_in="waiting" if sign_in_address is not None else _find_sign_in_state(server),
        sign_in_address=sign_in_address or None,
    )


def _find_sign_in_state(server: ServerSupervisor) -> SignInState:
    if server.challenge is not None:
        return "more" if server.connection is not None else "needed"
    return "done" if server.is_signed_in else "none"


def _add_warnings(
    tool: ToolView, shadowing_index: dict[str, list[str]], server: ServerSupervisor
) -> ToolView:
    problem = tool.problem or server.unregistered.get(tool.name)
    warnings = find_shadowing_warnings(tool.name, shadowing_index)
    return tool.model_copy(update={"warnings": warnings, "problem": problem})
