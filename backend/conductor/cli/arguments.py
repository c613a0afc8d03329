"""Declares the arguments of each command.

They are separate from the commands, so that `--help` and a mistyped option need not import a command:
`eval` and `generate` take up to two seconds to import.
"""

from argparse import ArgumentParser, ArgumentTypeError
from pathlib import Path
from typing import TYPE_CHECKING

from conductor.domain.knowledge_domains import DOMAINS

if TYPE_CHECKING:
    from argparse import _SubParsersAction  # pyright: ignore[reportPrivateUsage]

JSON_OBJECT, JSON_ARRAY = "print one JSON object", "print one JSON array"
MAX_COUNT, MAX_SECONDS = 1_000_000, 86_400
DEFAULT_CONFIG_HELP = "default: config.toml in the home folder"
SKILL_INSTALL_TARGETS = ("agents", "claude", "codex", "copilot", "cursor", "project")
SERVER_IMPORT_CLIENTS = (
    "claude-code", "claude-desktop", "cursor", "vscode", "gemini", "windsurf", "codex",
)  # fmt: skip
MCP_INSTALL_CLIENTS = (
    "claude-code", "claude-desktop", "cursor", "vscode", "codex", "gemini", "windsurf", "copilot",
)  # fmt: skip
SERVER_SUBCOMMANDS = (
    ("remove", "stop a server and remove it"),
    ("start", "enable and start a server, after asking for your consent"),
    ("stop", "stop a server until you or Conductor start it again"),
    ("restart", "stop a server and start it again"),
    ("test", "check that a server answers, and list its tools"),
    ("sign-in", "sign in to a server in your browser"),
    ("sign-out", "sign out of a server and delete its tokens"),
    ("log", "show what a server wrote to standard error"),
    ("tools", "list the tools of a server; turn tools on or off, or accept changed tools"),
    ("enable", "enable a server"),
    ("disable", "disable a server"),
)
ADD_SERVER_USAGE = (
    "conductor servers add NAME [--env NAME[=VALUE]] [--cwd DIR] -- COMMAND [ARGUMENT...]\n"
    "       conductor servers add NAME --url URL [--header NAME[:VALUE]]"
)


def parse_id(text: str) -> str:
    if not text.strip():
        raise ArgumentTypeError("the id is empty; `list` shows the ids")
    return text


def parse_port(text: str) -> int:
    """Parse a TCP port number. 0 means any free port."""
    return _parse_whole_number(text, 0, 65_535)


def parse_count(text: str) -> int:
    """Parse the maximum number of rows that a command shows."""
    return _parse_whole_number(text, 1, MAX_COUNT)


def parse_seconds(text: str) -> float:
    """Parse a duration in seconds, which may be at most one day."""
    try:
        seconds = float(text)
    except ValueError:
        raise ArgumentTypeError(f"{text!r} is not a number of seconds") from None
    if not 0 < seconds <= MAX_SECONDS:
        raise ArgumentTypeError(f"{text} is not between 0 and {MAX_SECONDS} seconds")
    return seconds


def _parse_whole_number(text: str, minimum: int, maximum: int) -> int:
    try:
        number = int(text)
    except ValueError:
        raise ArgumentTypeError(f"{text!r} is not a whole number") from None
    if not minimum <= number <= maximum:
        raise ArgumentTypeError(f"{text} is not between {minimum} and {maximum}")
    return number


def add_run_arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--headless",
        action="store_true",
        help="never run the demo; create config.toml if it is missing",
    )
    parser.add_argument(
        "--demo", action="store_true", help="run the demo with the virtual controller"
    )
    parser.add_argument("--config", type=Path, metavar="FILE", help=DEFAULT_CONFIG_HELP)
    parser.add_argument(
        "--monitor", action="store_true", help="show events even if the output is not a terminal"
    )
    parser.add_argument(
        "--browser", action="store_true", help="print an address that opens Conductor in a browser"
    )
    parser.add_argument(
        "--port", type=parse_port, default=0, help="the port for --browser (default: a free port)"
    )
    parser.add_argument(
        "--window", action="store_true", help="open the window (the default without a command)"
    )
    parser.add_argument("--hidden", action="store_true", help="with --window: start in the tray")
    parser.add_argument("--quiet", action="store_true", help="print nothing")


