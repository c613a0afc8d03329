"""Everything that a server lists, page by page, and no more of it than anybody needs."""

import logging
from collections.abc import Awaitable, Callable
from typing import Any

import mcp_types as types
from mcp.shared.exceptions import MCPError
from pydantic import ValidationError

from conductor.mcp.client.texts import LINE, NAME, TEXT, clean_text, one_line
from conductor.mcp.client.tool_catalog import MOST_TOOLS
from conductor.mcp.client.traffic import Traffic
from conductor.mcp.client.values import PromptView, ResourceView
from mcp import Client

log = logging.getLogger(__name__)

MOST_PAGES = 50
MOST_ROWS = 1_000


async def tools(client: Client, traffic: Traffic) -> list[dict[str, Any]]:
    """Return the tools as they came over the wire; the library leaves out those it cannot call."""
    found: list[dict[str, Any]] = []
    cursor: str | None = None
    for _ in range(MOST_PAGES):
        page = await client.list_tools(cursor=cursor)
        callable_ones = {tool.name for tool in page.tools}
        came = traffic.pages.pop(cursor, [])
        found += [tool for tool in came if tool.get("name") in callable_ones]
        cursor = page.next_cursor
        if not cursor or len(found) >= MOST_TOOLS:
            break
    traffic.pages.clear()
    return found[:MOST_TOOLS]


async def resources(client: Client) -> tuple[ResourceView, ...]:
    """Return the resources, then the templates of resources."""
    listed = await _all(lambda at: client.list_resources(cursor=at), "resources")
    templates = await _all(
        lambda at: client.list_resource_templates(cursor=at), "resource_templates"
    )
    return (
        *(_resource(one, one.uri, is_template=False) for one in listed),
        *(_resource(one, one.uri_template, is_template=True) for one in templates),
    )


async def prompts(client: Client) -> tuple[PromptView, ...]:
    """Return the prompts."""
    listed: list[types.Prompt] = await _all(lambda at: client.list_prompts(cursor=at), "prompts")
    return tuple(
        PromptView(
            name=one_line(one.name, NAME),
            title=one_line(one.title or one.name),
            description=clean_text(one.description, TEXT),
            arguments=tuple(
                {
                    "name": one_line(argument.name, NAME),
                    "description": one_line(argument.description),
                    "required": bool(argument.required),
                }
                for argument in (one.arguments or [])[:30]
            ),
        )
        for one in listed
    )


def _resource(one: Any, uri: str, *, is_template: bool) -> ResourceView:
    return ResourceView(
        uri=one_line(uri, TEXT),
        name=one_line(one.name, NAME),
        title=one_line(one.title or one.name),
        description=clean_text(one.description, LINE),
        mime_type=one_line(one.mime_type, 80) or None,
        is_template=is_template,
    )


async def _all(page_at: Callable[[str | None], Awaitable[Any]], rows: str) -> list[Any]:
    """Return all rows of a listing; a server that announces it and cannot do it has none."""
    found: list[Any] = []
    cursor: str | None = None
    try:
        for _ in range(MOST_PAGES):
            page = await page_at(cursor)
            found += getattr(page, rows)
            cursor = page.next_cursor
            if not cursor or len(found) >= MOST_ROWS:
                break
    except (MCPError, ValidationError) as error:
        log.debug("a server's %s cannot be listed: %s", rows, error)
    return found[:MOST_ROWS]
