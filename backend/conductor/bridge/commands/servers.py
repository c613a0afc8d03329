"""Commands of Settings > MCP servers: those of `mcp.json`, the user's consent to them, and what they ask."""

from typing import Any

from pydantic import Field

from conductor.bridge.changing import require_writable
from conductor.bridge.models import Nothing
from conductor.bridge.registry import command, query
from conductor.bridge.services import Call
from conductor.domain.servers import (
    Imported,
    ImportSource,
    QuestionAction,
    QuestionView,
    ServersView,
    ServerTested,
    ServerView,
    SignInAsked,
)
from conductor.domain.value import Value

Name = Field(min_length=1, max_length=64)
Words = Field(min_length=1, max_length=200)


class ServerParams(Value):
    name: str = Name


class ServerEntryParams(ServerParams):
    entry: dict[str, Any]
    """As other programs write it under `mcpServers`. In an update, a value of `env` or `headers` that is null
    stays as it is."""


class ServerEnableParams(ServerParams):
    enabled: bool


class ServerConsentParams(ServerParams):
    digest: str = Words
    """Of what was shown: anything else is not agreed to."""


class ServerLog(Value):
    lines: tuple[str, ...]


class ServerToolParams(Value):
    server: str = Name
    tool: str = Words


class SetServerToolParams(ServerToolParams):
    enabled: bool


class AcceptChangeParams(ServerToolParams):
    digest: str | None = Field(default=None, max_length=200)
    """Of the tool as it was shown; left out: as it is by now."""


class Importable(Value):
    sources: tuple[ImportSource, ...]


class ServerImportParams(Value):
    client: str = Name
    names: tuple[str, ...] = Field(min_length=1, max_length=200)
    replace: bool = False
    """Whether one here that has the same name is replaced."""


class Questions(Value):
    questions: tuple[QuestionView, ...]


class QuestionAnswerParams(Value):
    question_id: str = Words
    action: QuestionAction
    content: dict[str, Any] | None = None
    """What was filled in, when it is accepted."""


@query("servers.list")
async def listed(params: Nothing, call: Call) -> ServersView:
    """Every server, in the order of the file."""
    return await call.desk.servers.listed()


@command("servers.add", "privileged")
async def add(params: ServerEntryParams, call: Call) -> ServerView:
    """Add a server and switch it on; it does not run before the user agrees to it."""
    require_writable(call.desk)
    return await call.desk.servers.add(params.name, params.entry, call.by)


@command("servers.update", "privileged")
async def update(params: ServerEntryParams, call: Call) -> ServerView:
    """Write the entry of a server anew."""
    require_writable(call.desk)
    return await call.desk.servers.update(params.name, params.entry)


@command("servers.remove", "privileged")
async def remove(params: ServerParams, call: Call) -> Nothing:
    """Stop a server and take it out of the file, with the consent to it."""
    require_writable(call.desk)
    await call.desk.servers.remove(params.name, call.by)
    return Nothing()


@command("servers.enable", "privileged")
async def enable(params: ServerEnableParams, call: Call) -> ServerView:
    """Let a server run from now on, or not: this is kept in the config."""
    require_writable(call.desk)
    by = call.by
    return await call.desk.servers.enable(params.name, by, on=params.enabled)


@command("servers.consent", "privileged")
async def consent(params: ServerConsentParams, call: Call) -> ServerView:
    """Agree to what was shown; the server starts if it is switched on."""
    require_writable(call.desk)
    return await call.desk.servers.consent(params.name, params.digest)


@command("servers.start", "privileged")
async def start(params: ServerParams, call: Call) -> ServerView:
    """Start a server, and switch it on if it is not."""
    require_writable(call.desk)
    return await call.desk.servers.start(params.name, call.by)


@command("servers.stop", "stateful")
async def stop(params: ServerParams, call: Call) -> ServerView:
    """Stop a server until it is started, or Conductor is. Nothing is kept of it, so the demo does it too."""
    return await call.desk.servers.stop(params.name)


@command("servers.restart", "privileged")
async def restart(params: ServerParams, call: Call) -> ServerView:
    """Stop a server and start it."""
    require_writable(call.desk)
    return await call.desk.servers.restart(params.name)


@command("servers.test", "privileged")
async def test(params: ServerParams, call: Call) -> ServerTested:
    """Start a server that does not run, see what it offers, and stop it again."""
    require_writable(call.desk)
    return await call.desk.servers.test(params.name)


@command("servers.sign_in", "privileged")
async def sign_in(params: ServerParams, call: Call) -> SignInAsked:
    """Begin to sign in to a server; nothing is opened before the user has seen where it leads."""
    require_writable(call.desk)
    return await call.desk.servers.sign_in(params.name)


@command("servers.cancel_sign_in", "stateful")
async def cancel_sign_in(params: ServerParams, call: Call) -> ServerView:
    """End a sign-in that waits for the user."""
    return await call.desk.servers.cancel_sign_in(params.name)


@command("servers.sign_out", "privileged")
async def sign_out(params: ServerParams, call: Call) -> ServerView:
    """Delete what a server gave at the sign-in."""
    require_writable(call.desk)
    return await call.desk.servers.sign_out(params.name)


@query("servers.log")
async def log(params: ServerParams, call: Call) -> ServerLog:
    """What a server wrote to its standard error, and what happened to it; the newest last."""
    return ServerLog(lines=tuple(await call.desk.servers.log(params.name)))


@command("servers.tool", "stateful")
async def tool(params: SetServerToolParams, call: Call) -> ServerView:
    """Let one tool of a server be used, or not: this is kept in the config."""
    require_writable(call.desk)
    by, on = call.by, params.enabled
    return await call.desk.servers.set_tool(params.server, params.tool, by, on=on)


@command("servers.accept_change", "privileged")
async def accept_change(params: AcceptChangeParams, call: Call) -> ServerView:
    """Agree to a tool that has changed, as it was shown."""
    return await call.desk.servers.accept_change(params.server, params.tool, params.digest)


@query("servers.importable")
async def importable(params: Nothing, call: Call) -> Importable:
    """The servers that other programs on this computer have."""
    return Importable(sources=tuple(await call.desk.servers.importable()))


@command("servers.import", "privileged")
async def take_over(params: ServerImportParams, call: Call) -> Imported:
    """Take over servers of another program; each waits for the consent to it."""
    require_writable(call.desk)
    by = call.by
    return await call.desk.servers.import_from(
        params.client, params.names, by, replace=params.replace
    )


@query("questions.list")
async def questions(params: Nothing, call: Call) -> Questions:
    """What servers ask now."""
    return Questions(questions=tuple(call.desk.questions.pending()))


@command("questions.answer", "stateful", private=("content",))
async def answer(params: QuestionAnswerParams, call: Call) -> Nothing:
    """Answer a question. What was filled in is for the server alone: the log does not have it."""
    call.desk.questions.answer(params.question_id, params.action, params.content)
    return Nothing()