def add_validate_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("file", nargs="?", type=Path, help=DEFAULT_CONFIG_HELP)


def add_diagram_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("file", type=Path, help="the SVG file to write")
    parser.add_argument("--config", type=Path, metavar="FILE", help=DEFAULT_CONFIG_HELP)


def add_simulate_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--config", type=Path, metavar="FILE", help=DEFAULT_CONFIG_HELP)
    parser.add_argument("events", help="an event script or MIDI file; - for standard input")
    parser.add_argument(
        "--device", default="", help="the device that plays (default: the device in the mappings)"
    )


def add_play_arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "gestures", help='for example pad1, "knob1 64" or "down pad1, wait 600, up pad1"'
    )


def add_explain_arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "sequence", nargs="?", type=int, help="the event number (default: the last event)"
    )


def add_learn_arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--seconds",
        type=parse_seconds,
        help="how long to listen (default: 10, or step by step with --profile)",
    )
    parser.add_argument(
        "--profile", action="store_true", help="create a device profile from what you play"
    )
    parser.add_argument("--name", metavar="NAME", help="the maker and model of the device")
    parser.add_argument(
        "--device", metavar="DEVICE", help="default: the device with the most events"
    )
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="write the profile here")
    parser.add_argument("--save", action="store_true", help="save the profile in the home folder")


def add_profile_arguments(parser: ArgumentParser) -> None:
    verbs = _add_subcommands(parser, "import")
    command = verbs.add_parser(
        "import",
        help="make a device profile from a controller file of Mixxx, Ardour, ReaLearn, Bitwig or Ableton",
    )
    command.add_argument("file", type=Path, metavar="FILE", help="the file; scripts are never run")
    command.add_argument("--name", metavar="NAME", help="the maker and model of the device")
    command.add_argument(
        "--port", metavar="PORT", help="the name of the device's port, or a part of the name"
    )
    command.add_argument("-o", "--output", type=Path, metavar="FILE", help="write the profile here")
    command.add_argument("--save", action="store_true", help="save the profile in the home folder")
    _add_json_option(command)


def add_monitor_arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--seconds", type=parse_seconds, help="how long to watch (default: until Ctrl+C)"
    )


def add_mode_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("name", help="the name of the mode")


def add_history_arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--limit", type=parse_count, default=20, help="maximum number of versions (default: 20)"
    )


def add_audit_arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--limit", type=parse_count, default=50, help="maximum number of calls (default: 50)"
    )


def add_pages_arguments(parser: ArgumentParser) -> None:
    verbs = _add_subcommands(parser, "list|confirm")
    _add_json_option(verbs.add_parser("list", help="list all pages with an address"), JSON_ARRAY)
    confirm = verbs.add_parser("confirm", help="allow a page to make changes")
    confirm.add_argument("number", type=int, help="the number of the page")
    _add_yes_option(confirm)


def add_remote_arguments(parser: ArgumentParser) -> None:
    verbs = _add_subcommands(parser, "status|requests|allow|deny|grants|revoke")
    status = verbs.add_parser("status", help="show the address and the certificate for agents")
    _add_json_option(status, JSON_OBJECT)
    requests = verbs.add_parser("requests", help="list the agents that ask for access")
    _add_json_option(requests, JSON_ARRAY)
    allow = verbs.add_parser("allow", help="give an agent the access that it asks for")
    allow.add_argument("code", help="the code that the browser shows, without a space")
    allow.add_argument(
        "--scope",
        action="append",
        default=[],
        help="grant only this scope (operate, propose, hardware or skills) and look; can be repeated",
    )
    _add_yes_option(allow)
    deny = verbs.add_parser("deny", help="refuse an agent that asks for access")
    deny.add_argument("request_id", help="the id of the request")
    grants = verbs.add_parser("grants", help="list the agents that have access")
    _add_json_option(grants, JSON_ARRAY)
    revoke = verbs.add_parser("revoke", help="end the access of an agent at once")
    revoke.add_argument("grant_id", help="the id of the access")


