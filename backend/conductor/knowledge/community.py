"""Merges texts from a Hub into the local results, ranked by locally computed similarity."""

from collections.abc import Collection, Sequence

from conductor.domain.knowledge import Chunk, Found, Retrieval
from conductor.knowledge.pipeline import tokens_in_prompt
from conductor.knowledge.providers import ProviderProfile

ENOUGH = 2
"""With this many local texts the Hub is not asked."""
NEAR_ENOUGH = 0.35
"""The least cosine to the message."""


def merge_community(
    found: Retrieval,
    shared: Sequence[tuple[Chunk, float]],
    fit: ProviderProfile,
    without: Collection[str] = (),
) -> Retrieval:
    """Return the local results and as many of the shared texts, given with their cosines, as fit.

    `without` has the ids and domains to leave out.
    """
    kept, tokens = list(found.found), found.tokens
    for chunk, near in sorted(shared, key=lambda each: -each[1]):
        each = Found(chunk=chunk, score=round(near, 4), lexical=0, dense=round(near, 4))
        if near < NEAR_ENOUGH or chunk.id in without or chunk.domain in without:
            continue
        if len(kept) < fit.max_chunks and tokens + tokens_in_prompt(each) <= fit.max_tokens:
            kept.append(each)
            tokens += tokens_in_prompt(each)
    return found.model_copy(update={"found": tuple(kept), "tokens": tokens})
