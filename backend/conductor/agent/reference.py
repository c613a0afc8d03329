"""What is known about the question: looked up once for an answer, put before the model as reference."""

from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple, Protocol

from conductor.agent.needs import is_wish
from conductor.base.token_estimate import approximate_tokens
from conductor.domain.chat.messages import (
    ChatMessage,
    CitedChunk,
    KnowledgePart,
    ProviderKind,
    TextPart,
)
from conductor.domain.knowledge import Found, Retrieval

NOT_AGAIN_FOR = 2
"""Answers for which what the model was given is not given again."""
LEAST_TOKENS = 150
"""With less room than this nothing is looked up."""


class Knowledge(Protocol):
    """What is known; `knowledge.library.Library` is the real one."""

    def retrieve(
        self,
        query: str,
        *,
        last_answer: str = "",
        provider: str = "anthropic",
        context_tokens: int | None = None,
        budget: int | None = None,
        recent: Collection[str] = (),
        wish: bool = False,
    ) -> Retrieval:
        """Return what belongs into the prompt for a message."""
        ...


class Reference(NamedTuple):
    """What was found, as the model is told it and as it is kept."""

    text: str = ""
    part: KnowledgePart | None = None


def reference(
    knowledge: Knowledge,
    branch: Sequence[ChatMessage],
    answer: ChatMessage,
    provider: tuple[ProviderKind, int],
    room: int,
) -> Reference:
    """Look up what the user said, for a kind of provider with this window, in at most so many tokens.

    Numbers go on through a conversation, so that a mark such as `[K3]` in an earlier answer never comes to mean
    another chunk.
    """
    said = said_in(branch)
    if room < LEAST_TOKENS or not said.strip():
        return Reference()
    kind, window = provider
    retrieval = knowledge.retrieve(
        said,
        last_answer=_last_answer(branch),
        provider=kind,
        context_tokens=window,
        budget=room,
        recent=_lately(branch),
        wish=is_wish(said),
    )
    return _fitting(retrieval, room, [*branch, answer])


def said_in(branch: Sequence[ChatMessage]) -> str:
    """Return what the user wrote last."""
    said = next((one for one in reversed(branch) if one.role == "user"), None)
    return "" if said is None else _texts(said)


def cited(messages: Sequence[ChatMessage]) -> Iterator[CitedChunk]:
    """Return everything that the model was given for these."""
    for message in messages:
        for part in message.parts:
            if isinstance(part, KnowledgePart):
                yield from part.chunks


def _fitting(retrieval: Retrieval, room: int, told: Sequence[ChatMessage]) -> Reference:
    """Leave out the weakest until the text with all its headings fits."""
    from conductor.knowledge.inject import reference_context  # in the thread that looks up

    found = retrieval.found
    while found:
        first = _first_number(found, told)
        text = reference_context(retrieval.model_copy(update={"found": found}), first)
        if approximate_tokens(text) <= room:
            chunks = tuple(_chunk(one, number) for number, one in enumerate(found, first))
            return Reference(text, KnowledgePart(chunks=chunks, tokens=approximate_tokens(text)))
        found = found[:-1]
    return Reference()


def _first_number(found: Sequence[Found], told: Sequence[ChatMessage]) -> int:
    """Go on counting; an answer that goes on with the same chunks keeps their numbers."""
    ids = tuple(one.chunk.id for one in found)
    for part in told[-1].parts:
        if isinstance(part, KnowledgePart) and tuple(one.id for one in part.chunks) == ids:
            return part.chunks[0].number
    return max((one.number for one in cited(told)), default=0) + 1


def _chunk(found: Found, number: int) -> CitedChunk:
    chunk = found.chunk
    return CitedChunk(
        number=number,
        id=chunk.id,
        section_path=chunk.section_path,
        source=chunk.source,
        source_title=chunk.source_title,
        domain=chunk.domain,
        score=found.score,
        layer=chunk.layer,
        grade=chunk.grade,
    )


def _lately(branch: Sequence[ChatMessage]) -> frozenset[str]:
    answers = [one for one in branch if one.role == "assistant" and not one.summary]
    return frozenset(one.id for one in cited(answers[-NOT_AGAIN_FOR:]))


def _last_answer(branch: Sequence[ChatMessage]) -> str:
    answers = (one for one in reversed(branch) if one.role == "assistant" and not one.summary)
    return _texts(next(answers, None))


def _texts(message: ChatMessage | None) -> str:
    parts = () if message is None else message.parts
    return "\n".join(part.text for part in parts if isinstance(part, TextPart))
