"""The estimate of what messages, tools and requests take in a model's window: a quarter of their bytes."""

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

TOKENS_OF_IMAGE = 1_500


def of_messages(messages: Iterable[ChatMessage]) -> int:
    return sum(of_part(part) for message in messages for part in message.parts)


def of_tools(tools: Iterable[ToolSpec]) -> int:
    return sum(approximate_tokens(tool.model_dump_json()) for tool in tools)


def of_request(request: ChatRequest) -> int:
    texts = approximate_tokens(request.system) + approximate_tokens(request.volatile)
    return texts + of_tools(request.tools) + of_messages(request.messages)


def of_part(part: Part) -> int:
    match part:
        case ImagePart():
            return TOKENS_OF_IMAGE
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
