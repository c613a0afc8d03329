"""Commands of Settings > MCP servers: servers, consent, tools, sign-ins and questions."""

from pydantic import Field

from conductor.base.json_types import JsonObject
from conductor.bridge.changing import require_writable
from conductor.bridge.models import Empty
from conductor.bridge.registry import command, query
from conductor.bridge.services import Call
from conductor.domain.servers import (
    ImportResult,
    ImportSource,
    KnownServer,
    QuestionAction,
    QuestionView,
    ServersView,
    ServerTested,
    ServerView,
    SignInRequest,
)
from conductor.domain.value import Value

ServerName = Field(min_length=1, max_length=64)
ShortText = Field(min_length=1, max_length=200)


class ServerParams(Value):
    name: str = ServerName


class ServerEntryParams(ServerParams):
    entry: JsonObject
    """The entry of the server in the `mcpServers` format.

    In an update, null in `env` or `headers` keeps the saved value.
    """


class ServerEnableParams(ServerParams):
    enabled: bool


class ServerConsentParams(ServerParams):
    digest: str = ShortText
    """The digest of the entry that the user saw. The consent applies to this entry only."""


class ServerLog(Value):
    lines: tuple[str, ...]


class ServerToolParams(Value):
    server: str = ServerName
    tool: str = ShortText


class SetServerToolParams(ServerToolParams):
    enabled: bool


class AcceptChangeParams(ServerToolParams):
    digest: str | None = Field(default=None, max_length=200)
    """The digest of the tool that the user saw, or null for the current version of the tool."""


class ImportableServers(Value):
    sources: tuple[ImportSource, ...]


class ServerImportParams(Value):
    client: str = ServerName
    names: tuple[str, ...] = Field(min_length=1, max_length=200)
    replace: bool = False
    """Whether to replace existing servers of the same name."""


class KnownServers(Value):
    servers: tuple[KnownServer, ...]


class KnownServerParams(Value):
    id: str = ServerName
    """The id of the known server."""
    name: str = Field(default="", max_length=64)
    """The name of the new server, or empty for the id."""
    values: dict[str, str] = Field(default_factory=dict[str, str])
    """What the user has entered, by the names of the fields."""


class QuestionList(Value):
    questions: tuple[QuestionView, ...]


class QuestionAnswerParams(Value):
    question_id: str = ShortText
    action: QuestionAction
    content: JsonObject | None = None
    """The data of the form if the user accepts the question, otherwise null."""


@query("servers.list")
async def list_servers(params: Empty, call: Call) -> ServersView:
    """Return all MCP servers in the order of `mcp.json`."""
    return await call.services.servers.registry.list_servers()


@command("servers.add", "privileged")
async def add_server(params: ServerEntryParams, call: Call) -> ServerView:
    """Add an MCP server to `mcp.json`. It does not run before the user has consented."""
    require_writable(call.services)
    return await call.services.servers.registry.add_server(
        params.name, params.entry, call.requester
    )


@query("servers.known")
async def list_known_servers(params: Empty, call: Call) -> KnownServers:
    """Return the MCP servers of others that the user can add from a list, with what each of them needs."""
    return KnownServers(servers=tuple(await call.services.servers.registry.list_known_servers()))


@command("servers.add_known", "privileged")
async def add_known_server(params: KnownServerParams, call: Call) -> ServerView:
    """Add a known MCP server to `mcp.json`. It does not run before the user has consented."""
    require_writable(call.services)
    return await call.services.servers.registry.add_known_server(
        params.id, params.name, params.values, call.requester
    )


@command("servers.update", "privileged")
async def update_server(params: ServerEntryParams, call: Call) -> ServerView:
    """Replace the entry of an MCP server in `mcp.json`."""
    require_writable(call.services)
    return await call.services.servers.registry.update_server(params.name, params.entry)


@command("servers.remove", "privileged")
async def remove_server(params: ServerParams, call: Call) -> Empty:
    """Stop an MCP server, and delete its entry and the user's consent."""
    require_writable(call.services)
    await call.services.servers.registry.remove_server(params.name, call.requester)
    return Empty()


@command("servers.enable", "privileged")
async def enable_server(params: ServerEnableParams, call: Call) -> ServerView:
    """Enable or disable an MCP server in the config."""
    require_writable(call.services)
    by = call.requester
    return await call.services.servers.registry.set_server_enabled(
        params.name, by, on=params.enabled
    )


