"""Lists the accepted tools of the servers in `mcp.json`, whether or not a server runs."""

from collections.abc import Callable, Collection
from contextlib import suppress

from conductor.errors import NotAvailable
from conductor.mcp.registry.file import ServersFileContent
from conductor.mcp.registry.secrets import resolve_server_entry

KnownTools = dict[str, Collection[str]]


def list_known_tools(
    content: ServersFileContent, find_accepted: Callable[[str], Collection[str] | None]
) -> KnownTools:
    """Return the accepted tools of each server in `mcp.json`. Servers that were never connected are left out.

    `find_accepted` returns the tools that are stored under the identity of a server, which does not depend
    on secrets. Call this in a worker thread, because the database may block.
    """
    found: KnownTools = {}
    for name, listed in content.servers.items():
        if listed.entry is None:
            continue
        with suppress(NotAvailable):  # the server cannot be started, and its status says why
            tools = find_accepted(resolve_server_entry(name, listed.entry, lambda _: "").identity)
            if tools:
                found[name] = list(tools)
    return found
