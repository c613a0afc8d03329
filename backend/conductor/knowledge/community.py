"""Merges texts from a Hub with the local results, ranked by the similarity computed on this computer."""

from collections.abc import Collection, Sequence

from conductor.domain.knowledge import Chunk, Retrieval, ScoredChunk
from conductor.knowledge.pipeline import tokens_in_prompt
from conductor.knowledge.providers import ProviderProfile

ENOUGH = 2
"""The Hub is not asked if at least this many local texts were found."""
NEAR_ENOUGH = 0.35
"""The smallest cosine similarity between a text and the message."""


def merge_community(
    found: Retrieval,
    shared: Sequence[tuple[Chunk, float]],
    fit: ProviderProfile,
    without: Collection[str] = (),
) -> Retrieval:
    """Return the local results, and as many of the Hub's texts as fit. Each of these comes with its cosine
    similarity.

    `without` contains the ids and domains to leave out.
    """
    kept, tokens = list(found.found), found.tokens
    for chunk, near in sorted(shared, key=lambda each: -each[1]):
        each = ScoredChunk(chunk=chunk, score=round(near, 4), lexical=0, dense=round(near, 4))
        if near < NEAR_ENOUGH or chunk.id in without or chunk.domain in without:
            continue
        if len(kept) < fit.max_chunks and tokens + tokens_in_prompt(each) <= fit.max_tokens:
            kept.append(each)
            tokens += tokens_in_prompt(each)
    return found.model_copy(update={"found": tuple(kept), "tokens": tokens})
