"""`conductor`: arguments in, exit codes out.

Exit codes: 0 done; 1 it could not be done, the reason is on standard error; 2 the arguments are wrong;
3 no running Conductor answers.
"""

import argparse
import os
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

from conductor import __version__
from conductor.cli.decision_options import add_approvals, add_pages, add_plans
from conductor.cli.words import plain
from conductor.domain.knowledge import DOMAINS
from conductor.errors import ConductorError, NotRunning
from conductor.window.requirements import has_display

Command = Callable[[argparse.Namespace], int]
FAILED, NOT_RUNNING = 1, 3
SKILL_TARGETS = ("agents", "claude", "codex", "cursor", "project")
SERVER_CLIENTS = (
    "claude-code", "claude-desktop", "cursor", "vscode", "gemini", "windsurf", "codex",
)  # fmt: skip
SERVER_COMMANDS = (
    ("remove", "stop one and forget it"),
    ("start", "start one, after you have agreed to it, and switch it on"),
    ("stop", "stop one until it is started, or Conductor is"),
    ("restart", "stop one and start it"),
    ("test", "see whether one answers, and what it offers"),
    ("sign-in", "sign in to one that asks for it, with your browser"),
    ("sign-out", "delete what one gave when you signed in"),
    ("log", "what one wrote to its standard error"),
    ("tools", "the tools of one; switch single ones on and off, or accept changed ones"),
    ("enable", "let one run from now on"),
    ("disable", "let one run no more"),
)
ADD_SERVER = (
    "conductor servers add NAME [--env NAME[=VALUE]] [--cwd DIR] -- COMMAND [ARGUMENT...]\n"
    "       conductor servers add NAME --url URL [--header NAME[:VALUE]]"
)
CLIENTS = (
    "claude-code", "claude-desktop", "cursor", "vscode", "codex", "gemini", "windsurf", "copilot",
)  # fmt: skip


def main(argv: list[str]) -> int:
    """Run one command."""
    args = _parsed(argv or _by_default())
    try:
        command: Command = import_module(f"conductor.cli.{args.module}").run
        return command(args)
    except NotRunning as error:
        return _complain(error, NOT_RUNNING)
    except ConductorError as error:
        return _complain(error, FAILED)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED
    except OSError as error:  # a full disk, a folder that is read-only: the user's to mend
        reason = error.strerror or str(error)
        return _complain(ConductorError(f"{error.filename or 'a file'}: {reason}"), FAILED)


def _parsed(argv: list[str]) -> argparse.Namespace:
    """Read the arguments; what follows `--` in `servers add` is a command line of its own."""
    is_add = argv[:2] == ["servers", "add"] and "--" in argv
    end = argv.index("--") if is_add else len(argv)
    args = _parser().parse_args(argv[:end])
    args.command_line = argv[end + 1 :]
    return args


def _by_default() -> list[str]:
    """Return what `conductor` alone means: the window, or the terminal where there is no screen."""
    return ["run", "--window"] if has_display() else ["run"]