def add_plans_arguments(parser: ArgumentParser) -> None:
    verbs = _add_subcommands(parser, "list|show|approve|reject")
    _add_json_option(verbs.add_parser("list", help="list plans, newest first"))
    show = verbs.add_parser("show", help="show a plan with its diff and proof")
    show.add_argument("plan_id", type=parse_id)
    _add_json_option(show)
    approve = verbs.add_parser("approve", help="approve a plan and apply it")
    approve.add_argument("plan_id", type=parse_id)
    _add_yes_option(approve)
    approve.add_argument(
        "--break-examples",
        action="store_true",
        help="with --yes: approve even if saved examples break",
    )
    approve.add_argument(
        "--no-apply", action="store_true", help="only approve; the requester applies the plan"
    )
    reject = verbs.add_parser("reject", help="reject a plan")
    reject.add_argument("plan_id", type=parse_id)
    reject.add_argument("--reason", default="", help="a reason to send to the requester")


def add_approvals_arguments(parser: ArgumentParser) -> None:
    verbs = _add_subcommands(parser, "list|ask|allow|deny")
    _add_json_option(
        verbs.add_parser("list", help="list pending calls with their arguments"), JSON_ARRAY
    )
    ask = verbs.add_parser("ask", help="show a call and ask for a decision; the default is deny")
    ask.add_argument("approval_id", type=parse_id)
    allow = verbs.add_parser("allow", help="show a call and allow it")
    allow.add_argument("approval_id", type=parse_id)
    scope = allow.add_mutually_exclusive_group()
    scope.add_argument(
        "--conversation",
        action="store_true",
        help="also allow similar calls for the rest of the conversation",
    )
    scope.add_argument("--always", action="store_true", help="also allow similar calls from now on")
    _add_yes_option(allow)
    deny = verbs.add_parser("deny", help="deny a call")
    deny.add_argument("approval_id", type=parse_id)
    deny.add_argument("--never", action="store_true", help="also deny all later calls of this tool")


def add_recording_arguments(parser: ArgumentParser) -> None:
    verbs = parser.add_subparsers(dest="verb", metavar="status|clear", required=True)
    _add_json_option(verbs.add_parser("status", help="show how much is recorded"))
    _add_json_option(verbs.add_parser("clear", help="delete the recording from disk and memory"))


def add_desktop_arguments(parser: ArgumentParser) -> None:
    verbs = parser.add_subparsers(
        dest="verb", metavar="ask|install-extension|remove-extension", required=True
    )
    verbs.add_parser("ask", help="ask again for the permission to press keys")
    verbs.add_parser(
        "install-extension", help="let profiles follow the app in front, in GNOME on Wayland"
    )
    verbs.add_parser("remove-extension", help="remove that extension")


def add_tools_arguments(parser: ArgumentParser) -> None:
    verbs = _add_subcommands(parser, "list|call")
    _add_json_option(
        verbs.add_parser("list", help="list all tools"), "print names, tiers and schemas"
    )
    call = verbs.add_parser("call", help="call a tool and print its result as JSON")
    call.add_argument("name", help="the name of the tool")
    call.add_argument("arguments", nargs="?", default="{}", help="a JSON object (default: {})")


