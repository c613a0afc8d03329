"""Defines the sections of reference documents, and the results of searching them."""

from typing import Literal

from pydantic import Field

from conductor.domain.device_profile import ConfidenceGrade
from conductor.domain.knowledge_domains import Domain
from conductor.domain.value import Value

Platform = Literal["macos", "windows", "linux", "all"]


class Chunk(Value):
    """A section of a reference document without subsections, which is the unit of search."""

    id: str
    """`domain/source#section`, which stays the same while the headings do."""
    domain: Domain
    source: str
    """The id of the document: `midi/control-change`, `device/akai-mpk-mini-mk3`."""
    source_title: str
    section_path: tuple[str, ...]
    """The headings above the text, from the title of the document down."""
    content: str
    revision: str = ""
    licence: str = ""
    reference: str = ""
    """The specification or manual that the facts come from; empty if unknown."""
    ask: tuple[str, ...] = ()
    """Other queries for which the search should find the chunk."""
    tokens: int = Field(ge=0)
    platform: Platform | None = None
    device: str | None = None
    """The id of the device profile from which the chunk was generated."""
    layer: Literal["L2", "L3"] = "L2"
    own: bool = False
    """Whether the chunk comes from a device profile or a manual of the user, which nobody has reviewed."""
    grade: ConfidenceGrade | None = None
    page: int | None = None
    """The page of the manual of the user that contains the chunk."""

    @property
    def title(self) -> str:
        """The heading directly above the text."""
        return self.section_path[-1] if self.section_path else self.source_title


class ScoredChunk(Value):
    """A chunk that matches a query, with its score."""

    chunk: Chunk
    score: float
    """The relevance of the chunk, calibrated from 0 (none) to 1 (certain)."""
    lexical: float
    dense: float
    matched: tuple[str, ...] = ()
    """The stems of the query words that the chunk contains."""
    names_source: bool = False
    """Whether the query names the manual of the user that contains the chunk."""


class Retrieval(Value):
    """The result of the search that is made for each message of the user."""

    found: tuple[ScoredChunk, ...] = ()
    """The chunks that are added to the prompt, best first."""
    tokens: int = 0
    """The estimated number of tokens in these chunks."""


class KnowledgeSource(Value):
    """A document or a device profile of the knowledge base."""

    id: str
    title: str
    domain: Domain
    platform: Platform | None = None
    chunks: int
    enabled: bool = True
    revision: str = ""
    licence: str = ""
    reference: str = ""
    own: bool = False
    """Whether the source is a device profile or a manual of the user."""


class KnowledgeStatus(Value):
    """The state of the knowledge index."""

    built: bool
    chunks: int = 0
    domains: dict[Domain, int] = Field(default_factory=dict[Domain, int])
    size_bytes: int = 0
    """The size of index and model on disk in bytes."""
    built_at: str = ""
    fingerprint: str = ""
    model: bool = False
    """Whether the search compares meanings; otherwise it compares only words."""
    store: Literal["exact", "chroma"] = "exact"
    """How vectors are searched: `exact` compares all of them, `chroma` uses chromadb."""
    store_reason: str = ""
    """The reason for which this kind of vector search is used."""
    community: str = ""
    """Whether the Hub is used, and how the last request to it ended."""
    problem: str = ""
    """What is wrong and what to do; empty if there is no problem."""