def _complain(error: ConductorError, code: int) -> int:
    sys.stdout.flush()
    print(f"conductor: {plain(error)}", file=sys.stderr)
    return code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="conductor",
        usage="conductor [-h] [--version] [COMMAND ...]",
        description="Turns MIDI controllers and gamepads into what the computer does. "
        "Without a command it opens the window.",
    )
    parser.add_argument("--version", action="version", version=f"conductor {__version__}")
    commands = parser.add_subparsers(
        prog="conductor", dest="command", metavar="COMMAND", required=True
    )

    def add(name: str, module: str, text: str, *, as_json: bool = False) -> argparse.ArgumentParser:
        command = commands.add_parser(name, help=text, description=text)
        command.set_defaults(module=module)
        if as_json:
            command.add_argument("--json", action="store_true", help="print one JSON object")
        return command

    run = add("run", "run", "Run Conductor until Ctrl+C")
    run.add_argument(
        "--headless", action="store_true", help="never the demo; makes a first config.toml"
    )
    run.add_argument("--demo", action="store_true", help="let the virtual controller play a set-up")
    run.add_argument(
        "--config", type=Path, help="a config file other than the one in the home folder"
    )
    run.add_argument(
        "--monitor", action="store_true", help="show events, even when not at a terminal"
    )
    run.add_argument(
        "--browser", action="store_true", help="print an address that opens the window in a browser"
    )
    run.add_argument(
        "--port", type=int, default=0, help="the port for --browser; left out: a free one"
    )
    run.add_argument(
        "--window", action="store_true", help="open the window, as `conductor` alone does"
    )
    run.add_argument("--hidden", action="store_true", help="with --window: start in the tray")
    run.add_argument("--quiet", action="store_true", help="show nothing")

    add("status", "status", "Show the running Conductor", as_json=True)
    add("devices", "devices", "Show ports and pads, here or of the running Conductor", as_json=True)

    validate = add("validate", "validate", "Check a config file", as_json=True)
    validate.add_argument("file", nargs="?", type=Path, help="left out: the one in the home folder")

    simulate = add(
        "simulate", "simulate", "Play events through a config, doing nothing", as_json=True
    )
    simulate.add_argument("--config", type=Path, help="left out: the one in the home folder")
    simulate.add_argument("events", help="an event script or MIDI file; - for standard input")
    simulate.add_argument(
        "--device",
        default="",
        help="the device that plays; left out: the one that the mappings name",
    )

    play = add("play", "play", "Play the virtual controller of the running Conductor, for real")
    play.add_argument("gestures", help='such as pad1, "knob1 64" or "down pad1, wait 600, up pad1"')

    explain = add("explain", "explain", "Say why an event did or did not act", as_json=True)
    explain.add_argument("sequence", nargs="?", type=int, help="its number; left out: the last one")

    learn = add("learn", "learn", "Capture what you play and suggest triggers", as_json=True)
    _add_learn(learn)

    monitor = add("monitor", "monitor", "Show events and what they do, live", as_json=True)
    monitor.add_argument("--seconds", type=float, help="left out: until Ctrl+C")

    mode = add("mode", "mode", "Switch the running Conductor to a mode")
    mode.add_argument("name")
    add("panic", "panic", "Let go of all keys and notes, and stop running actions")
    for name, text in (
        ("undo", "Undo the last change of the config"),
        ("redo", "Redo what was undone"),
    ):
        add(name, "undo", text)
    history = add("history", "undo", "List the versions of the config", as_json=True)
    history.add_argument("--limit", type=int, default=20)

    add_pages(add("pages", "pages", "Show the pages in browsers, and confirm that one is yours"))
    add_plans(add("plans", "plans", "Show plans, and approve or reject them"))
    add_approvals(add("approvals", "approvals", "Show calls that wait for you, and answer them"))
    audit = add("audit", "audit", "Show who called which tool, newest first", as_json=True)
    audit.add_argument("--limit", type=int, default=50)
    _add_recording(add("recording", "recording", "Show how much playing is kept, or forget it"))
    _add_tools(add("tools", "tools", "List the tools of the running Conductor, or call one"))
    _add_chat(add("chat", "chat", "Ask the assistant, or talk to it, at a terminal", as_json=True))
    _add_servers(add("servers", "servers", "Add, start and look at the MCP servers it may use"))
    _add_skills(add("skills", "skills", "List, install, check and remove Agent Skills"))
    _add_eval(add("eval", "eval", "Measure how well a model does Conductor's work"))
    _add_knowledge(add("knowledge", "knowledge", "Search what Conductor knows; build the index"))
    test = add("test", "test", "Play the kept examples through the config", as_json=True)
    test.add_argument(
        "--bisect",
        nargs="?",
        const="",
        metavar="NAME",
        help="name the change that broke an example; without a name: each that fails",
    )

    add(
        "doctor",
        "doctor",
        "Check ports, permissions and packages, and say what to do",
        as_json=True,
    )
    mcp = add("mcp", "mcp", "Connect an agent (MCP), or install Conductor in an agent's client")
    mcp.add_argument(
        "--no-start", action="store_true", help="do not start a Conductor that is not running"
    )
    verbs = mcp.add_subparsers(dest="mcp_command")
    for name, about in (
        ("install", "Put Conductor into the settings of a client"),
        ("remove", "Take Conductor out of the settings of a client"),
    ):
        one = verbs.add_parser(name, help=about)
        one.add_argument("--client", required=True, choices=CLIENTS)
        one.add_argument("--dry-run", action="store_true", help="only show what would be written")
    generate = add("generate", "generate", "Write the schema and reference pages (source checkout)")
    generate.add_argument("--check", action="store_true", help="only say what is stale")
    return parser


