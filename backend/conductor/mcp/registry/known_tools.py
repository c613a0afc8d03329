"""The tools of the servers of `mcp.json`, as the user accepted them: known whether a server runs or not."""

from collections.abc import Callable, Collection
from contextlib import suppress

from conductor.errors import NotAvailable
from conductor.mcp.registry.file import Content
from conductor.mcp.registry.secrets import server_of

Known = dict[str, Collection[str]]


def known_tools(content: Content, accepted: Callable[[str], Collection[str] | None]) -> Known:
    """Return them by server, without those whose tools nobody has seen yet. May block.

    `accepted` gives those that are kept under a server's identity, which no secret is part of.
    """
    found: Known = {}
    for name, listed in content.servers.items():
        if listed.entry is None:
            continue
        with suppress(NotAvailable):  # it cannot be started as it is, which says why by itself
            tools = accepted(server_of(name, listed.entry, lambda _: "").identity)
            if tools:
                found[name] = list(tools)
    return found
