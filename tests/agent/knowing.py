"""A chat that knows: the real index and skills, real providers, and a simulator of their wires."""

import asyncio
import json
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

from tests.agent.stage import CONFIG, Stage
from tests.llm.asking import KEY, MODELS
from tests.support.llm_server import LlmServer

from conductor.domain.chat.messages import (
    ChatMessage,
    KnowledgePart,
    NotePart,
    ProviderKind,
)
from conductor.domain.settings import LlmProvider, LlmSettings
from conductor.knowledge.library import KnowledgeBase as Knowledge
from conductor.llm.provider import Provider
from conductor.llm.service import Providers
from conductor.skills.library import SkillLibrary as Skills

REFERENCE = "## Reference Context"
Plain = dict[str, Any]


class Knowing(Stage):
    """A stage with everything real but the models. Texts go by the user's settings of its config."""

    def __init__(
        self,
        home: Path,
        server: LlmServer,
        *kinds: ProviderKind,
        knowledge: Any = None,
        window: int | None = None,
        config: str = CONFIG,
    ) -> None:
        rows = {
            kind: LlmProvider(
                kind=kind,
                base_url=server.base_url(kind),
                model=MODELS[kind],
                context_tokens=window,
            )
            for kind in kinds
        }
        known = LlmSettings(providers=rows, default_provider=kinds[0])
        self.real = Providers(lambda: known, lambda _name, _row: KEY)
        knowledge = knowledge or Knowledge(home, lambda: self.store.current_config.knowledge)
        skills = Skills(home, settings=lambda: self.store.current_config.skills)
        super().__init__(home, config=config, knowledge=knowledge, skills=skills)
        self.server = server

    def get_provider(self, name: str) -> Provider:  # pyright: ignore[reportIncompatibleMethodOverride]
        return self.real.get_provider(name)

    def list_provider_names(self) -> tuple[str, ...]:
        return tuple(self.real.list_provider_names())

    def order_provider_names(self, chosen: str | None = None) -> tuple[str, ...]:
        return self.real.order_provider_names(chosen)

    def run(self, work: Coroutine[Any, Any, None]) -> None:
        async def whole() -> None:
            try:
                await work
            finally:
                await self.chat.close()
                await self.real.close()

        asyncio.run(whole())

    def body(self, at: int = -1) -> Plain:
        """Return the body of a request as it went over the wire."""
        return self.server.bodies()[at]


def ready() -> Knowledge:
    """Return the knowledge that ships, read: the first look-up of a test is as fast as any other."""
    library = Knowledge(Path("/nonexistent"))
    library.retrieve_for_message("warm")
    return library


def fixed(body: Plain) -> str:
    """Return what a provider can cache whatever was said: the system prompt and the tools."""
    system = [one for one in body["messages"] if one["role"] == "system"]
    assert system
    return json.dumps([system, body.get("tools")])


def last_said(body: Plain) -> str:
    """Return the last message of the user's side as it was sent, with the text after it."""
    told = [one["content"] for one in body["messages"] if one["role"] == "user"][-1]
    return told if isinstance(told, str) else "".join(part.get("text", "") for part in told)


def injected(body: Plain) -> str:
    """Return the reference texts of a request; empty when there are none."""
    said = last_said(body)
    return said[said.index(REFERENCE) :] if REFERENCE in said else ""


def known_of(message: ChatMessage) -> list[KnowledgePart]:
    return [part for part in message.parts if isinstance(part, KnowledgePart)]


def skills_of(message: ChatMessage) -> list[str | None]:
    notes = [part for part in message.parts if isinstance(part, NotePart)]
    return [part.skill for part in notes if part.kind == "skill"]
