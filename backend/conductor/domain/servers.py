"""The user's MCP servers and what they ask, as the window and the terminal are shown them: never a secret."""

from datetime import datetime
from typing import Any, Literal

from pydantic import Field

from conductor.domain.value import Value

ServerState = Literal["off", "needs_consent", "starting", "ready", "failed", "stopped", "sign_in"]
"""`off`: not switched on. `stopped`: switched on, and stopped by hand. `sign_in`: the user has to sign in."""
SignInState = Literal["none", "needed", "more", "waiting", "done"]
"""`needed`: it refuses without one. `more`: it refused a call, for which it wants more rights than were given.
`waiting`: for the user, who signs in with the browser."""
ToolState = Literal["ok", "changed", "new"]
"""Whether it is what the user has agreed to, another one by now, or one that came since."""
QuestionAction = Literal["accept", "decline", "cancel"]
QuestionState = Literal["pending", "answered", "withdrawn"]


class ServerToolView(Value):
    """A tool of a server."""

    name: str
    skill_id: str
    """Its name in Settings > Skills, such as `mcp:time:get_current_time`."""
    title: str
    description: str
    enabled: bool
    off_by_kind: bool = False
    """Off for the assistant only because Integrations are off in Settings > Skills."""
    state: ToolState
    requires_approval: bool
    digest: str
    """Of the tool as it is shown: goes back when a change of it is accepted."""
    parameters: dict[str, Any]
    """The JSON schema of its arguments."""
    has_app: bool
    """Whether it has a page of its own to show."""
    changes: str | None = None
    """What is different from what was agreed to, as a diff."""
    problem: str | None = None
    """Why it cannot be used at all."""
    warnings: tuple[str, ...] = ()
    """What to look at before using it."""


class ServerView(Value):
    """A server of `mcp.json`, and where it stands."""

    name: str
    transport: Literal["stdio", "http"]
    command: str | None = None
    """The program as it is written in `mcp.json`: `${NAME}` stands for a variable of the environment."""
    args: tuple[str, ...] = ()
    cwd: str | None = None
    env_names: tuple[str, ...] = ()
    url: str | None = None
    header_names: tuple[str, ...] = ()
    program: str | None = None
    """Where the program was found."""
    enabled: bool
    """Whether it may run: it is in `skills.servers`, and not `disabled` in `mcp.json`."""
    consented: bool
    """Whether the user has agreed to exactly this."""
    digest: str
    """Of exactly what is shown here: goes back with the consent."""
    state: ServerState
    problem: str | None = None
    advice: tuple[str, ...] = ()
    """What one should think about before saying yes."""
    notes: tuple[str, ...] = ()
    """What in its entry has no effect here, and why."""
    era: str | None = None
    """The version of the protocol that it speaks."""
    version: str | None = None
    server_title: str | None = None
    instructions: str | None = None
    tools: tuple[ServerToolView, ...] = ()
    resources: int = 0
    prompts: int = 0
    started_at: datetime | None = None
    sign_in: SignInState = "none"
    sign_in_address: str | None = None
    """While it waits for the user to sign in: what to open in the browser, once it is known."""


class ServersView(Value):
    """All servers."""

    servers: tuple[ServerView, ...]
    path: str
    """Where `mcp.json` is."""
    problem: str | None = None
    """What keeps the file from being read; the servers are those that it had before."""


class SignInAsked(Value):
    """Where the user is to sign in, to be shown before it is opened."""

    host: str
    address: str
    within_s: float
    """How long it is waited for."""


class ServerEvent(Value):
    """A server that stands otherwise than before; None: it is gone."""

    name: str
    server: ServerView | None


class ServerTested(Value):
    """What came of trying a server."""

    ok: bool
    words: str
    """How it went, and what to do next."""
    took_ms: float
    server: ServerView


class ImportableServer(Value):
    """A server that another program has in its settings."""

    name: str
    entry: dict[str, Any]
    """As it would be kept here, with what `env` and `headers` hold hidden."""
    exists: bool
    """Whether there is one of this name here."""
    same: bool = False
    """Whether the one here is the same."""
    notes: tuple[str, ...] = ()
    """What of it is not taken over, and what has to be filled in."""


class ImportSource(Value):
    """Another program's settings."""

    client: str
    """`claude-code`, `claude-desktop`, `cursor`, `vscode`, `gemini`, `windsurf` or `codex`."""
    title: str
    path: str
    servers: tuple[ImportableServer, ...] = ()
    problem: str | None = None
    """Why it cannot be read."""


class Imported(Value):
    """What was taken over."""

    names: tuple[str, ...]
    notes: tuple[str, ...] = ()
    """Where secrets are now, and what has to be filled in."""


class QuestionView(Value):
    """What a server asks the user in the middle of a call."""

    question_id: str
    server: str
    message: str
    form: dict[str, Any] = Field(alias="schema")
    """A JSON schema of plain fields."""
    warnings: tuple[str, ...] = ()
    """Fields that look as if they asked for a secret."""
    requested_at: datetime
    expires_at: datetime
    state: QuestionState
