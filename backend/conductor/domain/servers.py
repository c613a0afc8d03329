"""Defines MCP servers and their questions, as the page and the terminal show them;
secrets are never included.
"""

from datetime import datetime
from typing import Literal, NamedTuple

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
"""Whether a tool is still as the user has accepted it, has been changed by its server, or is new."""
QuestionAction = Literal["accept", "decline", "cancel"]
QuestionState = Literal["pending", "answered", "withdrawn"]


class AppPage(NamedTuple):
    """The page that an MCP server provides for one of its tools.

    `blocked_hosts` lists the hosts to which the page wants to connect. These connections are blocked.
    """

    server: str
    title: str
    html: str
    blocked_hosts: tuple[str, ...]


class ServerToolView(Value):
    """A tool of an MCP server, with the user's decision about it."""

    name: str
    skill_id: str
    """The name of the tool in Settings > Assistant tools, such as `mcp:time:get_current_time`."""
    title: str
    description: str
    enabled: bool
    off_by_kind: bool = False
    """Whether the tool is off for the assistant only because Integrations are off in the settings."""
    state: ToolState
    requires_approval: bool
    digest: str
    """The digest of the tool as it is shown, which must be sent back when the user accepts a change of it."""
    parameters: JsonObject
    """The JSON schema of the tool's arguments."""
    has_app: bool
    """Whether the tool has a page of its own to display its results."""
    changes: str | None = None
    """What has changed since the user accepted the tool, as a diff; None if nothing has."""
    problem: str | None = None
    """Why the tool cannot be used; None if it can."""
    warnings: tuple[str, ...] = ()
    """Warnings for the user to read before using the tool."""


class ServerView(Value):
    """A server in `mcp.json`, with its status."""

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
    """The full path of the program; None for a server that is reached over HTTP."""
    enabled: bool
    """Whether the server may run, because it is listed in `skills.servers` and not `disabled` in `mcp.json`."""
    consented: bool
    """Whether the user has agreed to start the server exactly as this entry says."""
    digest: str
    """The digest of the entry as it is shown, which must be sent back with the user's consent."""
    state: ServerState
    problem: str | None = None
    advice: tuple[str, ...] = ()
    """Warnings for the user to read before agreeing to start the server."""
    notes: tuple[str, ...] = ()
    """The parts of the entry that have no effect, each with the reason."""
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
    """The address that the browser opens for a sign-in that is in progress; None if it is not known yet."""


class ServersView(Value):
    """All servers in `mcp.json`, and whether the file can be read."""

    servers: tuple[ServerView, ...]
    path: str
    """The path of `mcp.json`."""
    problem: str | None = None
    """Why the file cannot be read; `servers` then has its previous content. None if there is no problem."""


class SignInRequest(Value):
    """The address for a sign-in, which the user sees before the browser opens it."""

    host: str
    address: str
    within_s: float
    """The number of seconds that the user has for the sign-in."""


KnownFieldKind = Literal["text", "secret", "folder", "folders", "file", "address"]
KnownServerGroup = Literal["computer", "studio", "home", "work"]


class KnownField(Value):
    """What the user must enter to add a known server."""

    name: str
    label: str
    kind: KnownFieldKind
    help: str = ""
    default: str = ""
    required: bool = True


class KnownServer(Value):
    """A server of others that the user can add without knowing its entry."""

    id: str
    """The name of the server in `mcp.json`, if the user chooses no other."""
    title: str
    group: KnownServerGroup
    summary: str
    source: str
    """The address of the documentation that the entry follows."""
    program: str | None = None
    """The program that must be installed to run the server; None for a server on the internet."""
    program_found: bool = True
    program_address: str | None = None
    """Where to get the program."""
    prepare: str = ""
    """What the user must do before adding the server; empty if nothing."""
    signs_in: bool = False
    """Whether the user signs in with the browser after adding the server."""
    fields: tuple[KnownField, ...] = ()


class ServerEvent(Value):
    """Reports a change of an MCP server: its new status, or None if it was removed."""

    name: str
    server: ServerView | None


class ServerTested(Value):
    """The result of a test of an MCP server."""

    ok: bool
    words: str
    """What the test has shown and what to do next, as text for the user."""
    took_ms: float
    server: ServerView


class ImportableServer(Value):
    """An MCP server that is listed in the settings of another program and can be imported."""

    name: str
    entry: JsonObject
    """The entry as it would be imported; the values of `env` and `headers` are hidden."""
    exists: bool
    """Whether `mcp.json` already has a server with this name."""
    same: bool = False
    """Whether the server with this name in `mcp.json` is identical."""
    notes: tuple[str, ...] = ()
    """What is not imported, and what the user must fill in."""


class ImportSource(Value):
    """The settings of another program, with the MCP servers in them."""

    client: str
    """The program: `claude-code`, `claude-desktop`, `cursor`, `vscode`, `gemini`, `windsurf` or `codex`."""
    title: str
    path: str
    servers: tuple[ImportableServer, ...] = ()
    problem: str | None = None
    """Why the settings cannot be read; None if they can."""


class ImportResult(Value):
    """The result of importing MCP servers from another program."""

    names: tuple[str, ...]
    notes: tuple[str, ...] = ()
    """Where secrets were stored, and what the user must fill in."""


class QuestionView(Value):
    """A question that an MCP server asks the user while a tool call is in progress."""

    question_id: str
    server: str
    message: str
    form: JsonObject = Field(alias="schema")
    """The form to fill in, as a JSON schema of plain fields."""
    warnings: tuple[str, ...] = ()
    """Warnings about fields that seem to ask for a secret."""
    requested_at: datetime
    expires_at: datetime
    state: QuestionState
