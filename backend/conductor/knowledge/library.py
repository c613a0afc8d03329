"""The knowledge base: searches, retrieves and lists texts, and builds the index. Everything is loaded on first
use.
"""

import threading
from collections.abc import Callable, Collection, Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Literal, Required, TypedDict

from conductor.base.resource_paths import (
    DATABASE,
    MANIFEST,
    KnowledgePaths,
    find_knowledge_paths,
    read_manifest,
)
from conductor.domain.device_profile import DeviceProfile
from conductor.domain.knowledge import (
    Chunk,
    KnowledgeSource,
    KnowledgeStatus,
    Platform,
    Retrieval,
    ScoredChunk,
)
from conductor.domain.knowledge_domains import Domain
from conductor.domain.settings import KnowledgeSettings
from conductor.errors import InvalidParams, NotAvailable
from conductor.knowledge import query_hints
from conductor.knowledge.build import Progress, Report, Sources, build, silent
from conductor.knowledge.chroma_host import ChromaHost
from conductor.knowledge.community import ENOUGH, merge_community
from conductor.knowledge.documents import counts
from conductor.knowledge.embedder import Vectors
from conductor.knowledge.hub import Community
from conductor.knowledge.loading import Loaded, Loader
from conductor.knowledge.pipeline import retrieve, tokens_in_prompt
from conductor.knowledge.providers import BASELINE, ProviderProfile, profile
from conductor.knowledge.reindex import Reindexing
from conductor.knowledge.search import MAX_EARLIER_CHARACTERS, Index, Query
from conductor.knowledge.text import LONGEST_QUERY
from conductor.knowledge.unknown_models import SOURCE, NamedModel, build_answer, find_answer
from conductor.profiles.catalog import delete_profile, save_profile

SEARCH_TOKENS = 100_000
"""Practically no limit, because an explicit search is limited by its number of chunks."""
SEARCH_FILL = 0.2
"""A smaller share than in a retrieval, so that an explicit search shows chunks much weaker than the best
one.
"""


class _StoreState(TypedDict, total=False):
    """The fields of `KnowledgeStatus` that describe the vector search."""

    store: Literal["exact", "chroma"]
    store_reason: Required[str]


