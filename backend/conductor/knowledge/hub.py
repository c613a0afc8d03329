"""Requests texts shared by other users from a Hub when the local results are insufficient. Off by default.

The Hub receives the vector of a message, never its words. That is not anonymous: published work recovered 92 %
of texts of up to 32 tokens word by word from vectors (arXiv 2310.06816). So each request is written to the
audit log, exactly as it will be sent, before it is sent. The answer is third-party text: its length is limited,
unsafe parts are removed, and its origin is marked.
"""

import hashlib
import json
import logging
import re
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from pydantic import Field, ValidationError

from conductor.domain.knowledge import Chunk
from conductor.domain.knowledge_domains import Domain
from conductor.domain.value import Value
from conductor.errors import NotAvailable
from conductor.knowledge.embedder import Vectors
from conductor.knowledge.hub_cache import HubCache
from conductor.knowledge.hub_request import post
from conductor.knowledge.inject import harmless
from conductor.knowledge.text import estimate_tokens

log = logging.getLogger(__name__)

COMMUNITY = "community"
PATH = "/v1/knowledge/search"
MAX_TEXTS = 3
DIGITS = 4
TIME_LIMIT_S = 0.6
"""Well below the time limit of the whole retrieval, so that a slow Hub costs only its own texts."""
PAUSE_AFTER_FAILURE_S = 60.0
"""Seconds without requests after a failure, so that the next message does not have to wait for a failing
Hub.
"""
Done = Callable[[str, str], None]
"""A function called with the outcome of a request: `ok` or an error code, and a sentence."""
Audit = Callable[[Mapping[str, Any]], Done]
"""A function that records a request before it is sent. If it raises an error, nothing is sent."""


class Community(Protocol):
    """A source of texts written by other users."""

    def ask(self, address: str, vector: Vectors, embedder: str) -> tuple[Chunk, ...]:
        """Return the shared texts nearest to a vector of the model `embedder`, or none if the request fails."""
        ...

    def chunk(self, chunk_id: str) -> Chunk | None:
        """Return a recently received text by its id, or None."""
        ...

    @property
    def state(self) -> str:
        """Return the result of the last request to the Hub as text."""
        ...


class Shared(Value):
    """A text in the answer of a Hub. A text that is too long or malformed is dropped, not truncated."""

    title: str = Field(min_length=1, max_length=200)
    content: str = Field(min_length=1, max_length=2_000)
    domain: Domain
    licence: str = Field(default="", max_length=200)
    revision: str = Field(default="", max_length=60)


_MARKS = re.compile(r"\[(?=\s*(?:source|k\s*\d|community))", re.IGNORECASE)


class Hub:
    """The client of a Hub, which caches answers for a day. The methods may be called from any thread."""

    def __init__(
        self,
        cache: HubCache,
        audit: Audit,
        *,
        limit_s: float = TIME_LIMIT_S,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        """Set the cache, and the function that records outgoing requests."""
        self._cache = cache
        self._audit = audit
        self._limit_s = limit_s
        self._now = now
        self._rests_until = 0.0
        self._asking = threading.Lock()
        self._state = "nothing was asked yet"

    @property
    def state(self) -> str:
        """Return the result of the last request to the Hub as text."""
        return self._state

    def chunk(self, chunk_id: str) -> Chunk | None:
        """Return a text received within the last day by its id, or None."""
        return self._cache.chunk(chunk_id)

    def ask(self, address: str, vector: Vectors, embedder: str) -> tuple[Chunk, ...]:
        """Return the shared texts nearest to a vector of the model `embedder`, or none if the request fails."""
        numbers = [round(float(number), DIGITS) for number in vector]
        sent = {"embedder": embedder, "vector": numbers, "limit": MAX_TEXTS}
        url = address.rstrip("/") + PATH
        with self._asking:
            body = json.dumps(sent, separators=(",", ":")).encode()
            key = hashlib.sha256(url.encode() + b"\n" + body).hexdigest()
            kept = self._cache.answer(key)
            if kept is not None:
                return kept
            if self._now() < self._rests_until:
                return ()
            chunks = self._request(url, body, sent)
            if chunks is not None:
                self._cache.keep(key, chunks)
            return chunks or ()

    def _request(self, url: str, body: bytes, sent: Mapping[str, Any]) -> tuple[Chunk, ...] | None:
        try:
            done = self._audit({"url": url, "body": sent})
        except Exception as error:  # a request that cannot be logged for the user must not be sent
            log.exception("the Hub was not asked: the audit log cannot be written")
            self._fail(f"it was not asked: the audit log cannot be written ({error})")
            return None
        try:
            chunks = read(post(url, body, self._limit_s))
        except NotAvailable as error:
            done(error.code, str(error))
            self._fail(str(error))
            return None
        self._state = f"it gave {len(chunks)} texts" if chunks else "it had nothing that fits"
        done("ok", self._state)
        return chunks

    def _fail(self, problem: str) -> None:
        self._state, self._rests_until = problem, self._now() + PAUSE_AFTER_FAILURE_S


def read(answer: bytes) -> tuple[Chunk, ...]:
    """Parse the answer of a Hub and return its texts, cleaned, without malformed ones.

    Raises:
        NotAvailable: the answer has the wrong format.
    """
    try:
        given = json.loads(answer)
    except (ValueError, RecursionError):
        given = None
    rows: Any = given.get("chunks") if isinstance(given, dict) else None  # pyright: ignore[reportUnknownMemberType,reportUnknownVariableType]
    if not isinstance(rows, list):
        raise NotAvailable("the Hub's answer cannot be read; check its address in the settings")
    first: list[Any] = rows[:MAX_TEXTS]
    return tuple(chunk for row in first if (chunk := _chunk(row)) is not None)


def _chunk(row: Any) -> Chunk | None:
    if not isinstance(row, dict):
        return None
    known = {name: row[name] for name in Shared.model_fields if name in row}  # pyright: ignore[reportUnknownVariableType]
    try:
        shared = Shared.model_validate(known, strict=True)
    except ValidationError:
        return None
    title, content = _line(shared.title), _text(shared.content)
    if not title or not content:
        return None
    name = hashlib.sha256(f"{shared.domain}\n{title}\n{content}".encode()).hexdigest()[:16]
    return Chunk(
        id=f"{COMMUNITY}/{name}",
        domain=shared.domain,
        source=COMMUNITY,
        source_title="Conductor Hub",
        section_path=("Community", title),
        content=content,
        revision=_line(shared.revision),
        licence=_line(shared.licence),
        tokens=estimate_tokens(content),
        layer="L3",
    )


def _text(text: str) -> str:
    """Remove source marks and unsafe parts from a text. Only Conductor may add source marks."""
    return _MARKS.sub("(", harmless(text))


def _line(text: str) -> str:
    return " ".join(_text(text).replace("#", " ").split())
