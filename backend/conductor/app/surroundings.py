"""What a config needs of this computer and is not there now: ports, programs, MCP servers and their tools."""

import threading
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Protocol

from conductor.domain.config import Config
from conductor.domain.validate import Problem, plugins
from conductor.domain.wire_rows import DeviceRow
from conductor.errors import NotAvailable
from conductor.mcp.registry.servers import Servers
from conductor.system.installed import udp_ports, why_not_launched, why_not_run
from conductor.tools.missing_parts import Output, Surroundings, missing_parts
from conductor.tools.missing_tools import missing_tools

if TYPE_CHECKING:
    from conductor.app.records import Records


class WithParts(Protocol):
    devices: list[DeviceRow]
    devices_known: threading.Event
    servers: Servers
    records: "Records"


def find_missing(app: WithParts, config: Config) -> tuple[Problem, ...]:
    """Return a warning for everything that a config needs and that is not there; call it from a worker."""
    around = Surroundings(lambda: _outputs(app), udp_ports, why_not_launched, why_not_run)
    found = list(missing_parts(config, around))
    if any(plugins(config)) and app.servers.runs.is_known:
        found += missing_tools(config, app.servers.views(), _accepted_tools(app))
    return tuple(found)


def _outputs(app: WithParts) -> list[Output] | None:
    if not app.devices_known.is_set():
        return None
    rows = [one for one in app.devices if one["kind"] == "midi_output" and one["connected"]]
    return [Output(one["device_id"], one["port_name"]) for one in rows]


def _accepted_tools(app: WithParts) -> Mapping[str, Collection[str]]:
    """Return the tools that the user accepted, by server; one that never ran is left out."""
    try:
        app.records.load_library()
        from conductor.mcp.registry.known_tools import known_tools
        from conductor.storage.pins import ToolPins

        return known_tools(app.servers.runs.content, ToolPins(app.records.database).accepted)
    except NotAvailable:
        return {}
