"""What is said about other people's servers: what to start, what they offer, what they answered."""

import hashlib
import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, Protocol

from pydantic import Field

from conductor.domain.pins import Pin
from conductor.domain.servers import SignInState
from conductor.domain.value import Value
from conductor.mcp.client.oauth_client import OAuthClient

Transport = Literal["stdio", "http"]
Era = Literal["auto", "legacy", "modern"]
State = Literal["starting", "ready", "failed", "stopped", "sign_in"]
ToolState = Literal["ok", "changed", "new"]
CALL_WITHIN_S = 60.0
SIGN_IN_WITHIN_S = 300.0


@dataclass(frozen=True, slots=True)
class Server:
    """A server as the user has agreed to it; `env` and `headers` are the values, already looked up."""

    name: str
    """The user's label; it namespaces the tools: `mcp:<name>:<tool>`. Letters, digits, `_` and `-`."""
    transport: Transport
    argv: tuple[str, ...] = ()
    cwd: str | None = None
    env: Mapping[str, str] = field(default_factory=dict[str, str])
    url: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    timeout_s: float = CALL_WITHIN_S
    """How long a call may take, questions to the user not counted."""
    era: Era = "auto"
    oauth: OAuthClient | None = None
    """With its values looked up, too."""

    @property
    def identity(self) -> str:
        """Return which program or address this is, whatever it is called: its tools are pinned under it."""
        what = [self.transport, list(self.argv), self.cwd, self.url]
        return "sha256:" + hashlib.sha256(json.dumps(what).encode()).hexdigest()


class ToolView(Value):
    """A tool that a server offers. Texts are cleaned; `enabled` is the user's and not known here."""

    name: str
    skill_id: str
    """`mcp:<server>:<tool>`: its name in the registry, the settings and the grants."""
    title: str
    description: str
    state: ToolState
    """`changed` and `new` ones are not in the registry before the user accepts them."""
    digest: str
    """Of the whole object as it came: what the user accepts when accepting a change."""
    problem: str | None = None
    """Why it cannot be used at all."""
    warnings: tuple[str, ...] = ()
    """What to look at before using it, such as a name that another server uses too."""
    parameters: dict[str, Any]
    hints: dict[str, Any] = Field(default_factory=dict)
    """What the server says of it (read only, destructive...): for display, not to be relied on."""
    app_uri: str | None = None
    """The `ui://` page that shows its results."""
    for_model: bool = True
    """False: only the server's own page may call it."""
    for_app: bool = True
    changes: str | None = None
    """Of a changed one: what is different from what was accepted, as a diff."""


class ResourceView(Value):
    """A resource that a server offers, or a template of them (`uri` has `{placeholders}` then)."""

    uri: str
    name: str
    title: str
    description: str
    mime_type: str | None = None
    is_template: bool = False


class PromptView(Value):
    """A prompt that a server offers; `arguments` are rows of name, description and required."""

    name: str
    title: str
    description: str
    arguments: tuple[dict[str, Any], ...] = ()


class ClientView(Value):
    """A server as the host sees it now."""

    name: str
    state: State
    problem: str | None = None
    """With the last lines that the server wrote to stderr, when it died."""
    era: str | None = None
    """The version of the protocol that was agreed, such as `2026-07-28`."""
    version: str | None = None
    server_title: str | None = None
    instructions: str | None = None
    tools: tuple[ToolView, ...] = ()
    resources: tuple[ResourceView, ...] = ()
    prompts: tuple[PromptView, ...] = ()
    started_at: datetime | None = None
    sign_in: SignInState = "none"
    sign_in_address: str | None = None
    """While the user signs in: what to open in the browser."""


class ToolAnswer(Value):
    """What a tool answered: the server's words, cleaned and cut, never instructions."""

    server: str
    tool: str
    text: str
    """All text; what is not text is noted in it, such as `[image/png, 12 kB]`."""
    structured: dict[str, Any] | list[Any] | str | int | float | bool | None = None
    is_error: bool = False
    cut: bool = False
    """It was longer than is kept."""
    app: dict[str, Any] | None = Field(default=None, exclude=True)
    """The result as the server's own page wants it; only when the tool has one, and never for a model."""


class Content(Value):
    """A part of a resource: its text, or its bytes in base64; `meta` is as the server sent it."""

    uri: str
    mime_type: str | None = None
    text: str | None = None
    blob: str | None = None
    meta: dict[str, Any] = Field(default_factory=dict)


class PromptMessage(Value):
    role: Literal["user", "assistant"]
    text: str


class Question(Value):
    """What a server asks the user in the middle of a call; `form` is an object of plain fields."""

    server: str
    message: str
    form: dict[str, Any]


class QuestionAnswer(Value):
    action: Literal["accept", "decline", "cancel"]
    content: dict[str, str | int | float | bool | list[str] | None] | None = None


class Pins(Protocol):
    """What was accepted of each server, by its identity; implemented by `storage.pins`. May block."""

    def accepted(self, identity: str) -> dict[str, Pin] | None:
        """Return the accepted tools by name; None when this server was never seen."""
        ...

    def accept(self, identity: str, pins: tuple[Pin, ...]) -> None:
        """Keep these as accepted, beside those that are."""
        ...

    def era(self, identity: str) -> str: ...
    def set_era(self, identity: str, era: str) -> None: ...
    def forget(self, identity: str) -> None:
        """Forget everything about a server that the user has removed."""
        ...


class SignIns(Protocol):
    """What servers gave at a sign-in, by name and address; implemented by `storage.sign_ins`. May block."""

    def require(self) -> None:
        """Look whether a sign-in could be kept.

        Raises:
            NotAvailable: there is no safe place for it, or it is locked.
        """
        ...

    def load(self, server: str, address: str) -> str | None: ...
    def save(self, server: str, address: str, text: str) -> None:
        """Keep it.

        Raises:
            NotAvailable: it cannot be kept.
        """
        ...

    def forget(self, server: str) -> None: ...


ProgressTold = Callable[[float, float | None, str | None], None]
"""Progress of a call: how much, of how much, and words; told at most ten times a second."""
OnChange = Callable[[str], None]
"""Told the name of a server whose view is another now; at most a few times a second for each."""
OnQuestion = Callable[[Question], Awaitable[QuestionAnswer]]
