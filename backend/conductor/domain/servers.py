"""The user's MCP servers and the servers' questions, as the page and terminal display them. Secrets are never
included.
"""

from datetime import datetime
from typing import Literal

from pydantic import Field

from conductor.base.json_types import JsonObject
from conductor.domain.value import Value

ServerState = Literal["off", "needs_consent", "starting", "ready", "failed", "stopped", "sign_in"]
"""The state of a server. `off`: disabled. `stopped`: enabled, but stopped by the user. `sign_in`: the user must
sign in.
"""
SignInState = Literal["none", "needed", "more", "waiting", "done"]
"""The state of a sign-in. `needed`: the server refuses calls without a sign-in. `more`: the server refused a
call that needs further permissions. `waiting`: the user is signing in with the browser.
"""
ToolState = Literal["ok", "changed", "new"]
"""Whether a tool is unchanged since the user accepted it, has changed, or is new."""
QuestionAction = Literal["accept", "decline", "cancel"]
QuestionState = Literal["pending", "answered", "withdrawn"]


class ServerToolView(Value):
    """A tool of an MCP server."""

    name: str
    skill_id: str
    """The name of the tool in Settings > Skills, such as `mcp:time:get_current_time`."""
    title: str
    description: str
    enabled: bool
    off_by_kind: bool = False
    """Disabled for the assistant only because Integrations are off in Settings > Skills."""
    state: ToolState
    requires_approval: bool
    digest: str
    """The digest of the displayed tool, which is sent back when the user accepts a change of the tool."""
    parameters: JsonObject
    """The JSON schema of the tool's arguments."""
    has_app: bool
    """Whether the tool has its own page to display."""
    changes: str | None = None
    """The changes since the user accepted the tool, as a diff."""
    problem: str | None = None
    """The reason why the tool cannot be used."""
    warnings: tuple[str, ...] = ()
    """Warnings that the user should read before using the tool."""


class ServerView(Value):
    """A server in `mcp.json` with its status."""

    name: str
    transport: Literal["stdio", "http"]
    command: str | None = None
    """The program as written in `mcp.json`, with `${NAME}` for environment variables."""
    args: tuple[str, ...] = ()
    cwd: str | None = None
    env_names: tuple[str, ...] = ()
    url: str | None = None
    header_names: tuple[str, ...] = ()
    program: str | None = None
    """The path of the program."""
    enabled: bool
    """Whether the server may run, because it is listed in `skills.servers` and not `disabled` in `mcp.json`."""
    consented: bool
    """Whether the user has consented to exactly this entry."""
    digest: str
    """The digest of the displayed entry, to be sent back with the user's consent."""
    state: ServerState
    problem: str | None = None
    advice: tuple[str, ...] = ()
    """Warnings that the user should read before consenting."""
    notes: tuple[str, ...] = ()
    """The parts of the server's entry that have no effect, with the reasons."""
    era: str | None = None
    """The MCP protocol version of the server."""
    version: str | None = None
    server_title: str | None = None
    instructions: str | None = None
    tools: tuple[ServerToolView, ...] = ()
    resources: int = 0
    prompts: int = 0
    started_at: datetime | None = None
    sign_in: SignInState = "none"
    sign_in_address: str | None = None
    """During a sign-in, the address to open in the browser, once known."""


class ServersView(Value):
    """All servers in `mcp.json`."""

    servers: tuple[ServerView, ...]
    path: str
    """The path of `mcp.json`."""
    problem: str | None = None
    """The reason why the file cannot be read, in which case `servers` has the previous content."""


class SignInRequest(Value):
    """A sign-in address that is shown to the user before the browser opens it."""

    host: str
    address: str
    within_s: float
    """The time limit of the sign-in."""


class ServerEvent(Value):
    """Reports the new status of an MCP server, or its removal if the status is None."""

    name: str
    server: ServerView | None


class ServerTested(Value):
    """The result of testing an MCP server."""

    ok: bool
    words: str
    """The result in words, and what to do next."""
    took_ms: float
    server: ServerView


class ImportableServer(Value):
    """An MCP server in the settings of another program."""

    name: str
    entry: JsonObject
    """The entry as it would be imported, with the values of `env` and `headers` hidden."""
    exists: bool
    """Whether `mcp.json` has a server with this name."""
    same: bool = False
    """Whether the server of that name in `mcp.json` is identical."""
    notes: tuple[str, ...] = ()
    """The parts that are not imported, and the parts that the user must fill in."""


class ImportSource(Value):
    """The settings of another program that list MCP servers."""

    client: str
    """`claude-code`, `claude-desktop`, `cursor`, `vscode`, `gemini`, `windsurf` or `codex`."""
    title: str
    path: str
    servers: tuple[ImportableServer, ...] = ()
    problem: str | None = None
    """The reason why the settings cannot be read."""


class ImportResult(Value):
    """The result of importing MCP servers."""

    names: tuple[str, ...]
    notes: tuple[str, ...] = ()
    """Where secrets were stored, and what the user must fill in."""


class QuestionView(Value):
    """A question that a server asks the user during a tool call."""

    question_id: str
    server: str
    message: str
    form: JsonObject = Field(alias="schema")
    """A JSON schema of plain fields."""
    warnings: tuple[str, ...] = ()
    """Fields that appear to ask for a secret."""
    requested_at: datetime
    expires_at: datetime
    state: QuestionState
