"""What a message costs in tokens, over the wire: a greeting, a mapping, and what a turn leaves of the cache."""

import json
from collections.abc import Generator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from tests.agent.knowing import REFERENCE, Knowing, fixed, known_of, ready
from tests.agent.stage import COPY, plans_of
from tests.support.llm_server import LlmServer, llm_server

from conductor.base.token_estimate import estimate_token_count
from conductor.domain.chat.messages import ChatMessage, ProviderKind
from conductor.knowledge.library import KnowledgeBase

NO_TOOL_AT_MOST, MAPPING_AT_MOST, GESTURES_AT_MOST = 2_750, 8_500, 9_000
"""Tokens of all requests of a turn: 3,000 and 9,000 are the aims."""
DENSER = 1.1
"""A tokenizer (cl100k) counts that much more than a quarter of the bytes in these bodies: 8,797 to 8,005 measured."""
KINDS: tuple[ProviderKind, ...] = ("anthropic", "openai", "custom")
WITHOUT_TOOLS = ("hello", "thanks a lot!", "Thanks, and how are you today?", "lol that's great", "asdf qwer zxcv", "zz-pgmd")  # fmt: skip
EXAMPLE = {
    "name": "copies",
    "gesture": "tap 36",
    "expect": [{"type": "Keystroke", "fields": {"keys": ["cmd", "c"]}}],
}
MAPPING: tuple[tuple[str, dict[str, Any]], ...] = (
    ("conductor_get_mappings", {"mode": "Default"}),
    ("conductor_create_mapping", {**COPY, "description": "copy", "examples": [EXAMPLE]}),
)
"""A look at the config, then the plan; the third request is told what came of it."""
GESTURES = "Pad 36 should copy when I tap it, and paste when I hold it for half a second"
HOLD = {
    "trigger": {"type": "LongPress", "note": 36, "duration_ms": 500},
    "action": {"type": "Keystroke", "keys": ["cmd", "v"]},
    "mode": "Default",
    "description": "paste",
}
PASTES = {
    "name": "pastes",
    "gesture": "down 36; wait 600; up 36",
    "expect": [{"type": "Keystroke", "fields": {"keys": ["cmd", "v"]}}],
}
BOTH = {
    "operations": [
        {"tool": "conductor_create_mapping", "arguments": {**COPY, "description": "copy"}},
        {"tool": "conductor_create_mapping", "arguments": HOLD},
    ],
    "examples": [EXAMPLE, PASTES],
}
WISHES: dict[str, tuple[int, tuple[tuple[str, dict[str, Any]], ...]]] = {
    "Map pad 36 to copy": (MAPPING_AT_MOST, MAPPING),
    GESTURES: (GESTURES_AT_MOST, (MAPPING[0], ("conductor_batch", BOTH))),
}


@pytest.fixture(scope="module")
def server() -> Generator[LlmServer]:
    with llm_server() as server:
        yield server


@pytest.fixture(scope="module")
def library() -> KnowledgeBase:
    return ready()


@pytest.mark.parametrize("kind", KINDS)
def test_a_message_that_needs_no_tool_keeps_its_budget_of_tokens(
    tmp_path: Path, server: LlmServer, library: KnowledgeBase, kind: ProviderKind
):
    stage = _stage(tmp_path, server, library, kind, dict.fromkeys(WITHOUT_TOOLS, ()))

    async def work() -> None:
        for said in WITHOUT_TOOLS:
            answer = await stage.ask(said)
            assert known_of(answer) == [], said
        taken = dict(zip(WITHOUT_TOOLS, map(_tokens, server.bodies()), strict=True))
        assert max(taken.values()) < NO_TOOL_AT_MOST, taken

    stage.run(work())


@pytest.mark.parametrize("said", WISHES)
@pytest.mark.parametrize("kind", KINDS)
def test_a_turn_that_plans_a_mapping_keeps_its_budget_of_tokens_in_all(
    tmp_path: Path, server: LlmServer, library: KnowledgeBase, kind: ProviderKind, said: str
):
    budget, calls = WISHES[said]
    stage = _stage(tmp_path, server, library, kind, {said: calls})

    async def work() -> None:
        answer = await stage.ask(said)
        assert len(plans_of(answer)) == 1
        taken = [_tokens(body) for body in server.bodies()]
        assert len(taken) == 3
        assert sum(taken) < budget, (sum(taken), taken)

    stage.run(work())


def test_a_conversation_keeps_its_start_from_turn_to_turn(
    tmp_path: Path, server: LlmServer, library: KnowledgeBase
):
    """What the last message needs of the reference is put behind it, and stays there."""
    turns: dict[str, Any] = {
        "hello": (),
        "Map pad 36 to copy": MAPPING,
        "Pad 37 when it is hit hard": (),
        "thanks a lot!": (),
    }
    stage = _stage(tmp_path, server, library, "custom", turns)

    async def work() -> None:
        conversation: str | None = None
        for said in turns:
            follow = {} if conversation is None else {"conversation_id": conversation}
            answer: ChatMessage = await stage.ask(said, **follow)
            conversation = answer.conversation_id
        bodies = server.bodies()
        assert len({fixed(body) for body in bodies}) == 1
        for one, two in pairwise(bodies):
            stays = one["messages"][: _last_of_user(one)]
            assert two["messages"][: len(stays)] == stays
        hard, thanked = bodies[-2]["messages"], bodies[-1]["messages"]
        told = hard[-1]["content"]
        assert any("`VelocityRange`" in part["text"] for part in told)
        kept = thanked[len(hard) - 1]["content"]
        assert kept == [part for part in told if not part["text"].startswith(("<now>", REFERENCE))]

    stage.run(work())


def _stage(
    home: Path, server: LlmServer, library: KnowledgeBase, kind: ProviderKind, turns: dict[str, Any]
) -> Knowing:
    """Build a chat over a wire, whose model makes these calls, one for each request, and ends with words."""
    server.reset()
    for said, calls in turns.items():
        for at, (tool, arguments) in enumerate(calls):
            asks = {"toolCalls": [{"name": tool, "arguments": arguments}]}
            server.add({"match": {"userMessage": said, "sequenceIndex": at}, "response": asks})
        words = {"content": "Pad 36 copies as soon as you press Apply."}
        server.add({"match": {"userMessage": said}, "response": words})
    return Knowing(home, server, kind, knowledge=library)


def _tokens(body: dict[str, Any]) -> int:
    """Count a request as a tokenizer would, with all that is in its body."""
    return int(estimate_token_count(json.dumps(body)) * DENSER)


def _last_of_user(body: dict[str, Any]) -> int:
    return max(at for at, one in enumerate(body["messages"]) if one["role"] == "user")
