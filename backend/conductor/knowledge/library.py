"""The knowledge base: searches, retrieves and lists texts, and builds the index.

Everything is loaded on first use.
"""

import threading
from collections.abc import Callable, Collection, Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import cast

from conductor.base.resource_paths import (
    DATABASE_FILE,
    MANIFEST_FILE,
    KnowledgePaths,
    find_knowledge_paths,
    read_index_manifest,
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
from conductor.domain.settings import KnowledgeSettings, ProviderKind
from conductor.errors import InvalidParams, NotAvailable
from conductor.knowledge import query_hints
from conductor.knowledge.app_commands import is_app_command, is_device_command
from conductor.knowledge.build import (
    BuildReport,
    IndexSources,
    ProgressCallback,
    build_index,
    ignore_progress,
)
from conductor.knowledge.chroma_host import ChromaHost
from conductor.knowledge.community import MIN_LOCAL_RESULT_COUNT, merge_shared_texts
from conductor.knowledge.documents import count_chunks_by_domain
from conductor.knowledge.embedder import Vectors
from conductor.knowledge.hub import SharedTextSource
from conductor.knowledge.loading import IndexLoader, LoadedIndex
from conductor.knowledge.manuals.library import ManualLibrary
from conductor.knowledge.manuals.ranking import merge_passages
from conductor.knowledge.model_answers import (
    add_unknown_model_answer,
    build_unknown_model_retrieval,
    find_unknown_model,
)
from conductor.knowledge.pipeline import retrieve_chunks
from conductor.knowledge.providers import (
    DEFAULT_RETRIEVAL_LIMITS,
    RetrievalLimits,
    get_retrieval_limits,
    limit_retrieval_tokens,
)
from conductor.knowledge.reindex import IndexRebuilder
from conductor.knowledge.search import KnowledgeIndex, SearchQuery
from conductor.knowledge.summaries import (
    build_knowledge_source,
    describe_hub,
    describe_vector_search,
)
from conductor.knowledge.text import MAX_QUERY_CHARACTERS
from conductor.knowledge.unknown_models import (
    NO_PROFILE_SOURCE,
    MentionedModel,
    find_unknown_model_answer,
)
from conductor.profiles.catalog import delete_user_profile, save_user_profile

MAX_SEARCH_RESULT_TOKENS = 100_000
"""The budget for a search of the user.

It is practically unlimited, because the user limits the number of chunks.
"""
MIN_SEARCH_SCORE_SHARE = 0.2
"""The lowest score of a result, as a share of the best score.

It is smaller than in a retrieval, so that the user also sees weaker chunks.
"""


class KnowledgeBase:
    """The knowledge base.

    All methods are safe to call from any thread, but may block, so use a worker thread.
    """

    def __init__(
        self,
        home: Path,
        settings: Callable[[], KnowledgeSettings] = KnowledgeSettings,
        connected_ports: Callable[[], Sequence[str]] = tuple,
        paths: KnowledgePaths | None = None,
        chroma: ChromaHost | None = None,
        community: SharedTextSource | None = None,
        manuals: ManualLibrary | None = None,
        *,
        reindex_in_background: bool = False,
    ) -> None:
        """Set the home folder and the functions that return the current settings and the names of the
        connected ports.

        Without `chroma`, all vectors are compared. Without `community`, no hub is used. With
        `reindex_in_background`, the user's own index is built again in a thread after an upgrade, and
        searches do not wait for it.
        """
        self._paths = paths or find_knowledge_paths(home)
        self.manuals = manuals or ManualLibrary(self._paths)
        self._loader = IndexLoader(self._paths)
        self._settings = settings
        self._connected = connected_ports
        self._chroma = chroma
        self._community = community
        self._lock = threading.Lock()
        self._build_lock = threading.Lock()
        self._loaded: LoadedIndex | None = None
        self._reindexer = IndexRebuilder(
            self._rebuild_own_index_if_idle,
            self._loader.read_modification_times,
            self.unload_index,
            in_background=reindex_in_background,
        )

    def search_chunks(
        self, query: str, k: int = 5, domain: Domain | None = None
    ) -> tuple[ScoredChunk, ...]:
        """Return at most `k` chunks that match a query, best first. If none is relevant, the result is empty.

        Raises:
            NotAvailable: There is no usable index. The message says how to build it.
        """
        limits = DEFAULT_RETRIEVAL_LIMITS.model_copy(
            update={
                "max_chunks": k,
                "max_tokens": MAX_SEARCH_RESULT_TOKENS,
                "min_score_share": MIN_SEARCH_SCORE_SHARE,
            }
        )
        passages = self._find_passages(query) if domain in (None, "manual") else []
        found = Retrieval()
        if domain != "manual":
            found = self._search_shipped_texts(query, limits, domain, passages)
        return merge_passages(found, passages, limits).found[:k]

    def _find_passages(self, query: str) -> list[ScoredChunk]:
        return self.manuals.find_passages(
            self.get_index(), query, self._settings().disabled_sources
        )

    def _search_shipped_texts(
        self,
        query: str,
        limits: RetrievalLimits,
        domain: Domain | None,
        passages: Sequence[ScoredChunk],
    ) -> Retrieval:
        unknown_model = self._find_unknown_model(query, passages=passages)
        if unknown_model is not None and domain in (None, "device"):
            if not unknown_model.mentions_known_device:
                return build_unknown_model_retrieval(unknown_model)
            found = retrieve_chunks(
                self.get_index(), self._build_query(query, only_domain=domain), limits
            )
            return add_unknown_model_answer(self.get_index(), unknown_model, found, query)
        return retrieve_chunks(
            self.get_index(), self._build_query(query, only_domain=domain), limits
        )

    def retrieve_for_message(
        self,
        query: str,
        *,
        last_answer: str = "",
        provider: str = "anthropic",
        context_tokens: int | None = None,
        budget: int | None = None,
        platform: Platform | None = None,
        recent: Collection[str] = (),
        is_mapping_request: bool = False,
    ) -> Retrieval:
        """Return the chunks to add to the prompt for a message. If the knowledge base is switched off,
        there are none.

        `provider` is a kind of provider, and `budget` is the number of tokens that remain. `recent`
        contains the ids of chunks that the model has seen recently, of which only the best one may be
        repeated. A message that requests a mapping (`is_mapping_request`), which the core reference covers,
        gets chunks only if it names a device or another technical field.

        Raises:
            NotAvailable: There is no usable index. The message says how to build it.
        """
        if not self._settings().enabled or self._is_app_command(query):
            return Retrieval()
        changed = self._settings().providers.get(cast(ProviderKind, provider))
        limits = get_retrieval_limits(provider, context_tokens, changed)
        limits = limit_retrieval_tokens(limits, budget)
        passages = self._find_passages(query)
        is_about_manual = bool(passages) and passages[0].names_source
        found = Retrieval()
        if self._needs_shipped_texts(query, is_mapping_request=is_mapping_request):
            found = self._retrieve_shipped_texts(
                query, last_answer, limits, platform, recent, passages
            )
        elif is_mapping_request and not is_about_manual:
            return found
        return merge_passages(found, passages, limits, recent)

    def _needs_shipped_texts(self, query: str, *, is_mapping_request: bool) -> bool:
        """Return whether the texts that ship with Conductor may answer a message."""
        index = self.get_index()
        if not index.has_known_words(query) and self._find_unknown_model(query) is None:
            return False
        return not is_mapping_request or bool(
            query_hints.has_specialist_term(query)
            or index.find_mentioned_devices(query)
            or self._find_unknown_model(query) is not None
        )

    def _retrieve_shipped_texts(
        self,
        query: str,
        last_answer: str,
        limits: RetrievalLimits,
        platform: Platform | None,
        recent: Collection[str],
        passages: Sequence[ScoredChunk],
    ) -> Retrieval:
        unknown_model = self._find_unknown_model(query, last_answer, passages)
        if unknown_model is not None and not unknown_model.mentions_known_device:
            return build_unknown_model_retrieval(unknown_model)
        ranked_query = self._build_query(query, last_answer, limits, platform=platform)
        found = retrieve_chunks(self.get_index(), ranked_query, limits, recent)
        if len(found.found) < MIN_LOCAL_RESULT_COUNT and not passages:
            found = self._add_shared_texts(found, ranked_query, limits, recent)
        return (
            found
            if unknown_model is None
            else add_unknown_model_answer(self.get_index(), unknown_model, found, query)
        )

    def _is_app_command(self, query: str) -> bool:
        """Return whether a message is a command to Conductor itself. It names no device, unless to mute or
        connect it.
        """
        if is_device_command(query):
            return True
        if not is_app_command(query):
            return False
        index, text = self.get_index(), query[:MAX_QUERY_CHARACTERS]
        return not index.find_mentioned_devices(text) and index.find_unknown_model(text) is None

    def _find_unknown_model(
        self, query: str, last_answer: str = "", passages: Sequence[ScoredChunk] = ()
    ) -> MentionedModel | None:
        """Return the model without a profile that a message mentions.

        Return None if texts about devices are excluded, or if the user has its manual, so that other texts
        answer the message.
        """
        if {"device", NO_PROFILE_SOURCE} & set(self._settings().disabled_sources):
            return None
        if passages and passages[0].names_source:
            return None
        return find_unknown_model(self.get_index(), query, last_answer)

    def _add_shared_texts(
        self,
        found: Retrieval,
        ranked_query: SearchQuery,
        limits: RetrievalLimits,
        recent: Collection[str],
    ) -> Retrieval:
        """Add texts of a hub to the results, if the user has enabled the hub."""
        index, hub = self.get_index(), self._settings().hub
        vector = index.embed_query(ranked_query) if self._is_hub_enabled() else None
        if self._community is None or vector is None:
            return found
        chunks = self._community.find_shared_texts(hub, vector, index.contents.meta["embedder"])
        similarities = index.compute_similarities(vector, [chunk.content for chunk in chunks])
        excluded = {*recent, *ranked_query.hidden_sources}
        return merge_shared_texts(
            found, list(zip(chunks, similarities, strict=True)), limits, excluded
        )

    def _is_hub_enabled(self) -> bool:
        settings = self._settings()
        return self._community is not None and settings.community and bool(settings.hub)

    def _build_query(
        self,
        query: str,
        previous_answer: str = "",
        limits: RetrievalLimits = DEFAULT_RETRIEVAL_LIMITS,
        *,
        only_domain: Domain | None = None,
        platform: Platform | None = None,
    ) -> SearchQuery:
        index = self.get_index()
        ports = [index.find_mentioned_devices(port) for port in self._connected()]
        connected = frozenset[str]().union(*ports)
        unrelated = [
            f"device/{device}"
            for device in index.list_unrelated_devices(query)
            if device not in connected
        ]
        return SearchQuery(
            text=query.encode("utf-8", "replace").decode(),
            previous_answer=previous_answer,
            platform=platform or query_hints.get_current_platform(),
            connected=connected,
            boosts=limits.boosts,
            hidden_sources=(*self._settings().disabled_sources, *unrelated),
            only_domain=only_domain,
        )

    def get_chunk(self, chunk_id: str) -> Chunk:
        """Return a chunk by its id.

        Raises:
            InvalidParams: There is no chunk with this id.
        """
        found = self.get_index().get_chunk(chunk_id) or find_unknown_model_answer(chunk_id)
        if found is None:
            found = self.manuals.get_chunk(chunk_id)
        if found is None and self._community is not None:
            found = self._community.get_chunk(chunk_id)
        if found is None:
            raise InvalidParams(f"there is no chunk {chunk_id!r}; use an id from a search")
        return found

    def list_sources(self) -> list[KnowledgeSource]:
        """Return all documents, device profiles and manuals that can be searched."""
        hidden = set(self._settings().disabled_sources)
        found: dict[str, list[Chunk]] = {}
        for chunk in self.get_index().chunks:
            found.setdefault(chunk.source, []).append(chunk)
        return [
            *(build_knowledge_source(rows, hidden) for _, rows in sorted(found.items())),
            *self.manuals.list_sources(tuple(hidden)),
        ]

    def get_status(self) -> KnowledgeStatus:
        """Return the state of the index.

        If there is no usable index, the state says so, and no error is raised.
        """
        try:
            index, used_file, problem, _ = self._load_current_index()
        except NotAvailable as error:
            return KnowledgeStatus(built=False, problem=str(error))
        domains = count_chunks_by_domain(list(index.chunks)) | self.manuals.count_chunks()
        files = (
            used_file,
            self._paths.model_file,
            self._paths.model_file.with_name("tokenizer.json"),
        )
        return KnowledgeStatus(
            built=True,
            chunks=sum(domains.values()),
            domains=domains,
            size_bytes=sum(file.stat().st_size for file in files if file.is_file()),
            built_at=str(
                read_index_manifest(used_file.with_name(MANIFEST_FILE)).get("built_at", "")
            ),
            fingerprint=index.contents.meta["fingerprint"],
            model=index.has_embedding_model,
            problem=problem,
            community=describe_hub(self._community, self._settings()),
            **describe_vector_search(index, self._chroma, self._settings()),
        )

    def close(self) -> None:
        """Stop building the index and indexing manuals, and stop the chromadb process."""
        self._reindexer.close()
        self.manuals.close()
        if self._chroma is not None:
            self._chroma.close()

    @property
    def is_index_building(self) -> bool:
        """Whether the index is being built now."""
        return self._build_lock.locked()

    def rebuild_index(self, progress: ProgressCallback = ignore_progress) -> BuildReport:
        """Build the user's own index from the shipped sources and the user's device profiles.

        Raises:
            NotAvailable: The index is already being built.
        """
        with self._hold_build_lock():
            return self._build_own_index(progress)

    @contextmanager
    def _hold_build_lock(self) -> Generator[None]:
        """Hold the lock for building during the block, and load the new index afterwards."""
        if not self._build_lock.acquire(blocking=False):
            raise NotAvailable("the index is being updated; try again when that is done")
        try:
            yield
        finally:
            self._build_lock.release()
        self.unload_index()

    def _build_own_index(self, progress: ProgressCallback = ignore_progress) -> BuildReport:
        paths = self._paths
        shipped_fingerprint = read_index_manifest(paths.index / MANIFEST_FILE).get(
            "fingerprint", ""
        )
        sources = IndexSources(
            paths.sources, paths.guide, (paths.profiles_folder,), str(shipped_fingerprint)
        )
        shipped = paths.index / DATABASE_FILE
        return build_index(
            sources, paths.own, self._loader.find_embedder(), progress, (shipped,), shipped
        )

    def _rebuild_own_index_if_idle(self, progress: ProgressCallback) -> None:
        """Build the user's own index, unless it is already being built."""
        if self._build_lock.acquire(blocking=False):
            try:
                self._build_own_index(progress)
            finally:
                self._build_lock.release()

    def add_profile(self, text: str, progress: ProgressCallback = ignore_progress) -> DeviceProfile:
        """Save a device profile in TOML or JSON, and add it to the index.

        Raises:
            InvalidParams: The profile is invalid. The message says what is wrong and where.
            NotAvailable: The index is being built.
        """
        with self._hold_build_lock():
            profile = save_user_profile(self._paths.profiles_folder, text)
            self._build_own_index(progress)
        return profile

    def remove_profile(self, profile_id: str, progress: ProgressCallback = ignore_progress) -> None:
        """Delete a device profile of the user, and remove it from the index.

        Raises:
            InvalidParams: The user has no profile with this id.
            NotAvailable: The index is being built.
        """
        with self._hold_build_lock():
            delete_user_profile(self._paths.profiles_folder, profile_id)
            if self._loader.has_own_profiles() or not (self._paths.index / DATABASE_FILE).is_file():
                self._build_own_index(progress)
            else:  # without own profiles, the shipped index is sufficient
                for name in (MANIFEST_FILE, DATABASE_FILE):
                    (self._paths.own / name).unlink(missing_ok=True)

    def unload_index(self) -> None:
        """Drop the index that is loaded, so that its next use loads it again."""
        with self._lock:
            self._loaded = None

    def get_index(self) -> KnowledgeIndex:
        """Return the index. The first call loads it.

        Raises:
            NotAvailable: There is no usable index. The message says how to build it.
        """
        return self._load_current_index().search_index

    def _load_current_index(self) -> LoadedIndex:
        """Return the loaded index. If any process has replaced its file, the new file is loaded first."""
        with self._lock:
            if (
                self._loaded is None
                or self._loaded.modification_times != self._loader.read_modification_times()
            ):
                self._loaded = self._load_index()
            loaded = self._loaded
        self._prepare_chroma(loaded.search_index)
        return loaded

    def _prepare_chroma(self, index: KnowledgeIndex) -> None:
        """Start or stop the chromadb process in the background, as the settings require."""
        if self._chroma is None:
            return
        if self._settings().store == "auto" and index.has_embedding_model:
            self._chroma.load_in_background(index.contents.vector_ids, index.contents.vectors)
        elif self._chroma.pid is not None:
            self._chroma.stop_in_background()

    def _find_nearest_ids(self, vector: Vectors, k: int) -> list[str] | None:
        return None if self._chroma is None else self._chroma.find_nearest_ids(vector, k)

    def _load_index(self) -> LoadedIndex:
        problem = (
            self._reindexer.ensure_index_current() if self._loader.is_own_index_stale() else ""
        )
        loaded = self._loader.load_index(problem)
        loaded.search_index.find_nearest = self._find_nearest_ids
        return loaded
