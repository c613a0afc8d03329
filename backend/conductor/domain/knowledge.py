"""What is known of the domain, in pieces that can be found and cited, and what a search gave."""

from typing import Literal

from pydantic import Field

from conductor.domain.device_profile import Grade
from conductor.domain.value import Value

Domain = Literal["midi", "osc", "artnet", "hid", "platform", "device", "conductor"]
DOMAINS: tuple[Domain, ...] = ("midi", "osc", "artnet", "hid", "platform", "device", "conductor")
Platform = Literal["macos", "windows", "linux", "all"]


class Chunk(Value):
    """One leaf section of a source."""

    id: str
    """`domain/source#section`, the same as long as its headings are."""
    domain: Domain
    source: str
    """The id of the document: `midi/control-change`, `device/akai-mpk-mini-mk3`."""
    source_title: str
    section_path: tuple[str, ...]
    """The headings it stands under, the document's title first."""
    content: str
    revision: str = ""
    licence: str = ""
    reference: str = ""
    """The specification or manual that its facts come from."""
    ask: tuple[str, ...] = ()
    """Other ways to ask for it."""
    tokens: int = Field(ge=0)
    platform: Platform | None = None
    device: str | None = None
    """The id of the device profile that it is made of."""
    layer: Literal["L2", "L3"] = "L2"
    own: bool = False
    """Of a device profile that the user has brought, which nobody has checked."""
    grade: Grade | None = None

    @property
    def title(self) -> str:
        """The heading right above the text."""
        return self.section_path[-1] if self.section_path else self.source_title


class Found(Value):
    """A chunk that fits a query."""

    chunk: Chunk
    score: float
    """Calibrated relevance: 0 none, 1 certain."""
    lexical: float
    dense: float
    matched: tuple[str, ...] = ()
    """Words of the query that occur in it, as stems."""


class Retrieval(Value):
    """What was looked up for one message."""

    found: tuple[Found, ...] = ()
    """What goes into the prompt, best first."""
    tokens: int = 0
    """What they take in the prompt, about."""


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
    """A device profile that the user has brought."""


class KnowledgeStatus(Value):
    """The index as it is."""

    built: bool
    chunks: int = 0
    domains: dict[Domain, int] = Field(default_factory=dict[Domain, int])
    size_bytes: int = 0
    """Index and model on disk."""
    built_at: str = ""
    fingerprint: str = ""
    model: bool = False
    """Whether meaning is compared, or words alone."""
    store: Literal["exact", "chroma"] = "exact"
    """What finds near vectors: every one is compared, or chromadb is asked first."""
    store_reason: str = ""
    """Why."""
    community: str = ""
    """Whether the Hub is asked, and how the last request went."""
    problem: str = ""
    """What is wrong and what to do; empty when all is well."""
