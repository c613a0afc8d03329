"""Searches the web with public search engines, or with a SearXNG service that the user chose."""

import asyncio
import json
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

import httpx2

from conductor.base.invisible_chars import remove_hidden
from conductor.capabilities.web_address import Address, parse_web_address
from conductor.capabilities.web_get import fetch_public_url
from conductor.capabilities.workers import LimitedThreads
from conductor.errors import InvalidParams, NotAvailable

SEARCH_TIMEOUT_S = 15.0
SEARCH_ENGINE_TIMEOUT_S = 8
MAX_CONCURRENT_SEARCHES = 4
MAX_ANSWER_BYTES = 1_000_000
MAX_TITLE_LENGTH, MAX_ADDRESS_LENGTH, MAX_SNIPPET_LENGTH = 200, 1_000, 500
SEARCH_URL_SETTING = "`skills.search_url`"
_HTML_TAG = re.compile(r"<[^<>]{0,500}>")


class SearchHit(NamedTuple):
    """A result of a web search.

    All its texts come from the page that was found, and are therefore untrusted.
    """

    title: str
    url: str
    snippet: str


class WebSearch:
    """Searches the web with the search service that is set in the config, or with public search engines."""

    def __init__(self, service: Callable[[], str]) -> None:
        """Set a function that returns the address of the user's SearXNG service, or an
        empty text if there is none.
        """
        self._service = service
        self._workers = LimitedThreads(MAX_CONCURRENT_SEARCHES)

    async def search(self, query: str, count: int) -> list[SearchHit]:
        """Return at most `count` results for a query, best first.

        Raises:
            NotAvailable: no service responds; the message says what to do.
        """
        service = self._service()
        query = " ".join(remove_hidden(query).split())
        if not query:
            raise InvalidParams("the query has no words")
        found = await (
            _search_searxng(service, query)
            if service
            else self._search_public_engines(query, count)
        )
        return _clean_hits(found)[:count]

    async def _search_public_engines(self, query: str, count: int) -> list[Any]:
        try:
            async with asyncio.timeout(SEARCH_TIMEOUT_S):
                return await self._workers.run_in_thread(lambda: _query_engines(query, count))
        except TimeoutError:
            raise NotAvailable(f"no search engine answered within {SEARCH_TIMEOUT_S:g} s") from None


def _query_engines(query: str, count: int) -> list[Any]:
    from ddgs import DDGS
    from ddgs.exceptions import DDGSException, RatelimitException

    try:
        return DDGS(timeout=SEARCH_ENGINE_TIMEOUT_S).text(query, max_results=count)
    except RatelimitException:
        raise NotAvailable("the search engines ask for a pause; try again in a minute") from None
    except DDGSException as error:
        if "No results" in str(error):
            return []
        raise NotAvailable(
            "no search engine could be reached; is this computer online? The user can also name a"
            f" SearXNG in {SEARCH_URL_SETTING}"
        ) from None


async def _search_searxng(service: str, query: str) -> list[Any]:
    """Send a query to the SearXNG service of the user, which may be on any network;
    redirects are not followed.
    """
    try:
        url = parse_web_address(service.rstrip("/")).copy_with(query=None)
    except InvalidParams as error:
        raise NotAvailable(
            f"{SEARCH_URL_SETTING} cannot be used: {error}; only the user can set it"
        ) from None
    path = url.path.removesuffix("/").removesuffix("/search")
    request_url = url.copy_with(path=f"{path}/search", params={"q": query, "format": "json"})
    try:
        response = await fetch_public_url(
            request_url,
            _allow_any_address,
            _get_json_byte_limit,
            max_redirects=0,
            timeout_s=SEARCH_TIMEOUT_S,
        )
        return _parse_results(response.body)
    except (NotAvailable, InvalidParams) as error:
        raise NotAvailable(
            f"the search service of {SEARCH_URL_SETTING} returned no results: {error}. A SearXNG service must"
            " allow `json` in its search.formats"
        ) from None


def _parse_results(body: bytes) -> list[Any]:
    try:
        answer = json.loads(body)
    except (ValueError, RecursionError):
        answer = None
    results = answer.get("results") if isinstance(answer, dict) else None
    if not isinstance(results, list):
        raise NotAvailable("its response is not that of a SearXNG service")
    return results


def _allow_any_address(_address: Address) -> str | None:
    return None


def _get_json_byte_limit(media_type: str) -> int:
    return MAX_ANSWER_BYTES if media_type == "application/json" else 0


def _clean_hits(results: Iterable[Any]) -> list[SearchHit]:
    hits: dict[str, SearchHit] = {}
    for result in results:
        hit = _clean_hit(result) if isinstance(result, Mapping) else None
        if hit is not None:
            hits.setdefault(hit.url, hit)
    return list(hits.values())


def _clean_hit(result: Mapping[str, Any]) -> SearchHit | None:
    try:
        url = str(parse_web_address(str(result.get("href") or result.get("url") or "")))
    except (InvalidParams, httpx2.InvalidURL):
        return None
    title, snippet = (
        _to_single_line(result.get(key))
        for key in ("title", "body" if "body" in result else "content")
    )
    return SearchHit(
        title[:MAX_TITLE_LENGTH] or url[:MAX_TITLE_LENGTH],
        url[:MAX_ADDRESS_LENGTH],
        snippet[:MAX_SNIPPET_LENGTH],
    )


def _to_single_line(value: Any) -> str:
    return (
        " ".join(remove_hidden(_HTML_TAG.sub("", value)).split()) if isinstance(value, str) else ""
    )
