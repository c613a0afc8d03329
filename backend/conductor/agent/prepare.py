"""What an answer begins with: the skills that it follows and the reference texts that it may cite.

Neither holds an answer up or stops it. Together with the prompt they take at most half of the window: reference
texts give way first, then the older skills; the core reference and the set-up never do.
"""

import asyncio
import logging
from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeVar

from conductor.agent.answer import Answer
from conductor.agent.choice import Choice
from conductor.agent.deps import ChatDeps
from conductor.agent.live_context import CHARACTERS
from conductor.agent.prompt import system_prompt
from conductor.agent.reference import Reference, reference, said_in
from conductor.agent.skills import Guidance, guidance
from conductor.agent.tools_for_model import named_in
from conductor.base.detached import run_detached
from conductor.base.token_estimate import BYTES_PER_TOKEN, approximate_tokens
from conductor.domain.chat.messages import ChatMessage, KnowledgePart, NotePart

log = logging.getLogger(__name__)

WITHIN_S = 1.0
SHARE_OF_WINDOW = 0.5
PULSE_TOKENS = CHARACTERS // BYTES_PER_TOKEN
TOO_LATE = "it took too long"
Made = TypeVar("Made")


class Prepared(NamedTuple):
    """What goes into every request of an answer, with the same bytes."""

    skills: tuple[str, ...] = ()
    """For the system prompt."""
    reference: str = ""
    """For behind the last thing that the user said."""


async def prepare(
    desk: ChatDeps, answer: Answer, branch: Sequence[ChatMessage], choice: Choice
) -> Prepared:
    """Choose and look up for a model, and tell of it in the answer."""
    system = await asyncio.to_thread(system_prompt, desk.config())
    room = int(choice.capabilities.context_tokens * SHARE_OF_WINDOW)
    room -= approximate_tokens(system) + PULSE_TOKENS
    guided = await _guided(desk, answer, branch, room)
    room -= sum(map(approximate_tokens, guided.texts))
    found = await _looked_up(desk, answer, branch, choice, room)
    return Prepared(guided.texts, found.text)


async def _guided(
    desk: ChatDeps, answer: Answer, branch: Sequence[ChatMessage], room: int
) -> Guidance:
    shelf = desk.skills
    if shelf is None:
        return Guidance()
    told = [*branch, answer.snapshot()]
    made, problem = await _tried(lambda: guidance(shelf(), told, said_in(branch), room))
    if made is None:
        log.warning("an answer goes without skills: %s", problem)
        return Guidance()
    for name in made.new:
        named = named_in("".join(made.texts[1:]))
        answer.note("skill", f"Using the skill {name}.", skill=name, tools=named)
    for name in made.left_out:
        text = f"The skill {name} is left out: the window of this model has no room for it."
        if not any(
            text == part.text for one in told for part in one.parts if isinstance(part, NotePart)
        ):
            answer.note("degraded", text)
    return made


async def _looked_up(
    desk: ChatDeps, answer: Answer, branch: Sequence[ChatMessage], choice: Choice, room: int
) -> Reference:
    library = desk.knowledge
    if library is None:
        return Reference()
    provider = choice.kind, choice.capabilities.context_tokens
    before = answer.snapshot()
    made, problem = await _tried(lambda: reference(library(), branch, before, provider, room))
    if made is None:
        log.warning("an answer goes without reference texts: %s", problem)
        made = Reference(part=KnowledgePart(problem=problem))
    if made.part is not None and made.part not in before.parts:
        answer.looked_up(made.part)
    return made


async def _tried(work: Callable[[], Made]) -> tuple[Made | None, str]:
    """Do something, or say why it cannot be done."""
    try:
        async with asyncio.timeout(WITHIN_S):
            return await run_detached(work), ""
    except TimeoutError:
        return None, TOO_LATE
    except Exception as error:  # noqa: BLE001 - the answer comes without it
        return None, str(error) or type(error).__name__
