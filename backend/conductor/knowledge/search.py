"""Ranks chunks by words and by meaning, adjusted for the domains, devices and operating systems that the
message mentions.
"""

import json
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from conductor.domain.knowledge import Chunk, Platform
from conductor.domain.knowledge_domains import Domain
from conductor.knowledge import query_hints
from conductor.knowledge.calibration import LogisticCurve
from conductor.knowledge.database import IndexContents
from conductor.knowledge.embedder import Embedder, Vectors, compute_cosine_similarities
from conductor.knowledge.query_classifier import QueryClassifier
from conductor.knowledge.query_texts import QueryTexts
from conductor.knowledge.ranking import (
    RANKING_WEIGHTS,
    ChunkRanking,
    FloatArray,
    combine_scores,
    compute_relevance_features,
    merge_wishes,
    sort_rows,
)
from conductor.knowledge.text import tokenize
from conductor.knowledge.thesaurus import Thesaurus
from conductor.knowledge.translation import Translator, Vocabulary
from conductor.knowledge.unknown_models import (
    NUMBERED_NAME,
    MentionedModel,
    UnknownModelFinder,
    asks_for_numbers,
    find_name_before,
    is_asked_about_as_device,
)
from conductor.knowledge.wishes import split_wishes

MAX_PREVIOUS_ANSWER_CHARACTERS = 300
MIN_BOOST, MAX_BOOST = 0.8, 1.3
"""The limits of the factor that a provider may set for a domain."""
_NUMBERED_TERM = re.compile(r"[a-z]+\d+$|0x")
VECTOR_CANDIDATE_COUNT = 200
"""The number of nearest vectors that are compared exactly, besides the chunks that share a word with the
message.
"""
FindNearestIds = Callable[[Vectors, int], list[str] | None]
_SINGLE_HEX_BYTE = re.compile(r"^\W*([89A-F][0-9A-F])\W*$")
"""Matches a message that consists of a single byte, such as F8."""
_PROPER_NAME = re.compile(r"(?<=[\w,;:] )[A-Z][a-z]{3,}\b")
"""A capitalised word within a sentence."""
MAX_OWN_DEVICES = 2
"""With more connected devices, a message such as "pad 5" does not tell which one is meant."""
MIN_NAME_LETTERS = 3


@dataclass(frozen=True)
class SearchQuery:
    """A message with the circumstances that affect the ranking of chunks, such as the connected devices."""

    text: str
    previous_answer: str = ""
    """The answer before the message, to which the message may refer."""
    platform: Platform | None = None
    connected: frozenset[str] = frozenset()
    """The profile ids of the connected devices."""
    boosts: Mapping[str, float] = field(default_factory=dict[str, float])
    """Factors for the documents whose ids begin with a text, such as `artnet` or `midi/midi1-sysex`."""
    hidden_sources: Collection[str] = ()
    """The documents and domains that the user has excluded."""
    only_domain: Domain | None = None


