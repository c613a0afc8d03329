"""Exports a conversation as Markdown for people or as JSON for programs. Secrets are removed from both."""

import json
from collections.abc import Sequence
from html import escape
from typing import Any

from conductor.base.redact import redact_secrets
from conductor.domain.chat.messages import ChatMessage, CitedChunk, Conversation, Part

ORIGIN_FIELDS: Any = {"parts": {"__all__": {"origin"}}}


def export_markdown(conversation: Conversation, branch: Sequence[ChatMessage]) -> str:
    """Return one branch of a conversation as Markdown, with tool calls in collapsed blocks."""
    head = [f"# {conversation.title}", f"{conversation.created_at:%Y-%m-%d %H:%M} UTC"]
    blocks = [block for message in branch for block in _format_message(message)]
    return redact_secrets("\n\n".join([*head, *blocks]) + "\n")


def export_json(conversation: Conversation, messages: Sequence[ChatMessage]) -> str:
    """Return all branches of a conversation as JSON, without the metadata that only the provider can use."""
    whole = {
        "conductor_conversation": 1,
        "conversation": conversation.model_dump(mode="json"),
        "messages": [
            message.model_dump(mode="json", exclude=ORIGIN_FIELDS) for message in messages
        ],
    }
    return redact_secrets(json.dumps(whole, indent=2, ensure_ascii=False) + "\n")


def _format_message(message: ChatMessage) -> list[str]:
    model = f" ({message.provider} {message.model})" if message.model else ""
    author = (
        "You" if message.role == "user" else "Summary" if message.summary else f"Conductor{model}"
    )
    blocks = [f"## {author}", *(text for part in message.parts if (text := _format_part(part)))]
    if message.failure is not None:
        blocks.append(f"> **Failed:** {message.failure.message}")
    elif message.state in ("stopped", "paused"):
        blocks.append(f"> ({message.state})")
    if message.usage.cost_usd is not None:
        blocks.append(f"_{message.usage.requests} requests, ${message.usage.cost_usd:.4f}_")
    return blocks


def _format_part(part: Part) -> str:
    match part.type:
        case "text":
            return part.text
        case "thinking":
            return ""
        case "tool_call":
            arguments = json.dumps(part.arguments, ensure_ascii=False, indent=2)
            return _format_details_block(f"Called {part.tool}", part.malformed or arguments)
        case "tool_result":
            plan = f" (plan {part.plan_id})" if part.plan_id else ""
            return _format_details_block(f"{'Result' if part.ok else 'Error'}{plan}", part.content)
        case "image":
            return f"[Image: {part.name}]"
        case "file":
            return _format_details_block(f"File {part.name}", part.text, "")
        case "mention":
            return f"@{part.label} ({part.detail})"
        case "note":
            return f"> {part.text}"
        case "knowledge":
            return "\n".join(["Sources:", *map(_format_source, part.chunks)]) if part.chunks else ""


def _format_source(chunk: CitedChunk) -> str:
    community = ", by the community: verify before use" if chunk.layer == "L3" else ""
    return f"- [K{chunk.number}] {' > '.join(chunk.section_path)} ({chunk.id}{community})"


def _format_details_block(line: str, text: str, language: str = "json") -> str:
    """Return an HTML `details` block, which stays collapsed until the reader clicks the summary line."""
    fenced = _format_fenced(text, language)
    return f"<details><summary>{escape(line, quote=False)}</summary>\n\n{fenced}\n\n</details>"


def _format_fenced(text: str, language: str = "") -> str:
    fence = "```"
    while fence in text:
        fence += "`"
    return f"{fence}{language}\n{text}\n{fence}"
