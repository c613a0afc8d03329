"""One ranking of words and meaning: scores of both, weighed, and moved by what the message points to."""

import json
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from conductor.domain.knowledge import Chunk, Domain, Platform
from conductor.knowledge import query_hints
from conductor.knowledge.calibration import Curve
from conductor.knowledge.database import Contents
from conductor.knowledge.embedder import Embedder, Vectors, cosines_of
from conductor.knowledge.lexical import Lexicon
from conductor.knowledge.query_classifier import QueryClassifier
from conductor.knowledge.text import LONGEST_QUERY, STOP, plain_words, stem, words
from conductor.knowledge.thesaurus import Thesaurus
from conductor.knowledge.typos import Spelling

LEXICAL_SHARE, DENSE_SHARE = 0.7, 1.0
NAMED_SHARE = 1.0
"""What words count for a message with a name such as CC64, of which meaning knows no number."""
CUED, NAMED, CONNECTED, OTHER_DEVICE, OTHER_SYSTEM = 1.15, 1.5, 1.2, 0.6, 0.6
TITLED, ALONE = 1.5, 0.5
"""What a chunk gains that has the whole message in its title, and how much more if it begins with just that."""
SURE = 0.5
"""The least relevance of a message that is a technical name and in a title."""
EARLIER = 0.35
"""What the answer before counts, for a message that leans on it."""
EARLIER_CHARACTERS = 300
SEVERAL = 5
OWN = 0.5
"""What the nearness of a text counts beside that of the nearest way to ask for it."""
Floats = NDArray[np.float32]
_NUMBERED = re.compile(r"[a-z]+\d+$|0x")
NEAR = 200
"""How many vectors are asked for when not all are compared; those of chunks with a word of it always are."""
Nearest = Callable[[Vectors, int], list[str] | None]
_BYTE = re.compile(r"^\W*([89A-F][0-9A-F])\W*$")
"""A message that is nothing but a byte, such as F8."""
_WORD = re.compile(r"\b[a-zA-Z]{4,30}\b")
KNOWN_FROM = 3
"""Letters that a word has at least."""
MENDED = 20
"""Of so many words a mistake is mended: each unknown one is compared with all that are used here."""


@dataclass(frozen=True)
class Query:
    """A message, and what is known of who asks."""

    text: str
    earlier: str = ""
    """The answer before it."""
    system: Platform | None = None
    connected: frozenset[str] = frozenset()
    """Ids of profiles of devices that are plugged in."""
    boosts: Mapping[Domain, float] = field(default_factory=dict[Domain, float])
    hidden: Collection[str] = ()
    """Sources and domains that are switched off."""
    only: Domain | None = None


@dataclass(frozen=True)
class Ranking:
    """Each chunk's scores for a message, and their order."""

    order: tuple[int, ...]
    """Rows of chunks with a score, best first."""
    scores: Floats
    lexical: Floats
    dense: Floats
    terms: dict[str, float]
    cued: bool
    """Whether a word is of one of the domains and of nothing else."""
    relevance: float
    """How sure it is that the first is of use."""
    vector: Vectors | None
    """The meaning of the message; None when words alone were searched."""


