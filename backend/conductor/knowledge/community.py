"""Adds texts of a hub to the local results, ranked by a similarity that is computed on this computer."""

from collections.abc import Collection, Sequence

from conductor.domain.knowledge import Chunk, Retrieval, ScoredChunk
from conductor.knowledge.pipeline import count_prompt_tokens
from conductor.knowledge.providers import RetrievalLimits

MIN_LOCAL_RESULT_COUNT = 2
"""If at least this many local texts were found, the hub is not asked."""
MIN_SHARED_TEXT_SIMILARITY = 0.35
"""A text whose cosine similarity to the message is smaller is not used."""


def merge_shared_texts(
    local: Retrieval,
    shared_texts: Sequence[tuple[Chunk, float]],
    limits: RetrievalLimits,
    excluded: Collection[str] = (),
) -> Retrieval:
    """Return the local results, followed by as many texts of the hub as fit the limits, most similar first.

    `shared_texts` contains each text with its cosine similarity to the message. `excluded` contains the ids
    and domains to leave out.
    """
    results, tokens = list(local.found), local.tokens
    for chunk, similarity in sorted(shared_texts, key=lambda result: -result[1]):
        result = ScoredChunk(
            chunk=chunk, score=round(similarity, 4), lexical=0, dense=round(similarity, 4)
        )
        if (
            similarity < MIN_SHARED_TEXT_SIMILARITY
            or chunk.id in excluded
            or chunk.domain in excluded
        ):
            continue
        if (
            len(results) < limits.max_chunks
            and tokens + count_prompt_tokens(result) <= limits.max_tokens
        ):
            results.append(result)
            tokens += count_prompt_tokens(result)
    return local.model_copy(update={"found": tuple(results), "tokens": tokens})