@command("servers.consent", "privileged")
async def record_consent(params: ServerConsentParams, call: Call) -> ServerView:
    """Record that the user agrees to run an MCP server as shown. The server starts if it is enabled."""
    require_writable(call.services)
    return await call.services.servers.registry.record_consent(
        params.name, params.digest, call.requester
    )


@command("servers.start", "privileged")
async def start_server(params: ServerParams, call: Call) -> ServerView:
    """Enable an MCP server and start it."""
    require_writable(call.services)
    return await call.services.servers.registry.start_server(params.name, call.requester)


@command("servers.stop", "stateful")
async def stop_server(params: ServerParams, call: Call) -> ServerView:
    """Stop an MCP server until it or Conductor is started again.

    Nothing is saved, so this works in the demo too.
    """
    return await call.services.servers.registry.stop_server(params.name)


@command("servers.restart", "privileged")
async def restart_server(params: ServerParams, call: Call) -> ServerView:
    """Stop an MCP server and start it again."""
    require_writable(call.services)
    return await call.services.servers.registry.restart_server(params.name)


@command("servers.test", "privileged")
async def test_server(params: ServerParams, call: Call) -> ServerTested:
    """Test an MCP server: start it if necessary, list its tools, and stop it again."""
    require_writable(call.services)
    return await call.services.servers.registry.test_server(params.name)


@command("servers.sign_in", "privileged")
async def start_sign_in(params: ServerParams, call: Call) -> SignInRequest:
    """Start a sign-in to an MCP server, and return the address that the user must open in a browser."""
    require_writable(call.services)
    return await call.services.servers.registry.sign_ins.sign_in(params.name)


@command("servers.cancel_sign_in", "stateful")
async def cancel_sign_in(params: ServerParams, call: Call) -> ServerView:
    """Cancel a sign-in to an MCP server that still waits for the user."""
    return await call.services.servers.registry.sign_ins.cancel_sign_in(params.name)


@command("servers.sign_out", "privileged")
async def sign_out_server(params: ServerParams, call: Call) -> ServerView:
    """Sign out of an MCP server and delete its tokens."""
    require_writable(call.services)
    return await call.services.servers.registry.sign_ins.sign_out(params.name)


@query("servers.log")
async def get_server_log(params: ServerParams, call: Call) -> ServerLog:
    """Return the log of an MCP server, oldest line first: its standard error output and its changes of
    status.
    """
    return ServerLog(lines=tuple(await call.services.servers.registry.read_server_log(params.name)))


@command("servers.tool", "stateful")
async def set_server_tool(params: SetServerToolParams, call: Call) -> ServerView:
    """Turn one tool of an MCP server on or off in the config."""
    require_writable(call.services)
    by, on = call.requester, params.enabled
    return await call.services.servers.registry.set_tool_enabled(
        params.server, params.tool, by, on=on
    )


@command("servers.accept_change", "privileged")
async def accept_tool_change(params: AcceptChangeParams, call: Call) -> ServerView:
    """Accept a new or changed tool of an MCP server in the version that the user saw."""
    require_writable(call.services)
    return await call.services.servers.registry.accept_tool_change(
        params.server, params.tool, params.digest
    )


@query("servers.importable")
async def list_importable_servers(params: Empty, call: Call) -> ImportableServers:
    """Return the MCP servers in the settings of other programs on this computer."""
    return ImportableServers(
        sources=tuple(await call.services.servers.registry.list_importable_servers())
    )


@command("servers.import", "privileged")
async def import_servers(params: ServerImportParams, call: Call) -> ImportResult:
    """Import MCP servers from another program. Each needs the user's consent before it starts."""
    require_writable(call.services)
    by = call.requester
    return await call.services.servers.registry.import_servers(
        params.client, params.names, by, replace=params.replace
    )


@query("questions.list")
async def list_questions(params: Empty, call: Call) -> QuestionList:
    """Return the questions of MCP servers that the user has not answered yet."""
    return QuestionList(questions=tuple(call.services.servers.questions.list_pending_questions()))


@command("questions.answer", "stateful", unlogged_params=("content",))
async def answer_question(params: QuestionAnswerParams, call: Call) -> Empty:
    """Send the user's answer to the MCP server that asked the question.

    The data goes to the server only and is not logged.
    """
    call.services.servers.questions.submit_answer(params.question_id, params.action, params.content)
    return Empty()
