"""Ranks chunks by words and by meaning, adjusted for the domains, devices and systems that the message
mentions.
"""

import json
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from conductor.domain.knowledge import Chunk, Platform
from conductor.domain.knowledge_domains import Domain
from conductor.knowledge import query_hints
from conductor.knowledge.calibration import Curve
from conductor.knowledge.database import Contents
from conductor.knowledge.embedder import Embedder, Vectors, cosines_of
from conductor.knowledge.lexical import Lexicon
from conductor.knowledge.query_classifier import QueryClassifier
from conductor.knowledge.text import LONGEST_QUERY, STOP, plain_words, stem, words
from conductor.knowledge.thesaurus import Thesaurus
from conductor.knowledge.typos import Spelling
from conductor.knowledge.unknown_models import NamedModel, UnknownModels


@dataclass(frozen=True, slots=True)
class RankingWeights:
    """The parameters of the ranking. Each factor multiplies the score of a chunk.

    They were chosen by hand with `python -m tests.knowledge.score` on the tuning questions, and checked with
    questions that had not been used for tuning (docs/adr/0014). Run it on both sets after a change.
    """

    lexical: float = 0.7
    """Weight of the word score. The word score and the similarity are divided by their highest value first, so
    that they are comparable.
    """
    lexical_for_names: float = 1.0
    """Weight of the word score for a message with a name such as CC64, because the model does not understand
    numbers.
    """
    dense: float = 1.0
    """Weight of the similarity in meaning."""
    own_text: float = 0.5
    """Weight of the similarity of a chunk's own text. It is added to the chunk's best similarity, which may be
    that of one of its questions.
    """
    named_domain: float = 1.15
    """Factor for a chunk of a domain that the message mentions."""
    named_device: float = 1.5
    """Factor for a chunk about a device that the message mentions."""
    connected_device: float = 1.2
    """Factor for a chunk about a device that is connected but not mentioned."""
    other_device: float = 0.6
    """Factor for a chunk about a different device than the one mentioned."""
    other_system: float = 0.6
    """Factor for a chunk about a different operating system than the one mentioned or used."""
    in_title: float = 1.5
    """Factor for a chunk whose title contains every word of the message."""
    is_title: float = 0.5
    """Added to `in_title` in proportion to how much of the title's first part the message covers."""
    min_relevance_of_name: float = 0.5
    """The lowest relevance of a message that is a technical name and occurs in a title."""
    earlier: float = 0.35
    """Weight of the previous answer if the message refers to it, as in "and on Linux?"."""


WEIGHTS = RankingWeights()
MAX_EARLIER_CHARACTERS = 300
TOP = 5
"""The number of highest similarities whose mean is a feature of the relevance."""
MIN_BOOST, MAX_BOOST = 0.8, 1.3
"""Limits of a provider's factor for a domain."""
Floats = NDArray[np.float32]
_NUMBERED = re.compile(r"[a-z]+\d+$|0x")
CANDIDATES = 200
"""The number of nearest vectors requested from `nearest`. Chunks that share a word with the message are always
compared too.
"""
Nearest = Callable[[Vectors, int], list[str] | None]
_BYTE = re.compile(r"^\W*([89A-F][0-9A-F])\W*$")
"""Matches a message that consists of a single byte, such as F8."""
_WORD = re.compile(r"\b[a-zA-Z]{4,30}\b")
MIN_WORD_LETTERS = 3
MAX_CORRECTIONS = 20
"""The largest number of words that are spell-checked, because each unknown word is compared with all words of
the index.
"""


@dataclass(frozen=True)
class Query:
    """A message and the circumstances that affect the ranking of chunks."""

    text: str
    earlier: str = ""
    """The previous answer."""
    system: Platform | None = None
    connected: frozenset[str] = frozenset()
    """The profile ids of the connected devices."""
    boosts: Mapping[Domain, float] = field(default_factory=dict[Domain, float])
    hidden: Collection[str] = ()
    """The sources and domains that the user has disabled."""
    only: Domain | None = None


@dataclass(frozen=True)
class Ranking:
    """The scores of all chunks for a message, and the order of the chunks."""

    order: tuple[int, ...]
    """The rows of the chunks that have a score, best first."""
    scores: Floats
    lexical: Floats
    dense: Floats
    terms: dict[str, float]
    cued: bool
    """Whether the message contains a technical term, not counting everyday words, or mentions a device."""
    relevance: float
    """The probability that the best chunk is useful."""
    vector: Vectors | None
    """The embedding of the message, or None if only words were searched."""


