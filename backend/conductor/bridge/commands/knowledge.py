"""Commands of the Knowledge view and of Settings > Knowledge Sources."""

from collections.abc import Callable, Generator
from contextlib import contextmanager

from pydantic import Field

from conductor.bridge.changing import commit_changes, require_writable
from conductor.bridge.knowledge_sources import enable_or_disable_source
from conductor.bridge.models import Empty, RowDescription
from conductor.bridge.registry import command, query
from conductor.bridge.rows import describe_mapping
from conductor.bridge.services import Call
from conductor.config.recipes import find_mappings
from conductor.domain.change_kinds import UpdateSettings
from conductor.domain.config import Mapping
from conductor.domain.knowledge import Chunk, KnowledgeSource, KnowledgeStatus, ScoredChunk
from conductor.domain.knowledge_domains import Domain
from conductor.domain.page_events import KnowledgeTopic
from conductor.domain.value import Value
from conductor.errors import InvalidParams
from conductor.runtime.events import KNOWLEDGE_TOPIC

MAX_PROFILE_CHARS = 300_000

KnowledgeId = Field(min_length=1, max_length=300)


class KnowledgeView(Value):
    status: KnowledgeStatus
    updating: bool
    enabled: bool
    """Whether the chat searches the knowledge base for each message."""
    community: bool
    """Whether the chat also fetches texts of other users from a hub."""
    hub: str
    """The address of the hub, or an empty string if none is set."""


class SourceList(Value):
    sources: tuple[KnowledgeSource, ...]


class ToggleSourceParams(Value):
    source_id: str = KnowledgeId
    """The id of a document, the name of a domain such as `midi`, or a platform such as `platform:macos`."""
    enabled: bool


class IndexUpdate(Value):
    """The state of the knowledge index after it was built again, with the numbers of all vectors and of
    reused ones.
    """

    status: KnowledgeStatus
    vectors: int
    reused: int
    warnings: tuple[str, ...]


class AddProfileParams(Value):
    text: str = Field(min_length=1, max_length=MAX_PROFILE_CHARS)
    """A device profile as TOML or JSON."""


class AddedProfile(Value):
    profile_id: str
    source_id: str
    title: str
    chunks: int


class RemoveProfileParams(Value):
    profile_id: str = Field(min_length=1, max_length=64)
    """The id of one of the user's own profiles; `devices.profiles` lists them."""


class SearchKnowledgeParams(Value):
    query: str = Field(min_length=1, max_length=2_000)
    limit: int = Field(default=20, ge=1, le=50)
    domain: Domain | None = None


class SearchResults(Value):
    found: tuple[ScoredChunk, ...]
    """The sections that match the query, most relevant first."""


class ChunkParams(Value):
    chunk_id: str = KnowledgeId


class RecipeMapping(Value):
    """A mapping that a section of a document gives as an example."""

    mapping: Mapping
    words: RowDescription


class RecipeMappings(Value):
    mappings: tuple[RecipeMapping, ...]


class DocumentParams(Value):
    source_id: str = KnowledgeId


class KnowledgeDocument(Value):
    """A document of the knowledge base with all its sections, in the order of the document."""

    source: KnowledgeSource
    chunks: tuple[Chunk, ...]


@query("knowledge.status")
def get_status(params: Empty, call: Call) -> KnowledgeView:
    """Return the state of the knowledge index, and whether the chat searches it."""
    settings = call.services.config.store.current_config.knowledge
    return KnowledgeView(
        status=call.services.knowledge.get_status(),
        updating=call.services.knowledge.is_index_building,
        enabled=settings.enabled,
        community=settings.community,
        hub=settings.hub,
    )


@query("knowledge.sources")
def list_sources(params: Empty, call: Call) -> SourceList:
    """Return all documents and device profiles in the knowledge index."""
    return SourceList(sources=tuple(call.services.knowledge.list_sources()))


