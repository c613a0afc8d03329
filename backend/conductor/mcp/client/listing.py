"""Reads the tools, resources and prompts of a server page by page, up to fixed limits."""

import logging
from collections.abc import Awaitable, Callable
from typing import Any

import mcp_types as types
from mcp.shared.exceptions import MCPError
from pydantic import ValidationError

from conductor.base.json_types import JsonObject
from conductor.mcp.client.texts import (
    MAX_CLEAN_LINE_LENGTH,
    MAX_CLEAN_NAME_LENGTH,
    MAX_CLEAN_TEXT_LENGTH,
    clean_line,
    clean_text,
)
from conductor.mcp.client.tool_catalog import MAX_LISTED_TOOLS
from conductor.mcp.client.traffic import TrafficFilter
from conductor.mcp.client.values import PromptView, ResourceView
from mcp import Client

log = logging.getLogger(__name__)

MAX_LIST_PAGES = 50
MAX_LISTED_ITEMS = 1_000


async def list_tools(client: Client, traffic: TrafficFilter) -> list[JsonObject]:
    """Return the server's tools as it sent them, except those that the MCP library cannot call."""
    tools: list[JsonObject] = []
    cursor: str | None = None
    for _ in range(MAX_LIST_PAGES):
        page = await client.list_tools(cursor=cursor)
        callable_names = {tool.name for tool in page.tools}
        complete = traffic.tool_pages.pop(cursor, [])
        tools += [tool for tool in complete if tool.get("name") in callable_names]
        cursor = page.next_cursor
        if not cursor or len(tools) >= MAX_LISTED_TOOLS:
            break
    traffic.tool_pages.clear()
    return tools[:MAX_LISTED_TOOLS]


async def list_resources(client: Client) -> tuple[ResourceView, ...]:
    """Return the server's resources, followed by its resource templates."""
    resources = await _read_all_pages(
        lambda cursor: client.list_resources(cursor=cursor), "resources"
    )
    templates = await _read_all_pages(
        lambda cursor: client.list_resource_templates(cursor=cursor), "resource_templates"
    )
    return (
        *(
            _build_resource_view(resource, resource.uri, is_template=False)
            for resource in resources
        ),
        *(
            _build_resource_view(template, template.uri_template, is_template=True)
            for template in templates
        ),
    )


async def list_prompts(client: Client) -> tuple[PromptView, ...]:
    """Return the server's prompts with their arguments, in the order of the server."""
    prompts: list[types.Prompt] = await _read_all_pages(
        lambda cursor: client.list_prompts(cursor=cursor), "prompts"
    )
    return tuple(
        PromptView(
            name=clean_line(prompt.name, MAX_CLEAN_NAME_LENGTH),
            title=clean_line(prompt.title or prompt.name),
            description=clean_text(prompt.description, MAX_CLEAN_TEXT_LENGTH),
            arguments=tuple(
                {
                    "name": clean_line(argument.name, MAX_CLEAN_NAME_LENGTH),
                    "description": clean_line(argument.description),
                    "required": bool(argument.required),
                }
                for argument in (prompt.arguments or [])[:30]
            ),
        )
        for prompt in prompts
    )


def _build_resource_view(resource: Any, uri: str, *, is_template: bool) -> ResourceView:
    return ResourceView(
        uri=clean_line(uri, MAX_CLEAN_TEXT_LENGTH),
        name=clean_line(resource.name, MAX_CLEAN_NAME_LENGTH),
        title=clean_line(resource.title or resource.name),
        description=clean_text(resource.description, MAX_CLEAN_LINE_LENGTH),
        mime_type=clean_line(resource.mime_type, 80) or None,
        is_template=is_template,
    )


async def _read_all_pages(
    request_page: Callable[[str | None], Awaitable[Any]], field: str
) -> list[Any]:
    """Read all pages of a list and return the items in `field`.

    If the server does not support the list, there are no items.
    """
    items: list[Any] = []
    cursor: str | None = None
    try:
        for _ in range(MAX_LIST_PAGES):
            page = await request_page(cursor)
            items += getattr(page, field)
            cursor = page.next_cursor
            if not cursor or len(items) >= MAX_LISTED_ITEMS:
                break
    except (MCPError, ValidationError) as error:
        log.debug("a server's %s cannot be listed: %s", field, error)
    return items[:MAX_LISTED_ITEMS]
