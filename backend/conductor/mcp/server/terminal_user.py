"""Checks that the user at a terminal makes a call, by the command line of the calling process."""

from conductor.base.json_types import JsonObject
from conductor.domain.plan import AT_TERMINAL, Requester
from conductor.errors import NotAllowed
from conductor.mcp.registry import terminal
from conductor.mcp.registry.terminal import READ_ONLY, SERVERS
from conductor.mcp.server.connection import CHAT
from conductor.mcp.server.methods import APPROVALS, PAGE, PAGES, PLAY, RECORDING, STOP
from conductor.mcp.server.peer import Peer, find_foreign_code, is_at_terminal, read_own_arguments

SAID = {
    ("allow", "once"): "",
    ("allow", "conversation"): "--conversation",
    ("allow", "always"): "--always",
    ("deny", "deny"): "",
    ("deny", "never"): "--never",
}
"""The option of `conductor approvals allow|deny` that each decision needs."""
USES_PLANS = ("conductor_apply_plan", "conductor_send_sysex")
"""Tools that do what an approved plan says."""


def require_user(name: str, params: JsonObject, peer: Peer | None) -> None:
    """Check that the calling process is the command for this method, run by the user at a terminal."""
    called, verb = read_own_arguments(peer) or (), name.removeprefix("terminal.")
    if name == PLAY:
        command, matches_command_line = "conductor play", called == (verb, params.get("gestures"))
    elif name == STOP:
        command, matches_command_line = "conductor stop", called[:1] == (verb,)
    elif name.startswith(RECORDING):
        verb = name.removeprefix(RECORDING)
        command, matches_command_line = (
            f"conductor recording {verb}",
            called[:2] == ("recording", verb),
        )
    elif name.startswith(CHAT):
        command, matches_command_line = "conductor chat", called[:1] == ("chat",)
    elif name == PAGE or name.startswith(PAGES):
        command = "conductor run --browser" if name == PAGE else "conductor pages"
        matches_command_line = _asks_for_page(name, params, called)
    elif name.startswith(SERVERS):
        command, matches_command_line = (
            "conductor servers",
            terminal.matches_command_line(name, params, called),
        )
    elif name.startswith(APPROVALS):
        command, matches_command_line = "conductor approvals", _names_approval(name, params, called)
    else:
        command = "conductor plans"
        matches_command_line = called[:2] == ("plans", verb) and params.get("plan_id") in called
    is_a_look = name.startswith(SERVERS) and name.removeprefix(SERVERS) in READ_ONLY
    if matches_command_line and not is_a_look and not is_at_terminal(peer):
        raise NotAllowed(
            f"`{command}` is for the user: it must run at a terminal, not as a service or a cron job; use"
            " the window, or let an agent use `conductor mcp`"
        )
    if not matches_command_line:
        raise NotAllowed(
            f"{name} is for the user: run `{command}` at a terminal, or use the window"
        )


def _names_approval(name: str, params: JsonObject, called: tuple[str, ...]) -> bool:
    """Return whether the command line names this approval and this decision."""
    verb = name.removeprefix(APPROVALS)
    if verb == "list":
        return called[:1] == ("approvals",)
    if called[:2] != ("approvals", verb):
        return False
    option = "" if verb == "ask" else SAID.get((verb, str(params.get("decision"))))
    return option is not None and {params.get("approval_id"), option or verb} <= {*called}


def require_own_code(peer: Peer | None) -> None:
    found = None if peer is None else find_foreign_code(peer)
    if found is not None:
        raise NotAllowed(
            f"this command may run other code than Conductor's ({found}): start it from another"
            " folder and without that, or approve in the window"
        )


def is_user(peer: Peer | None) -> bool:
    """Return whether the process is a start of this Conductor by the user at a terminal.

    A process that shows signs of foreign code does not count.
    """
    called = read_own_arguments(peer)
    is_start = called is not None and called[:1] in ((), ("run",))
    return (
        is_start and peer is not None and is_at_terminal(peer) and find_foreign_code(peer) is None
    )


def build_bare_requester(peer: Peer | None) -> Requester:
    """Return the requester of a bare line.

    The requester `cli` may read all plans, but it is not the user and cannot apply a plan.
    """
    if peer is None:
        return Requester(caller="bare")
    called = read_own_arguments(peer)
    caller = "bare" if called is None or called[:1] == ("mcp",) else "cli"
    return Requester(caller=caller, pid=peer.pid, executable=peer.executable, program=peer.program)


def resolve_caller(name: str, peer: Peer | None) -> Requester:
    """Return the requester of a tool call over a bare line.

    A command at a terminal that uses an approved plan counts as the user.

    Any program can start `conductor tools call`: the rest is asked as for an approval.
    """
    by = build_bare_requester(peer)
    if peer is None or by.caller != "cli" or name not in USES_PLANS:
        return by
    is_users = is_at_terminal(peer) and find_foreign_code(peer) is None
    return by.model_copy(update={"client": AT_TERMINAL}) if is_users else by


def _asks_for_page(name: str, params: JsonObject, called: tuple[str, ...]) -> bool:
    """Return whether the command line requests a page address or runs this `pages` command."""
    if name == PAGE:
        return called[:1] == ("run",) and "--browser" in called
    verb = name.removeprefix(PAGES)
    if called[:2] != ("pages", verb):
        return False
    return verb != "confirm" or str(params.get("number")) in called[2:]