@command("knowledge.toggle_source", "config_change")
def toggle_source(params: ToggleSourceParams, call: Call) -> SourceList:
    """Include a document in all searches or exclude it. The setting is saved in the config."""
    services = call.services
    known, base_hash = services.knowledge.list_sources(), services.config.store.config_hash
    hidden = services.config.store.current_config.knowledge.disabled_sources
    off = enable_or_disable_source(known, hidden, params.source_id, on=params.enabled)
    change = UpdateSettings(settings={"knowledge": {"disabled_sources": list(off) or None}})
    state = "on" if params.enabled else "off"
    commit_changes(call, [change], base_hash, f"Knowledge source {params.source_id} is {state}")
    return SourceList(sources=tuple(services.knowledge.list_sources()))


@command("knowledge.update_index", "stateful")
def update_index(params: Empty, call: Call) -> IndexUpdate:
    """Build the knowledge index again from the bundled documents and the user's device profiles.

    All pages receive the progress as events.
    """
    require_writable(call.services)
    with _report_progress(call) as report_progress:
        report = call.services.knowledge.rebuild_index(report_progress)
    return IndexUpdate(
        status=call.services.knowledge.get_status(),
        vectors=report.vectors,
        reused=report.reused_vectors,
        warnings=report.warnings,
    )


@command("knowledge.add_profile", "stateful")
def add_profile(params: AddProfileParams, call: Call) -> AddedProfile:
    """Save a device profile of the user and add it to the knowledge index."""
    require_writable(call.services)
    with _report_progress(call) as report_progress:
        profile = call.services.knowledge.add_profile(params.text, report_progress)
    source_id = f"device/{profile.id}"
    found = [source for source in call.services.knowledge.list_sources() if source.id == source_id]
    return AddedProfile(
        profile_id=profile.id,
        source_id=source_id,
        title=f"{profile.maker} {profile.model}",
        chunks=sum(source.chunks for source in found),
    )


@command("knowledge.remove_profile", "stateful")
def remove_profile(params: RemoveProfileParams, call: Call) -> Empty:
    """Delete a device profile of the user and remove it from the knowledge index."""
    require_writable(call.services)
    with _report_progress(call) as report_progress:
        call.services.knowledge.remove_profile(params.profile_id, report_progress)
    return Empty()


@query("knowledge.search")
def search_chunks(params: SearchKnowledgeParams, call: Call) -> SearchResults:
    """Search the knowledge base as the chat does, and return the relevant sections."""
    found = call.services.knowledge.search_chunks(params.query, params.limit, params.domain)
    return SearchResults(found=tuple(found))


@query("knowledge.chunk")
def get_chunk(params: ChunkParams, call: Call) -> Chunk:
    """Return one section of a document in the knowledge base."""
    return call.services.knowledge.get_chunk(params.chunk_id)


@query("knowledge.mappings")
def list_recipe_mappings(params: ChunkParams, call: Call) -> RecipeMappings:
    """Return the mappings that one section of a document gives as examples."""
    names = call.services.names.get_names()
    return RecipeMappings(
        mappings=tuple(
            RecipeMapping(mapping=one, words=describe_mapping(one, names))
            for one in find_mappings(call.services.knowledge.get_chunk(params.chunk_id).content)
        )
    )


@query("knowledge.document")
def get_document(params: DocumentParams, call: Call) -> KnowledgeDocument:
    """Return a document of the knowledge base with all its sections."""
    known = {source.id: source for source in call.services.knowledge.list_sources()}
    if params.source_id not in known:
        raise InvalidParams(
            f"there is no knowledge source {params.source_id!r}; update the index and try again"
        )
    chunks = [
        chunk
        for chunk in call.services.knowledge.get_index().chunks
        if chunk.source == params.source_id
    ]
    return KnowledgeDocument(source=known[params.source_id], chunks=tuple(chunks))


@contextmanager
def _report_progress(call: Call) -> Generator[Callable[[str, int, int], None]]:
    """Yield a function that sends the progress of a build to all pages.

    When the block exits, even with an exception, the pages are told that the build has ended.
    """

    def report(step: str, done: int, of: int) -> None:
        updating = call.services.knowledge.is_index_building
        progress = KnowledgeTopic(updating=updating, step=step, done=done, of=of)
        call.services.publish(KNOWLEDGE_TOPIC, progress)

    try:
        yield report
    finally:
        report("", 0, 0)
