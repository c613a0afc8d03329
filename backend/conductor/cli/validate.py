"""`conductor validate`: checks a config file for errors, conflicts, and programs or tools that are missing."""

import argparse
import json
from collections.abc import Iterator
from contextlib import closing, suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from conductor.base.paths import get_home_folder
from conductor.cli.client import SocketClient
from conductor.cli.config_file import read_config_bytes
from conductor.config.parse import add_line_numbers, decode_config_bytes, load_config_with_notes
from conductor.domain.config import Config
from conductor.domain.scopes import parse_scope
from conductor.domain.validate import Problem, Report, find_plugin_actions
from conductor.errors import ConductorError, ConfigError, NotAvailable

if TYPE_CHECKING:
    from conductor.domain.lights import Light
    from conductor.tools.missing_parts import MidiOutput

RESPONSE_TIMEOUT_S = 2.0


def run(args: argparse.Namespace) -> int:
    """Print the errors and warnings of a config file. Return 0 if it is valid, otherwise 1."""
    path: Path = args.file or get_home_folder() / "config.toml"
    report, notes = check_config_file(path)
    if args.json:
        print(json.dumps({"path": str(path), **report.to_summary(), "notes": list(notes)}))
    else:
        for problem in report.errors:
            print(f"error: {problem.format()}")
        for problem in report.warnings:
            print(f"warning: {problem.format()}")
        for note in notes:
            print(f"note: {note}")
        print(f"{path} is {_format_verdict(report)}")
    return 0 if report.valid else 1


def check_config_file(path: Path) -> tuple[Report, tuple[str, ...]]:
    """Check a config file. Return the report, whose warnings include conflicts, and notes about harmless
    conflicts.

    Raises:
        ConfigNotFound: The file does not exist or cannot be read.
    """
    data = read_config_bytes(path)
    try:
        text = decode_config_bytes(data, path.name)
        reading = load_config_with_notes(text, path.name)
    except ConfigError as error:
        problems = tuple(p for p in error.problems if isinstance(p, Problem))
        return Report(valid=False, errors=problems or (Problem(path="", message=str(error)),)), ()
    missing = add_line_numbers(
        (*_find_missing_parts(reading.config), *_find_missing_tools(reading.config)), text
    )
    conflicts, hints = _find_conflicts(reading.config)
    warnings = (*reading.report.warnings, *missing, *add_line_numbers(conflicts, text))
    notes = (*reading.notes, *hints)
    return reading.report.model_copy(update={"warnings": warnings}), notes


def _find_conflicts(config: Config) -> tuple[list[Problem], list[str]]:
    """Return the conflicts of a config as warnings, and those that do no harm as notes."""
    from conductor.engine.conflicts.analysis import ConflictFinder

    warnings, notes = list[Problem](), list[str]()
    for overlap in ConflictFinder().find_conflicts(config):
        if overlap.severity == "info":
            notes.append(overlap.message)
        else:
            scope, _, index = overlap.places[-1].rpartition(" #")
            # this problem concerns a whole mode, not one mapping
            is_mode = overlap.kind == "unreachable_mode"
            place = _find_config_path(
                config, *((overlap.places[-1], "") if is_mode else (scope, index))
            )
            warnings.append(Problem(path=place, message=f"conflict: {overlap.message}"))
    return warnings, notes


def _find_config_path(config: Config, scope: str, index: str) -> str:
    """Return the path in the config of a scope or of one of its mappings, such as `modes[0].mappings[2]`."""
    kind, name = parse_scope(scope)
    if kind == "global":
        return f"global_mappings[{index}]"
    owners = config.modes if kind == "mode" else config.profiles
    at = next((at for at, owner in enumerate(owners) if owner.name == name), None)
    if at is None:
        return ""
    return f"{kind}s[{at}].mappings[{index}]" if index else f"{kind}s[{at}]"


def _find_missing_parts(config: Config) -> Iterator[Problem]:
    """Yield warnings about programs that are not installed and MIDI outputs that do not exist."""
    from conductor.system.installed import find_launch_problem, find_run_problem, list_udp_ports
    from conductor.tools.missing_parts import (
        ComputerLookups,
        explain_unlit_device,
        find_missing_parts,
    )

    outputs = cache(_list_outputs)

    def explain_unlit(config: Config, device: str, light: "Light") -> str | None:
        from conductor.profiles.catalog import load_catalog

        return explain_unlit_device(
            load_catalog(get_home_folder()), config, device, light, outputs() or ()
        )

    lookups = ComputerLookups(
        outputs, list_udp_ports, find_launch_problem, find_run_problem, explain_unlit
    )
    yield from find_missing_parts(config, lookups)


def _list_outputs() -> "list[MidiOutput] | None":
    """Return the MIDI outputs of the running Conductor, or None if it is not running."""
    from conductor.tools.missing_parts import MidiOutput

    try:
        rows = SocketClient(timeout_s=RESPONSE_TIMEOUT_S).call_method("conductor_list_devices")[
            "devices"
        ]
    except ConductorError:
        return None
    outputs = [row for row in rows if row["kind"] == "midi_output" and row["connected"]]
    return [MidiOutput(row["device_id"], row["port_name"]) for row in outputs]


def _find_missing_tools(config: Config) -> Iterator[Problem]:
    """Yield warnings about tools that their MCP server lacked when it last ran.

    A server that has never run is skipped, because its tools are unknown.
    """
    database = get_home_folder() / "conductor.db"
    if not any(find_plugin_actions(config)) or not database.is_file():
        return
    from conductor.mcp.registry.file import SERVERS_FILE_NAME, ServersFile
    from conductor.mcp.registry.known_tools import list_known_tools
    from conductor.storage.database import Database
    from conductor.storage.pins import ToolPins
    from conductor.tools.missing_tools import find_unaccepted_tools

    with suppress(NotAvailable), closing(Database(database)) as opened:
        content = ServersFile(get_home_folder() / SERVERS_FILE_NAME).read_servers()
        yield from find_unaccepted_tools(
            config, list_known_tools(content, ToolPins(lambda: opened).read_accepted_tools)
        )


def _format_verdict(report: Report) -> str:
    if not report.valid:
        return f"not valid: {_format_count(len(report.errors), 'error')}"
    used = report.coverage
    counts = (
        (used.midi.notes_used, "note"),
        (used.midi.cc_used, "CC number"),
        (used.hid.buttons_used, "gamepad button"),
        (used.osc.addresses_used, "OSC address"),
    )
    if not any(used for used, _ in counts):
        return "valid: nothing is mapped yet"
    return f"valid: {', '.join(_format_count(*count) for count in counts)} in use"


def _format_count(count: int, noun: str) -> str:
    plural = "es" if noun.endswith("s") else "s"
    return f"{count} {noun}{'' if count == 1 else plural}"
