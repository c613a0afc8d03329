"""A model that follows a transcript, as a provider."""

import re
from collections.abc import AsyncIterator, Sequence
from typing import Any

from conductor.domain.chat.messages import (
    Capabilities,
    ChatMessage,
    ChatRequest,
    Done,
    ModelInfo,
    ProviderHealth,
    ProviderKind,
    StreamEvent,
    TextDelta,
    TextPart,
    ToolCallEnd,
    ToolCallPart,
    ToolCallStart,
    ToolResultPart,
    Usage,
    UsageReport,
)
from conductor.evaluation.case import Step

LAST_WORDS = "Here is the plan."


class Scripted:
    """Plays the steps of a transcript, one per request; each turn ends with text."""

    name: str = "scripted"
    kind: ProviderKind = "custom"
    default_model: str = "transcript"
    is_local: bool = False

    def __init__(
        self, turns: Sequence[Sequence[Step]], last_words: str = LAST_WORDS, cost_usd: float = 0.001
    ) -> None:
        self._turns = turns
        self._last_words = last_words
        self._cost_usd = cost_usd
        self.requests: list[ChatRequest] = []

    async def stream_answer(self, request: ChatRequest) -> AsyncIterator[StreamEvent]:
        self.requests.append(request)
        turn = sum(one.role == "user" for one in request.messages) - 1
        step = self._step(turn, request.messages[-1])
        parts: tuple[Any, ...] = ()
        if isinstance(step, str):
            if step:
                parts = (TextPart(text=step),)
                yield TextDelta(text=step)
        else:
            parts = tuple(_calls(step, request.messages, len(self.requests)))
            for part in parts:
                yield ToolCallStart(call_id=part.call_id, tool=part.tool)
                yield ToolCallEnd(call=part)
        used = Usage(requests=1, input_tokens=1_000, output_tokens=50, cost_usd=self._cost_usd)
        yield UsageReport(usage=used)
        yield Done(stop="end" if isinstance(step, str) else "tool_calls", parts=parts)

    def _step(self, turn: int, last: ChatMessage) -> Step:
        steps = self._turns[turn] if turn < len(self._turns) else ()
        done = 0 if last.role == "user" else _rounds(last)
        return steps[done] if done < len(steps) else self._last_words

    async def test_connection(self) -> ProviderHealth:
        return ProviderHealth(ok=True, message="ready")

    async def list_models(self) -> list[ModelInfo]:
        return []

    def get_capabilities(self, model: str) -> Capabilities:
        return Capabilities()

    async def close(self) -> None:
        return


def _rounds(answer: ChatMessage) -> int:
    """Count the requests that an answer took so far: each ended with the results of its calls."""
    kinds = ["result" if part.type == "tool_result" else "asked" for part in answer.parts]
    return sum(
        now == "result" and before != "result"
        for before, now in zip(["", *kinds], kinds, strict=False)
    )


def _calls(
    step: dict[str, Any], messages: Sequence[ChatMessage], number: int
) -> list[ToolCallPart]:
    return [
        ToolCallPart(
            call_id=f"call_{number}_{index}",
            tool=name if name.startswith("mcp:") else f"conductor_{name}",
            arguments=_filled(arguments, messages),
        )
        for index, (name, arguments) in enumerate(step.items())
    ]


def _filled(item: Any, messages: Sequence[ChatMessage]) -> Any:
    """Put in what results gave: `$token` is the field `token` of the last result that has one."""
    if isinstance(item, dict):
        return {key: _filled(each, messages) for key, each in item.items()}
    if isinstance(item, list):
        return [_filled(each, messages) for each in item]
    if isinstance(item, str) and item.startswith("$"):
        return _field(item[1:], messages)
    return item


def _field(name: str, messages: Sequence[ChatMessage]) -> Any:
    results = [p for one in messages for p in one.parts if isinstance(p, ToolResultPart)]
    return [found for one in results for found in re.findall(rf'"{name}":"([^"]+)"', one.content)][
        -1
    ]


def cents_a_thousand(_kind: ProviderKind, _model: str, usage: Usage) -> float:
    """A price of one cent for a thousand tokens of input."""
    return usage.input_tokens / 100_000
