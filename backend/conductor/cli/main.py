"""`conductor`: parses the arguments and runs the command that they name.

Exit codes: 0 success; 1 the command failed, with the reason on standard error; 2 invalid arguments; 3
Conductor is not running.
"""

import argparse
import os
import sys
from collections.abc import Callable
from importlib import import_module
from typing import NamedTuple

from conductor import __version__
from conductor.cli import arguments
from conductor.cli.parser import SuggestingParser
from conductor.cli.text import sanitize_text
from conductor.errors import ConductorError, NotRunning
from conductor.window.requirements import has_display

FAILED_EXIT_CODE, EXIT_NOT_RUNNING = 1, 3


class Command(NamedTuple):
    """A command of the command line. Its module is imported only when the command runs."""

    name: str
    module: str
    help: str
    add_arguments: Callable[[argparse.ArgumentParser], None] | None = None
    has_json: bool = False


COMMANDS = (
    Command("run", "run", "Run Conductor until Ctrl+C", arguments.add_run_arguments),
    Command("stop", "stop", "Stop the running Conductor, as Ctrl+C does"),
    Command("status", "status", "Show the status of the running Conductor", has_json=True),
    Command("devices", "devices", "List MIDI ports and gamepads", has_json=True),
    Command("validate", "validate", "Check a config file", arguments.add_validate_arguments, True),
    Command(
        "diagram",
        "diagram",
        "Draw modes and mappings as a picture",
        arguments.add_diagram_arguments,
        True,
    ),
    Command(
        "simulate",
        "simulate",
        "Play events through a config without performing actions",
        arguments.add_simulate_arguments,
        True,
    ),
    Command(
        "play",
        "play",
        "Play the virtual controller, performing its actions",
        arguments.add_play_arguments,
    ),
    Command(
        "explain",
        "explain",
        "Explain why an event did or did not trigger an action",
        arguments.add_explain_arguments,
        True,
    ),
    Command(
        "learn",
        "learn",
        "Capture what you play and suggest triggers",
        arguments.add_learn_arguments,
        True,
    ),
    Command(
        "profile",
        "profile",
        "Import device profiles from files of other programs",
        arguments.add_profile_arguments,
    ),
    Command(
        "monitor", "monitor", "Show live events and actions", arguments.add_monitor_arguments, True
    ),
    Command("mode", "mode", "Switch to a mode", arguments.add_mode_arguments),
    Command("panic", "panic", "Release all keys and notes, and stop running actions"),
    Command("undo", "undo", "Undo the last config change"),
    Command("redo", "undo", "Redo the last undone config change"),
    Command(
        "history", "undo", "List the versions of the config", arguments.add_history_arguments, True
    ),
    Command(
        "pages",
        "pages",
        "List browser pages, and confirm your own pages",
        arguments.add_pages_arguments,
    ),
    Command(
        "remote",
        "remote",
        "Allow agents on other computers, and revoke their access",
        arguments.add_remote_arguments,
    ),
    Command("plans", "plans", "List, approve and reject plans", arguments.add_plans_arguments),
    Command(
        "approvals",
        "approvals",
        "List, allow and deny pending calls",
        arguments.add_approvals_arguments,
    ),
    Command("audit", "audit", "List tool calls, newest first", arguments.add_audit_arguments, True),
    Command(
        "recording",
        "recording",
        "Show or delete the recording of events",
        arguments.add_recording_arguments,
    ),
    Command(
        "desktop",
        "desktop",
        "Ask for the permission to press keys; install the GNOME extension",
        arguments.add_desktop_arguments,
    ),
    Command("tools", "tools", "List tools, or call a tool", arguments.add_tools_arguments),
    Command("chat", "chat", "Chat with the assistant", arguments.add_chat_arguments, True),
    Command(
        "servers",
        "servers",
        "Manage MCP servers for the assistant",
        arguments.add_servers_arguments,
    ),
    Command("skills", "skills", "Manage Agent Skills", arguments.add_skills_arguments),
    Command("eval", "eval", "Benchmark a model on Conductor tasks", arguments.add_eval_arguments),
    Command(
        "knowledge",
        "knowledge",
        "Search and build the knowledge base",
        arguments.add_knowledge_arguments,
    ),
    Command(
        "test",
        "test",
        "Run the saved examples against the config",
        arguments.add_test_arguments,
        True,
    ),
    Command(
        "doctor",
        "doctor",
        "Check ports, permissions and packages, and suggest fixes",
        has_json=True,
    ),
    Command(
        "mcp",
        "mcp",
        "Connect an agent over MCP, or set up an MCP client",
        arguments.add_mcp_arguments,
    ),
    Command(
        "generate",
        "generate",
        "Write the generated files (only in a source checkout)",
        arguments.add_generate_arguments,
    ),
)


def main(argv: list[str]) -> int:
    """Run the command that the arguments name and return its exit code."""
    args = _parse_arguments(argv or _default_arguments())
    try:
        run: Callable[[argparse.Namespace], int] = import_module(f"conductor.cli.{args.module}").run
        return run(args)
    except NotRunning as error:
        return _report_error(error, EXIT_NOT_RUNNING)
    except ConductorError as error:
        return _report_error(error, FAILED_EXIT_CODE)
    except EOFError:
        return _report_error(
            ConductorError("the question was not answered; run this command at a terminal"),
            FAILED_EXIT_CODE,
        )
    except BrokenPipeError:
        # The reader of the output, such as `head`, has exited. Standard output is redirected to
        # /dev/null, so that flushing it at exit does not raise the same error again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED_EXIT_CODE
    except (
        OSError
    ) as error:  # without a traceback, because the user can fix a full disk or a read-only folder
        reason = error.strerror or str(error)
        return _report_error(
            ConductorError(f"{error.filename or 'a file'}: {reason}"), FAILED_EXIT_CODE
        )


def _parse_arguments(argv: list[str]) -> argparse.Namespace:
    """Parse the arguments.

    In `servers add`, everything after `--` is the command line of the server.
    """
    is_servers_add = argv[:2] == ["servers", "add"] and "--" in argv
    end = argv.index("--") if is_servers_add else len(argv)
    args = _build_parser().parse(argv[:end])
    args.command_line = argv[end + 1 :]
    return args


def _default_arguments() -> list[str]:
    """Return the arguments that stand for an empty command line.

    They open the window, or run Conductor in the terminal if there is no display.
    """
    if has_display():
        return ["run", "--window"]
    print("No display: running in the terminal.", file=sys.stderr)
    return ["run"]


def _report_error(error: ConductorError, code: int) -> int:
    # standard output is None if it is closed, as in `conductor status >&-`
    if sys.stdout is not None:
        sys.stdout.flush()
    print(f"conductor: {sanitize_text(error)}", file=sys.stderr)
    return code


def _build_parser() -> SuggestingParser:
    parser = SuggestingParser(
        prog="conductor",
        usage="conductor [-h] [--version] [COMMAND ...]",
        description="Maps MIDI controllers and gamepads to actions on your computer. "
        "Without a command, opens the window.",
    )
    parser.add_argument("--version", action="version", version=f"conductor {__version__}")
    commands = parser.add_subparsers(
        prog="conductor", dest="command", metavar="COMMAND", required=True
    )
    for command in COMMANDS:
        subparser = commands.add_parser(command.name, help=command.help, description=command.help)
        subparser.set_defaults(module=command.module)
        if command.has_json:
            subparser.add_argument("--json", action="store_true", help=arguments.JSON_OBJECT)
        if command.add_arguments is not None:
            command.add_arguments(subparser)
    return parser
