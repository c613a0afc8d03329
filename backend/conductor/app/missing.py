"""Finds the ports, programs, MCP servers and tools that a config uses but that are missing on this computer."""

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from conductor.domain.config import Config
from conductor.domain.lights import Light
from conductor.domain.validate import Problem, find_plugin_actions
from conductor.errors import NotAvailable
from conductor.mcp.registry.servers import Servers
from conductor.profiles.catalog import load_catalog
from conductor.runtime.engine_connection import ReportedEngineState
from conductor.system.installed import find_launch_problem, find_run_problem, list_udp_ports
from conductor.tools.missing_parts import (
    ComputerLookups,
    MidiOutput,
    explain_unlit_device,
    find_missing_parts,
)
from conductor.tools.missing_tools import find_missing_tools

if TYPE_CHECKING:
    from conductor.storage.records import Records


class MissingPartsFinder:
    """Finds what a config uses but this computer lacks: devices, programs, MCP servers and tools."""

    def __init__(
        self, home: Path, engine: ReportedEngineState, servers: Servers, records: "Records"
    ) -> None:
        self._home = home
        self._engine = engine
        self._servers = servers
        self._records = records

    def find_missing_parts(self, config: Config) -> tuple[Problem, ...]:
        """Return a warning for each device, program, MCP server or tool that is missing.

        Call this on a worker thread, because it searches the disk for programs.
        """
        lookups = ComputerLookups(
            self._list_outputs,
            list_udp_ports,
            find_launch_problem,
            find_run_problem,
            self._explain_unlit_light,
        )
        found = list(find_missing_parts(config, lookups))
        if any(find_plugin_actions(config)) and self._servers.runs.is_known:
            found += find_missing_tools(
                config, self._servers.list_server_views(), self._list_accepted_tools()
            )
        return tuple(found)

    def _explain_unlit_light(self, config: Config, device: str, light: Light) -> str | None:
        return explain_unlit_device(
            load_catalog(self._home), config, device, light, self._list_outputs() or ()
        )

    def _list_outputs(self) -> list[MidiOutput] | None:
        """Return the connected MIDI outputs, or None if the engine has not listed its devices yet."""
        if not self._engine.devices_known.is_set():
            return None
        rows = (row for row in self._engine.devices if row["connected"])
        return [
            MidiOutput(row["device_id"], row["port_name"])
            for row in rows
            if row["kind"] == "midi_output"
        ]

    def _list_accepted_tools(self) -> Mapping[str, Collection[str]]:
        """Return the names of the tools that the user accepted, by MCP server.

        Servers that have never run are left out.
        """
        try:
            self._records.load_library()
            from conductor.mcp.registry.known_tools import list_known_tools
            from conductor.storage.pins import ToolPins

            return list_known_tools(
                self._servers.runs.content,
                ToolPins(self._records.open_database).read_accepted_tools,
            )
        except NotAvailable:
            return {}
