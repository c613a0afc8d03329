"""Ranks passages of manuals, and merges them with the texts that ship with Conductor."""

from collections import Counter
from collections.abc import Collection, Sequence

import numpy as np

from conductor.domain.knowledge import Retrieval, ScoredChunk
from conductor.knowledge.manuals.search import FoundPassage, ManualSearch
from conductor.knowledge.pipeline import count_prompt_tokens
from conductor.knowledge.providers import RetrievalLimits
from conductor.knowledge.ranking import (
    AVERAGED_SIMILARITY_COUNT,
    RANKING_WEIGHTS,
    FloatArray,
    combine_scores,
)
from conductor.knowledge.search import KnowledgeIndex, SearchQuery
from conductor.knowledge.text import MAX_QUERY_CHARACTERS, tokenize

MAX_RANKED_PASSAGES = 50
MIN_RELEVANCE_OF_MATCH = 0.6
"""The lowest relevance of a message that names a manual, or whose words are all in one passage."""
THRESHOLD_SHARE = 0.6
"""The threshold for passages, as a share of that for shipped texts.

It is lower, because small talk reaches a relevance of 0.12 only with the manuals of the tests.
"""
RESERVED_PLACES, RESERVED_PLACES_IF_NAMED = 2, 4
"""The number of results that are passages of manuals, if these are relevant.

It is higher if the message names a manual: shipped texts on the same topic would take the places.
"""
MAX_ROWS_OF_TABLE, FURTHER_ROW_FACTOR = 2, 0.5
"""How many rows of one table keep their score, and the factor for further ones."""
MIN_COVERAGE, MIN_COVERED_WORDS, MIN_SIMILARITY = 0.7, 2, 0.3
"""When the words of a message are in a passage, such as those of a display ("CARD ERR 7").

Small talk whose few words are in a passage by chance is less similar.
"""
OTHER_TEXT_FACTOR = 0.6
"""The factor for texts that ship with Conductor if the message names a manual of the user."""


def rank_passages(
    search: ManualSearch, index: KnowledgeIndex, text: str, hidden: Sequence[str] = ()
) -> list[ScoredChunk]:
    """Return passages with their relevance, best first.

    The relevance is fitted to the texts that ship with Conductor, and has the same meaning here.
    """
    text = text[:MAX_QUERY_CHARACTERS].encode("utf-8", "replace").decode()
    prepared = index.prepare_text(text)
    # the words as they were written too, because the spelling of names was corrected to known words
    terms = {**index.weigh_search_terms(prepared), **dict.fromkeys(tokenize(text), 1.0)}
    embedder, known_terms = index.embedder, index.contents.lexicon.terms

    def is_common_word(word: str) -> bool:
        """Return whether a word is an everyday word that the shipped texts use too."""
        return word in known_terms and (embedder is None or embedder.is_common_word(word))

    vector = index.embed_query(SearchQuery(search.remove_names(prepared, is_common_word)))
    found = search.find_passages(text, terms, vector, hidden, is_common_word)
    if not found:
        return []
    words = np.array([one.words for one in found], np.float32)
    dense = np.maximum(np.array([one.dense for one in found], np.float32), 0)
    factors = np.array([one.factor for one in found], np.float32)
    combined = combine_scores(words, dense, RANKING_WEIGHTS.lexical)
    features: tuple[float, ...] = (float(words.max()), found[int(np.argmax(combined))].coverage)
    if vector is not None:
        mean = float(np.sort(dense)[-AVERAGED_SIMILARITY_COUNT:].mean())
        features = (*features, float(dense.max()), mean)
    relevance = index.predict_relevance(prepared, vector, features)
    scores = combined * factors
    order = _sort_passages(found, scores)
    best = found[order[0]]
    if best.is_named or _contains_question(best, has_vector=vector is not None):
        relevance = max(relevance, MIN_RELEVANCE_OF_MATCH)
    top = float(scores[order[0]]) or 1.0
    return [_build_result(found[at], relevance * float(scores[at]) / top) for at in order]


def _sort_passages(found: Sequence[FoundPassage], scores: FloatArray) -> list[int]:
    """Lower the scores of further rows of a table, and return the order of the passages, best first.

    The rows of a table resemble each other, so they would take all places. The whole table is a passage too.
    """
    counts: Counter[tuple[int, int, str]] = Counter()
    for at in np.argsort(-scores, kind="stable").tolist():
        if (table := found[at].table) is not None:
            counts[table] += 1
            if counts[table] > MAX_ROWS_OF_TABLE:
                scores[at] *= FURTHER_ROW_FACTOR
    return np.argsort(-scores, kind="stable")[:MAX_RANKED_PASSAGES].tolist()


def _contains_question(found: FoundPassage, *, has_vector: bool) -> bool:
    return (
        found.coverage >= MIN_COVERAGE
        and len(found.matched) >= MIN_COVERED_WORDS
        and (not has_vector or found.dense >= MIN_SIMILARITY)
    )


def _build_result(found: FoundPassage, score: float) -> ScoredChunk:
    return ScoredChunk(
        chunk=found.build_chunk(),
        score=round(score, 4),
        lexical=round(found.words, 4),
        dense=round(found.dense, 4),
        matched=found.matched,
        names_source=found.is_named,
    )


def merge_passages(
    shipped: Retrieval,
    passages: Sequence[ScoredChunk],
    limits: RetrievalLimits,
    recent: Collection[str] = (),
) -> Retrieval:
    """Return the best of the shipped texts and of the passages that fit the limits, best first.

    Some places are reserved for passages, because the user has added the manuals for such questions.
    """
    if not passages or passages[0].score < THRESHOLD_SHARE * limits.relevance_threshold:
        return shipped
    is_named = passages[0].names_source
    factor = OTHER_TEXT_FACTOR if is_named else 1.0
    others = [
        one.model_copy(update={"score": round(one.score * factor, 4)}) for one in shipped.found
    ]
    best = max(passages[0].score, *(one.score for one in others), 0)
    places = RESERVED_PLACES_IF_NAMED if is_named else RESERVED_PLACES
    reserved = passages[:places]
    rest = sorted([*passages[places:], *others], key=lambda one: -one.score)
    chosen: list[ScoredChunk] = []
    tokens = 0
    for one in [*reserved, *rest]:
        lowest = limits.min_score_share * (passages[0].score if one in reserved else best)
        needed = count_prompt_tokens(one)
        if (
            len(chosen) < limits.max_chunks
            and tokens + needed <= limits.max_tokens
            and one.score >= lowest
            and not (chosen and one.chunk.id in recent)
            and all(one.chunk.content != other.chunk.content for other in chosen)
        ):
            chosen.append(one)
            tokens += needed
    chosen.sort(key=lambda one: -one.score)
    return Retrieval(found=tuple(chosen), tokens=tokens)
