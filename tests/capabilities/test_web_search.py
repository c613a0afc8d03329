"""Web search: by a SearXNG of the user's, or by public engines; what comes back is cleaned and bounded."""

import asyncio
import json
from collections.abc import Sequence
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from tests.capabilities.web_stage import TRAP, Answer, Site, http, redirect

from conductor.capabilities.web_search import SearchHit, WebSearch
from conductor.errors import InvalidParams, NotAvailable

JSON = "Content-Type: application/json"
FOUND = [
    {
        "title": "Zaptron manual",
        "url": "https://zaptron.example/manual",
        "content": "Pads send notes.",
    },
    {"title": "Forum", "url": "https://forum.example/1", "content": "How to"},
]


def answering(results: Any) -> bytes:
    return http(json.dumps({"results": results}), JSON)


def searched(
    answer: Answer, query: str = "zaptron", count: int = 6, path: str = "", asks: str = "/search"
) -> tuple[list[SearchHit], Sequence[str]]:
    """Ask a service; it serves `asks`, and its address in the settings ends in `path`."""

    async def scenario() -> tuple[list[SearchHit], Sequence[str]]:
        async with Site() as site:

            async def serve(writer: asyncio.StreamWriter) -> None:
                if callable(answer):
                    await answer(writer)
                else:
                    writer.write(answer)

            class Every(dict[str, Answer]):
                def get(self, key: str, default: Any = None) -> Any:
                    return serve if urlsplit(key).path == asks else default

            site.answers = Every()
            search = WebSearch(lambda: site.url(path))
            return await search.search(query, count), site.requests

    return asyncio.run(scenario())


def test_the_service_of_the_user_is_asked_and_its_results_are_given():
    hits, [request] = searched(answering(FOUND), "zaptron pads & lights", path="/")
    assert hits == [
        SearchHit("Zaptron manual", "https://zaptron.example/manual", "Pads send notes."),
        SearchHit("Forum", "https://forum.example/1", "How to"),
    ]
    asked = parse_qs(urlsplit(request.split(" ")[1]).query)
    assert asked == {"q": ["zaptron pads & lights"], "format": ["json"]}


@pytest.mark.parametrize(
    ("path", "asks"),
    [("", "/search"), ("/search", "/search"), ("/searx/", "/searx/search"), ("/?x=1", "/search")],
)
def test_its_address_may_be_written_in_several_ways(path: str, asks: str):
    hits, _ = searched(answering(FOUND), path=path, asks=asks)
    assert len(hits) == 2


def test_results_are_cleaned_bounded_and_counted():
    results = [
        {
            "title": "<b>Pads</b>\u202e\x07\n of\u200b it",
            "url": "https://a.example/",
            "content": "x" * 9_000,
        },
        {"title": "again", "url": "https://a.example/", "content": ""},
        {"title": "a script", "url": "javascript:alert(1)", "content": ""},
        {"title": "a file", "url": "file:///etc/passwd", "content": ""},
        {"title": "a password", "url": "https://me:secret@b.example/", "content": ""},
        {"title": None, "url": "https://c.example/", "content": 7},
        "nonsense",
        None,
        *({"title": str(n), "url": f"https://d.example/{n}", "content": ""} for n in range(500)),
    ]
    hits, _ = searched(answering(results), count=4)
    assert [hit.url for hit in hits] == [
        "https://a.example/",
        "https://c.example/",
        "https://d.example/0",
        "https://d.example/1",
    ]
    assert (hits[0].title, len(hits[0].snippet)) == ("Pads of it", 500)
    assert (hits[1].title, hits[1].snippet) == ("https://c.example/", "")


def test_nothing_found_is_no_fault():
    assert searched(answering([]))[0] == []


@pytest.mark.parametrize(
    "answer",
    [
        http("<html>results</html>"),
        http("forbidden", status="403 Forbidden"),
        http("{", JSON),
        http("[" * 100_000, JSON),
        http('"results"', JSON),
        http('{"results": {}}', JSON),
        http(b"x" * 2_000_000, JSON),
        redirect(f"http://{TRAP}:1/search"),
        redirect("/search"),
        b"",
    ],
    ids=["html", "403", "half", "deep", "text", "object", "huge", "elsewhere", "again", "nothing"],
)
def test_a_service_that_gives_nothing_usable_is_told_with_what_to_do(answer: bytes):
    with pytest.raises(
        NotAvailable, match=r"`skills\.search_url` returned no results: .*json.*formats"
    ):
        searched(answer)


@pytest.mark.parametrize(
    "service", ["localhost:8080", "ftp://a.example", "https://me:pw@a.example"]
)
def test_an_address_that_is_none_names_the_setting(service: str):
    with pytest.raises(NotAvailable, match=r"`skills\.search_url` cannot be used"):
        asyncio.run(WebSearch(lambda: service).search("x", 3))


def test_a_query_without_words_is_refused():
    with pytest.raises(InvalidParams, match="no words"):
        asyncio.run(WebSearch(lambda: "").search(" \u200b\n ", 3))


def test_offline_it_says_so_and_what_else_there_is(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("DDGS_PROXY", "http://127.0.0.1:9")  # nobody is there
    with pytest.raises(NotAvailable, match=r"is this computer online\?.*SearXNG"):
        asyncio.run(WebSearch(lambda: "").search("zaptron", 3))
