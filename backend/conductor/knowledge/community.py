"""What a Hub gave, put behind what this computer knows: judged here, for its own word proves nothing."""

from collections.abc import Collection, Sequence

from conductor.domain.knowledge import Chunk, Found, Retrieval
from conductor.knowledge.pipeline import room
from conductor.knowledge.providers import ProviderProfile

ENOUGH = 2
"""With so many texts of this computer's own nobody else is asked."""
NEAR_ENOUGH = 0.35
"""The least cosine to the message."""


def merge_community(
    found: Retrieval,
    shared: Sequence[tuple[Chunk, float]],
    fit: ProviderProfile,
    without: Collection[str] = (),
) -> Retrieval:
    """Add texts with their cosines as far as they fit; `without` are ids, and domains that are switched off."""
    kept, tokens = list(found.found), found.tokens
    for chunk, near in sorted(shared, key=lambda each: -each[1]):
        each = Found(chunk=chunk, score=round(near, 4), lexical=0, dense=round(near, 4))
        if near < NEAR_ENOUGH or chunk.id in without or chunk.domain in without:
            continue
        if len(kept) < fit.max_chunks and tokens + room(each) <= fit.max_tokens:
            kept.append(each)
            tokens += room(each)
    return found.model_copy(update={"found": tuple(kept), "tokens": tokens})
