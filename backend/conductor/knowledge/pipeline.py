"""From a message to what goes into the prompt: query, domains, meaning, search, gate, budget."""

from collections.abc import Collection, Iterator

from conductor.domain.knowledge import Cut, Found, LeftOut, Retrieval
from conductor.knowledge.providers import ProviderProfile
from conductor.knowledge.search import Asked, Index, Ranking

SHOWN_BEYOND = 5
"""How many candidates that were left out are told of."""
HEADING_TOKENS = 30
"""About what the heading and the source line around a chunk take."""


def retrieve(
    index: Index, asked: Asked, profile: ProviderProfile, recent: Collection[str] = ()
) -> Retrieval:
    """Give what goes into the prompt for a message, and what does not and why.

    `recent` are ids of chunks that the model had lately: of these only the very best one is given again.
    """
    ranking = index.rank(asked)
    found, left_out = _chosen(index, ranking, profile, recent)
    return Retrieval(
        query=asked.text,
        terms=tuple(ranking.terms),
        domains=ranking.domains,
        found=tuple(found),
        left_out=tuple(left_out),
        tokens=sum(room(each) for each in found),
        model=ranking.model,
    )


def room(found: Found) -> int:
    """Give how many tokens a chunk takes in the prompt."""
    return found.chunk.tokens + HEADING_TOKENS


def _chosen(
    index: Index, ranking: Ranking, profile: ProviderProfile, recent: Collection[str]
) -> tuple[list[Found], list[LeftOut]]:
    """Judge the best by the gate, then fill up with what is about as good, as long as there is room."""
    found: list[Found] = []
    left_out: list[LeftOut] = []
    gate = profile.with_cue if ranking.cued else profile.relevance_threshold
    opened = ranking.relevance >= gate
    tokens = 0
    for each in candidates(index, ranking, profile.max_chunks + SHOWN_BEYOND + len(recent)):
        reason = _reason(each, found, tokens, profile, opened=opened)
        if reason is None and found and each.chunk.id in recent:
            reason = "recent"
        if reason is not None:
            left_out.append(LeftOut(found=each, reason=reason))
            continue
        found.append(each)
        tokens += room(each)
    return found, left_out


def _reason(
    each: Found, found: list[Found], tokens: int, profile: ProviderProfile, *, opened: bool
) -> Cut | None:
    if not opened:
        return "below_gate"
    if found and each.score < profile.fill * found[0].score:
        return "weaker"
    if any(each.chunk.content == other.chunk.content for other in found):
        return "duplicate"
    if len(found) >= profile.max_chunks:
        return "too_many"
    return "budget" if tokens + room(each) > profile.max_tokens else None


def candidates(index: Index, ranking: Ranking, most: int) -> Iterator[Found]:
    """Give the best chunks with their relevance, which falls as their scores do."""
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
