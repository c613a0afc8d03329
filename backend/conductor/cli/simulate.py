"""`conductor simulate`: plays events through a config and prints the traces. No actions are performed."""

import argparse
import json
import sys
from functools import cache
from pathlib import Path

from conductor.base.json_types import JsonObject
from conductor.base.paths import get_home_folder
from conductor.cli.config_file import read_config
from conductor.cli.trace_text import format_trace
from conductor.domain.config import Config
from conductor.domain.control_names import ControlNames
from conductor.domain.trace import Trace
from conductor.engine.script import ScriptItem, parse_script
from conductor.engine.script_defaults import apply_script_defaults
from conductor.engine.simulate import Simulation, list_fired_actions, list_fired_effects
from conductor.errors import BadScript

MIDI_FILE_SIGNATURE = b"MThd"
MIDI_FILE_SUFFIXES = (".mid", ".midi")


def run(args: argparse.Namespace) -> int:
    """Play an event script or a Standard MIDI File, and print the traces with their actions.

    Return the exit code.
    """
    config = read_config(args.config or get_home_folder() / "config.toml")
    simulation = Simulation(config)
    items = _read_script_items(args.events, args.device, config)
    traces = simulation.play_items(apply_script_defaults(items, config))
    if args.json:
        print(json.dumps(_build_json_output(simulation, traces)))
        return 0
    for line in _format_traces(traces):
        print(line)
    return 0


def _read_script_items(source: str, device: str, config: Config) -> list[ScriptItem]:
    try:
        data = sys.stdin.buffer.read() if source == "-" else Path(source).read_bytes()
    except OSError as error:
        raise BadScript(f"{source} cannot be read: {error.strerror}") from None
    if data.startswith(MIDI_FILE_SIGNATURE) or source.lower().endswith(MIDI_FILE_SUFFIXES):
        from conductor.devices.midi.file import read_midi_file

        return list(read_midi_file(data, device))
    try:
        text = data.decode()
    except UnicodeDecodeError:
        raise BadScript(f"{source} is neither a script (UTF-8 text) nor a MIDI file") from None
    return parse_script(
        text, device, channel=0, read_names=cache(lambda: _load_control_names(config))
    )


def _load_control_names(config: Config) -> ControlNames:
    # imported only if needed, because the profiles take long to read
    from conductor.runtime.control_naming import load_control_names

    return load_control_names(get_home_folder(), config, ports={})


def _build_json_output(simulation: Simulation, traces: list[Trace]) -> JsonObject:
    return {
        "actions": list_fired_actions(traces),
        "effects": list_fired_effects(traces),
        "traces": [trace.to_plain() for trace in traces],
        "final_mode": simulation.state.mode,
        "variables": simulation.state.variables,
    }


def _format_traces(traces: list[Trace]) -> list[str]:
    lines: list[str] = []
    for trace in traces:
        if trace.event.kind != "completed":
            lines += format_trace(trace.to_plain(), trace.event.time)
    if not any(trace.fired for trace in traces):
        lines.append("No action fired.")
    return lines