class KnowledgeIndex:
    """The contents of a knowledge database, ready for searches from several threads."""

    def __init__(
        self, contents: IndexContents, embedder: Embedder | None, thesaurus: Thesaurus
    ) -> None:
        """Prepare the index for searches.

        `embedder` must be the model that computed the vectors of the contents.
        """
        self.contents = contents
        self.chunks = contents.chunks
        self._embedder = embedder
        self.thesaurus = thesaurus
        self.find_nearest: FindNearestIds | None = None
        """Returns the ids of the nearest vectors, to compare only these. If None, all vectors are compared."""
        self._vector_rows = {vector_id: row for row, vector_id in enumerate(contents.vector_ids)}
        self._rows_by_id = {chunk.id: row for row, chunk in enumerate(contents.chunks)}
        self._chunk_rows = np.array(
            [self._rows_by_id[key.split("|")[0]] for key in contents.vector_ids], int
        )
        self._is_text_vector = np.array(["|" not in key for key in contents.vector_ids], bool)
        """True for the vectors of the chunks' texts, False for those of their questions."""
        self._chunk_domains = np.array([chunk.domain for chunk in contents.chunks])
        self._chunk_sources = np.array([chunk.source for chunk in contents.chunks], np.str_)
        self._chunk_devices = np.array([chunk.device or "" for chunk in contents.chunks])
        self._chunk_platforms = np.array([chunk.platform or "all" for chunk in contents.chunks])
        self._device_names = query_hints.DeviceNameFinder(read_device_names(contents))
        self._unknown_models = UnknownModelFinder(
            json.loads(contents.meta.get("models", "{}")),
            read_device_names(contents),
            json.loads(contents.meta.get("makers", "[]")),
        )
        self._translator = Translator(
            Vocabulary(*json.loads(contents.meta.get("languages", "[{}, []]")))
        )
        self._query_texts = QueryTexts(contents, embedder, self._translator)
        self._curves: dict[str, LogisticCurve | None] = {}

    @property
    def embedder(self) -> Embedder | None:
        """The model that computed the vectors of this index, or None if it cannot be used."""
        return self._embedder

    @property
    def has_embedding_model(self) -> bool:
        """Whether searches compare the meaning in addition to the words."""
        return self._embedder is not None

    def get_chunk(self, chunk_id: str) -> Chunk | None:
        """Return a chunk by its id, or None if it does not exist."""
        row = self._rows_by_id.get(chunk_id)
        return None if row is None else self.chunks[row]

    @cached_property
    def _title_words(self) -> list[tuple[set[str], set[str]]]:
        """Return all words of each title, and the words before its colon."""
        titles = [chunk.title for chunk in self.chunks]
        return [({*tokenize(title)}, {*tokenize(title.partition(":")[0])}) for title in titles]

    def find_mentioned_devices(self, text: str) -> frozenset[str]:
        """Return the ids of the device profiles that a text, such as the name of a port, mentions."""
        return self._device_names.find_device_ids(text)

    def find_unknown_model(self, text: str) -> MentionedModel | None:
        """Return the controller without a profile that a text mentions, or None."""
        found = self._unknown_models.find_unknown_model(text)
        if found is not None or self.find_mentioned_devices(text):
            return found
        english = self._translator.translate(text)
        found = self._unknown_models.find_by_maker(text, english, self._is_in_one_text)
        return found or self._find_unknown_numbered_name(text, english)

    def _find_unknown_numbered_name(self, text: str, english: str) -> MentionedModel | None:
        """Return the product that a text asks about and whose name, such as MD-90, is in no text.

        It may be an instrument, about which other texts tell something, so the answer is only added to theirs.
        """
        if not asks_for_numbers(english):
            return None
        for name in filter(self._is_unknown_name, NUMBERED_NAME.findall(text)):
            if any(is_asked_about_as_device(each, name) for each in (text, english)):
                return MentionedModel(find_name_before(text, name), mentions_known_device=True)
        return None

    def list_unrelated_devices(self, text: str) -> list[str]:
        """Return the ids of the devices whose numbers cannot answer a message.

        If the message names a maker, these are the devices of other makers. If it asks about a product that
        no text mentions, these are all devices. If it names a device, there are none.
        """
        if self.find_mentioned_devices(text):
            return []
        numbered_names = NUMBERED_NAME.findall(text)
        if makers := self._unknown_models.find_makers(text):
            # "Kontrol S4" is none of the models of this maker that have a profile.
            is_model = any(not name.isalpha() for name in numbered_names)
            return self._unknown_models.list_devices_of_others(() if is_model else makers)
        names = [*numbered_names, *self._list_proper_names(text)]
        texts = (text, self._translator.translate(text))
        unknown = filter(self._is_unknown_name, names)
        if any(is_asked_about_as_device(each, name) for name in unknown for each in texts):
            return self._unknown_models.list_devices_of_others(())
        return []

    def _list_proper_names(self, text: str) -> list[str]:
        """Return the capitalised words of a text that the model does not know, because most of them are names.

        In German, too many other words are capitalised.
        """
        if self._embedder is None or self._translator.find_language(text) == "de":
            return []
        found = _PROPER_NAME.findall(text)
        return [name for name in found if not self._embedder.is_common_word(name.lower())]

    def _is_unknown_name(self, name: str) -> bool:
        """Return whether no text contains a name, nor any of its parts that have letters."""
        words = [word for word in tokenize(name) if len(word) >= MIN_NAME_LETTERS]
        known = self.contents.lexicon.terms
        return bool(words) and not any(word in known for word in words if not word.isdigit())

    def _is_in_one_text(self, maker: str, model: str) -> bool:
        """Return whether a text contains both a maker and a model."""
        lexicon = self.contents.lexicon
        rows = [
            set(lexicon.find_postings(word)[0].tolist())
            for word in (*tokenize(maker)[-1:], *tokenize(model)[-1:])
        ]
        return len(rows) == 2 and bool(rows[0] & rows[1])

    def weigh_search_terms(self, text: str) -> dict[str, float]:
        """Return the search terms of a text with their weights: its words and their synonyms."""
        own_words = [
            word for spelling in _list_query_spellings(text) for word in tokenize(spelling)
        ]
        return {**self.thesaurus.find_synonyms(own_words), **dict.fromkeys(own_words, 1.0)}

    def has_known_words(self, text: str) -> bool:
        """Return whether the index or the model knows any word of a text, which is false for random letters."""
        return self._query_texts.has_known_words(text)

    def prepare_text(self, text: str) -> str:
        """Return a message in English and with its spelling corrected."""
        return self._query_texts.prepare_text(text)

    def rank_chunks(self, query: SearchQuery) -> ChunkRanking:
        """Rank all chunks by how well they answer a message.

        If the message asks for several things, the chunks for each part are ranked too, because the vector
        of the whole message is near the texts for at most one of them.
        """
        text, previous_answer = self._prepare_query_texts(query)
        if devices := self._find_own_devices(query):
            names = read_device_names(self.contents)
            text = f"{text} {' '.join(names[each][0] for each in sorted(devices))}"
            others = [f"device/{each}" for each in names if each not in devices]
            query = replace(query, hidden_sources=(*query.hidden_sources, *others))
        whole = self._rank_text(query, text, previous_answer)
        wishes = split_wishes(text)
        if len(wishes) < 2 or not whole.order:
            return whole
        rankings = [self._rank_text(query, wish, "") for wish in wishes]
        return merge_wishes(whole, [each for each in rankings if each.order])

    def _find_own_devices(self, query: SearchQuery) -> frozenset[str]:
        """Return the connected devices if a message is about a control of them, as in "which note does pad 5
        send?". The numbers of other devices would be wrong then.
        """
        is_about_own = query_hints.mentions_own_control(query.text) or (
            query_hints.mentions_own_control(self._translator.translate(query.text))
        )
        if not is_about_own or len(query.connected) > MAX_OWN_DEVICES:
            return frozenset()
        return frozenset() if self.find_mentioned_devices(query.text) else query.connected

    def _rank_text(self, query: SearchQuery, text: str, previous_answer: str) -> ChunkRanking:
        """Rank all chunks for an English text, which is a message or a part of it.

        The word score and the similarity are added, then multiplied by the factors for titles and for the
        domains, devices and operating systems that the message mentions. The relevance of the best chunk is
        a fitted probability (`relevance.py`).
        """
        terms = self._combine_search_terms(text, previous_answer)
        allowed = self._find_allowed_rows(query)
        lexical = np.where(allowed, self.contents.lexicon.score_chunks(terms), 0).astype(np.float32)
        find_nearest = self.find_nearest if allowed.all() else None
        vector = self._embed_query_texts(text, previous_answer)
        dense, of_texts = (
            allowed * similarity
            for similarity in self._compute_similarities(vector, lexical > 0, find_nearest)
        )
        domains = query_hints.find_mentioned_domains(text)
        has_name = self._has_numbered_term(terms)
        lexical_weight = (
            RANKING_WEIGHTS.lexical_for_numbered_names if has_name else RANKING_WEIGHTS.lexical
        )
        title_factors = self._compute_title_factors(text)
        dense_scores = (dense + RANKING_WEIGHTS.chunk_text * np.maximum(of_texts, 0)).astype(
            np.float32
        )
        scores = combine_scores(lexical, dense_scores, lexical_weight)
        scores = (
            scores
            * self._compute_chunk_factors(query, f"{text} {query.text}", domains)
            * title_factors
        )
        order = sort_rows(scores)
        has_term = query_hints.has_technical_term(text)
        is_name = (has_term or has_name) and bool((title_factors * allowed > 1).any())
        relevance = self._compute_relevance(text, terms, lexical, dense, vector) if order else 0.0
        return ChunkRanking(
            order=order,
            scores=scores,
            lexical=lexical,
            dense=dense,
            terms=terms,
            has_technical_term=has_term or bool(self._device_names.find_device_ids(query.text)),
            relevance=max(relevance, RANKING_WEIGHTS.min_relevance_of_name)
            if is_name
            else relevance,
            vector=vector,
        )

    def _has_numbered_term(self, terms: Mapping[str, float]) -> bool:
        known = self.contents.lexicon.terms
        return any(term in known and _NUMBERED_TERM.match(term) for term in terms)

    def _compute_title_factors(self, text: str) -> FloatArray:
        """Return a factor for each chunk, which is above 1 if the title of the chunk contains every word
        of the text.
        """
        factor = np.ones(len(self.chunks), np.float32)
        for query_words in ({*tokenize(spelling)} for spelling in _list_query_spellings(text)):
            for row in self._find_titles_with(query_words):
                head = self._title_words[row][1]
                coverage = len(query_words) / len(query_words | head)
                factor[row] = RANKING_WEIGHTS.in_title + RANKING_WEIGHTS.title_coverage * coverage
            if (factor > 1).any():
                break
        return factor

    def _find_titles_with(self, words: set[str]) -> set[int]:
        """Return the rows of the chunks whose title contains all words. Without words, there are none."""
        rows = [self._title_rows.get(word, frozenset()) for word in words]
        return set(frozenset.intersection(*rows)) if rows else set()

    @cached_property
    def _title_rows(self) -> dict[str, frozenset[int]]:
        found: dict[str, set[int]] = {}
        for row, (title, _) in enumerate(self._title_words):
            for word in title:
                found.setdefault(word, set()).add(row)
        return {word: frozenset(rows) for word, rows in found.items()}

    def _prepare_query_texts(self, query: SearchQuery) -> tuple[str, str]:
        """Return the message in English, and the previous answer if the message refers to it."""
        text = self.prepare_text(query.text)
        return text, query.previous_answer[
            :MAX_PREVIOUS_ANSWER_CHARACTERS
        ] if query_hints.refers_to_earlier_messages(query.text) else ""

    def embed_query(self, query: SearchQuery) -> Vectors | None:
        """Return the vector of a message as `rank_chunks` compares it, or None if only words are searched."""
        return self._embed_query_texts(*self._prepare_query_texts(query))

    def compute_similarities(self, vector: Vectors, texts: Sequence[str]) -> list[float]:
        """Return the similarity of each text to a vector. The texts need not be in the index."""
        return (
            [] if self._embedder is None else (self._embedder.embed_texts(texts) @ vector).tolist()
        )

    def _combine_search_terms(self, text: str, previous_answer: str) -> dict[str, float]:
        terms = self.weigh_search_terms(text)
        earlier_terms = {
            term: RANKING_WEIGHTS.previous_answer * weight
            for term, weight in self.weigh_search_terms(previous_answer).items()
        }
        return {**earlier_terms, **terms}

    def _compute_similarities(
        self,
        vector: Vectors | None,
        has_shared_term: NDArray[np.bool_],
        find_nearest: FindNearestIds | None,
    ) -> tuple[FloatArray, FloatArray]:
        """Return two arrays of similarities to the message: the best of each chunk's text and questions,
        and that of its text.
        """
        of_texts = np.zeros(len(self.chunks), np.float32)
        if vector is None:
            return of_texts, of_texts
        nearest_ids = (
            find_nearest(vector, VECTOR_CANDIDATE_COUNT) if find_nearest is not None else None
        )
        if nearest_ids is None:
            cosines = compute_cosine_similarities(self.contents.vectors, vector)
        else:
            rows = [
                self._vector_rows[vector_id]
                for vector_id in nearest_ids
                if vector_id in self._vector_rows
            ]
            has_shared_term[self._chunk_rows[rows]] = True
            compared = has_shared_term[self._chunk_rows]
            cosines = np.zeros(len(compared), np.float32)
            cosines[compared] = compute_cosine_similarities(self.contents.vectors[compared], vector)
        of_texts[self._chunk_rows[self._is_text_vector]] = cosines[self._is_text_vector]
        return self.get_best_cosine_per_chunk(cosines), of_texts

    def get_best_cosine_per_chunk(self, cosines: FloatArray) -> FloatArray:
        """Return the highest cosine similarity among the vectors of each chunk."""
        best = np.zeros(len(self.chunks), np.float32)
        np.maximum.at(best, self._chunk_rows, cosines)
        return best

    def _embed_query_texts(self, text: str, previous_answer: str) -> Vectors | None:
        """Return the vector of a text, or None if only words are searched."""
        if self._embedder is None or not text.strip():
            return None
        vectors = self._embedder.embed_texts([text, previous_answer] if previous_answer else [text])
        total = vectors[0] + (
            RANKING_WEIGHTS.previous_answer * vectors[1] if previous_answer else 0
        )
        return total / np.linalg.norm(total)

    def _find_allowed_rows(self, query: SearchQuery) -> NDArray[np.bool_]:
        hidden = set(query.hidden_sources)
        if not hidden and query.only_domain is None:
            return np.ones(len(self.chunks), bool)
        return np.array(
            [
                chunk.source not in hidden
                and chunk.domain not in hidden
                and query.only_domain in (None, chunk.domain)
                for chunk in self.chunks
            ],
            bool,
        )

    def _compute_chunk_factors(
        self, query: SearchQuery, text: str, domains: tuple[Domain, ...]
    ) -> FloatArray:
        """Return a factor for each chunk, from the domains, devices and operating systems that a message
        mentions.
        """
        factor = np.ones(len(self.chunks), np.float32)
        factor[np.isin(self._chunk_domains, domains)] *= RANKING_WEIGHTS.named_domain
        for beginning, boost in query.boosts.items():
            factor[np.char.startswith(self._chunk_sources, beginning)] *= min(
                max(boost, MIN_BOOST), MAX_BOOST
            )
        named_devices = self._device_names.find_device_ids(text)
        if named_devices:
            is_other = (self._chunk_devices != "") & ~np.isin(
                self._chunk_devices, list(named_devices)
            )
            factor[is_other] *= RANKING_WEIGHTS.other_device
            factor[np.isin(self._chunk_devices, list(named_devices))] *= (
                RANKING_WEIGHTS.named_device
            )
        is_connected = np.isin(self._chunk_devices, list(query.connected - named_devices))
        factor[is_connected] *= RANKING_WEIGHTS.connected_device
        platforms = query_hints.find_mentioned_platforms(text) or (
            {query.platform} if query.platform else set()
        )
        if platforms:
            factor[~np.isin(self._chunk_platforms, [*platforms, "all"])] *= (
                RANKING_WEIGHTS.other_platform
            )
        return factor

    def _compute_relevance(
        self,
        text: str,
        terms: dict[str, float],
        lexical: FloatArray,
        dense: FloatArray,
        vector: Vectors | None,
    ) -> float:
        dense_or_none = None if vector is None else dense
        features = compute_relevance_features(self.contents.lexicon, terms, lexical, dense_or_none)
        return self.predict_relevance(text, vector, features)

    def predict_relevance(
        self, text: str, vector: Vectors | None, features: tuple[float, ...]
    ) -> float:
        """Return the probability that a chunk with these features answers a message in English."""
        curve = self._load_relevance_curve("lexical" if vector is None else "fused")
        if curve is None:
            return 1.0
        return curve.predict_probability(
            (*features, *self._query_classifier.compute_features(text, vector))
        )

    @cached_property
    def _query_classifier(self) -> QueryClassifier:
        """The classifier with which the relevance was fitted."""
        wording = json.loads(self.contents.meta["calibration_wording"])
        return QueryClassifier(
            wording, self._load_relevance_curve("direction"), self.contents.small_talk
        )

    def _load_relevance_curve(self, kind: str) -> LogisticCurve | None:
        if kind not in self._curves:
            text = self.contents.meta.get(f"calibration_{kind}")
            self._curves[kind] = None if text is None else LogisticCurve.from_json(text)
        return self._curves[kind]


def _list_query_spellings(text: str) -> list[str]:
    """Return the spellings of a text to try. For a byte such as F8, 0xF8 comes first."""
    byte = _SINGLE_HEX_BYTE.match(text)
    return [f"0x{byte[1]}", text] if byte else [text]


def read_device_names(contents: IndexContents) -> dict[str, tuple[str, ...]]:
    """Return the names of the devices in the contents of an index, by device id."""
    devices = json.loads(contents.meta.get("devices", "{}"))
    return {device_id: tuple(names) for device_id, names in devices.items()}
