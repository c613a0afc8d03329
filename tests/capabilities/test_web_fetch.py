"""Web fetch: pages of the public internet as text, and no way into this computer or its network."""

import asyncio
import gzip
import ipaddress
import zlib
from collections.abc import Awaitable
from pathlib import Path

import pytest
from tests.capabilities.web_stage import (
    TRAP,
    Names,
    Site,
    certified,
    http,
    only_the_test_server,
    redirect,
)

from conductor.capabilities.web_address import explain_non_public_address
from conductor.capabilities.web_fetch import PagePortion, WebPages
from conductor.errors import ConductorError, InvalidParams, NotAllowed, NotAvailable

PLAIN = "Content-Type: text/plain"
ARTICLE = """
<html><head><title>Pads  of the
Zaptron</title><script>steal()</script></head><body><nav><a href="/x">Home</a> <a href="/y">Shop</a></nav>
<article><h1>Pads of the Zaptron</h1><p>The eight pads send notes 36 to 43 on channel 10, with a velocity that
depends on how hard they are hit, and with release velocity too.</p>
<p>Pad lights are set by a note on with a velocity from 1 to 127, each of which stands for a colour.</p>
<table><tr><th>Pad</th><th>Note</th></tr><tr><td>1</td><td>36</td></tr></table></article>
<footer>Imprint and cookies</footer></body></html>
"""
_PRIVATE = """
http://127.0.0.1:{port}/ http://127.0.0.1.:{port}/ http://127.1:{port}/ http://127.0.1:{port}/
http://2130706433:{port}/ http://0x7f000001:{port}/ http://0x7f.0.0.1:{port}/ http://0x7f.1:{port}/
http://0177.0.0.1:{port}/ http://017700000001:{port}/ http://0177.0x0.1:{port}/ http://0:{port}/
http://0.0.0.0:{port}/ http://localhost:{port}/ http://LOCALHOST:{port}/ http://localhost.:{port}/
http://%6c%6f%63%61%6c%68%6f%73%74:{port}/ http://127.0.0.2:{port}/ http://127.255.255.254:{port}/
http://[::1]:{port}/ http://[0:0:0:0:0:0:0:1]:{port}/ http://[::]:{port}/
http://[::ffff:127.0.0.1]:{port}/ http://[::ffff:7f00:1]:{port}/ http://[::127.0.0.1]:{port}/
http://[64:ff9b::127.0.0.1]:{port}/ http://[64:ff9b::7f00:1]:{port}/
http://[64:ff9b:1::7f00:1]:{port}/ http://[2002:7f00:1::]:{port}/ http://[2001:0:7f00:1::]:{port}/
http://[2001:db8::1]/ http://[fe80::1]:{port}/ http://[fec0::1]/ http://[fc00::1]/
http://[fd00:ec2::254]/latest/meta-data/ http://[ff02::1]:{port}/ http://[100::1]/ http://[3fff::1]/
http://[::ffff:169.254.169.254]/ http://[64:ff9b::a9fe:a9fe]/
http://169.254.169.254/latest/meta-data/iam/ http://2852039166/ http://0xa9fea9fe/
http://0251.0376.0251.0376/ http://100.100.100.200/latest/ http://168.63.129.16/ http://192.0.0.192/
http://10.0.0.1/ http://10.255.255.255/ http://172.16.0.1/ http://172.31.255.255/ http://192.168.1.1/
http://192.168.0.1:8080/ http://100.64.0.1/ http://198.18.0.1/ http://192.0.2.1/ http://198.51.100.7/
http://203.0.113.9/ http://224.0.0.1/ http://239.255.255.250:1900/ http://240.0.0.1/
http://255.255.255.255/ http://192.88.99.1/ http://internal.test:{port}/ http://mapped.test:{port}/
http://both.test:{port}/ https://internal.test:{port}/
"""
PRIVATE = _PRIVATE.split()
_NO_ADDRESS = """
file:///etc/passwd FILE:///etc/passwd ftp://example.com/ gopher://127.0.0.1:6379/_PING
data:text/html,hello javascript:alert(1) about:blank view-source:http://example.com/
ws://example.com/ unix:///run/docker.sock ldap://example.com/ jar:http://example.com!/ //example.com/
example.com /etc/passwd http: http:// http:///path https://:443/ http://./ http://..
http://user:secret@example.com/ http://user@example.com/ http://:@example.com/
http://example.com:22/ http://example.com:25/ http://example.com:445/ http://example.com:0/
http://example.com:65536/ http://example.com:-1/ http://example.com:eighty/ http://[::1/
"""
NO_ADDRESS = [
    *_NO_ADDRESS.split(),
    "http://127.0.0.1\\@example.com/",
    "http:\\\\127.0.0.1\\",
    "http://exa\tmple.com/",
    "http://example.com/ HTTP/1.1\r\nX-Injected: yes\r\n",
    "http://example.com/\r\nHost: 127.0.0.1",
    "http://example.com /",
    "http://exam\u200bple.com\u2028/",
    "http://example.com/" + "a" * 2_000,
    "",
    "\0",
]


