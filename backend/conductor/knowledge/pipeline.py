"""From a message to what goes into the prompt: query, domains, meaning, search, gate, budget."""

from collections.abc import Collection, Iterator

from conductor.domain.knowledge import Found, Retrieval
from conductor.knowledge.providers import ProviderProfile
from conductor.knowledge.search import Index, Query, Ranking

BEYOND = 5
"""How many more candidates are looked at than may go in: some have the same text, others no room."""
HEADING_TOKENS = 30
"""About what the heading and the source line around a chunk take."""


def retrieve(
    index: Index, asked: Query, profile: ProviderProfile, recent: Collection[str] = ()
) -> Retrieval:
    """Return what goes into the prompt for a message.

    `recent` are ids of chunks that the model had lately: of these only the very best one is given again.
    """
    found = _chosen(index, index.rank(asked), profile, recent)
    return Retrieval(found=tuple(found), tokens=sum(room(each) for each in found))


def room(found: Found) -> int:
    """Return how many tokens a chunk takes in the prompt."""
    return found.chunk.tokens + HEADING_TOKENS


def _chosen(
    index: Index, ranking: Ranking, profile: ProviderProfile, recent: Collection[str]
) -> list[Found]:
    """Judge the best by the gate, then fill up with what is about as good, as long as there is room."""
    gate = profile.with_cue if ranking.cued else profile.relevance_threshold
    if ranking.relevance < gate:
        return []
    found: list[Found] = []
    for each in candidates(index, ranking, profile.max_chunks + BEYOND + len(recent)):
        again = bool(found) and each.chunk.id in recent
        if not again and _fits(each, found, profile):
            found.append(each)
    return found


def _fits(each: Found, found: list[Found], profile: ProviderProfile) -> bool:
    """Return whether it says something more, is good enough beside the best, and has room."""
    if found and each.score < profile.fill * found[0].score:
        return False
    if any(each.chunk.content == other.chunk.content for other in found):
        return False
    tokens = sum(room(other) for other in found) + room(each)
    return len(found) < profile.max_chunks and tokens <= profile.max_tokens


def candidates(index: Index, ranking: Ranking, most: int) -> Iterator[Found]:
    """Return the best chunks with their relevance, which falls as their scores do."""
    if not ranking.order:
        return
    best = float(ranking.scores[ranking.order[0]])
    lexicon = index.contents.lexicon
    for row in ranking.order[:most]:
        yield Found(
            chunk=index.chunks[row],
            score=round(ranking.relevance * float(ranking.scores[row]) / best, 4),
            lexical=round(float(ranking.lexical[row]), 4),
            dense=round(float(ranking.dense[row]), 4),
            matched=tuple(term for term in ranking.terms if lexicon.holds(row, term)),
        )