class Index:
    """The contents of a database, ready to be searched from several threads."""

    def __init__(self, contents: Contents, embedder: Embedder | None, thesaurus: Thesaurus) -> None:
        """Take an embedder only when its vectors are the ones in the contents."""
        self.contents = contents
        self.chunks = contents.chunks
        self._embedder = embedder
        self._thesaurus = thesaurus
        self.nearest: Nearest | None = None
        """Who finds what is near before it is compared exactly; without, all are compared."""
        self._vector_rows = {one: row for row, one in enumerate(contents.vector_ids)}
        self._rows = {chunk.id: row for row, chunk in enumerate(contents.chunks)}
        self._owners = np.array([self._rows[one.split("|")[0]] for one in contents.vector_ids], int)
        self._texts = np.array(["|" not in one for one in contents.vector_ids], bool)
        """Which vectors are of texts, and not of ways to ask."""
        self._domains = np.array([chunk.domain for chunk in contents.chunks])
        self._devices = np.array([chunk.device or "" for chunk in contents.chunks])
        self._systems = np.array([chunk.platform or "all" for chunk in contents.chunks])
        self._names = query_hints.Names(contents_devices(contents))
        self._curves: dict[str, Curve | None] = {}

    @property
    def embedder(self) -> Embedder | None:
        """What makes the vectors of this index."""
        return self._embedder

    @property
    def has_model(self) -> bool:
        """Whether meaning is compared, or words alone."""
        return self._embedder is not None

    def chunk(self, one: str) -> Chunk | None:
        """Return a chunk by its id."""
        row = self._rows.get(one)
        return None if row is None else self.chunks[row]

    @cached_property
    def _spelling(self) -> Spelling:
        return Spelling(self.contents.spelling.items())

    @cached_property
    def _titles(self) -> list[tuple[set[str], set[str]]]:
        """Return the words of each title, and of its part before the colon."""
        titles = [chunk.title for chunk in self.chunks]
        return [({*words(title)}, {*words(title.partition(":")[0])}) for title in titles]

    def devices_named(self, text: str) -> frozenset[str]:
        """Return the ids of the profiles that a text names, such as a port's name."""
        return self._names.named(text)

    def terms(self, text: str) -> dict[str, float]:
        """Return the weighted terms of a text: its words, and others for the same."""
        said = [word for one in _spelled(text) for word in words(one)]
        return {**self._thesaurus.others(said), **dict.fromkeys(said, 1.0)}

    def mended(self, text: str) -> str:
        """Return a text with the words that nobody uses replaced by the nearest ones that are used here."""
        return _WORD.sub(lambda found: self._mended(found[0]), text, MENDED)

    def has_words(self, text: str) -> bool:
        """Check for a word that the texts or the model know; letters at random have none."""
        said = plain_words(self.mended(text[:LONGEST_QUERY]))
        return query_hints.is_certain(text) or any(map(self._is_known, said))

    def _is_known(self, word: str) -> bool:
        if len(word) < KNOWN_FROM and not any(letter.isdigit() for letter in word):
            return False  # pairs of letters stand in many texts, as codes
        is_common = self._embedder is not None and self._embedder.knows(word)
        return is_common or word in STOP or stem(word) in self.contents.lexicon.terms

    def _mended(self, word: str) -> str:
        small = word.lower()
        if stem(small) in self.contents.lexicon.terms or small in STOP:
            return word
        if self._embedder is not None and self._embedder.knows(small):
            return word
        return self._spelling.nearest(small) or word

    def rank(self, asked: Query) -> Ranking:
        """Return all chunks that have anything to do with a message, best first."""
        text, earlier = self._said(asked)
        terms = self._all_terms(text, earlier)
        allowed = self._allowed(asked)
        lexical = np.where(allowed, self.contents.lexicon.scores(terms), 0).astype(np.float32)
        near = self.nearest if allowed.all() else None
        vector = self._vector(text, earlier)
        dense, own = (allowed * each for each in self._meaning(vector, lexical > 0, near))
        domains = query_hints.domains(text)
        share = NAMED_SHARE if self._names_a_number(terms) else LEXICAL_SHARE
        titled = self._titled(text)
        meaning = (dense + OWN * np.maximum(own, 0)).astype(np.float32)
        scores = _fused(lexical, meaning, share) * self._moved(asked, text, domains) * titled
        best_first = np.lexsort((np.arange(len(scores)), -scores))
        order = tuple(int(row) for row in best_first if scores[row] > 0)
        certain = query_hints.is_certain(text)
        is_name = (certain or share == NAMED_SHARE) and bool((titled * allowed > 1).any())
        relevance = self._relevance(text, terms, lexical, dense, vector) if order else 0.0
        return Ranking(
            order=order,
            scores=scores,
            lexical=lexical,
            dense=dense,
            terms=terms,
            cued=certain or bool(self._names.named(text)),
            relevance=max(relevance, SURE) if is_name else relevance,
            vector=vector,
        )

    def _names_a_number(self, terms: Mapping[str, float]) -> bool:
        known = self.contents.lexicon.terms
        return any(term in known and _NUMBERED.match(term) for term in terms)

    def _titled(self, text: str) -> Floats:
        """Return what the chunks gain that have all words of a text in their title."""
        factor = np.ones(len(self.chunks), np.float32)
        for said in ({*words(one)} for one in _spelled(text)):
            for row, (title, head) in enumerate(self._titles if said else ()):
                if said <= title:
                    factor[row] = TITLED + ALONE * len(said) / len(said | head)
            if (factor > 1).any():
                break
        return factor

    def _said(self, asked: Query) -> tuple[str, str]:
        """Return the message, mended, and the answer before it when the message leans on that."""
        text = self.mended(asked.text[:LONGEST_QUERY])
        return text, asked.earlier[:EARLIER_CHARACTERS] if query_hints.is_anaphoric(text) else ""

    def meaning(self, asked: Query) -> Vectors | None:
        """Return the vector of a message as `rank` compares it; None when words alone are searched."""
        return self._vector(*self._said(asked))

    def cosines(self, vector: Vectors, texts: Sequence[str]) -> list[float]:
        """Return how near texts that are not in the index are."""
        return [] if self._embedder is None else (self._embedder.embed(texts) @ vector).tolist()

    def _all_terms(self, text: str, earlier: str) -> dict[str, float]:
        terms = self.terms(text)
        leaning = {term: EARLIER * weight for term, weight in self.terms(earlier).items()}
        return {**leaning, **terms}

    def _meaning(
        self, vector: Vectors | None, worded: NDArray[np.bool_], near: Nearest | None
    ) -> tuple[Floats, Floats]:
        """Return how near each chunk is, by its text or a way to ask for it, and by its text alone."""
        own = np.zeros(len(self.chunks), np.float32)
        if vector is None:
            return own, own
        found = near(vector, NEAR) if near is not None else None
        if found is None:
            cosines = cosines_of(self.contents.vectors, vector)
        else:
            rows = [self._vector_rows[one] for one in found if one in self._vector_rows]
            worded[self._owners[rows]] = True
            compared = worded[self._owners]
            cosines = np.zeros(len(compared), np.float32)
            cosines[compared] = cosines_of(self.contents.vectors[compared], vector)
        own[self._owners[self._texts]] = cosines[self._texts]
        return self.best_of_each(cosines), own

    def best_of_each(self, cosines: Floats) -> Floats:
        """Return each chunk's best of the cosines of all vectors."""
        best = np.zeros(len(self.chunks), np.float32)
        np.maximum.at(best, self._owners, cosines)
        return best

    def _vector(self, text: str, earlier: str) -> Vectors | None:
        """Return the meaning of a text; None when words alone are searched."""
        if self._embedder is None or not text.strip():
            return None
        vectors = self._embedder.embed([text, earlier] if earlier else [text])
        total = vectors[0] + (EARLIER * vectors[1] if earlier else 0)
        return total / np.linalg.norm(total)

    def _allowed(self, asked: Query) -> NDArray[np.bool_]:
        hidden = set(asked.hidden)
        if not hidden and asked.only is None:
            return np.ones(len(self.chunks), bool)
        return np.array(
            [
                chunk.source not in hidden
                and chunk.domain not in hidden
                and asked.only in (None, chunk.domain)
                for chunk in self.chunks
            ],
            bool,
        )

    def _moved(self, asked: Query, text: str, domains: tuple[Domain, ...]) -> Floats:
        """Return what each chunk's score is multiplied with."""
        factor = np.ones(len(self.chunks), np.float32)
        factor[np.isin(self._domains, domains)] *= CUED
        for domain, boost in asked.boosts.items():
            factor[self._domains == domain] *= min(max(boost, 0.8), 1.3)
        named = self._names.named(text)
        if named:
            factor[(self._devices != "") & ~np.isin(self._devices, list(named))] *= OTHER_DEVICE
            factor[np.isin(self._devices, list(named))] *= NAMED
        factor[np.isin(self._devices, list(asked.connected - named))] *= CONNECTED
        meant = query_hints.systems(text) or ({asked.system} if asked.system else set())
        if meant:
            factor[~np.isin(self._systems, [*meant, "all"])] *= OTHER_SYSTEM
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
        return curve.relevance((*near, *self._likeness.features(text, vector)))

    @cached_property
    def _likeness(self) -> QueryClassifier:
        """What the index was calibrated with."""
        wording = json.loads(self.contents.meta["calibration_wording"])
        return QueryClassifier(wording, self._curve("direction"), self.contents.small_talk)

    def _curve(self, kind: str) -> Curve | None:
        if kind not in self._curves:
            text = self.contents.meta.get(f"calibration_{kind}")
            self._curves[kind] = None if text is None else Curve.from_json(text)
        return self._curves[kind]


