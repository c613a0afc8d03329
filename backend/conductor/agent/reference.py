"""Looks up reference texts in the knowledge base, once for each answer and within a token budget."""

from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple, Protocol

from conductor.agent.needs import is_mapping_request
from conductor.base.token_estimate import estimate_token_count
from conductor.domain.chat.messages import (
    ChatMessage,
    CitedChunk,
    KnowledgePart,
    ProviderKind,
    TextPart,
)
from conductor.domain.knowledge import Retrieval, ScoredChunk

MIN_ANSWERS_BEFORE_CHUNK_REPEAT = 2
"""A chunk that was sent with one of this many latest answers is repeated only if it is the best match."""
MIN_REFERENCE_TOKENS = 150
"""The smallest budget for which reference texts are looked up, because no chunk would fit a smaller one."""


class KnowledgeRetriever(Protocol):
    """Searches the knowledge base for chunks that help to answer a message.

    The room `knowledge` implements it.
    """

    def retrieve_for_message(
        self,
        query: str,
        *,
        last_answer: str = "",
        provider: str = "anthropic",
        context_tokens: int | None = None,
        budget: int | None = None,
        recent: Collection[str] = (),
        is_mapping_request: bool = False,
    ) -> Retrieval:
        """Return the chunks to add to the prompt for a message, best first.

        `is_mapping_request` is true if the message asks for a mapping, which needs other chunks than a
        question.
        """
        ...


class Reference(NamedTuple):
    """The reference texts of an answer: the text for the model and the part that is saved with the message."""

    text: str = ""
    part: KnowledgePart | None = None


def look_up_reference(
    knowledge: KnowledgeRetriever,
    branch: Sequence[ChatMessage],
    answer: ChatMessage,
    provider: tuple[ProviderKind, int],
    budget: int,
) -> Reference:
    """Look up reference texts for the last user message within a token budget.

    `provider` is a pair of the provider's kind and the size of the context window in tokens. The chunks are
    numbered through the conversation, so that `[K3]` in an earlier answer never refers to another chunk.
    """
    text = find_last_user_text(branch)
    if budget < MIN_REFERENCE_TOKENS or not text.strip():
        return Reference()
    kind, window = provider
    retrieval = knowledge.retrieve_for_message(
        text,
        last_answer=_find_last_answer(branch),
        provider=kind,
        context_tokens=window,
        budget=budget,
        recent=_list_recent_chunk_ids(branch),
        is_mapping_request=is_mapping_request(text),
    )
    return _drop_chunks_over_budget(retrieval, budget, [*branch, answer])


def find_last_user_text(branch: Sequence[ChatMessage]) -> str:
    """Return the text of the last user message in the branch, or an empty text if there is none."""
    return _join_text_parts(
        next((message for message in reversed(branch) if message.role == "user"), None)
    )


def list_cited_chunks(messages: Sequence[ChatMessage]) -> Iterator[CitedChunk]:
    """Yield the chunks that were sent to the model with these messages, so that they are not sent twice."""
    for message in messages:
        for part in message.parts:
            if isinstance(part, KnowledgePart):
                yield from part.chunks


def _drop_chunks_over_budget(
    retrieval: Retrieval, budget: int, messages: Sequence[ChatMessage]
) -> Reference:
    """Drop the least relevant chunks until the reference text, with its headings, fits the token budget."""
    # imported in a worker thread, because the import is slow
    from conductor.knowledge.inject import render_reference_context

    found = retrieval.found
    while found:
        first = _compute_first_number(found, messages)
        text = render_reference_context(retrieval.model_copy(update={"found": found}), first)
        if estimate_token_count(text) <= budget:
            chunks = tuple(
                _build_cited_chunk(chunk, number) for number, chunk in enumerate(found, first)
            )
            return Reference(text, KnowledgePart(chunks=chunks, tokens=estimate_token_count(text)))
        found = found[:-1]
    return Reference()


def _compute_first_number(found: Sequence[ScoredChunk], messages: Sequence[ChatMessage]) -> int:
    """Return the number of the first chunk, which follows the last number in the earlier messages.

    If a resumed answer finds the same chunks again, they keep their numbers.
    """
    ids = tuple(result.chunk.id for result in found)
    for part in messages[-1].parts:
        if isinstance(part, KnowledgePart) and tuple(chunk.id for chunk in part.chunks) == ids:
            return part.chunks[0].number
    return max((chunk.number for chunk in list_cited_chunks(messages)), default=0) + 1


def _build_cited_chunk(found: ScoredChunk, number: int) -> CitedChunk:
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
        page=chunk.page,
    )


def _list_recent_chunk_ids(branch: Sequence[ChatMessage]) -> frozenset[str]:
    answers = [message for message in branch if _is_assistant_answer(message)]
    return frozenset(
        chunk.id for chunk in list_cited_chunks(answers[-MIN_ANSWERS_BEFORE_CHUNK_REPEAT:])
    )


def _find_last_answer(branch: Sequence[ChatMessage]) -> str:
    return _join_text_parts(
        next((message for message in reversed(branch) if _is_assistant_answer(message)), None)
    )


def _is_assistant_answer(message: ChatMessage) -> bool:
    return message.role == "assistant" and not message.summary


def _join_text_parts(message: ChatMessage | None) -> str:
    parts = () if message is None else message.parts
    return "\n".join(part.text for part in parts if isinstance(part, TextPart))