class KnowledgeBase:
    """The knowledge base. Its methods are thread-safe and block, so call them in a worker thread."""

    def __init__(
        self,
        home: Path,
        settings: Callable[[], KnowledgeSettings] = KnowledgeSettings,
        connected: Callable[[], Sequence[str]] = tuple,
        where: KnowledgePaths | None = None,
        chroma: ChromaHost | None = None,
        community: Community | None = None,
        *,
        renew_aside: bool = False,
    ) -> None:
        """Set the home folder, and the functions that return the current settings and the names of connected
        ports.

        Without `chroma` all vectors are compared. Without `community` no Hub is asked. With `renew_aside` the
        user's own index is rebuilt in the background after an upgrade, without blocking searches.
        """
        self._places = where or find_knowledge_paths(home)
        self._loader = Loader(self._places)
        self._settings = settings
        self._connected = connected
        self._chroma = chroma
        self._community = community
        self._lock = threading.Lock()
        self._building = threading.Lock()
        self._loaded: Loaded | None = None
        self._renewal = Reindexing(
            self._rebuild_if_idle, self._loader.stamp, self.forget, aside=renew_aside
        )

    def search(
        self, query: str, k: int = 5, domain: Domain | None = None
    ) -> tuple[ScoredChunk, ...]:
        """Return up to `k` chunks for a query, best first, or none if no chunk is relevant.

        Raises:
            NotAvailable: there is no usable index; the message says how to build it.
        """
        fit = BASELINE.model_copy(
            update={"max_chunks": k, "max_tokens": SEARCH_TOKENS, "fill": SEARCH_FILL}
        )
        named = self._find_unknown_model(query)
        if named is not None and domain in (None, "device"):
            if not named.beside_known:
                return self._answer_unknown(named).found
            found = retrieve(self.index(), self._build_query(query, only=domain), fit)
            return self._answer_beside_known(named, found, query).found[:k]
        return retrieve(self.index(), self._build_query(query, only=domain), fit).found

    def retrieve(
        self,
        query: str,
        *,
        last_answer: str = "",
        provider: str = "anthropic",
        context_tokens: int | None = None,
        budget: int | None = None,
        platform: Platform | None = None,
        recent: Collection[str] = (),
        wish: bool = False,
    ) -> Retrieval:
        """Return the chunks to add to the prompt for a message, or none if knowledge is disabled.

        `provider` is a kind of provider and `budget` the number of remaining tokens. `recent` contains the ids
        of chunks that the model has seen recently, of which only the best match is repeated. A `wish` for a
        mapping, which the core reference covers, gets chunks only if it names a device or another technical
        field.

        Raises:
            NotAvailable: there is no usable index; the message says how to build it.
        """
        if not self._settings().enabled:
            return Retrieval()
        named = self._find_unknown_model(query, last_answer)
        if named is not None and not named.beside_known:
            return self._answer_unknown(named)
        if not self.index().has_words(query):
            return Retrieval()
        if wish and not (query_hints.names_a_field(query) or self.index().devices_named(query)):
            return Retrieval()
        fit = _limit_tokens(profile(provider, context_tokens), budget)
        asked = self._build_query(query, last_answer, fit, platform=platform)
        found = retrieve(self.index(), asked, fit, recent)
        if len(found.found) < ENOUGH:
            found = self._with_community(found, asked, fit, recent)
        return found if named is None else self._answer_beside_known(named, found, query)

    def _find_unknown_model(self, query: str, last_answer: str = "") -> NamedModel | None:
        """Return the model without a profile that a message, or the answer that it refers to, mentions.

        Returns None if texts about devices are hidden: the message is then answered by the other texts.
        """
        if {"device", SOURCE} & set(self._settings().disabled_sources):
            return None
        index = self.index()
        text = query[:LONGEST_QUERY]
        named = index.find_unknown_model(text)
        refers = query_hints.is_anaphoric(text) and not index.devices_named(text)
        if named is None and refers:
            return index.find_unknown_model(last_answer[:MAX_EARLIER_CHARACTERS])
        return named

    def _answer_unknown(self, named: NamedModel) -> Retrieval:
        """Return the text that says that a model has no profile."""
        found = build_answer(named.title)
        return Retrieval(found=(found,), tokens=tokens_in_prompt(found))

    def _answer_beside_known(self, named: NamedModel, found: Retrieval, query: str) -> Retrieval:
        """Return the answer for a model without a profile, and of the results those that are not about a third
        device.
        """
        meant = self.index().devices_named(query)
        kept = [each for each in found.found if each.chunk.device in (None, *meant)]
        both = (*self._answer_unknown(named).found, *kept)
        return Retrieval(found=both, tokens=sum(map(tokens_in_prompt, both)))

    def _with_community(
        self, found: Retrieval, asked: Query, fit: ProviderProfile, recent: Collection[str]
    ) -> Retrieval:
        """Add chunks from the Hub to the results, if the user has enabled the Hub."""
        index, hub = self.index(), self._settings().hub
        vector = index.meaning(asked) if self._hub_is_on() else None
        if self._community is None or vector is None:
            return found
        chunks = self._community.ask(hub, vector, index.contents.meta["embedder"])
        near = index.cosines(vector, [chunk.content for chunk in chunks])
        without = {*recent, *asked.hidden}
        return merge_community(found, list(zip(chunks, near, strict=True)), fit, without)

    def _hub_is_on(self) -> bool:
        settings = self._settings()
        return self._community is not None and settings.community and bool(settings.hub)

    def _build_query(
        self,
        query: str,
        earlier: str = "",
        fit: ProviderProfile = BASELINE,
        *,
        only: Domain | None = None,
        platform: Platform | None = None,
    ) -> Query:
        index = self.index()
        ports = [index.devices_named(port) for port in self._connected()]
        return Query(
            text=query.encode("utf-8", "replace").decode(),
            earlier=earlier,
            system=platform or query_hints.this_system(),
            connected=frozenset[str]().union(*ports),
            boosts=fit.domain_boosts,
            hidden=self._settings().disabled_sources,
            only=only,
        )

    def chunk(self, chunk_id: str) -> Chunk:
        """Return a chunk by its id.

        Raises:
            InvalidParams: the chunk does not exist.
        """
        found = self.index().chunk(chunk_id) or find_answer(chunk_id)
        if found is None and self._community is not None:
            found = self._community.chunk(chunk_id)
        if found is None:
            raise InvalidParams(f"there is no chunk {chunk_id!r}; use an id from a search")
        return found

    def sources(self) -> list[KnowledgeSource]:
        """Return all documents and device profiles in the index."""
        hidden = set(self._settings().disabled_sources)
        found: dict[str, list[Chunk]] = {}
        for chunk in self.index().chunks:
            found.setdefault(chunk.source, []).append(chunk)
        return [_source(rows, hidden) for _, rows in sorted(found.items())]

    def status(self) -> KnowledgeStatus:
        """Return the state of the index. If the index is missing, the state says so and no error is raised."""
        try:
            index, used, problem, _ = self._load_current()
        except NotAvailable as error:
            return KnowledgeStatus(built=False, problem=str(error))
        files = (used, self._places.model, self._places.model.with_name("tokenizer.json"))
        return KnowledgeStatus(
            built=True,
            chunks=len(index.chunks),
            domains=counts(list(index.chunks)),
            size_bytes=sum(file.stat().st_size for file in files if file.is_file()),
            built_at=str(read_manifest(used.with_name(MANIFEST)).get("built_at", "")),
            fingerprint=index.contents.meta["fingerprint"],
            model=index.has_model,
            problem=problem,
            community=self._hub_state(),
            **self._store_state(index),
        )

    def _hub_state(self) -> str:
        if self._community is None or not self._settings().community:
            return "the Hub is not asked"
        if not self._settings().hub:
            return "the Hub is not asked: its address is not set (`hub` in [knowledge])"
        return f"the Hub is asked: {self._community.state}"

    def _store_state(self, index: Index) -> _StoreState:
        if not index.has_model:
            return {"store_reason": "words alone are searched"}
        if self._chroma is None or self._settings().store == "exact":
            return {"store_reason": "every vector is compared"}
        store = "chroma" if self._chroma.is_used else "exact"
        return {"store": store, "store_reason": self._chroma.reason}

    def close(self) -> None:
        """Stop rebuilding the index, and stop the chromadb process."""
        self._renewal.close()
        if self._chroma is not None:
            self._chroma.close()

    @property
    def is_building(self) -> bool:
        """Whether the index is currently being built."""
        return self._building.locked()

    def rebuild(self, progress: Progress = silent) -> Report:
        """Rebuild the user's own index from the shipped sources and the user's device profiles.

        Raises:
            NotAvailable: the index is already being built.
        """
        with self._hold_build_lock():
            return self._build(progress)

    @contextmanager
    def _hold_build_lock(self) -> Generator[None]:
        """Hold the build lock while the block runs, and reload the index afterwards."""
        if not self._building.acquire(blocking=False):
            raise NotAvailable("the index is being updated; try again when that is done")
        try:
            yield
        finally:
            self._building.release()
        self.forget()

    def _build(self, progress: Progress = silent) -> Report:
        where = self._places
        base = read_manifest(where.index / MANIFEST).get("fingerprint", "")
        made_of = Sources(where.sources, where.guide, (where.profiles,), str(base))
        shipped = where.index / DATABASE
        return build(made_of, where.own, self._loader.embedder(), progress, (shipped,), shipped)

    def _rebuild_if_idle(self, progress: Progress) -> None:
        """Rebuild the user's own index, unless the index is already being built."""
        if self._building.acquire(blocking=False):
            try:
                self._build(progress)
            finally:
                self._building.release()

    def add_profile(self, text: str, progress: Progress = silent) -> DeviceProfile:
        """Save a device profile, written in TOML or JSON, and add it to the index.

        Raises:
            InvalidParams: the profile is not valid; the message says what is wrong where.
            NotAvailable: the index is being built.
        """
        with self._hold_build_lock():
            profile = save_profile(self._places.profiles, text)
            self._build(progress)
        return profile

    def remove_profile(self, profile_id: str, progress: Progress = silent) -> None:
        """Delete a device profile of the user, and remove it from the index.

        Raises:
            InvalidParams: the user has no profile with this id.
            NotAvailable: the index is being built.
        """
        with self._hold_build_lock():
            delete_profile(self._places.profiles, profile_id)
            if self._loader.has_profiles() or not (self._places.index / DATABASE).is_file():
                self._build(progress)
            else:  # without own profiles the shipped index is sufficient
                for name in (MANIFEST, DATABASE):
                    (self._places.own / name).unlink(missing_ok=True)

    def forget(self) -> None:
        """Drop the loaded index, so that the next use loads it again."""
        with self._lock:
            self._loaded = None

    def index(self) -> Index:
        """Return the index, loading it on first use.

        Raises:
            NotAvailable: there is no usable index; the message says how to build it.
        """
        return self._load_current().searched

    def _load_current(self) -> Loaded:
        """Return the loaded index. If any process has replaced its file, load the index again."""
        with self._lock:
            if self._loaded is None or self._loaded.stamp != self._loader.stamp():
                self._loaded = self._load()
            loaded = self._loaded
        self._prepare_chroma(loaded.searched)
        return loaded

    def _prepare_chroma(self, index: Index) -> None:
        """Start or stop the chromadb process in the background, as the settings require."""
        if self._chroma is None:
            return
        if self._settings().store == "auto" and index.has_model:
            self._chroma.prepare(index.contents.vector_ids, index.contents.vectors)
        elif self._chroma.pid is not None:
            self._chroma.stop_in_background()

    def _nearest(self, vector: Vectors, k: int) -> list[str] | None:
        return None if self._chroma is None else self._chroma.nearest(vector, k)

    def _load(self) -> Loaded:
        problem = self._renewal.ensure_current() if self._loader.own_is_stale() else ""
        loaded = self._loader.load(problem)
        loaded.searched.nearest = self._nearest
        return loaded


def _limit_tokens(fit: ProviderProfile, budget: int | None) -> ProviderProfile:
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
        own=first.own,
    )
