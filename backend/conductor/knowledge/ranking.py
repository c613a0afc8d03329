"""The scores of chunks for a message: how they are weighted, combined, merged and sorted."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from conductor.knowledge.embedder import Vectors
from conductor.knowledge.lexical import Lexicon

FloatArray = NDArray[np.float32]
AVERAGED_SIMILARITY_COUNT = 5
"""The number of highest similarities whose mean is a feature of the relevance."""


@dataclass(frozen=True, slots=True)
class RankingWeights:
    """The parameters of the ranking. Each factor multiplies the score of a chunk.

    They were chosen by hand with `python -m tests.knowledge.score` on the tuning questions, and checked with
    questions that had not been used for tuning (docs/adr/0014). Run it on both sets after a change.
    """

    lexical: float = 0.7
    """Weight of the word score. Word scores and similarities are divided by their highest value first, so that
    they are comparable.
    """
    lexical_for_numbered_names: float = 1.0
    """Weight of the word score for a message with a name such as CC64, because the model does not understand
    numbers.
    """
    dense: float = 1.0
    """Weight of the similarity in meaning."""
    chunk_text: float = 0.5
    """Weight of the similarity of a chunk's text, added to the best similarity of the chunk's text and
    questions.
    """
    named_domain: float = 1.15
    """Factor for a chunk of a domain that the message mentions."""
    named_device: float = 1.5
    """Factor for a chunk about a device that the message mentions."""
    connected_device: float = 1.2
    """Factor for a chunk about a device that is connected but not mentioned."""
    other_device: float = 0.6
    """Factor for a chunk about a different device than the one mentioned."""
    other_platform: float = 0.6
    """Factor for a chunk about a different operating system than the one mentioned or used."""
    in_title: float = 1.5
    """Factor for a chunk whose title contains every word of the message."""
    title_coverage: float = 0.5
    """Added to the factor `in_title`, in proportion to how much of the title's first part the message covers.
    """
    min_relevance_of_name: float = 0.5
    """The lowest relevance of a message that is a technical name and occurs in a title."""
    wish: float = 0.9
    """Weight of the scores for a part of a message, times the relevance of that part. On 60 pairs of
    questions in one message it finds 0.91 instead of 0.78 of the answers, without loss for other messages.
    """
    previous_answer: float = 0.35
    """Weight of the previous answer if the message refers to that answer, as in "and on Linux?"."""


RANKING_WEIGHTS = RankingWeights()


@dataclass(frozen=True)
class ChunkRanking:
    """The scores of all chunks for a message, and the order of the chunks."""

    order: tuple[int, ...]
    """The rows of the chunks that have a score, best first."""
    scores: FloatArray
    lexical: FloatArray
    dense: FloatArray
    terms: dict[str, float]
    has_technical_term: bool
    """Whether the message mentions a device or contains a technical term that is not an everyday word."""
    relevance: float
    """The probability that the best chunk is useful."""
    vector: Vectors | None
    """The embedding of the message, or None if only words were searched."""


def merge_wishes(whole: ChunkRanking, parts: Sequence[ChunkRanking]) -> ChunkRanking:
    """Return the ranking of a whole message with the best chunks of its parts moved up."""
    scores = scale_to_one(whole.scores)
    for part in parts:
        weight = RANKING_WEIGHTS.wish * part.relevance
        scores = np.maximum(scores, weight * scale_to_one(part.scores))
    scores = scores.astype(np.float32)
    return replace(whole, scores=scores, order=sort_rows(scores))


def sort_rows(scores: FloatArray) -> tuple[int, ...]:
    """Return the rows that have a score, best first."""
    best_first = np.argsort(-scores, kind="stable")
    return tuple(best_first[scores[best_first] > 0].tolist())


def compute_relevance_features(
    lexicon: Lexicon, terms: Mapping[str, float], lexical: FloatArray, dense: FloatArray | None
) -> tuple[float, ...]:
    """Return the features of the relevance: best word score, coverage of the top chunk, best and mean
    similarity.

    Without `dense` there are only the first two. The mean is a feature because a single text may be similar by
    chance, but hardly several.
    """
    if not len(lexical):
        return (0.0, 0.0) if dense is None else (0.0, 0.0, 0.0, 0.0)
    combined = lexical if dense is None else combine_scores(lexical, dense)
    best, coverage = (
        float(lexical.max()),
        lexicon.compute_term_coverage(int(np.argmax(combined)), terms),
    )
    if dense is None:
        return best, coverage
    return (
        best,
        coverage,
        float(dense.max()),
        float(np.sort(dense)[-AVERAGED_SIMILARITY_COUNT:].mean()),
    )


def combine_scores(
    lexical: FloatArray, dense: FloatArray, lexical_weight: float = RANKING_WEIGHTS.lexical
) -> FloatArray:
    """Return the weighted sum of the two scores, each divided by its highest value."""
    total = lexical_weight * scale_to_one(lexical) + RANKING_WEIGHTS.dense * scale_to_one(
        np.maximum(dense, 0)
    )
    return total.astype(np.float32)


def scale_to_one(scores: FloatArray) -> FloatArray:
    best = scores.max(initial=0)
    return scores / best if best > 0 else scores
