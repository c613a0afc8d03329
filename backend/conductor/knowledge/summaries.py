"""Summarises sources, and describes how vectors are searched and whether a hub is used."""

from collections.abc import Sequence
from typing import Literal, Required, TypedDict

from conductor.domain.knowledge import Chunk, KnowledgeSource
from conductor.domain.settings import KnowledgeSettings
from conductor.knowledge.chroma_host import ChromaHost
from conductor.knowledge.hub import SharedTextSource
from conductor.knowledge.search import KnowledgeIndex


class VectorSearchFields(TypedDict, total=False):
    """The fields of `KnowledgeStatus` that describe the search for vectors."""

    store: Literal["exact", "chroma"]
    store_reason: Required[str]


def describe_hub(community: SharedTextSource | None, settings: KnowledgeSettings) -> str:
    """Return whether a hub is used, and how the last request to it ended."""
    if community is None or not settings.community:
        return "the Hub is not used"
    if not settings.hub:
        return "the Hub is not used: its address is not set (`hub` in [knowledge])"
    return f"the Hub is used; last request: {community.last_request_status}"


def describe_vector_search(
    index: KnowledgeIndex, chroma: ChromaHost | None, settings: KnowledgeSettings
) -> VectorSearchFields:
    """Return which store searches vectors, and why."""
    if not index.has_embedding_model:
        return {"store_reason": "only words are searched"}
    if chroma is None or settings.store == "exact":
        return {"store_reason": "all vectors are compared"}
    return {"store": "chroma" if chroma.is_used else "exact", "store_reason": chroma.reason}


def build_knowledge_source(chunks: Sequence[Chunk], hidden: set[str]) -> KnowledgeSource:
    """Return the document or device profile to which some chunks belong."""
    first = chunks[0]
    return KnowledgeSource(
        id=first.source,
        title=first.source_title,
        domain=first.domain,
        platform=first.platform,
        chunks=len(chunks),
        enabled=first.source not in hidden and first.domain not in hidden,
        revision=first.revision,
        licence=first.licence,
        reference=first.reference,
        own=first.own,
    )
