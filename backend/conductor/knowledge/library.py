"""The door of the room: search, retrieve, look at sources, build anew. Nothing is loaded before it is first used."""

import json
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from conductor.domain.knowledge import (
    Chunk,
    Domain,
    Found,
    KnowledgeSource,
    KnowledgeStatus,
    Platform,
    ProviderProfile,
    Retrieval,
)
from conductor.domain.settings import KnowledgeSettings
from conductor.errors import InvalidParams, NotAvailable
from conductor.knowledge import cues, database
from conductor.knowledge.build import Progress, Report, Sources, build
from conductor.knowledge.documents import counts
from conductor.knowledge.embedder import OnnxEmbedder
from conductor.knowledge.pipeline import retrieve
from conductor.knowledge.places import DATABASE, MANIFEST, Places, places
from conductor.knowledge.providers import BASELINE, profile
from conductor.knowledge.search import Asked, Index
from conductor.knowledge.thesaurus import Thesaurus

SEARCH_TOKENS = 100_000
"""A search by a person or a tool is limited by its number of chunks alone."""


class Library:
    """All that is known. Its methods may be called from several threads; they wait, so call them from one."""

    def __init__(
        self,
        home: Path,
        settings: Callable[[], KnowledgeSettings] = KnowledgeSettings,
        connected: Callable[[], Sequence[str]] = tuple,
        where: Places | None = None,
    ) -> None:
        """Take the home folder, the settings of the moment and the names of the ports that are plugged in."""
        self._places = where or places(home)
        self._settings = settings
        self._connected = connected
        self._lock = threading.Lock()
        self._index: Index | None = None
        self._problem = ""

    def search(self, query: str, k: int = 5, domain: Domain | None = None) -> tuple[Found, ...]:
        """Give up to `k` chunks for a query, best first; none when nothing is relevant.

        Raises:
            NotAvailable: there is no usable index; says how to build it.
        """
        fit = BASELINE.model_copy(update={"max_chunks": k, "max_tokens": SEARCH_TOKENS})
        return retrieve(self.index(), self._asked(query, only=domain), fit).found

    def retrieve(
        self,
        query: str,
        *,
        last_answer: str = "",
        provider: str = "anthropic",
        context_tokens: int | None = None,
        budget: int | None = None,
        platform: Platform | None = None,
    ) -> Retrieval:
        """Give what goes into the prompt for a message; nothing when knowledge is switched off.

        `provider` is a kind of provider; `budget` the tokens that are left for this.

        Raises:
            NotAvailable: there is no usable index; says how to build it.
        """
        if not self._settings().enabled:
            return Retrieval(query=query)
        begun = time.perf_counter()
        fit = _within(profile(provider, context_tokens), budget)
        asked = self._asked(query, last_answer, fit, platform=platform)
        found = retrieve(self.index(), asked, fit)
        return found.model_copy(update={"ms": round((time.perf_counter() - begun) * 1e3, 2)})

    def _asked(
        self,
        query: str,
        earlier: str = "",
        fit: ProviderProfile = BASELINE,
        *,
        only: Domain | None = None,
        platform: Platform | None = None,
    ) -> Asked:
        index = self.index()
        ports = [index.devices_named(port) for port in self._connected()]
        return Asked(
            text=query,
            earlier=earlier,
            system=platform or cues.this_system(),
            connected=frozenset[str]().union(*ports),
            boosts=fit.domain_boosts,
            hidden=self._settings().disabled_sources,
            only=only,
        )

    def chunk(self, one: str) -> Chunk:
        """Give a chunk by its id.

        Raises:
            InvalidParams: there is none.
        """
        found = self.index().chunk(one)
        if found is None:
            raise InvalidParams(f"there is no chunk {one!r}; take an id from a search")
        return found

    def sources(self) -> list[KnowledgeSource]:
        """Give every document and device profile of the index."""
        hidden = set(self._settings().disabled_sources)
        found: dict[str, list[Chunk]] = {}
        for chunk in self.index().chunks:
            found.setdefault(chunk.source, []).append(chunk)
        return [_source(rows, hidden) for _, rows in sorted(found.items())]

    def status(self) -> KnowledgeStatus:
        """Give the index as it is; a missing one is told of, not raised."""
        try:
            index = self.index()
        except NotAvailable as problem:
            return KnowledgeStatus(built=False, problem=str(problem))
        used = self._used()
        files = (used, self._places.model, self._places.model.with_name("tokenizer.json"))
        return KnowledgeStatus(
            built=True,
            chunks=len(index.chunks),
            domains=counts(list(index.chunks)),
            size_bytes=sum(file.stat().st_size for file in files if file.is_file()),
            built_at=_built_at(used.with_name(MANIFEST)),
            fingerprint=index.contents.meta["fingerprint"],
            model=index.has_model,
            problem=self._problem,
        )

    def rebuild(self, progress: Progress = lambda step, done, of: None) -> Report:
        """Build the index anew from the sources that ship and the user's profiles, into the user's folder."""
        shipped = self._places.index / DATABASE
        report = build(self._sources(), self._places.own, self._embedder(), progress, (shipped,))
        self.forget()
        return report

    def _sources(self) -> Sources:
        return Sources(self._places.sources, self._places.guide)

    def forget(self) -> None:
        """Load the index anew at the next use."""
        with self._lock:
            self._index = None

    def index(self) -> Index:
        """Give the index, loaded at the first use.

        Raises:
            NotAvailable: there is none that can be used; says how to build it.
        """
        with self._lock:
            if self._index is None:
                self._index = self._load()
            return self._index

    def _load(self) -> Index:
        contents = database.read(self._used())
        thesaurus = Thesaurus(json.loads(contents.meta.get("thesaurus", "[]")))
        return Index(contents, self._fitting_embedder(contents.meta["embedder"]), thesaurus)

    def _used(self) -> Path:
        """Give the user's own index if there is one, else the one that ships."""
        own = self._places.own / DATABASE
        return own if own.is_file() else self._places.index / DATABASE

    def _embedder(self) -> OnnxEmbedder | None:
        found = OnnxEmbedder(self._places.model)
        return found if found.is_there else None

    def _fitting_embedder(self, wanted: str) -> OnnxEmbedder | None:
        """Give the model if it is the one that made the vectors and works; else words alone are searched."""
        found = self._embedder()
        self._problem = ""
        try:
            if found is None:
                raise NotAvailable(f"{self._places.model} is missing; install Conductor again")
            if found.id != wanted:
                raise NotAvailable(
                    "the index was built with another language model; run `conductor knowledge build`"
                )
            found.embed(["ready"])
        except NotAvailable as problem:
            self._problem = f"only words are searched: {problem}"
            return None
        return found


def _within(fit: ProviderProfile, budget: int | None) -> ProviderProfile:
    if budget is None:
        return fit
    return fit.model_copy(update={"max_tokens": max(0, min(fit.max_tokens, budget))})


def _source(rows: Sequence[Chunk], hidden: set[str]) -> KnowledgeSource:
    first = rows[0]
    return KnowledgeSource(
        id=first.source,
        title=first.source_title,
        domain=first.domain,
        platform=first.platform,
        chunks=len(rows),
        enabled=first.source not in hidden and first.domain not in hidden,
        revision=first.revision,
        licence=first.licence,
        reference=first.reference,
    )


def _built_at(manifest: Path) -> str:
    try:
        return str(json.loads(manifest.read_text(encoding="utf-8"))["built_at"])
    except (OSError, ValueError, KeyError, TypeError):
        return ""
