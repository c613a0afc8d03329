"""Searches the web with public search engines, or with a SearXNG service that the user chose."""

import asyncio
import json
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

import httpx2

from conductor.base.invisible_chars import remove_hidden
from conductor.capabilities.web_address import Address, parse_web_address
from conductor.capabilities.web_get import fetch_public
from conductor.capabilities.workers import Workers
from conductor.errors import InvalidParams, NotAvailable

WITHIN_S = 15.0
ENGINE_S = 8
AT_ONCE = 4
ANSWER_BYTES = 1_000_000
TITLE, ADDRESS, SNIPPET = 200, 1_000, 500
NAMED = "`skills.search_url`"
_TAG = re.compile(r"<[^<>]{0,500}>")


class Hit(NamedTuple):
    """A search result. All its texts come from the page that was found."""

    title: str
    url: str
    snippet: str


class WebSearch:
    """Searches the web with the service in the settings."""

    def __init__(self, service: Callable[[], str]) -> None:
        """`service` returns the address of a SearXNG service, or an empty text to use the public engines."""
        self._service = service
        self._workers = Workers(AT_ONCE)

    async def search(self, query: str, count: int) -> list[Hit]:
        """Return the best results for a query.

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
            async with asyncio.timeout(WITHIN_S):
                return await self._workers.run(lambda: _ask_engines(query, count))
        except TimeoutError:
            raise NotAvailable(f"no search engine answered within {WITHIN_S:g} s") from None


def _ask_engines(query: str, count: int) -> list[Any]:
    from ddgs import DDGS
    from ddgs.exceptions import DDGSException, RatelimitException

    try:
        return DDGS(timeout=ENGINE_S).text(query, max_results=count)
    except RatelimitException:
        raise NotAvailable("the search engines ask for a pause; try again in a minute") from None
    except DDGSException as error:
        if "No results" in str(error):
            return []
        raise NotAvailable(
            "no search engine could be asked; is this computer online? The user can also name a"
            f" SearXNG in {NAMED}"
        ) from None


async def _search_searxng(service: str, query: str) -> list[Any]:
    """Send a query to the user's service, which may be on any network. Redirects are not followed."""
    try:
        url = parse_web_address(service.rstrip("/")).copy_with(query=None)
    except InvalidParams as error:
        raise NotAvailable(f"{NAMED} cannot be used: {error}; only the user can set it") from None
    path = url.path.removesuffix("/").removesuffix("/search")
    asked = url.copy_with(path=f"{path}/search", params={"q": query, "format": "json"})
    try:
        got = await fetch_public(
            asked, _allow_any_address, _limit_to_json, redirects=0, within_s=WITHIN_S
        )
        return _parse_results(got.body)
    except (NotAvailable, InvalidParams) as error:
        raise NotAvailable(
            f"the search service of {NAMED} gives no results: {error}. A SearXNG must allow `json` in"
            " its search.formats"
        ) from None


def _parse_results(body: bytes) -> list[Any]:
    try:
        answer = json.loads(body)
    except (ValueError, RecursionError):
        answer = None
    results = answer.get("results") if isinstance(answer, dict) else None
    if not isinstance(results, list):
        raise NotAvailable("its answer is not one of a SearXNG")
    return results


def _allow_any_address(_address: Address) -> str | None:
    return None


def _limit_to_json(media_type: str) -> int:
    return ANSWER_BYTES if media_type == "application/json" else 0


def _clean_hits(found: Iterable[Any]) -> list[Hit]:
    hits: dict[str, Hit] = {}
    for one in found:
        hit = _clean_hit(one) if isinstance(one, Mapping) else None
        if hit is not None:
            hits.setdefault(hit.url, hit)
    return list(hits.values())


def _clean_hit(one: Mapping[str, Any]) -> Hit | None:
    try:
        url = str(parse_web_address(str(one.get("href") or one.get("url") or "")))
    except (InvalidParams, httpx2.InvalidURL):
        return None
    title, snippet = (
        _to_single_line(one.get(key)) for key in ("title", "body" if "body" in one else "content")
    )
    return Hit(title[:TITLE] or url[:TITLE], url[:ADDRESS], snippet[:SNIPPET])


def _to_single_line(said: Any) -> str:
    return " ".join(remove_hidden(_TAG.sub("", said)).split()) if isinstance(said, str) else ""