def fetched(site: Site, path: str = "/", start: int = 0) -> Awaitable[PagePortion]:
    return WebPages(only_the_test_server).fetch(site.url(path), start)


@pytest.mark.parametrize("url", PRIVATE)
def test_no_way_of_writing_a_private_address_reaches_it(url: str):
    async def scenario() -> None:
        names = Names(
            internal_test=["10.0.0.5"],
            mapped_test=["::ffff:10.0.0.5"],
            both_test=["8.8.8.8 127.0.0.1"],
        )
        async with Site() as trap, Site(host="::1", port=trap.port) as other:
            with pytest.raises((NotAllowed, InvalidParams, NotAvailable)) as refused:
                await WebPages(resolve=names).fetch(url.format(port=trap.port))
            assert (trap.connections, other.connections) == (0, 0)
            assert (
                "public internet" in str(refused.value)
                or "not a web address" in str(refused.value)
                or "is not known" in str(refused.value)
            )

    asyncio.run(scenario())


@pytest.mark.parametrize("url", NO_ADDRESS)
def test_what_is_no_web_address_is_refused_before_anything_is_looked_up(url: str):
    names = Names()
    with pytest.raises(InvalidParams):
        asyncio.run(WebPages(resolve=names).fetch(url))
    assert names.asked == []


@pytest.mark.parametrize(
    "address", ["8.8.8.8", "93.184.215.14", "2606:2800:21f:cb07::1", "64:ff9b::808:808"]
)
def test_public_addresses_are_public(address: str):
    assert explain_non_public_address(ipaddress.ip_address(address)) is None


def test_a_page_is_given_as_its_text():
    async def scenario() -> None:
        async with Site({"/manual?x=1": http(ARTICLE)}) as site:
            site_url = site.url("/manual?x=1")
            page = await fetched(site, "/manual?x=1#pads")
        assert page.title == "Pads of the Zaptron"
        assert "notes 36 to 43" in page.text
        assert "| Pad | Note |" in page.text
        assert "steal()" not in page.text
        assert "Imprint" not in page.text
        assert (page.url, page.next_start) == (site_url, None)
        assert "Cookie" not in site.requests[0]

    asyncio.run(scenario())


def test_a_page_without_an_article_still_gives_its_words():
    async def scenario() -> None:
        async with Site({"/": http("<body><div>Only this</div></body>")}) as site:
            assert "Only this" in (await fetched(site)).text

    asyncio.run(scenario())


@pytest.mark.parametrize(
    ("headers", "body", "expected"),
    [
        (["Content-Type: text/plain"], "plain é".encode(), "plain é"),
        (["Content-Type: text/plain; charset=latin-1"], "old é".encode("latin-1"), "old é"),
        (["Content-Type: application/json"], b'{"cc": 74}', '{"cc": 74}'),
        (["Content-Type: application/ld+json"], b"[1]", "[1]"),
        (["Content-Type: text/plain; charset=nonsense"], b"odd", "odd"),
        (
            ["Content-Type: text/plain", "Content-Encoding: gzip"],
            gzip.compress(b"packed"),
            "packed",
        ),
        (["Content-Type: text/plain", "Content-Encoding: deflate"], zlib.compress(b"zlib"), "zlib"),
    ],
    ids=["utf-8", "latin-1", "json", "ld+json", "unknown charset", "gzip", "deflate"],
)
def test_texts_of_every_usual_kind_are_read(headers: list[str], body: bytes, expected: str):
    async def scenario() -> None:
        async with Site({"/": http(body, *headers)}) as site:
            assert (await fetched(site)).text == expected

    asyncio.run(scenario())


def test_a_long_page_is_read_on_without_being_fetched_again():
    async def scenario() -> None:
        text = " ".join(f"word{number}" for number in range(3_000))
        async with Site({"/": http(text, "Content-Type: text/plain")}) as site:
            pages, start, found = WebPages(only_the_test_server), 0, ""
            while start is not None:
                page = await pages.fetch(site.url(), start)
                found, start = found + page.text, page.next_start
            assert found == text
            assert site.connections == 1

    asyncio.run(scenario())


