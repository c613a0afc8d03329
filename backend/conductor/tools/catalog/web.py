"""The skills that fetch a web page and search the web."""

from pydantic import Field

from conductor.base.json_types import JsonObject
from conductor.domain.value import Value
from conductor.tools.context import SkillContext
from conductor.tools.params import Params
from conductor.tools.registry import REGISTRY


class FetchParams(Params):
    url: str = Field(min_length=1, max_length=2_000)
    start: int = Field(default=0, ge=0)
    """`next_start` of the last result, to continue reading"""


class WebPage(Value):
    url: str
    """The address of the page after redirects."""
    title: str
    content: str
    next_start: int | None
    """The `start` at which reading continues, or null at the end."""


class WebQueryParams(Params):
    query: str = Field(min_length=1, max_length=400)
    count: int = Field(default=6, ge=1, le=20)


class FoundPage(Value):
    title: str
    url: str
    snippet: str


class WebSearchResults(Value):
    results: tuple[FoundPage, ...]
    """The pages that were found, best first."""


def _check_public_address(arguments: JsonObject) -> None:
    # imported here, because it imports an HTTP library
    from conductor.capabilities.web_address import reject_private_host

    url = arguments.get("url")
    if isinstance(url, str):
        reject_private_host(url)


@REGISTRY.skill(
    "web_fetch",
    "Web fetch",
    "network",
    "network",
    keywords="download open read web page website url link http article manual pdf online",
    idempotent=True,
    requires_approval=True,
    origin="a web page",
    check=_check_public_address,
)
async def web_fetch(params: FetchParams, context: SkillContext) -> WebPage:
    """Fetch a page of the public internet as text."""
    page = await context.abilities.web_pages.fetch(params.url, params.start)
    return WebPage(url=page.url, title=page.title, content=page.text, next_start=page.next_start)


@REGISTRY.skill(
    "web_search",
    "Web search",
    "network",
    "network",
    keywords="google duckduckgo bing internet online look up find latest news manual",
    idempotent=True,
    requires_approval=True,
    origin="web pages",
)
async def web_search(params: WebQueryParams, context: SkillContext) -> WebSearchResults:
    """Search the web. The query is sent to public search engines, or to the user's own search engine."""
    hits = await context.abilities.web_search.search(params.query, params.count)
    return WebSearchResults(
        results=tuple(FoundPage(title=hit.title, url=hit.url, snippet=hit.snippet) for hit in hits)
    )