class Index:
    """The contents of a knowledge database, ready for searches from several threads."""

    def __init__(self, contents: Contents, embedder: Embedder | None, thesaurus: Thesaurus) -> None:
        """Prepare the index for searches. `embedder` must be the model that created the vectors of the
        contents.
        """
        self.contents = contents
        self.chunks = contents.chunks
        self._embedder = embedder
        self._thesaurus = thesaurus
        self.nearest: Nearest | None = None
        """Preselects vectors before they are compared exactly. Without this function all vectors are
        compared.
        """
        self._vector_rows = {vector_id: row for row, vector_id in enumerate(contents.vector_ids)}
        self._rows = {chunk.id: row for row, chunk in enumerate(contents.chunks)}
        self._owners = np.array([self._rows[key.split("|")[0]] for key in contents.vector_ids], int)
        self._texts = np.array(["|" not in key for key in contents.vector_ids], bool)
        """True for the vectors of the chunks' texts, False for the vectors of their questions."""
        self._domains = np.array([chunk.domain for chunk in contents.chunks])
        self._devices = np.array([chunk.device or "" for chunk in contents.chunks])
        self._systems = np.array([chunk.platform or "all" for chunk in contents.chunks])
        self._names = query_hints.Names(contents_devices(contents))
        self._unknown = UnknownModels(
            json.loads(contents.meta.get("models", "{}")), contents_devices(contents)
        )
        self._curves: dict[str, Curve | None] = {}

    @property
    def embedder(self) -> Embedder | None:
        """The model that created the vectors of this index, if available."""
        return self._embedder

    @property
    def has_model(self) -> bool:
        """Whether searches compare the meaning in addition to the words."""
        return self._embedder is not None

    def chunk(self, chunk_id: str) -> Chunk | None:
        """Return a chunk by its id, or None if it does not exist."""
        row = self._rows.get(chunk_id)
        return None if row is None else self.chunks[row]

    @cached_property
    def _spelling(self) -> Spelling:
        return Spelling(self.contents.spelling.items())

    @cached_property
    def _titles(self) -> list[tuple[set[str], set[str]]]:
        """Return the words of each title, and those of its part before the colon."""
        titles = [chunk.title for chunk in self.chunks]
        return [({*words(title)}, {*words(title.partition(":")[0])}) for title in titles]

    def devices_named(self, text: str) -> frozenset[str]:
        """Return the ids of the device profiles that a text, such as the name of a port, mentions."""
        return self._names.named(text)

    def find_unknown_model(self, text: str) -> NamedModel | None:
        """Return the controller without a profile that a text mentions, or None."""
        return self._unknown.find(text)

    def terms(self, text: str) -> dict[str, float]:
        """Return the weighted search terms of a text: its words and their synonyms."""
        own = [word for spelling in _spellings(text) for word in words(spelling)]
        return {**self._thesaurus.find_synonyms(own), **dict.fromkeys(own, 1.0)}

    def correct_spelling(self, text: str) -> str:
        """Replace unknown words in a text by the most similar words of the index."""
        return _WORD.sub(lambda found: self._corrected_word(found[0]), text, MAX_CORRECTIONS)

    def has_words(self, text: str) -> bool:
        """Return whether the index or the model knows any word of a text. Random letters contain no known
        word.
        """
        candidates = plain_words(self.correct_spelling(text[:LONGEST_QUERY]))
        return query_hints.is_certain(text) or any(map(self._is_known, candidates))

    def _is_known(self, word: str) -> bool:
        if len(word) < MIN_WORD_LETTERS and not any(letter.isdigit() for letter in word):
            return False  # two letters occur in many texts as codes
        is_common = self._embedder is not None and self._embedder.knows(word)
        return is_common or word in STOP or stem(word) in self.contents.lexicon.terms

    def _corrected_word(self, word: str) -> str:
        small = word.lower()
        if stem(small) in self.contents.lexicon.terms or small in STOP:
            return word
        if self._embedder is not None and self._embedder.knows(small):
            return word
        return self._spelling.nearest(small) or word

    def rank(self, query: Query) -> Ranking:
        """Rank all chunks by how well they answer a message.

        The word score and the similarity are added, then multiplied by the factors for titles and for the
        domains, devices and systems that the message mentions. The relevance of the best chunk is a fitted
        probability (`relevance.py`).
        """
        text, earlier = self._texts_of(query)
        terms = self._all_terms(text, earlier)
        allowed = self._find_allowed_rows(query)
        lexical = np.where(allowed, self.contents.lexicon.scores(terms), 0).astype(np.float32)
        near = self.nearest if allowed.all() else None
        vector = self._vector(text, earlier)
        dense, own = (allowed * each for each in self._meaning(vector, lexical > 0, near))
        domains = query_hints.domains(text)
        has_name = self._names_a_number(terms)
        lexical_weight = WEIGHTS.lexical_for_names if has_name else WEIGHTS.lexical
        title_factors = self._title_factors(text)
        meaning = (dense + WEIGHTS.own_text * np.maximum(own, 0)).astype(np.float32)
        scores = _combine_scores(lexical, meaning, lexical_weight)
        scores = scores * self._factors(query, text, domains) * title_factors
        best_first = np.lexsort((np.arange(len(scores)), -scores))
        order = tuple(int(row) for row in best_first if scores[row] > 0)
        certain = query_hints.is_certain(text)
        is_name = (certain or has_name) and bool((title_factors * allowed > 1).any())
        relevance = self._relevance(text, terms, lexical, dense, vector) if order else 0.0
        return Ranking(
            order=order,
            scores=scores,
            lexical=lexical,
            dense=dense,
            terms=terms,
            cued=certain or bool(self._names.named(text)),
            relevance=max(relevance, WEIGHTS.min_relevance_of_name) if is_name else relevance,
            vector=vector,
        )

    def _names_a_number(self, terms: Mapping[str, float]) -> bool:
        known = self.contents.lexicon.terms
        return any(term in known and _NUMBERED.match(term) for term in terms)

    def _title_factors(self, text: str) -> Floats:
        """Return a factor for each chunk, which is above 1 if the chunk's title contains every word of the
        text.
        """
        factor = np.ones(len(self.chunks), np.float32)
        for query_words in ({*words(spelling)} for spelling in _spellings(text)):
            for row, (title, head) in enumerate(self._titles if query_words else ()):
                if query_words <= title:
                    coverage = len(query_words) / len(query_words | head)
                    factor[row] = WEIGHTS.in_title + WEIGHTS.is_title * coverage
            if (factor > 1).any():
                break
        return factor

    def _texts_of(self, query: Query) -> tuple[str, str]:
        """Return the message with its spelling corrected, and the previous answer if the message refers
        to it.
        """
        text = self.correct_spelling(query.text[:LONGEST_QUERY])
        return text, query.earlier[:MAX_EARLIER_CHARACTERS] if query_hints.is_anaphoric(
            text
        ) else ""

    def meaning(self, query: Query) -> Vectors | None:
        """Return the vector of a message as `rank` compares it, or None if only words are searched."""
        return self._vector(*self._texts_of(query))

    def cosines(self, vector: Vectors, texts: Sequence[str]) -> list[float]:
        """Return the similarity of each text to a vector, for texts that are not in the index."""
        return [] if self._embedder is None else (self._embedder.embed(texts) @ vector).tolist()

    def _all_terms(self, text: str, earlier: str) -> dict[str, float]:
        terms = self.terms(text)
        leaning = {term: WEIGHTS.earlier * weight for term, weight in self.terms(earlier).items()}
        return {**leaning, **terms}

    def _meaning(
        self, vector: Vectors | None, worded: NDArray[np.bool_], near: Nearest | None
    ) -> tuple[Floats, Floats]:
        """Return two similarities of each chunk to the message: that of its text or best question, and that of
        its text.
        """
        own = np.zeros(len(self.chunks), np.float32)
        if vector is None:
            return own, own
        found = near(vector, CANDIDATES) if near is not None else None
        if found is None:
            cosines = cosines_of(self.contents.vectors, vector)
        else:
            rows = [self._vector_rows[key] for key in found if key in self._vector_rows]
            worded[self._owners[rows]] = True
            compared = worded[self._owners]
            cosines = np.zeros(len(compared), np.float32)
            cosines[compared] = cosines_of(self.contents.vectors[compared], vector)
        own[self._owners[self._texts]] = cosines[self._texts]
        return self.best_of_each(cosines), own

    def best_of_each(self, cosines: Floats) -> Floats:
        """Return for each chunk the highest cosine similarity among its vectors."""
        best = np.zeros(len(self.chunks), np.float32)
        np.maximum.at(best, self._owners, cosines)
        return best

    def _vector(self, text: str, earlier: str) -> Vectors | None:
        """Return the embedding of a text, or None if only words are searched."""
        if self._embedder is None or not text.strip():
            return None
        vectors = self._embedder.embed([text, earlier] if earlier else [text])
        total = vectors[0] + (WEIGHTS.earlier * vectors[1] if earlier else 0)
        return total / np.linalg.norm(total)

    def _find_allowed_rows(self, query: Query) -> NDArray[np.bool_]:
        hidden = set(query.hidden)
        if not hidden and query.only is None:
            return np.ones(len(self.chunks), bool)
        return np.array(
            [
                chunk.source not in hidden
                and chunk.domain not in hidden
                and query.only in (None, chunk.domain)
                for chunk in self.chunks
            ],
            bool,
        )

    def _factors(self, query: Query, text: str, domains: tuple[Domain, ...]) -> Floats:
        """Return a factor for each chunk, from the domains, devices and systems that a message mentions."""
        factor = np.ones(len(self.chunks), np.float32)
        factor[np.isin(self._domains, domains)] *= WEIGHTS.named_domain
        for domain, boost in query.boosts.items():
            factor[self._domains == domain] *= min(max(boost, MIN_BOOST), MAX_BOOST)
        named = self._names.named(text)
        if named:
            is_other = (self._devices != "") & ~np.isin(self._devices, list(named))
            factor[is_other] *= WEIGHTS.other_device
            factor[np.isin(self._devices, list(named))] *= WEIGHTS.named_device
        is_connected = np.isin(self._devices, list(query.connected - named))
        factor[is_connected] *= WEIGHTS.connected_device
        meant = query_hints.systems(text) or ({query.system} if query.system else set())
        if meant:
            factor[~np.isin(self._systems, [*meant, "all"])] *= WEIGHTS.other_system
        return factor

    def _relevance(
        self,
        text: str,
        terms: dict[str, float],
        lexical: Floats,
        dense: Floats,
        vector: Vectors | None,
    ) -> float:
        curve = self._curve("lexical" if vector is None else "fused")
        if curve is None:
            return 1.0
        near = features(self.contents.lexicon, terms, lexical, None if vector is None else dense)
        return curve.relevance((*near, *self._classifier.features(text, vector)))

    @cached_property
    def _classifier(self) -> QueryClassifier:
        """The classifier with which the relevance was fitted."""
        wording = json.loads(self.contents.meta["calibration_wording"])
        return QueryClassifier(wording, self._curve("direction"), self.contents.small_talk)

    def _curve(self, kind: str) -> Curve | None:
        if kind not in self._curves:
            text = self.contents.meta.get(f"calibration_{kind}")
            self._curves[kind] = None if text is None else Curve.from_json(text)
        return self._curves[kind]


