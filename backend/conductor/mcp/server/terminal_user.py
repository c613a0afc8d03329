"""Checks that a call comes from the user at a terminal, by the command line of the calling process."""

from conductor.base.json_types import JsonObject
from conductor.domain.plan import TERMINAL_CLIENT, Requester
from conductor.errors import NotAllowed
from conductor.mcp.registry import terminal
from conductor.mcp.registry.terminal import READ_ONLY_REQUESTS, SERVERS_PREFIX
from conductor.mcp.server.connection import CHAT_METHOD_PREFIX
from conductor.mcp.server.methods import (
    APPROVALS_PREFIX,
    DESKTOP_PREFIX,
    PAGE_METHOD,
    PAGES_PREFIX,
    PLAY_METHOD,
    RECORDING_PREFIX,
    REMOTE_PREFIX,
    STOP_METHOD,
)
from conductor.mcp.server.peer import Peer, find_foreign_code, is_at_terminal, read_own_arguments

COMMAND_OPTION_BY_DECISION = {
    ("allow", "once"): "",
    ("allow", "conversation"): "--conversation",
    ("allow", "always"): "--always",
    ("deny", "deny"): "",
    ("deny", "never"): "--never",
}
"""The option of `conductor approvals allow|deny` that each decision needs."""
READ_ONLY_REMOTE_METHODS = tuple(
    f"{REMOTE_PREFIX}{verb}" for verb in ("status", "requests", "grants")
)
"""Commands of `conductor remote` that change nothing and therefore need no terminal."""
APPROVED_PLAN_TOOLS = ("conductor_apply_plan", "conductor_send_sysex")
"""Tools that carry out a plan after the user has approved it."""


def require_user_command(name: str, params: JsonObject, peer: Peer | None) -> None:
    """Check that the calling process is the command for this method, run by the user at a terminal.

    Raises:
        NotAllowed: It is not. The message says which command to use.
    """
    command_line, verb = read_own_arguments(peer) or (), name.removeprefix("terminal.")
    if name == PLAY_METHOD:
        command, matches_command_line = (
            "conductor play",
            command_line == (verb, params.get("gestures")),
        )
    elif name == STOP_METHOD:
        command, matches_command_line = "conductor stop", command_line[:1] == (verb,)
    elif name.startswith(RECORDING_PREFIX):
        verb = name.removeprefix(RECORDING_PREFIX)
        command, matches_command_line = (
            f"conductor recording {verb}",
            command_line[:2] == ("recording", verb),
        )
    elif name.startswith(DESKTOP_PREFIX):
        verb = name.removeprefix(DESKTOP_PREFIX)
        command, matches_command_line = (
            f"conductor desktop {verb}",
            command_line[:2] == ("desktop", verb),
        )
    elif name.startswith(CHAT_METHOD_PREFIX):
        command, matches_command_line = "conductor chat", command_line[:1] == ("chat",)
    elif name == PAGE_METHOD or name.startswith(PAGES_PREFIX):
        command = "conductor run --browser" if name == PAGE_METHOD else "conductor pages"
        matches_command_line = _matches_page_command(name, params, command_line)
    elif name.startswith(SERVERS_PREFIX):
        command, matches_command_line = (
            "conductor servers",
            terminal.matches_servers_command_line(name, params, command_line),
        )
    elif name.startswith(REMOTE_PREFIX):
        command, matches_command_line = (
            "conductor remote",
            _matches_remote_command(name, params, command_line),
        )
    elif name.startswith(APPROVALS_PREFIX):
        command, matches_command_line = (
            "conductor approvals",
            _matches_approval_command(name, params, command_line),
        )
    else:
        command = "conductor plans"
        matches_command_line = (
            command_line[:2] == ("plans", verb) and params.get("plan_id") in command_line
        )
    is_read_only = name in READ_ONLY_REMOTE_METHODS or (
        name.startswith(SERVERS_PREFIX) and name.removeprefix(SERVERS_PREFIX) in READ_ONLY_REQUESTS
    )
    if matches_command_line and not is_read_only and not is_at_terminal(peer):
        raise NotAllowed(
            f"`{command}` is for the user: it must run at a terminal, not as a service or a cron job; use"
            " the window, or let an agent use `conductor mcp`"
        )
    if not matches_command_line:
        raise NotAllowed(
            f"{name} is for the user: run `{command}` at a terminal, or use the window"
        )