def _add_chat(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "question", nargs="?", help="left out: you are asked, or standard input is read"
    )
    parser.add_argument("--provider", help="as named in llm.providers; left out: the default")
    parser.add_argument("--model", help="left out: the provider's")
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--new", action="store_true", help="begin a new conversation (as usual)")
    which.add_argument(
        "--resume", metavar="ID", help="go on with a conversation, or with the `last`"
    )


def _add_eval(parser: argparse.ArgumentParser) -> None:
    what = parser.add_subparsers(dest="what", metavar="list|run", required=True)
    listing = what.add_parser("list", help="the cases, and what they cost")
    listing.add_argument("--suite", default="core", help="which cases: core, or quick")
    listing.add_argument("--json", action="store_true", help="print one JSON object")
    run = what.add_parser("run", help="play the cases with a model, and judge what comes of it")
    run.add_argument("--provider", required=True, help="as named in llm.providers")
    run.add_argument("--model", help="left out: the provider's")
    run.add_argument(
        "--max-cost", type=float, required=True, metavar="USD", help="stop before this is passed"
    )
    run.add_argument("--suite", default="core", help="which cases: core, or quick")
    run.add_argument("--case", action="append", default=[], metavar="ID", help="only this one")
    run.add_argument("--runs", type=int, default=1, metavar="K", help="each case K times (1)")
    run.add_argument("--json", metavar="FILE", help="write all results there")
    run.add_argument("--yes", action="store_true", help="do not ask before it costs anything")


def _add_skills(parser: argparse.ArgumentParser) -> None:
    what = parser.add_subparsers(
        dest="what", metavar="list|show|install|validate|remove", required=True
    )
    listing = what.add_parser("list", help="those that come with Conductor, and yours")
    listing.add_argument("--json", action="store_true", help="print one JSON object")
    show = what.add_parser("show", help="what a skill says")
    show.add_argument("name")
    show.add_argument("file", nargs="?", help="one of its files; left out: SKILL.md")
    install = what.add_parser(
        "install", help="copy a skill to yours, or into another agent's folder"
    )
    install.add_argument(
        "source", help="a name, a folder, a .zip or .tar.gz, or github:OWNER/REPOSITORY/PATH[@REF]"
    )
    install.add_argument("--replace", action="store_true", help="in place of another one there")
    validate = what.add_parser(
        "validate", help="check skills by the rules of agentskills.io and ours"
    )
    validate.add_argument("folder", nargs="*", type=Path, help="left out: all that are there")
    validate.add_argument("--strict", action="store_true", help="advice counts as a failure too")
    validate.add_argument("--json", action="store_true", help="print one JSON object")
    remove = what.add_parser("remove", help="delete an installed skill")
    remove.add_argument("name")
    for one in (install, remove):
        one.add_argument("--target", choices=SKILL_TARGETS, help="another agent's folder of skills")


