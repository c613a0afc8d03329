"""Retrieves chunks for the prompt of a message, limited by a relevance threshold and a token budget."""

from collections.abc import Collection, Iterator

from conductor.domain.knowledge import Retrieval, ScoredChunk
from conductor.knowledge.providers import ProviderProfile
from conductor.knowledge.search import Index, Query, Ranking

BEYOND = 5
"""Candidates considered for each allowed chunk, because some repeat the text of another and some do not fit."""
HEADING_TOKENS = 30
"""The approximate number of tokens of the heading and the source line around a chunk."""


def retrieve(
    index: Index, asked: Query, profile: ProviderProfile, recent: Collection[str] = ()
) -> Retrieval:
    """Return the chunks to add to the prompt for a message.

    `recent` contains the ids of chunks that the model has seen recently. Of these, only the best match is
    repeated.
    """
    found = _choose_chunks(index, index.rank(asked), profile, recent)
    return Retrieval(found=tuple(found), tokens=sum(tokens_in_prompt(each) for each in found))


def tokens_in_prompt(found: ScoredChunk) -> int:
    """Return how many tokens a chunk takes in the prompt, including its heading and source line."""
    return found.chunk.tokens + HEADING_TOKENS


def _choose_chunks(
    index: Index, ranking: Ranking, profile: ProviderProfile, recent: Collection[str]
) -> list[ScoredChunk]:
    """Return the best chunk if it reaches the relevance threshold, and similarly good chunks as long as they
    fit.
    """
    gate = profile.with_cue if ranking.cued else profile.relevance_threshold
    if ranking.relevance < gate:
        return []
    found: list[ScoredChunk] = []
    for each in candidates(index, ranking, profile.max_chunks + BEYOND + len(recent)):
        again = bool(found) and each.chunk.id in recent
        if not again and _fits(each, found, profile):
            found.append(each)
    return found


def _fits(each: ScoredChunk, found: list[ScoredChunk], profile: ProviderProfile) -> bool:
    """Return whether to add a chunk: it has new text, scores close to the best chunk, and fits the token
    budget.
    """
    if found and each.score < profile.fill * found[0].score:
        return False
    if any(each.chunk.content == other.chunk.content for other in found):
        return False
    tokens = sum(tokens_in_prompt(other) for other in found) + tokens_in_prompt(each)
    return len(found) < profile.max_chunks and tokens <= profile.max_tokens


def candidates(index: Index, ranking: Ranking, most: int) -> Iterator[ScoredChunk]:
    """Yield the best chunks with their relevance, which decreases with their scores."""
    if not ranking.order:
        return
    best = float(ranking.scores[ranking.order[0]])
    lexicon = index.contents.lexicon
    for row in ranking.order[:most]:
        yield ScoredChunk(
            chunk=index.chunks[row],
            score=round(ranking.relevance * float(ranking.scores[row]) / best, 4),
            lexical=round(float(ranking.lexical[row]), 4),
            dense=round(float(ranking.dense[row]), 4),
            matched=tuple(term for term in ranking.terms if lexicon.holds(row, term)),
        )
