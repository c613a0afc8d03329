"""Estimates the number of tokens of messages, tools and requests as a quarter of their bytes, the same for
every model.
"""

from collections.abc import Iterable

from conductor.base.token_estimate import estimate_token_count
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


def estimate_message_tokens(messages: Iterable[ChatMessage]) -> int:
    return sum(estimate_part_tokens(part) for message in messages for part in message.parts)


def estimate_tool_spec_tokens(tools: Iterable[ToolSpec]) -> int:
    return sum(estimate_token_count(tool.model_dump_json()) for tool in tools)


def estimate_request_tokens(request: ChatRequest) -> int:
    texts = estimate_token_count(request.system) + estimate_token_count(request.volatile)
    return (
        texts + estimate_tool_spec_tokens(request.tools) + estimate_message_tokens(request.messages)
    )


def estimate_part_tokens(part: Part) -> int:
    match part:
        case ImagePart():
            return TOKENS_PER_IMAGE
        case NotePart() | KnowledgePart():
            return 0
        case ToolCallPart():
            return estimate_token_count(str(part.arguments)) + 20
        case ToolResultPart():
            return estimate_token_count(part.content) + 30
        case TextPart():
            return estimate_token_count(part.text) + 4
        case _:
            return estimate_token_count(part.model_dump_json())
