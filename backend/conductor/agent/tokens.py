"""The estimate of what messages, tools and requests take in a model's window: a quarter of their bytes."""

from collections.abc import Iterable

from conductor.base.token_estimate import of_text
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
    return sum(of_text(tool.model_dump_json()) for tool in tools)


def of_request(request: ChatRequest) -> int:
    texts = of_text(request.system) + of_text(request.volatile)
    return texts + of_tools(request.tools) + of_messages(request.messages)


def of_part(part: Part) -> int:
    match part:
        case ImagePart():
            return TOKENS_OF_IMAGE
        case NotePart() | KnowledgePart():
            return 0
        case ToolCallPart():
            return of_text(str(part.arguments)) + 20
        case ToolResultPart():
            return of_text(part.content) + 30
        case TextPart():
            return of_text(part.text) + 4
        case _:
            return of_text(part.model_dump_json())
