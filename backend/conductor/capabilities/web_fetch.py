"""Fetches web pages and returns their main text in portions."""

import ssl
from collections import OrderedDict
from typing import NamedTuple

from conductor.base.clock import now
from conductor.base.invisible_chars import remove_hidden
from conductor.capabilities.extract import extract_page_text, extract_pdf_text
from conductor.capabilities.web_address import Judge, explain_not_public, parse_web_address
from conductor.capabilities.web_get import HttpResponse, Resolve, fetch_public
from conductor.capabilities.workers import Workers
from conductor.errors import NotAvailable

PORTION = 9_000
"""Number of characters in a portion, because a model sees only 12,000 characters of a whole result."""
PAPER_CHARACTERS = 400_000
TEXT_BYTES = 3_000_000
PAPER_BYTES = 30_000_000
READ_AT_ONCE = 4
KEPT = 8
KEPT_S = 600.0
PAGES = ("text/html", "application/xhtml+xml")
PAPER = "application/pdf"
TEXTS = ("application/json", "application/xml", "application/toml", "application/yaml")


class Page(NamedTuple):
    """A portion of the text of a web page."""

    url: str
    title: str
    text: str
    next_start: int | None
    """The position at which to continue, or None at the end."""


class _CachedPage(NamedTuple):
    """The text of a web page that was fetched recently."""

    url: str
    title: str
    text: str
    at: float


class WebPages:
    """Fetches public web pages. The parameters exist for tests only; no setting changes them."""

    def __init__(
        self,
        judge: Judge = explain_not_public,
        resolve: Resolve | None = None,
        trust: ssl.SSLContext | None = None,
    ) -> None:
        self._judge, self._resolve, self._trust = judge, resolve, trust
        self._kept: OrderedDict[str, _CachedPage] = OrderedDict()
        self._workers = Workers(READ_AT_ONCE)

    async def fetch(self, address: str, start: int = 0) -> Page:
        """Return a portion of the text of a web page, starting at a character. A recently fetched page comes
        from the cache.

        Raises:
            InvalidParams: the text is not a web address.
            NotAllowed: the address leads into a private network.
            NotAvailable: the page cannot be read; the message says why.
        """
        url = parse_web_address(address)
        read = self._kept.get(str(url)) if start else None
        if read is None or now() - read.at > KEPT_S:
            read = await self._read_page(await self._fetch_response(str(url)))
            self._cache_page(str(url), read)
        end = start + PORTION
        return Page(
            read.url, read.title, read.text[start:end], end if end < len(read.text) else None
        )

    async def _fetch_response(self, address: str) -> HttpResponse:
        return await fetch_public(
            parse_web_address(address),
            self._judge,
            _get_byte_limit,
            resolve=self._resolve,
            trust=self._trust,
        )

    async def _read_page(self, got: HttpResponse) -> _CachedPage:
        title, text = await self._workers.run(lambda: _extract_text(got))
        if not text.strip():
            raise NotAvailable(f"{got.url} has no text; it may need a browser or a login")
        return _CachedPage(got.url, remove_hidden(title)[:300], remove_hidden(text), now())

    def _cache_page(self, address: str, read: _CachedPage) -> None:
        self._kept[address] = read
        self._kept.move_to_end(address)
        while len(self._kept) > KEPT:
            self._kept.popitem(last=False)


def _get_byte_limit(media_type: str) -> int:
    """Return the largest response in bytes for a media type, or 0 if the type contains no text."""
    if media_type == PAPER:
        return PAPER_BYTES
    if media_type in PAGES + TEXTS or media_type.startswith("text/"):
        return TEXT_BYTES
    return TEXT_BYTES if media_type.endswith(("+json", "+xml")) else 0


def _extract_text(got: HttpResponse) -> tuple[str, str]:
    """Return the title and the main text of a response."""
    if got.media_type == PAPER:
        found = extract_pdf_text(got.body, 1, PAPER_CHARACTERS)
        return found["title"], found["text"]
    if got.media_type in PAGES:
        found = extract_page_text(got.body, got.charset)
        return found["title"], found["text"]
    return "", got.body.decode(got.charset or "utf-8", "replace")
