"""Converts the results of a server: cleans and shortens texts, and describes content that is not text."""

import json

import mcp_types as types

from conductor.base.json_types import JsonObject
from conductor.mcp.client.texts import (
    MAX_CLEAN_LINE_LENGTH,
    clean_json_data,
    clean_line,
    clean_text,
)
from conductor.mcp.client.values import PromptMessage, ResourceContent, ToolAnswer

MAX_ANSWER_TEXT_LENGTH = 60_000
"""The maximum number of characters in the text of an answer; about 15,000 tokens."""
MAX_STRUCTURED_ANSWER_LENGTH = 60_000
MAX_APP_RESULT_LENGTH = 1_000_000
MAX_RESOURCE_LENGTH = 2_000_000
MAX_RESOURCE_TEXT_LENGTH = 200_000
MAX_RESULT_PARTS = 100
TRUNCATION_NOTE = "[truncated: the answer was longer]"


def build_tool_answer(
    server: str, tool: str, result: types.CallToolResult, *, for_app: bool
) -> ToolAnswer:
    """Convert the result of a tool call to an answer with cleaned texts.

    With `for_app`, the answer also contains the unchanged result for the server's own page, which runs in a
    sandbox.
    """
    text, is_whole = _join_parts(
        [_render_part_as_text(part) for part in result.content[:MAX_RESULT_PARTS]],
        MAX_ANSWER_TEXT_LENGTH,
    )
    is_whole = is_whole and len(result.content) <= MAX_RESULT_PARTS
    structured, fits = clean_json_data(result.structured_content, MAX_STRUCTURED_ANSWER_LENGTH)
    return ToolAnswer(
        server=server,
        tool=tool,
        text=text,
        structured=structured if fits else None,
        is_error=bool(result.is_error),
        cut=not (is_whole and fits),
        app=_build_app_result(result) if for_app else None,
    )


def drop_repeated_structured_part(answer: ToolAnswer) -> ToolAnswer:
    """Return the answer without its structured result if its text contains the same JSON, to save tokens."""
    if answer.structured is None or not answer.text:
        return answer
    try:
        is_same = json.loads(answer.text) == answer.structured
    except ValueError:
        is_same = False
    return answer.model_copy(update={"structured": None}) if is_same else answer


def build_resource_contents(result: types.ReadResourceResult) -> tuple[ResourceContent, ...]:
    """Convert the result of reading a resource.

    HTML pages are not cleaned, because they are only shown in a sandbox.
    """
    remaining, parts = MAX_RESOURCE_LENGTH, list[ResourceContent]()
    for part in result.contents[:MAX_RESULT_PARTS]:
        text = part.text if isinstance(part, types.TextResourceContents) else None
        blob = part.blob if isinstance(part, types.BlobResourceContents) else None
        remaining -= len(text or blob or "")
        if remaining < 0:
            break
        is_page = (part.mime_type or "").startswith("text/html")
        parts.append(
            ResourceContent(
                uri=clean_line(part.uri, MAX_CLEAN_LINE_LENGTH),
                mime_type=clean_line(part.mime_type, 80) or None,
                text=text
                if text is None or is_page
                else clean_text(text, MAX_RESOURCE_TEXT_LENGTH),
                blob=blob,
                meta=clean_json_data(part.meta or {}, 10_000)[0] or {},
            )
        )
    return tuple(parts)


def build_prompt_messages(result: types.GetPromptResult) -> tuple[PromptMessage, ...]:
    """Convert the result of a prompt request to messages that contain only text."""
    return tuple(
        PromptMessage(
            role=message.role,
            text=clean_text(_render_part_as_text(message.content), MAX_ANSWER_TEXT_LENGTH),
        )
        for message in result.messages[:MAX_RESULT_PARTS]
    )


def _join_parts(parts: list[str], limit: int) -> tuple[str, bool]:
    """Join texts up to `limit` characters. Return the joined text, and whether it is complete."""
    lines, remaining = list[str](), limit
    for part in parts:
        if remaining <= 0:
            return "\n".join([*lines, TRUNCATION_NOTE]), False
        text = clean_text(part, remaining)
        lines.append(text)
        if len(part) > remaining:
            return "\n".join([*lines, TRUNCATION_NOTE]), False
        remaining -= len(text)
    return "\n".join(lines), True


def _render_part_as_text(part: types.ContentBlock) -> str:
    match part:
        case types.TextContent():
            return part.text
        case types.ImageContent() | types.AudioContent():
            size = _format_base64_size(part.data)
            return f"[{part.type} {clean_line(part.mime_type, 80)}, {size}: not shown here]"
        case types.ResourceLink():
            title = clean_line(part.title or part.name)
            return f"[resource {clean_line(part.uri)}: {title}]"
        case types.EmbeddedResource():
            resource = part.resource
            if isinstance(resource, types.TextResourceContents):
                return f"[resource {clean_line(resource.uri)}]\n{resource.text}"
            kind = clean_line(resource.mime_type or "bytes", 80)
            size = _format_base64_size(resource.blob)
            return f"[resource {clean_line(resource.uri)}, {kind}, {size}: not shown here]"


def _format_base64_size(base64: str) -> str:
    return f"{max(1, len(base64) * 3 // 4 // 1000)} kB"


def _build_app_result(result: types.CallToolResult) -> JsonObject | None:
    plain = result.model_dump(mode="json", by_alias=True, exclude_none=True)
    return plain if len(json.dumps(plain)) <= MAX_APP_RESULT_LENGTH else None