def _spellings(text: str) -> list[str]:
    """Return the spellings of a text to try. For a byte such as F8, 0xF8 comes first."""
    byte = _BYTE.match(text)
    return [f"0x{byte[1]}", text] if byte else [text]


def features(
    lexicon: Lexicon, terms: Mapping[str, float], lexical: Floats, dense: Floats | None
) -> tuple[float, ...]:
    """Return the features of the relevance: best word score, coverage of the top chunk, best and mean
    similarity.

    Without `dense` there are only the first two. The mean is a feature because a single text may be similar by
    chance, but hardly several.
    """
    if not len(lexical):
        return (0.0, 0.0) if dense is None else (0.0, 0.0, 0.0, 0.0)
    both = lexical if dense is None else _combine_scores(lexical, dense)
    best, coverage = float(lexical.max()), lexicon.share(int(np.argmax(both)), terms)
    if dense is None:
        return best, coverage
    return best, coverage, float(dense.max()), float(np.sort(dense)[-TOP:].mean())


def _combine_scores(
    lexical: Floats, dense: Floats, lexical_weight: float = WEIGHTS.lexical
) -> Floats:
    """Return the weighted sum of the two scores, each divided by its highest value."""
    total = lexical_weight * _share(lexical) + WEIGHTS.dense * _share(np.maximum(dense, 0))
    return total.astype(np.float32)


def _share(scores: Floats) -> Floats:
    best = scores.max(initial=0)
    return scores / best if best > 0 else scores


def contents_devices(contents: Contents) -> dict[str, tuple[str, ...]]:
    """Return the names of the devices in the contents of an index, by device id."""
    devices = json.loads(contents.meta.get("devices", "{}"))
    return {device_id: tuple(names) for device_id, names in devices.items()}
