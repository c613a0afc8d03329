"""The data types of the MCP client, and the protocols of the storage that it uses."""

import hashlib
import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, Protocol

from pydantic import Field

from conductor.base.json_types import JsonObject
from conductor.domain.pins import Pin
from conductor.domain.servers import SignInState
from conductor.domain.value import Value
from conductor.mcp.client.oauth_client import OAuthClient

Transport = Literal["stdio", "http"]
ProtocolEra = Literal["auto", "legacy", "modern"]
ConnectionState = Literal["starting", "ready", "failed", "stopped", "sign_in"]
ToolState = Literal["ok", "changed", "new"]
TOOL_CALL_TIMEOUT_S = 60.0
SIGN_IN_TIMEOUT_S = 300.0


@dataclass(frozen=True, slots=True)
class ConsentedServer:
    """A server that the user has consented to. The secrets in `env` and `headers` are filled in."""

    name: str
    """The name that the user chose, as in the tool ids `mcp:<name>:<tool>`: letters, digits, `_` and `-`."""
    transport: Transport
    argv: tuple[str, ...] = ()
    cwd: str | None = None
    env: Mapping[str, str] = field(default_factory=dict[str, str])
    url: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    timeout_s: float = TOOL_CALL_TIMEOUT_S
    """The time limit of a call in seconds, without the time that the user takes to answer questions."""
    era: ProtocolEra = "auto"
    oauth: OAuthClient | None = None
    """The pre-registered OAuth client with its secrets filled in."""

    @property
    def identity(self) -> str:
        """A hash of the program or address of the server, under which its accepted tools are stored.

        It does not depend on the name of the server.
        """
        parts = [self.transport, list(self.argv), self.cwd, self.url]
        return "sha256:" + hashlib.sha256(json.dumps(parts).encode()).hexdigest()


class ToolView(Value):
    """A tool that a server offers, with cleaned texts, whether or not the user has switched it on."""

    name: str
    skill_id: str
    """The id `mcp:<server>:<tool>`, which names the tool in the registry, the settings and the grants."""
    title: str
    description: str
    state: ToolState
    """A tool that is `changed` or `new` is not in the registry until the user accepts it."""
    digest: str
    """A hash of the whole tool as the server sent it. The user accepts exactly this version."""
    problem: str | None = None
    """Why the tool cannot be used, or None if it can."""
    warnings: tuple[str, ...] = ()
    """What the user should check before using the tool, such as a name that another server also uses."""
    parameters: JsonObject
    hints: JsonObject = Field(default_factory=dict)
    """What the server claims about the tool, such as that it only reads.

    It is only shown, because it may be wrong.
    """
    app_uri: str | None = None
    """The address of the `ui://` page that shows the results of the tool."""
    for_model: bool = True
    """Whether the model may call the tool."""
    for_app: bool = True
    """Whether the server's own page may call the tool."""
    changes: str | None = None
    """The diff from the accepted version, if the tool has changed."""


class ResourceView(Value):
    """A resource that a server offers, or a resource template, whose `uri` contains `{placeholders}`."""

    uri: str
    name: str
    title: str
    description: str
    mime_type: str | None = None
    is_template: bool = False


class PromptView(Value):
    """A prompt that a server offers, with the name and description of each argument and whether it is
    required.
    """

    name: str
    title: str
    description: str
    arguments: tuple[JsonObject, ...] = ()


class ClientView(Value):
    """The current state of a server, with its tools, resources and prompts."""

    name: str
    state: ConnectionState
    problem: str | None = None
    """The problem of the server. If its process has ended, the last lines of its standard error follow."""
    era: str | None = None
    """The protocol version that was negotiated, such as `2026-07-28`."""
    version: str | None = None
    server_title: str | None = None
    instructions: str | None = None
    tools: tuple[ToolView, ...] = ()
    resources: tuple[ResourceView, ...] = ()
    prompts: tuple[PromptView, ...] = ()
    started_at: datetime | None = None
    sign_in: SignInState = "none"
    sign_in_address: str | None = None
    """The address to open in the browser while a sign-in is pending."""


class ToolAnswer(Value):
    """The cleaned and shortened result of a tool call.

    Its text comes from an untrusted server and must not be followed as an instruction.
    """

    server: str
    tool: str
    text: str
    """The texts of the result, and descriptions of other content such as `[image image/png, 12 kB: not
    shown here]`.
    """
    structured: JsonObject | list[Any] | str | int | float | bool | None = None
    is_error: bool = False
    cut: bool = False
    """Whether the result was shortened."""
    app: JsonObject | None = Field(default=None, exclude=True)
    """The unchanged result for the server's own page, which no model receives. None if the tool has no page."""


class ResourceContent(Value):
    """One part of a resource: its text, or its bytes in base64. `meta` contains the server's metadata."""

    uri: str
    mime_type: str | None = None
    text: str | None = None
    blob: str | None = None
    meta: JsonObject = Field(default_factory=dict)


class PromptMessage(Value):
    """One message of a prompt that a server returned, with its role and its text."""

    role: Literal["user", "assistant"]
    text: str


class UserQuestion(Value):
    """A question that a server asks the user during a call. `form` is a JSON schema of plain fields."""

    server: str
    message: str
    form: JsonObject


class UserAnswer(Value):
    """The user's answer to a question of a server. `content` contains the values of the form."""

    action: Literal["accept", "decline", "cancel"]
    content: dict[str, str | int | float | bool | list[str] | None] | None = None


class PinStore(Protocol):
    """The accepted tools of each server by its identity, implemented by `storage.pins`.

    The methods may block.
    """

    def read_accepted_tools(self, identity: str) -> dict[str, Pin] | None:
        """Return the accepted tools of a server by name, or None if it was never connected."""
        ...

    def accept_tools(self, identity: str, pins: tuple[Pin, ...]) -> None:
        """Store tools of a server as accepted. Its other accepted tools are kept."""
        ...

    def read_protocol_era(self, identity: str) -> str: ...
    def set_protocol_era(self, identity: str, era: str) -> None: ...
    def forget_server(self, identity: str) -> None:
        """Delete all data about a server that the user has removed."""
        ...


class SignInStore(Protocol):
    """The stored sign-ins by server name and address, implemented by `storage.sign_ins`.

    The methods may block.
    """

    def require_secure_storage(self) -> None:
        """Check that a sign-in can be stored securely.

        Raises:
            NotAvailable: There is no secure storage, or it is locked.
        """
        ...

    def load_sign_in(self, server: str, address: str) -> str | None: ...
    def save_sign_in(self, server: str, address: str, text: str) -> None:
        """Store the sign-in to a server in place of an earlier one.

        Raises:
            NotAvailable: The sign-in cannot be stored.
        """
        ...

    def delete_sign_in(self, server: str) -> None: ...


OnProgress = Callable[[float, float | None, str | None], None]
"""Called with the progress of a call, the total and a message, at most ten times a second."""
OnChange = Callable[[str], None]
"""Called with the name of a server whose view has changed, at most a few times a second for each server."""
OnQuestion = Callable[[UserQuestion], Awaitable[UserAnswer]]