def add_chat_arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "question", nargs="?", help="default: start a conversation, or read standard input"
    )
    parser.add_argument(
        "--provider", help="a name in llm.providers (default: llm.default_provider)"
    )
    parser.add_argument("--model", help="default: the model of the provider")
    conversation = parser.add_mutually_exclusive_group()
    conversation.add_argument(
        "--new", action="store_true", help="start a new conversation (the default)"
    )
    conversation.add_argument(
        "--resume", metavar="ID", help="continue a conversation; `last` for the newest"
    )


def add_servers_arguments(parser: ArgumentParser) -> None:
    names = "|".join(("list", "add", "import", *(name for name, _ in SERVER_SUBCOMMANDS)))
    verbs = _add_subcommands(parser, names)
    _add_json_option(verbs.add_parser("list", help="list MCP servers and their status"))
    add = verbs.add_parser(
        "add", help="add a server, after asking for your consent", usage=ADD_SERVER_USAGE
    )
    add.add_argument("name", help="a name for the server")
    add.add_argument("--url", help="the address of a server over HTTP")
    add.add_argument("--header", action="append", default=[], metavar="NAME[:VALUE]")
    add.add_argument("--env", action="append", default=[], metavar="NAME[=VALUE]")
    add.add_argument("--cwd", type=Path, metavar="DIR", help="the working folder of the server")
    import_parser = verbs.add_parser("import", help="import servers from another program or a file")
    import_parser.add_argument(
        "client", nargs="?", help=f"{', '.join(SERVER_IMPORT_CLIENTS)}, or a file"
    )
    import_parser.add_argument(
        "names", nargs="*", help="the servers to import (default: list available servers)"
    )
    import_parser.add_argument("--all", action="store_true", help="import all servers")
    import_parser.add_argument(
        "--replace", action="store_true", help="replace servers that have the same name"
    )
    _add_json_option(import_parser)
    for verb, text in SERVER_SUBCOMMANDS:
        command = verbs.add_parser(verb, help=text)
        command.add_argument("name", help="the name of the server")
        if verb == "tools":
            _add_tool_options(command)


def _add_tool_options(parser: ArgumentParser) -> None:
    for option, text in (
        ("--on", "turn this tool on"),
        ("--off", "turn this tool off"),
        ("--accept", "accept this tool in its current form"),
    ):
        parser.add_argument(option, action="append", default=[], metavar="TOOL", help=text)
    _add_json_option(parser, JSON_ARRAY)


def add_skills_arguments(parser: ArgumentParser) -> None:
    verbs = _add_subcommands(parser, "list|show|install|validate|remove")
    _add_json_option(verbs.add_parser("list", help="list bundled and installed skills"))
    show = verbs.add_parser("show", help="show the text of a skill")
    show.add_argument("name", help="the name of the skill")
    show.add_argument("file", nargs="?", help="a file of the skill (default: SKILL.md)")
    install = verbs.add_parser("install", help="install a skill here or for another agent")
    install.add_argument(
        "source", help="a name, a folder, a .zip or .tar.gz, or github:OWNER/REPOSITORY/PATH[@REF]"
    )
    install.add_argument("--replace", action="store_true", help="replace a skill of the same name")
    validate = verbs.add_parser(
        "validate", help="check skills against the agentskills.io rules and Conductor's"
    )
    validate.add_argument("folder", nargs="*", type=Path, help="default: all skills")
    validate.add_argument("--strict", action="store_true", help="treat advice as errors")
    _add_json_option(validate)
    remove = verbs.add_parser("remove", help="remove an installed skill")
    remove.add_argument("name", help="the name of the skill")
    for command in (install, remove):
        command.add_argument(
            "--target", choices=SKILL_INSTALL_TARGETS, help="the skills folder of another agent"
        )


