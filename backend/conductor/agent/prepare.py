"""Chooses the skills and looks up the reference texts for an answer.

Each look-up may take four seconds, and a failure is only logged, so that neither can prevent the answer.
Together with the prompt, the texts fill at most half of the context window. If they do not fit, the
reference texts are dropped first, then the older skills. The core reference and the description of the
config are always sent.
"""

import asyncio
import logging
from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeVar

from conductor.agent.answer import Answer
from conductor.agent.choice import ModelChoice
from conductor.agent.deps import ChatDeps
from conductor.agent.live_context import MAX_LIVE_CONTEXT_CHARACTERS
from conductor.agent.prompt import build_system_prompt
from conductor.agent.reference import Reference, find_last_user_text, look_up_reference
from conductor.agent.skills import SkillSelection, choose_skills
from conductor.agent.tools_for_model import find_tool_names
from conductor.base.detached import run_detached
from conductor.base.token_estimate import BYTES_PER_TOKEN, estimate_token_count
from conductor.domain.chat.messages import ChatMessage, KnowledgePart, NotePart

log = logging.getLogger(__name__)

PREPARATION_TIMEOUT_S = 4.0
"""The time limit of a look-up, which takes 4 ms, but up to two seconds while a busy computer still loads
the model.
"""
PREPARATION_WINDOW_SHARE = 0.5
MAX_LIVE_CONTEXT_TOKENS = MAX_LIVE_CONTEXT_CHARACTERS // BYTES_PER_TOKEN
TIMED_OUT_REASON = "it took too long"
ResultT = TypeVar("ResultT")


class PreparedTexts(NamedTuple):
    """Texts that are the same in every request of an answer, so that the provider can cache them."""

    skills: tuple[str, ...] = ()
    """The texts of the active skills, which are part of the system prompt."""
    reference: str = ""
    """The reference texts, which follow the last user message."""


async def prepare_answer(
    deps: ChatDeps, answer: Answer, branch: Sequence[ChatMessage], choice: ModelChoice
) -> PreparedTexts:
    """Choose the skills and look up the reference texts for an answer.

    Notes in the answer tell the user about both.
    """
    system = await asyncio.to_thread(build_system_prompt, deps.config())
    budget = int(choice.capabilities.context_tokens * PREPARATION_WINDOW_SHARE)
    budget -= estimate_token_count(system) + MAX_LIVE_CONTEXT_TOKENS
    selection = await _choose_skills(deps, answer, branch, budget)
    budget -= sum(map(estimate_token_count, selection.texts))
    found = await _look_up_reference(deps, answer, branch, choice, budget)
    return PreparedTexts(selection.texts, found.text)


async def _choose_skills(
    deps: ChatDeps, answer: Answer, branch: Sequence[ChatMessage], budget: int
) -> SkillSelection:
    load = deps.skills
    if load is None:
        return SkillSelection()
    messages = [*branch, answer.build_snapshot()]
    text = find_last_user_text(branch)
    selection, problem = await _run_with_time_limit(
        lambda: choose_skills(load(), messages, text, budget)
    )
    if selection is None:
        log.warning("the answer is written without skills: %s", problem)
        return SkillSelection()
    for name in selection.new:
        tools = find_tool_names("".join(selection.texts[1:]))
        answer.add_note("skill", f"Using the skill {name}.", skill=name, tools=tools)
    notes = {
        part.text for message in messages for part in message.parts if isinstance(part, NotePart)
    }
    for name in selection.left_out:
        note = f"The skill {name} is left out: it does not fit into this model's window."
        if note not in notes:
            answer.add_note("degraded", note)
    return selection


async def _look_up_reference(
    deps: ChatDeps, answer: Answer, branch: Sequence[ChatMessage], choice: ModelChoice, budget: int
) -> Reference:
    load = deps.knowledge
    if load is None:
        return Reference()
    provider = choice.kind, choice.capabilities.context_tokens
    before = answer.build_snapshot()
    found, problem = await _run_with_time_limit(
        lambda: look_up_reference(load(), branch, before, provider, budget)
    )
    if found is None:
        log.warning("the answer is written without reference texts: %s", problem)
        found = Reference(part=KnowledgePart(problem=problem))
    if found.part is not None and found.part not in before.parts:
        answer.add_knowledge(found.part)
    return found


async def _run_with_time_limit(work: Callable[[], ResultT]) -> tuple[ResultT | None, str]:
    """Run a function in a worker thread, for at most `PREPARATION_TIMEOUT_S`.

    Return its result and an empty text, or None and the reason why there is no result.
    """
    try:
        async with asyncio.timeout(PREPARATION_TIMEOUT_S):
            return await run_detached(work), ""
    except TimeoutError:
        return None, TIMED_OUT_REASON
    except Exception as error:  # noqa: BLE001 - the answer is written without it
        return None, str(error) or type(error).__name__