def test_a_redirect_is_followed_and_shown():
    async def scenario() -> None:
        answers = {"/old": redirect("new?a=b", "301 Moved"), "/new?a=b": http("moved here")}
        async with Site(answers) as site:
            page = await fetched(site, "/old")
            assert (page.url, page.text) == (site.url("/new?a=b"), "moved here")

    asyncio.run(scenario())


@pytest.mark.parametrize(
    "location",
    [
        f"http://{TRAP}:{{port}}/",
        f"//{TRAP}:{{port}}/",
        "http://localhost.:{port}/",
        "http://[::1]:{port}/",
        "http://[::ffff:127.0.0.2]:{port}/",
        "http://0x7f.2:{port}/",
        "http://169.254.169.254/latest/meta-data/",
        "http://changing.test:{port}/",
        "file:///etc/passwd",
        "gopher://127.0.0.2:{port}/_x",
        "javascript:alert(1)",
        "http://user:secret@127.0.0.1:{port}/",
        "http://127.0.0.1:22/",
        "http://[bad",
        "http://127.0.0.1:{port}/ a\x7fb",
    ],
)
@pytest.mark.parametrize("status", ["301 M", "302 F", "303 S", "307 T", "308 P"])
def test_no_redirect_leads_into_the_network(location: str, status: str):
    async def scenario() -> None:
        async with Site() as site, Site(host=TRAP, port=site.port) as trap:
            names = Names(changing_test=[TRAP])
            site.answers["/"] = redirect(location.format(port=site.port), status)
            with pytest.raises(ConductorError):
                await WebPages(only_the_test_server, names).fetch(site.url())
            assert trap.connections == 0
            assert site.connections == 1

    asyncio.run(scenario())


def test_a_name_that_leads_elsewhere_the_second_time_is_caught():
    async def scenario() -> None:
        async with Site() as site, Site(host=TRAP, port=site.port) as trap:
            site.answers["/"] = redirect("/secret")
            names = Names(changing_test=["127.0.0.1", TRAP])
            with pytest.raises(NotAllowed):
                await WebPages(only_the_test_server, names).fetch(site.url(host="changing.test"))
            assert (site.connections, trap.connections) == (1, 0)

    asyncio.run(scenario())


def test_the_connection_goes_to_the_address_that_was_judged():
    async def scenario() -> None:
        async with Site({"/": http("as promised")}) as site:
            names = Names(changing_test=["127.0.0.1", TRAP])
            page = await WebPages(only_the_test_server, names).fetch(site.url(host="changing.test"))
            assert page.text == "as promised"
            assert names.asked == ["changing.test"]
            assert f"Host: changing.test:{site.port}" in site.requests[0]

    asyncio.run(scenario())


def test_tls_is_for_the_name_whatever_address_it_has(tmp_path: Path):
    async def scenario() -> None:
        server, trust = certified(tmp_path, "pads.test")
        names = Names(pads_test=["127.0.0.1"], evil_test=["127.0.0.1"])
        async with Site({"/": http("safe")}, tls=server) as site:
            pages = WebPages(only_the_test_server, names, trust)
            assert (await pages.fetch(site.url(host="pads.test"))).text == "safe"
            with pytest.raises(NotAvailable, match="cannot be reached"):
                await pages.fetch(site.url(host="evil.test"))
            with pytest.raises(NotAvailable, match="cannot be reached"):
                await WebPages(only_the_test_server, names).fetch(site.url(host="pads.test"))
            assert len(site.requests) == 1

    asyncio.run(scenario())


@pytest.mark.parametrize("name", ["http_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"])
def test_a_proxy_of_the_environment_is_not_used(monkeypatch: pytest.MonkeyPatch, name: str):
    async def scenario() -> None:
        async with Site({"/": http("direct")}) as site, Site(host=TRAP) as proxy:
            monkeypatch.setenv(name, proxy.url())
            assert (await fetched(site)).text == "direct"
            assert (proxy.connections, proxy.requests) == (0, [])

    asyncio.run(scenario())


def test_what_nobody_sees_is_taken_out_of_a_page():
    async def scenario() -> None:
        hidden = "pads\u202e\u200b\x07\U000e0041 note"
        async with Site({"/": http(hidden, PLAIN)}) as site:
            assert (await fetched(site)).text == "pads note"

    asyncio.run(scenario())


def test_a_taken_down_server_is_told_in_words():
    async def scenario() -> None:
        async with Site() as site:
            url = site.url()
        with pytest.raises(NotAvailable, match="cannot be reached"):
            await WebPages(only_the_test_server).fetch(url)

    asyncio.run(scenario())
