"""The tool that searches past conversations, notes, tasks and plans."""

import asyncio
from typing import Annotated

from pydantic import Field

from conductor.domain.notes import RecallResult, RecordKind
from conductor.tools.context import SkillContext
from conductor.tools.params import Params
from conductor.tools.registry import REGISTRY


class RecallParams(Params):
    query: str = Field(min_length=1, max_length=500)
    kinds: Annotated[tuple[RecordKind, ...], Field(max_length=4)] = ()
    """Default: all kinds"""
    limit: int = Field(default=6, ge=1, le=20)


@REGISTRY.skill(
    "recall",
    "Memory recall",
    "core",
    "productivity",
    keywords="remember recall memory past earlier before last time previous history conversation said"
    " talked decided chat search",
    idempotent=True,
    origin="past conversations, notes, tasks and plans",
)
async def recall(params: RecallParams, context: SkillContext) -> RecallResult:
    """Find what was said, noted or planned in the past, with source and time. Excludes the current \
conversation."""
    current_conversation = context.requester.conversation_id
    plans = await context.list_plans()
    return await asyncio.to_thread(
        context.abilities.recall,
        params.query,
        params.kinds,
        params.limit,
        current_conversation,
        plans,
    )
