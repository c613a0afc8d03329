"""Converts message parts to parts of pydantic-ai, with the metadata that the provider needs back."""

import base64
import re
from collections.abc import Iterable
from typing import Any

from pydantic_ai import messages as wire

from conductor.base.invisible_chars import remove_hidden
from conductor.base.untrusted import wrap_untrusted
from conductor.domain.chat.messages import (
    FilePart,
    ImagePart,
    MentionPart,
    Origin,
    Part,
    TextPart,
    ThinkingPart,
    ToolCallPart,
)
from conductor.llm.problems import ExchangeRejected

MAX_FILE_NAME_LENGTH = 120
_INVALID_TOOL_NAME_CHARACTER = re.compile(r"[^A-Za-z0-9_-]")


def sanitize_tool_name(tool: str) -> str:
    """Return the name of a tool in the characters that every provider accepts.

    A model may have invented any name.
    """
    return _INVALID_TOOL_NAME_CHARACTER.sub("_", tool)[:64] or "tool"


def to_text_part(part: TextPart, origin: Origin | None) -> wire.TextPart:
    """Convert a text that a model wrote. `origin` is None if another model receives it."""
    if origin is None:
        return wire.TextPart(part.text)
    details = origin.details or None
    return wire.TextPart(
        part.text, id=origin.id, provider_name=origin.provider, provider_details=details
    )


def to_thinking_part(part: ThinkingPart, origin: Origin) -> wire.ThinkingPart:
    """Convert a model's thinking, with the signature that its provider verifies."""
    return wire.ThinkingPart(
        part.text,
        id=origin.id,
        signature=origin.signature,
        provider_name=origin.provider,
        provider_details=origin.details or None,
    )


def to_tool_call_part(part: ToolCallPart, origin: Origin | None) -> wire.ToolCallPart:
    """Convert a tool call that a model made. `origin` is None if another model receives it."""
    call: wire.ToolCallPart[Any] = wire.ToolCallPart(
        sanitize_tool_name(part.tool),
        part.arguments if part.malformed is None else part.malformed,
        part.call_id,
    )
    if origin is not None:
        call.id, call.provider_name = origin.id, origin.provider
        call.provider_details = origin.details or None
    return call


def to_user_content(parts: Iterable[Part], *, images: bool) -> list[str | wire.BinaryContent]:
    """Convert the text and images of a user message.

    If the model cannot read images, a note replaces each image.
    """
    content: list[str | wire.BinaryContent] = []
    for part in parts:
        if isinstance(part, TextPart) and part.text.strip():
            content.append(part.text)
        elif isinstance(part, ImagePart):
            content.append(_to_image_content(part, images=images))
        elif isinstance(part, FilePart):
            content.append(wrap_untrusted("file", _clean_file_name(part.name), part.text))
        elif isinstance(part, MentionPart):
            content.append(wrap_untrusted("mention", _clean_file_name(part.label), part.detail))
    return content


def _to_image_content(part: ImagePart, *, images: bool) -> str | wire.BinaryContent:
    name = _clean_file_name(part.name)
    if not images:
        return wrap_untrusted(
            "image", name, "(Image left out: this model does not support images.)"
        )
    try:
        content = base64.b64decode(part.data, validate=True)
    except ValueError:
        raise ExchangeRejected(
            f"The image {name} is damaged: edit the message and attach it again."
        ) from None
    return wire.BinaryContent(content, media_type=part.media_type)


def _clean_file_name(text: str) -> str:
    return " ".join(remove_hidden(text).split())[:MAX_FILE_NAME_LENGTH]
