"""Commands of the Knowledge view and of Settings > Knowledge Sources."""

from collections.abc import Callable, Generator
from contextlib import contextmanager

from pydantic import Field

from conductor.bridge.changing import commit, require_writable
from conductor.bridge.knowledge_sources import switch_source
from conductor.bridge.models import Nothing
from conductor.bridge.registry import command, query
from conductor.bridge.services import Call
from conductor.domain.change_kinds import UpdateSettings
from conductor.domain.knowledge import Chunk, Domain, Found, KnowledgeSource, KnowledgeStatus
from conductor.domain.value import Value
from conductor.errors import InvalidParams

PROFILE_AT_MOST = 300_000

Id = Field(min_length=1, max_length=300)


class KnowledgeView(Value):
    status: KnowledgeStatus
    updating: bool
    enabled: bool
    """Whether the chat is given what is found."""
    community: bool
    """Whether a Hub is asked for texts by other users."""
    hub: str
    """Its address; empty: none is set."""


class Sources(Value):
    sources: tuple[KnowledgeSource, ...]


class ToggleParams(Value):
    source_id: str = Id
    """A document, a domain such as `midi`, or `platform:macos`."""
    enabled: bool


class Updated(Value):
    """What came of making the index anew."""

    status: KnowledgeStatus
    vectors: int
    reused: int
    warnings: tuple[str, ...]


class ProfileParams(Value):
    text: str = Field(min_length=1, max_length=PROFILE_AT_MOST)
    """A device profile as TOML or JSON."""


class AddedProfile(Value):
    profile_id: str
    source_id: str
    title: str
    chunks: int


class OwnProfile(Value):
    profile_id: str = Field(min_length=1, max_length=64)
    """Of a profile of one's own; `devices.profiles` has them."""


class SearchParams(Value):
    query: str = Field(min_length=1, max_length=2_000)
    limit: int = Field(default=20, ge=1, le=50)
    domain: Domain | None = None


class SearchResults(Value):
    found: tuple[Found, ...]
    """What is relevant, best first."""


class ChunkParams(Value):
    chunk_id: str = Id


class DocumentParams(Value):
    source_id: str = Id


class Document(Value):
    """A source with all its sections, in the order of their headings."""

    source: KnowledgeSource
    chunks: tuple[Chunk, ...]


@query("knowledge.status")
def status(params: Nothing, call: Call) -> KnowledgeView:
    """The index as it is, and whether it is used."""
    settings = call.desk.store.current.knowledge
    return KnowledgeView(
        status=call.desk.knowledge.status(),
        updating=call.desk.knowledge.is_building,
        enabled=settings.enabled,
        community=settings.community,
        hub=settings.hub,
    )


@query("knowledge.sources")
def sources(params: Nothing, call: Call) -> Sources:
    """Every document and device profile of the index."""
    return Sources(sources=tuple(call.desk.knowledge.sources()))


@command("knowledge.toggle_source", "config_change")
def toggle_source(params: ToggleParams, call: Call) -> Sources:
    """Leave a source out of every search, or take it in again: this is kept in the config."""
    desk = call.desk
    known, base_hash = desk.knowledge.sources(), desk.store.hash
    hidden = desk.store.current.knowledge.disabled_sources
    off = switch_source(known, hidden, params.source_id, on=params.enabled)
    change = UpdateSettings(settings={"knowledge": {"disabled_sources": list(off) or None}})
    word = "used" if params.enabled else "left out"
    commit(call, [change], base_hash, f"Knowledge source {params.source_id} is {word}")
    return Sources(sources=tuple(desk.knowledge.sources()))


@command("knowledge.update_index", "stateful")
def update_index(params: Nothing, call: Call) -> Updated:
    """Make the index anew from what ships and from one's own profiles; the pages are told how far it is."""
    require_writable(call.desk)
    with _told(call) as tell:
        report = call.desk.knowledge.rebuild(tell)
    return Updated(
        status=call.desk.knowledge.status(),
        vectors=report.vectors,
        reused=report.reused,
        warnings=report.warnings,
    )


@command("knowledge.add_profile", "stateful")
def add_profile(params: ProfileParams, call: Call) -> AddedProfile:
    """Keep a device profile among one's own and make it part of the index."""
    require_writable(call.desk)
    with _told(call) as tell:
        profile = call.desk.knowledge.add_profile(params.text, tell)
    source_id = f"device/{profile.id}"
    found = [one for one in call.desk.knowledge.sources() if one.id == source_id]
    return AddedProfile(
        profile_id=profile.id,
        source_id=source_id,
        title=f"{profile.maker} {profile.model}",
        chunks=sum(one.chunks for one in found),
    )


@command("knowledge.remove_profile", "stateful")
def remove_profile(params: OwnProfile, call: Call) -> Nothing:
    """Delete a device profile of one's own, and take it out of the index."""
    require_writable(call.desk)
    with _told(call) as tell:
        call.desk.knowledge.remove_profile(params.profile_id, tell)
    return Nothing()


@query("knowledge.search")
def search(params: SearchParams, call: Call) -> SearchResults:
    """The sections that fit a question, as the chat would find them; none when nothing is relevant."""
    found = call.desk.knowledge.search(params.query, params.limit, params.domain)
    return SearchResults(found=tuple(found))


@query("knowledge.chunk")
def chunk(params: ChunkParams, call: Call) -> Chunk:
    """One section."""
    return call.desk.knowledge.chunk(params.chunk_id)


@query("knowledge.document")
def document(params: DocumentParams, call: Call) -> Document:
    """A source with all its sections."""
    known = {one.id: one for one in call.desk.knowledge.sources()}
    if params.source_id not in known:
        raise InvalidParams(f"there is no source {params.source_id!r}; update the index")
    chunks = [one for one in call.desk.knowledge.index().chunks if one.source == params.source_id]
    return Document(source=known[params.source_id], chunks=tuple(chunks))


@contextmanager
def _told(call: Call) -> Generator[Callable[[str, int, int], None]]:
    """Tell the pages how far the index is, and when it is another one."""

    def tell(step: str, done: int, of: int) -> None:
        news = {"updating": call.desk.knowledge.is_building, "step": step, "done": done, "of": of}
        call.desk.tell("knowledge", news)

    try:
        yield tell
    finally:
        tell("", 0, 0)