def _matches_approval_command(name: str, params: JsonObject, command_line: tuple[str, ...]) -> bool:
    """Return whether the command line names this approval and this decision."""
    verb = name.removeprefix(APPROVALS_PREFIX)
    if verb == "list":
        return command_line[:1] == ("approvals",)
    if command_line[:2] != ("approvals", verb):
        return False
    option = (
        "" if verb == "ask" else COMMAND_OPTION_BY_DECISION.get((verb, str(params.get("decision"))))
    )
    return option is not None and {params.get("approval_id"), option or verb} <= {*command_line}


def _matches_remote_command(name: str, params: JsonObject, command_line: tuple[str, ...]) -> bool:
    """Return whether the command line names this verb, and the code or id that it decides on."""
    verb = name.removeprefix(REMOTE_PREFIX)
    if command_line[:1] != ("remote",):
        return False
    if verb == "requests":  # `allow` lists them before it asks
        return command_line[1:2] in (("requests",), ("allow",))
    given = {*command_line[2:]}
    requested = params.get("scopes")
    scopes = map(str, requested) if isinstance(requested, list) else ()
    return (
        command_line[1:2] == (verb,)
        and {value for name, value in params.items() if name != "scopes"} <= given
        and all(given & {scope, f"--scope={scope}"} for scope in scopes)
    )


def require_own_code(peer: Peer | None) -> None:
    """Check that the calling process shows no sign of running code that is not Conductor's.

    Raises:
        NotAllowed: The process may run other code, for example through PYTHONPATH.
    """
    found = None if peer is None else find_foreign_code(peer)
    if found is not None:
        raise NotAllowed(
            f"this command may run code that is not part of Conductor ({found}): run it in another"
            " folder and without that setting, or use the window"
        )


def is_user_command(peer: Peer | None) -> bool:
    """Return whether the process is a `conductor` command that the user started at a terminal.

    A process that may run other code does not count.
    """
    command_line = read_own_arguments(peer)
    is_start = command_line is not None and command_line[:1] in ((), ("run",))
    return (
        is_start and peer is not None and is_at_terminal(peer) and find_foreign_code(peer) is None
    )


def build_bare_requester(peer: Peer | None) -> Requester:
    """Return the requester of a bare JSON-RPC line.

    The caller `cli` may read all plans, but does not count as the user and cannot apply a plan.
    """
    if peer is None:
        return Requester(caller="bare")
    command_line = read_own_arguments(peer)
    caller = "bare" if command_line is None or command_line[:1] == ("mcp",) else "cli"
    return Requester(caller=caller, pid=peer.pid, executable=peer.executable, program=peer.program)


def resolve_tool_requester(name: str, peer: Peer | None) -> Requester:
    """Return the requester of a tool call that arrives as a bare JSON-RPC line.

    A `conductor` command at a terminal counts as the user only for the tools that carry out an approved
    plan, because any program can start `conductor tools call`.
    """
    by = build_bare_requester(peer)
    if peer is None or by.caller != "cli" or name not in APPROVED_PLAN_TOOLS:
        return by
    is_from_user = is_at_terminal(peer) and find_foreign_code(peer) is None
    return by.model_copy(update={"client": TERMINAL_CLIENT}) if is_from_user else by


def _matches_page_command(name: str, params: JsonObject, command_line: tuple[str, ...]) -> bool:
    """Return whether the command line requests the address of a page, or runs this `pages` command."""
    if name == PAGE_METHOD:
        return command_line[:1] == ("run",) and "--browser" in command_line
    verb = name.removeprefix(PAGES_PREFIX)
    if command_line[:2] != ("pages", verb):
        return False
    return verb != "confirm" or str(params.get("number")) in command_line[2:]
