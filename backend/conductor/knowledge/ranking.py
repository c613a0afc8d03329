"""The scores of chunks for a message: how they are weighted, combined, merged and sorted."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from conductor.knowledge.embedder import Vectors
from conductor.knowledge.lexical import Lexicon

FloatArray = NDArray[np.float32]
AVERAGED_SIMILARITY_COUNT = 5
"""The mean of this many highest similarities is a feature of the relevance."""


@dataclass(frozen=True, slots=True)
class RankingWeights:
    """The parameters of the ranking. A factor multiplies the score of a chunk.

    They were chosen by hand with `python -m tests.knowledge.score` on the tuning questions, and checked
    with questions that had not been used for tuning (docs/adr/0014). Run it on both sets after a change.
    """

    lexical: float = 0.7
    """The weight of the word score.

    Word scores and similarities are first divided by their highest value, so that they can be compared.
    """
    lexical_for_numbered_names: float = 1.0
    """The weight of the word score if the message contains a name such as CC64, because the model does not
    understand numbers.
    """
    dense: float = 1.0
    """The weight of the similarity in meaning."""
    chunk_text: float = 0.5
    """The weight of the similarity of a chunk's text, which is added to the best similarity of its text
    and its questions.
    """
    named_domain: float = 1.15
    """The factor for a chunk of a domain that the message mentions."""
    named_device: float = 1.5
    """The factor for a chunk about a device that the message mentions."""
    connected_device: float = 1.2
    """The factor for a chunk about a device that is connected but not mentioned."""
    other_device: float = 0.6
    """The factor for a chunk about another device than the one that the message mentions."""
    other_platform: float = 0.6
    """The factor for a chunk about another operating system than the one that the message mentions, or
    that is used.
    """
    in_title: float = 1.5
    """The factor for a chunk whose title contains every word of the message."""
    title_coverage: float = 0.5
    """Added to the factor `in_title`, multiplied by the share of the title's first part that the message
    covers.
    """
    min_relevance_of_name: float = 0.5
    """The lowest relevance of a message that is a technical name and occurs in a title."""
    wish: float = 0.9
    """The weight of the scores for a part of a message, which is also multiplied by the relevance of that part.

    On 60 pairs of questions in one message, 0.91 instead of 0.78 of the answers are found, without loss for
    other messages.
    """
    previous_answer: float = 0.35
    """The weight of the previous answer if the message refers to it, as in "and on Linux?"."""


RANKING_WEIGHTS = RankingWeights()


@dataclass(frozen=True)
class ChunkRanking:
    """The scores of all chunks for a message, the order that follows from them, and the relevance of the
    best chunk.
    """

    order: tuple[int, ...]
    """The rows of the chunks that have a score, best first."""
    scores: FloatArray
    lexical: FloatArray
    dense: FloatArray
    terms: dict[str, float]
    has_technical_term: bool
    """Whether the message mentions a device, or a technical term that has no everyday meaning."""
    relevance: float
    """The probability that the best chunk is useful."""
    vector: Vectors | None
    """The vector of the message, or None if only words were searched."""


def merge_wishes(whole: ChunkRanking, parts: Sequence[ChunkRanking]) -> ChunkRanking:
    """Return the ranking of a whole message, with the best chunks for each of its parts moved up."""
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
    """Return the features of the relevance: the best word score, the coverage of the best chunk, and the
    best and the mean similarity.

    Without `dense`, there are only the first two. The mean is a feature because one text may be similar by
    chance, but several hardly are.
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
    """Return the weighted sum of word scores and similarities, each divided by its highest value."""
    total = lexical_weight * scale_to_one(lexical) + RANKING_WEIGHTS.dense * scale_to_one(
        np.maximum(dense, 0)
    )
    return total.astype(np.float32)


def scale_to_one(scores: FloatArray) -> FloatArray:
    best = scores.max(initial=0)
    return scores / best if best > 0 else scores
