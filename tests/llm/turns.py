"""An answer that thinks and calls, as each wire sends it, and what each wire's provider would refuse of the next."""

import json
import re
from collections.abc import Callable
from typing import Any

from tests.support.edge_llm import (
    ANTHROPIC_SIGNATURE,
    GEMINI_SIGNATURE,
    ODD_ID,
    OPENAI_SECRET,
    Asked,
    Reply,
    chat,
    chat_call,
    claude,
    claude_call,
    claude_text,
    claude_thinking,
    error,
    gemini,
    responses,
    sse,
)

from conductor.domain.chat.messages import ProviderKind

THOUGHT = "The user means pad 36."
TOOL = "conductor_get_config"
SAID = "I will look."
BYE = "Done, look at the plan."
SENTINEL = "skip_thought_signature_validator"
Body = dict[str, Any]


def first(kind: ProviderKind) -> Reply:
    """Think, say something, and call a tool."""
    if kind == "anthropic":
        thinking, text = claude_thinking(THOUGHT), claude_text(SAID)
        return sse(
            *claude(thinking, text, claude_call(TOOL, '{"part":', '"modes"}'), stop="tool_use")
        )
    if kind == "openai":
        return sse(*responses(*_openai_items()))
    if kind == "google":
        call = {"functionCall": {"name": TOOL, "args": {"part": "modes"}}}
        signed = {**call, "thoughtSignature": GEMINI_SIGNATURE}
        return sse(*gemini({"text": THOUGHT, "thought": True}, {"text": SAID}, signed))
    thought = {"reasoning": THOUGHT} if kind == "openrouter" else {"reasoning_content": THOUGHT}
    call = chat_call(0, TOOL, '{"part":"modes"}', ODD_ID)
    return sse(*chat({"role": "assistant", **thought}, {"content": SAID}, call, stop="tool_calls"))


def _openai_items() -> list[Body]:
    summary = [{"type": "summary_text", "text": THOUGHT}]
    text = {"type": "output_text", "text": SAID, "annotations": [], "logprobs": []}
    return [
        {"id": "rs_1", "type": "reasoning", "summary": summary, "encrypted_content": OPENAI_SECRET},
        {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "status": "completed",
            "content": [text],
        },
        {
            "id": "fc_1",
            "type": "function_call",
            "call_id": "call_o1",
            "name": TOOL,
            "arguments": '{"part":"modes"}',
            "status": "completed",
        },
    ]


def last(kind: ProviderKind) -> Reply:
    """Stream a goodbye."""
    if kind == "anthropic":
        return sse(*claude(claude_text(BYE)))
    if kind == "openai":
        text = {"type": "output_text", "text": BYE, "annotations": [], "logprobs": []}
        item = {"id": "msg_2", "type": "message", "role": "assistant", "status": "completed"}
        return sse(*responses({**item, "content": [text]}))
    if kind == "google":
        return sse(*gemini({"text": BYE}))
    return sse(*chat({"role": "assistant", "content": BYE}))


def strict(kind: ProviderKind, came_from: ProviderKind | None) -> Callable[[Asked], Reply]:
    """Stream a goodbye, or refuse the request as the provider would; None if it came from elsewhere."""

    def judge(asked: Asked) -> Reply:
        check = {"anthropic": _anthropic, "openai": _openai, "google": _google}.get(kind, _chat)
        wrong = [*check(asked.body, kind == came_from), *_leaks(kind, came_from, asked.body)]
        return error(400, "; ".join(wrong)) if wrong else last(kind)

    return judge


def _leaks(kind: ProviderKind, came_from: ProviderKind | None, body: Body) -> list[str]:
    """Find what is another provider's own."""
    text = json.dumps(body)
    mine = {"anthropic": ANTHROPIC_SIGNATURE, "openai": OPENAI_SECRET, "google": GEMINI_SIGNATURE}
    foreign = [
        name
        for name, secret in mine.items()
        if (name != kind or came_from is None) and secret in text
    ]
    found = [f"it holds a signature of {name}" for name in foreign]
    if kind != came_from and (THOUGHT in text or "<think" in text):
        found.append("it holds another model's thinking")
    if ODD_ID in text:
        found.append("it holds an id that is not ours")
    return found


def _anthropic(body: Body, home: bool) -> list[str]:
    blocks = [block for message in body["messages"] for block in _list(message["content"])]
    calls = [block["id"] for block in blocks if block["type"] == "tool_use"]
    results = [block["tool_use_id"] for block in blocks if block["type"] == "tool_result"]
    thoughts = [block.get("signature") for block in blocks if block["type"] == "thinking"]
    wrong = [] if len(calls) == 1 and calls == results else [f"calls {calls}, results {results}"]
    wrong += [f"odd id {one}" for one in calls if not re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", one)]
    wanted = [ANTHROPIC_SIGNATURE] if home else []
    return wrong if thoughts == wanted else [*wrong, f"thinking signed {thoughts}"]


def _openai(body: Body, home: bool) -> list[str]:
    items = body["input"]
    calls = [item["call_id"] for item in items if item.get("type") == "function_call"]
    results = [item["call_id"] for item in items if item.get("type") == "function_call_output"]
    secrets = [item.get("encrypted_content") for item in items if item.get("type") == "reasoning"]
    wrong = [] if len(calls) == 1 and calls == results else [f"calls {calls}, results {results}"]
    if body.get("store") is not False or "reasoning.encrypted_content" not in body.get(
        "include", []
    ):
        wrong.append("it asks to be stored, or not for the encrypted reasoning")
    return (
        wrong if secrets == ([OPENAI_SECRET] if home else []) else [*wrong, f"reasoning {secrets}"]
    )


def _google(body: Body, home: bool) -> list[str]:
    parts = [part for content in body["contents"] for part in content["parts"]]
    calls = [part for part in parts if "functionCall" in part]
    results = [part for part in parts if "functionResponse" in part]
    signed = [part.get("thoughtSignature") or part.get("thought_signature") for part in calls]
    wrong = [] if len(calls) == len(results) == 1 else [f"calls {calls}, results {results}"]
    if not home:
        fine = signed and signed[0] is not None and _decoded(signed[0]) == SENTINEL
        return wrong if fine else [*wrong, f"signed {signed}"]
    return wrong if signed == [GEMINI_SIGNATURE] else [*wrong, f"signed {signed}"]


def _decoded(signature: str) -> str:
    import base64

    return base64.urlsafe_b64decode(signature + "==").decode(errors="replace")


def _chat(body: Body, home: bool) -> list[str]:
    made = [call for message in body["messages"] for call in message.get("tool_calls") or []]
    results = [one["tool_call_id"] for one in body["messages"] if one["role"] == "tool"]
    calls = [call["id"] for call in made]
    return [] if len(calls) == 1 and calls == results else [f"calls {calls}, results {results}"]


def _list(content: Any) -> list[Body]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else content