def _add_servers(parser: argparse.ArgumentParser) -> None:
    what = parser.add_subparsers(
        dest="what",
        metavar="list|add|import|remove|start|stop|restart|test|sign-in|sign-out|log|tools|enable|disable",
        required=True,
    )
    listing = what.add_parser("list", help="those that are set up, and where they stand")
    listing.add_argument("--json", action="store_true", help="print one JSON object")
    new = what.add_parser(
        "add", help="add one, look at what it would run, and agree to it", usage=ADD_SERVER
    )
    new.add_argument("name")
    new.add_argument("--url", help="the address of one that is spoken to over HTTP")
    new.add_argument("--header", action="append", default=[], metavar="NAME[:VALUE]")
    new.add_argument("--env", action="append", default=[], metavar="NAME[=VALUE]")
    new.add_argument("--cwd", type=Path, metavar="DIR", help="the folder that it runs in")
    take = what.add_parser("import", help="take them over from another program, or a file")
    take.add_argument("client", nargs="?", help=f"{', '.join(SERVER_CLIENTS)}, or a file")
    take.add_argument("names", nargs="*", help="left out: those that there are are listed")
    take.add_argument("--all", action="store_true", help="all of them")
    take.add_argument("--replace", action="store_true", help="in place of those of the same name")
    take.add_argument("--json", action="store_true", help="print one JSON object")
    for name, text in SERVER_COMMANDS:
        one = what.add_parser(name, help=text)
        one.add_argument("name")
        if name == "tools":
            for option, words in (
                ("on", "use"),
                ("off", "leave out"),
                ("accept", "accept, as it is now,"),
            ):
                one.add_argument(
                    f"--{option}",
                    action="append",
                    default=[],
                    metavar="TOOL",
                    help=f"{words} this one",
                )
            one.add_argument("--json", action="store_true", help="print one JSON array")


def _add_recording(parser: argparse.ArgumentParser) -> None:
    verbs = parser.add_subparsers(dest="verb", metavar="status|clear", required=True)
    for verb, text in (
        ("status", "how much of what was played is kept"),
        ("clear", "forget it, on disk and in memory"),
    ):
        one = verbs.add_parser(verb, help=text)
        one.add_argument("--json", action="store_true", help="print one JSON object")


def _add_tools(parser: argparse.ArgumentParser) -> None:
    what = parser.add_subparsers(dest="what", metavar="list|call", required=True)
    listing = what.add_parser("list", help="every tool with its tier")
    listing.add_argument("--json", action="store_true", help="print names, tiers and schemas")
    call = what.add_parser("call", help="call a tool and print its result as JSON")
    call.add_argument("name")
    call.add_argument("arguments", nargs="?", default="{}", help="a JSON object; left out: {}")


def _add_learn(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--seconds", type=float, help="how long (10; with --profile: until the end)"
    )
    parser.add_argument(
        "--profile", action="store_true", help="make a device profile of what is played"
    )
    parser.add_argument("--name", metavar="N", help="the device's maker and model")
    parser.add_argument("--device", metavar="D", help="left out: the one that is played most")
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="write the profile there")
    parser.add_argument("--save", action="store_true", help="keep the profile in the home folder")


def _add_knowledge(parser: argparse.ArgumentParser) -> None:
    what = parser.add_subparsers(dest="what", metavar="search|sources|build|check", required=True)
    search = what.add_parser("search", help="find what is known about something")
    search.add_argument("query", nargs="?", help="what to look for")
    search.add_argument("-k", type=int, default=5, metavar="N", help="how many chunks at most (5)")
    search.add_argument("--domain", choices=DOMAINS, help="only of this domain")
    search.add_argument("--json", action="store_true", help="print one JSON object")
    search.add_argument(
        "--stdin", action="store_true", help="one query a line in, one JSON object a line out"
    )
    sources = what.add_parser("sources", help="the documents and device profiles")
    sources.add_argument("--json", action="store_true", help="print one JSON object")
    make = what.add_parser("build", help="build the index anew; what did not change is reused")
    make.add_argument("--sources", type=Path, metavar="DIR", help="left out: those that ship")
    make.add_argument(
        "--output", type=Path, metavar="PATH", help="a folder, or a file named knowledge.db"
    )
    make.add_argument("--model", type=Path, metavar="ONNX", help="left out: the one that ships")
    make.add_argument("--json", action="store_true", help="print one JSON object")
    check = what.add_parser("check", help="say whether the index and the model can be used")
    check.add_argument("--json", action="store_true", help="print one JSON object")