def _spelled(text: str) -> list[str]:
    """Return a text, and first as a byte if it is nothing else: 0xF8 for F8."""
    byte = _BYTE.match(text)
    return [f"0x{byte[1]}", text] if byte else [text]


def features(
    lexicon: Lexicon, terms: Mapping[str, float], lexical: Floats, dense: Floats | None
) -> tuple[float, ...]:
    """Return what tells whether anything is of use: the best of each, and how much of it the best holds.

    `dense` is None when words alone are known. A single text may be near by chance, several are not.
    """
    if not len(lexical):
        return (0.0, 0.0) if dense is None else (0.0, 0.0, 0.0, 0.0)
    both = lexical if dense is None else _fused(lexical, dense)
    best, held = float(lexical.max()), lexicon.share(int(np.argmax(both)), terms)
    if dense is None:
        return best, held
    return best, held, float(dense.max()), float(np.sort(dense)[-SEVERAL:].mean())


def _fused(lexical: Floats, dense: Floats, share: float = LEXICAL_SHARE) -> Floats:
    """Weigh both, each as a share of its best."""
    total = share * _share(lexical) + DENSE_SHARE * _share(np.maximum(dense, 0))
    return total.astype(np.float32)


def _share(scores: Floats) -> Floats:
    best = scores.max(initial=0)
    return scores / best if best > 0 else scores


def contents_devices(contents: Contents) -> dict[str, tuple[str, ...]]:
    """Return the names of each device in the contents."""
    return {
        one: tuple(names) for one, names in json.loads(contents.meta.get("devices", "{}")).items()
    }
