"""Requests texts of other users from a hub if the local results are insufficient. Off by default.

The hub receives the vector of a message, never its words. This is not anonymous: published work recovered
92 % of texts of up to 32 tokens word by word from vectors (arXiv 2310.06816). Therefore each request is
written to the audit log before it is sent, exactly as it will be sent. The answer is text of third parties,
so its length is limited, unsafe parts are removed, and its origin is marked.
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
from conductor.knowledge.hub_request import post_to_hub
from conductor.knowledge.inject import neutralise_prompt_markup
from conductor.knowledge.text import estimate_tokens

log = logging.getLogger(__name__)

COMMUNITY_SOURCE = "community"
HUB_SEARCH_PATH = "/v1/knowledge/search"
MAX_SHARED_TEXTS = 3
SENT_VECTOR_DECIMALS = 4
HUB_TIMEOUT_S = 0.6
"""The time for a request.

It is well below the time for a whole retrieval, so that a slow hub costs only its own texts.
"""
PAUSE_AFTER_FAILURE_S = 60.0
"""The time after a failure in which the hub is not asked again, so that further messages need not wait for
it.
"""
RecordOutcome = Callable[[str, str], None]
"""Called with the outcome of a request: `ok` or an error code, and a sentence."""
RecordRequest = Callable[[Mapping[str, Any]], RecordOutcome]
"""Records a request before it is sent. If this raises an error, nothing is sent."""


class SharedTextSource(Protocol):
    """A source of texts that other users wrote, such as a hub."""

    def find_shared_texts(self, address: str, vector: Vectors, embedder: str) -> tuple[Chunk, ...]:
        """Return the texts whose vectors are nearest to a vector of the model `embedder`.

        If the request fails, the result is empty.
        """
        ...

    def get_chunk(self, chunk_id: str) -> Chunk | None:
        """Return a text that was received recently by its id, or None."""
        ...

    @property
    def last_request_status(self) -> str:
        """Return a sentence about the outcome of the last request."""
        ...


class SharedText(Value):
    """A text in the answer of a hub. A text that is too long or malformed is left out, not cut."""

    title: str = Field(min_length=1, max_length=200)
    content: str = Field(min_length=1, max_length=2_000)
    domain: Domain
    licence: str = Field(default="", max_length=200)
    revision: str = Field(default="", max_length=60)


_SOURCE_MARKER = re.compile(r"\[(?=\s*(?:source|k\s*\d|community))", re.IGNORECASE)


class HubClient:
    """Requests texts from a hub and caches its answers for a day.

    All methods are safe to call from any thread.
    """

    def __init__(
        self,
        cache: HubCache,
        record_request: RecordRequest,
        *,
        timeout_s: float = HUB_TIMEOUT_S,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        """Set the cache, and the function that records each request before it is sent."""
        self._cache = cache
        self._record_request = record_request
        self._timeout_s = timeout_s
        self._now = now
        self._paused_until = 0.0
        self._request_lock = threading.Lock()
        self._state = "no request yet"

    @property
    def last_request_status(self) -> str:
        """Return a sentence about the outcome of the last request."""
        return self._state

    def get_chunk(self, chunk_id: str) -> Chunk | None:
        """Return a text that was received within the last day by its id, or None."""
        return self._cache.get_chunk(chunk_id)

    def find_shared_texts(self, address: str, vector: Vectors, embedder: str) -> tuple[Chunk, ...]:
        """Return the texts whose vectors are nearest to a vector of the model `embedder`.

        If the request fails, the result is empty.
        """
        components = [round(float(number), SENT_VECTOR_DECIMALS) for number in vector]
        request = {"embedder": embedder, "vector": components, "limit": MAX_SHARED_TEXTS}
        url = address.rstrip("/") + HUB_SEARCH_PATH
        with self._request_lock:
            body = json.dumps(request, separators=(",", ":")).encode()
            key = hashlib.sha256(url.encode() + b"\n" + body).hexdigest()
            cached = self._cache.get_answer(key)
            if cached is not None:
                return cached
            if self._now() < self._paused_until:
                return ()
            chunks = self._send_request(url, body, request)
            if chunks is not None:
                self._cache.save_answer(key, chunks)
            return chunks or ()

    def _send_request(
        self, url: str, body: bytes, request: Mapping[str, Any]
    ) -> tuple[Chunk, ...] | None:
        try:
            record_outcome = self._record_request({"url": url, "body": request})
        except Exception as error:  # a request that cannot be logged for the user must not be sent
            log.exception("no request was sent to the Hub, because the audit log cannot be written")
            self._record_failure(f"not sent, because the audit log cannot be written ({error})")
            return None
        try:
            chunks = parse_hub_answer(post_to_hub(url, body, self._timeout_s))
        except NotAvailable as error:
            record_outcome(error.code, str(error))
            self._record_failure(str(error))
            return None
        self._state = f"it returned {len(chunks)} texts" if chunks else "it found no matching text"
        record_outcome("ok", self._state)
        return chunks

    def _record_failure(self, problem: str) -> None:
        self._state, self._paused_until = problem, self._now() + PAUSE_AFTER_FAILURE_S


def parse_hub_answer(answer: bytes) -> tuple[Chunk, ...]:
    """Return the texts in the answer of a hub, without unsafe parts. Malformed texts are left out.

    Raises:
        NotAvailable: The answer has the wrong format.
    """
    try:
        document = json.loads(answer)
    except (ValueError, RecursionError):
        document = None
    rows: Any = document.get("chunks") if isinstance(document, dict) else None  # pyright: ignore[reportUnknownMemberType,reportUnknownVariableType]
    if not isinstance(rows, list):
        raise NotAvailable("the Hub's answer cannot be read; check its address in the settings")
    first: list[Any] = rows[:MAX_SHARED_TEXTS]
    return tuple(chunk for row in first if (chunk := _parse_shared_text(row)) is not None)


def _parse_shared_text(row: Any) -> Chunk | None:
    if not isinstance(row, dict):
        return None
    known = {name: row[name] for name in SharedText.model_fields if name in row}  # pyright: ignore[reportUnknownVariableType]
    try:
        shared = SharedText.model_validate(known, strict=True)
    except ValidationError:
        return None
    title, content = _sanitize_line(shared.title), _sanitize_text(shared.content)
    if not title or not content:
        return None
    name = hashlib.sha256(f"{shared.domain}\n{title}\n{content}".encode()).hexdigest()[:16]
    return Chunk(
        id=f"{COMMUNITY_SOURCE}/{name}",
        domain=shared.domain,
        source=COMMUNITY_SOURCE,
        source_title="Conductor Hub",
        section_path=("Community", title),
        content=content,
        revision=_sanitize_line(shared.revision),
        licence=_sanitize_line(shared.licence),
        tokens=estimate_tokens(content),
        layer="L3",
    )


def _sanitize_text(text: str) -> str:
    """Return a text without source marks and unsafe parts.

    Only Conductor may write source marks, because they tell the user where a text comes from.
    """
    return _SOURCE_MARKER.sub("(", neutralise_prompt_markup(text))


def _sanitize_line(text: str) -> str:
    return " ".join(_sanitize_text(text).replace("#", " ").split())