def add_eval_arguments(parser: ArgumentParser) -> None:
    verbs = _add_subcommands(parser, "list|run")
    list_parser = verbs.add_parser("list", help="list the cases and estimate their tokens")
    list_parser.add_argument("--suite", default="core", help="core or quick (default: core)")
    _add_json_option(list_parser)
    run = verbs.add_parser("run", help="run the cases with a model and score the results")
    run.add_argument("--provider", required=True, help="a name in llm.providers")
    run.add_argument("--model", help="default: the model of the provider")
    run.add_argument(
        "--max-cost", type=float, required=True, metavar="USD", help="stop before this cost"
    )
    run.add_argument("--suite", default="core", help="core or quick (default: core)")
    run.add_argument(
        "--case",
        action="append",
        default=[],
        metavar="ID",
        help="run only this case; can be repeated",
    )
    run.add_argument(
        "--runs", type=int, default=1, metavar="K", help="run each case K times (default: 1)"
    )
    run.add_argument("--json", type=Path, metavar="FILE", help="write all results to this file")
    run.add_argument("--yes", action="store_true", help="do not ask to confirm the cost")


def add_knowledge_arguments(parser: ArgumentParser) -> None:
    verbs = _add_subcommands(parser, "search|sources|add|list|remove|build|check")
    search = verbs.add_parser("search", help="search the knowledge base")
    search.add_argument("query", nargs="*", metavar="WORD", help="the search text")
    search.add_argument(
        "-k", type=int, default=5, metavar="N", help="maximum number of chunks (default: 5)"
    )
    search.add_argument("--full", action="store_true", help="print the full texts")
    search.add_argument("--domain", choices=DOMAINS, help="search only this domain")
    _add_json_option(search)
    search.add_argument(
        "--stdin",
        action="store_true",
        help="read one query per line, and print one JSON object for each",
    )
    _add_json_option(verbs.add_parser("sources", help="list documents and device profiles"))
    add = verbs.add_parser("add", help="add manuals: PDF, text, Markdown or HTML files")
    add.add_argument("files", nargs="+", type=Path, metavar="FILE")
    _add_json_option(add)
    _add_json_option(verbs.add_parser("list", help="list your manuals"))
    remove = verbs.add_parser("remove", help="remove a manual")
    remove.add_argument("manual", metavar="MANUAL", help="its id, title or file name")
    build = verbs.add_parser("build", help="rebuild the index; unchanged chunks are reused")
    build.add_argument("--sources", type=Path, metavar="DIR", help="default: the bundled documents")
    build.add_argument(
        "--output", type=Path, metavar="PATH", help="a folder, or a file named knowledge.db"
    )
    build.add_argument("--model", type=Path, metavar="ONNX", help="default: the bundled model")
    build.add_argument(
        "--fit",
        action="store_true",
        help="fit the relevance again and write it to the sources (for authors; takes minutes)",
    )
    _add_json_option(build)
    _add_json_option(verbs.add_parser("check", help="check the index and the embedding model"))


def add_test_arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--bisect",
        nargs="?",
        const="",
        metavar="NAME",
        help="find the change that broke an example (default: every failing example)",
    )


def add_mcp_arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--no-start", action="store_true", help="do not start Conductor if it is not running"
    )
    verbs = parser.add_subparsers(dest="mcp_command")
    for verb, text in (
        ("install", "add Conductor to the settings of a client"),
        ("remove", "remove Conductor from the settings of a client"),
    ):
        command = verbs.add_parser(verb, help=text)
        command.add_argument("--client", required=True, choices=MCP_INSTALL_CLIENTS)
        command.add_argument("--dry-run", action="store_true", help="only print the changes")


def add_generate_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--check", action="store_true", help="only list stale files")


def _add_subcommands(parser: ArgumentParser, metavar: str) -> "_SubParsersAction[ArgumentParser]":
    return parser.add_subparsers(dest="verb", metavar=metavar, required=True)


def _add_json_option(parser: ArgumentParser, text: str = JSON_OBJECT) -> None:
    parser.add_argument("--json", action="store_true", help=text)


def _add_yes_option(parser: ArgumentParser) -> None:
    parser.add_argument("--yes", action="store_true", help="do not ask for confirmation")
