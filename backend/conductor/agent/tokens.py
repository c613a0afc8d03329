"""Estimates the number of tokens of messages, tools and requests as a quarter of their bytes."""

from collections.abc import Iterable

from conductor.base.token_estimate import approximate_tokens
from conductor.domain.chat.messages import (
    ChatMessage,
    ChatRequest,
    ImagePart,
    KnowledgePart,
    NotePart,
    Part,
    TextPart,
    ToolCallPart,
    ToolResultPart,
    ToolSpec,
)

TOKENS_PER_IMAGE = 1_500


def estimate_messages(messages: Iterable[ChatMessage]) -> int:
    return sum(estimate_part(part) for message in messages for part in message.parts)


def estimate_tools(tools: Iterable[ToolSpec]) -> int:
    return sum(approximate_tokens(tool.model_dump_json()) for tool in tools)


def estimate_request(request: ChatRequest) -> int:
    texts = approximate_tokens(request.system) + approximate_tokens(request.volatile)
    return texts + estimate_tools(request.tools) + estimate_messages(request.messages)


def estimate_part(part: Part) -> int:
    match part:
        case ImagePart():
            return TOKENS_PER_IMAGE
        case NotePart() | KnowledgePart():
            return 0
        case ToolCallPart():
            return approximate_tokens(str(part.arguments)) + 20
        case ToolResultPart():
            return approximate_tokens(part.content) + 30
        case TextPart():
            return approximate_tokens(part.text) + 4
        case _:
            return approximate_tokens(part.model_dump_json())
