"""Fetches web pages, and returns their main text in portions."""

import ssl
from collections import OrderedDict
from typing import NamedTuple

from conductor.base.clock import now
from conductor.base.invisible_chars import remove_hidden
from conductor.capabilities.extract import extract_page_text, extract_pdf_text
from conductor.capabilities.web_address import (
    AddressCheck,
    explain_non_public_address,
    parse_web_address,
)
from conductor.capabilities.web_get import HttpResponse, ResolveHost, fetch_public_url
from conductor.capabilities.workers import LimitedThreads
from conductor.errors import NotAvailable

MAX_PORTION_CHARACTERS = 9_000
"""The number of characters in a portion of a page, because a model sees only 12,000 characters of a result."""
MAX_PDF_CHARACTERS = 400_000
MAX_TEXT_BYTES = 3_000_000
MAX_PDF_BYTES = 30_000_000
MAX_CONCURRENT_READS = 4
MAX_CACHED_PAGES = 8
MAX_CACHE_AGE_S = 600.0
HTML_MEDIA_TYPES = ("text/html", "application/xhtml+xml")
PDF_MEDIA_TYPE = "application/pdf"
TEXT_MEDIA_TYPES = ("application/json", "application/xml", "application/toml", "application/yaml")


class PagePortion(NamedTuple):
    """A portion of the text of a web page, with the title and the address of the page."""

    url: str
    title: str
    text: str
    next_start: int | None
    """The position at which to continue, as `start` of the next call; None at the end of the page."""


class _CachedPage(NamedTuple):
    """The title and text of a web page that was fetched recently."""

    url: str
    title: str
    text: str
    at: float


class WebPages:
    """Fetches public web pages, and caches them for the next portion. The parameters exist for tests only."""

    def __init__(
        self,
        check_address: AddressCheck = explain_non_public_address,
        resolve: ResolveHost | None = None,
        ssl_context: ssl.SSLContext | None = None,
    ) -> None:
        self._check_address, self._resolve, self._ssl_context = check_address, resolve, ssl_context
        self._cached_pages: OrderedDict[str, _CachedPage] = OrderedDict()
        self._workers = LimitedThreads(MAX_CONCURRENT_READS)

    async def fetch(self, address: str, start: int = 0) -> PagePortion:
        """Return a portion of the text of a web page, from character `start` on. A recently fetched
        page comes from the cache.

        Raises:
            InvalidParams: the text is not a web address.
            NotAllowed: the address leads into a private network.
            NotAvailable: the page cannot be read; the message says why.
        """
        url = parse_web_address(address)
        page = self._cached_pages.get(str(url)) if start else None
        if page is None or now() - page.at > MAX_CACHE_AGE_S:
            page = await self._read_page(await self._fetch_response(str(url)))
            self._cache_page(str(url), page)
        end = start + MAX_PORTION_CHARACTERS
        return PagePortion(
            page.url, page.title, page.text[start:end], end if end < len(page.text) else None
        )

    async def _fetch_response(self, address: str) -> HttpResponse:
        return await fetch_public_url(
            parse_web_address(address),
            self._check_address,
            _get_byte_limit,
            resolve=self._resolve,
            ssl_context=self._ssl_context,
        )

    async def _read_page(self, response: HttpResponse) -> _CachedPage:
        title, text = await self._workers.run_in_thread(lambda: _extract_text(response))
        if not text.strip():
            raise NotAvailable(f"{response.url} has no text; it may need a browser or a login")
        return _CachedPage(response.url, remove_hidden(title)[:300], remove_hidden(text), now())

    def _cache_page(self, address: str, page: _CachedPage) -> None:
        self._cached_pages[address] = page
        self._cached_pages.move_to_end(address)
        while len(self._cached_pages) > MAX_CACHED_PAGES:
            self._cached_pages.popitem(last=False)


def _get_byte_limit(media_type: str) -> int:
    """Return the maximum size in bytes of a response of this media type, or 0 if the type contains no text."""
    if media_type == PDF_MEDIA_TYPE:
        return MAX_PDF_BYTES
    if media_type in HTML_MEDIA_TYPES + TEXT_MEDIA_TYPES or media_type.startswith("text/"):
        return MAX_TEXT_BYTES
    return MAX_TEXT_BYTES if media_type.endswith(("+json", "+xml")) else 0


def _extract_text(response: HttpResponse) -> tuple[str, str]:
    """Return the title and the main text of a response; the title is empty for a plain text."""
    if response.media_type == PDF_MEDIA_TYPE:
        found = extract_pdf_text(response.body, 1, MAX_PDF_CHARACTERS)
        return found["title"], found["text"]
    if response.media_type in HTML_MEDIA_TYPES:
        found = extract_page_text(response.body, response.charset)
        return found["title"], found["text"]
    return "", response.body.decode(response.charset or "utf-8", "replace")
