"""Chooses chunks for the prompt of a message, limited by a threshold of relevance and a budget of tokens."""

from collections.abc import Collection, Iterator

from conductor.domain.knowledge import Retrieval, ScoredChunk
from conductor.knowledge.providers import RetrievalLimits
from conductor.knowledge.ranking import ChunkRanking
from conductor.knowledge.search import KnowledgeIndex, SearchQuery

EXTRA_CANDIDATE_COUNT = 5
"""More candidates than chunks are considered, because some repeat a text and some do not fit."""
HEADING_TOKEN_COUNT = 30
"""The approximate number of tokens of the heading and the source line around a chunk."""


def retrieve_chunks(
    index: KnowledgeIndex, query: SearchQuery, limits: RetrievalLimits, recent: Collection[str] = ()
) -> Retrieval:
    """Return the chunks to add to the prompt for a message.

    `recent` contains the ids of chunks that the model has seen recently. Only the best of them may be
    repeated.
    """
    found = _choose_chunks(index, index.rank_chunks(query), limits, recent)
    return Retrieval(found=tuple(found), tokens=sum(count_prompt_tokens(each) for each in found))


def count_prompt_tokens(found: ScoredChunk) -> int:
    """Return how many tokens a chunk takes in the prompt, including its heading and its source line."""
    return found.chunk.tokens + HEADING_TOKEN_COUNT


def _choose_chunks(
    index: KnowledgeIndex, ranking: ChunkRanking, limits: RetrievalLimits, recent: Collection[str]
) -> list[ScoredChunk]:
    """Return the best chunk if it is relevant enough, followed by similarly good chunks as long as they fit."""
    threshold = (
        limits.threshold_with_term if ranking.has_technical_term else limits.relevance_threshold
    )
    if ranking.relevance < threshold:
        return []
    found: list[ScoredChunk] = []
    for candidate in list_candidate_chunks(
        index, ranking, limits.max_chunks + EXTRA_CANDIDATE_COUNT + len(recent)
    ):
        is_repeated = bool(found) and candidate.chunk.id in recent
        if not is_repeated and _should_add_chunk(candidate, found, limits):
            found.append(candidate)
    return found


def _should_add_chunk(
    candidate: ScoredChunk, chosen: list[ScoredChunk], limits: RetrievalLimits
) -> bool:
    """Return whether to add a chunk: its text is new, its score is close to that of the best chunk, and it
    fits the budget.
    """
    if chosen and candidate.score < limits.min_score_share * chosen[0].score:
        return False
    if any(candidate.chunk.content == other.chunk.content for other in chosen):
        return False
    tokens = sum(count_prompt_tokens(other) for other in chosen) + count_prompt_tokens(candidate)
    return len(chosen) < limits.max_chunks and tokens <= limits.max_tokens


def list_candidate_chunks(
    index: KnowledgeIndex, ranking: ChunkRanking, max_count: int
) -> Iterator[ScoredChunk]:
    """Yield the best chunks with their relevance, which decreases with their scores."""
    if not ranking.order:
        return
    best_score = float(ranking.scores[ranking.order[0]])
    for row in ranking.order[:max_count]:
        yield ScoredChunk(
            chunk=index.chunks[row],
            score=round(ranking.relevance * float(ranking.scores[row]) / best_score, 4),
            lexical=round(float(ranking.lexical[row]), 4),
            dense=round(float(ranking.dense[row]), 4),
            matched=_list_matched_terms(index, ranking, row),
        )


def _list_matched_terms(index: KnowledgeIndex, ranking: ChunkRanking, row: int) -> tuple[str, ...]:
    """Return the words of the query that a chunk contains, and the synonyms of which it contains all words."""
    lexicon = index.contents.lexicon
    found = {term for term in ranking.terms if lexicon.contains_term(row, term)}
    said = {term for term, weight in ranking.terms.items() if weight == 1}
    shown = (found & said) | index.thesaurus.find_complete_synonyms(said, found)
    return tuple(term for term in ranking.terms if term in shown)
