"""Sections of the reference documents, and the results of searching them."""

from typing import Literal

from pydantic import Field

from conductor.domain.device_profile import ConfidenceGrade
from conductor.domain.knowledge_domains import Domain
from conductor.domain.value import Value

Platform = Literal["macos", "windows", "linux", "all"]


class Chunk(Value):
    """A section of a document that has no subsections."""

    id: str
    """`domain/source#section`, stable as long as the headings are."""
    domain: Domain
    source: str
    """The id of the document: `midi/control-change`, `device/akai-mpk-mini-mk3`."""
    source_title: str
    section_path: tuple[str, ...]
    """The headings above the section, beginning with the document's title."""
    content: str
    revision: str = ""
    licence: str = ""
    reference: str = ""
    """The specification or manual that is the source of the facts."""
    ask: tuple[str, ...] = ()
    """Alternative queries that should find the chunk."""
    tokens: int = Field(ge=0)
    platform: Platform | None = None
    device: str | None = None
    """The id of the device profile from which the chunk was generated."""
    layer: Literal["L2", "L3"] = "L2"
    own: bool = False
    """Whether the chunk was generated from the user's own, unreviewed device profile."""
    grade: ConfidenceGrade | None = None

    @property
    def title(self) -> str:
        """The heading directly above the text of the section."""
        return self.section_path[-1] if self.section_path else self.source_title


class ScoredChunk(Value):
    """A section that matches a query, with its score."""

    chunk: Chunk
    score: float
    """The calibrated relevance, from 0 (none) to 1 (certain)."""
    lexical: float
    dense: float
    matched: tuple[str, ...] = ()
    """The stems of the query words that the chunk contains."""


class Retrieval(Value):
    """The result of the search that is made for a chat message."""

    found: tuple[ScoredChunk, ...] = ()
    """The chunks for the prompt, best first."""
    tokens: int = 0
    """The estimated number of tokens of these chunks."""


class KnowledgeSource(Value):
    """A document, or a device profile."""

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
    """Whether the source is the user's own device profile."""


class KnowledgeStatus(Value):
    """The state of the knowledge index."""

    built: bool
    chunks: int = 0
    domains: dict[Domain, int] = Field(default_factory=dict[Domain, int])
    size_bytes: int = 0
    """The size of index and model on disk."""
    built_at: str = ""
    fingerprint: str = ""
    model: bool = False
    """Whether the search compares meaning, or words only."""
    store: Literal["exact", "chroma"] = "exact"
    """The vector search: comparison of all vectors, or chromadb."""
    store_reason: str = ""
    """The reason why this vector search is used."""
    community: str = ""
    """Whether the Hub is used, and the result of the last request."""
    problem: str = ""
    """The problem and what to do; empty if there is none."""
