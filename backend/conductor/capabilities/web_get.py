"""Sends GET requests that connect only to IP addresses that were checked.

The check is part of connecting: `httpcore2` accepts a custom network backend (`network_backend`, a public
parameter; httpx2, urllib3 and requests have none). The backend resolves the name itself, checks every resulting
address, and connects to one of those. So it does not matter how an address is written, whether a name resolves
differently the next time, or where a redirect leads; TLS and the `Host` header keep the name. Proxies, cookies
and connection reuse are off.
"""

import asyncio
import codecs
import ipaddress
import re
import socket
import ssl
import zlib
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Any, NamedTuple, cast

import httpcore2
import httpx2

from conductor.capabilities.web_address import Address, Judge, parse_web_address
from conductor.errors import NotAllowed, NotAvailable

Resolve = Callable[[str, int], Awaitable[Sequence[Address]]]
WITHIN_S = 20.0
REDIRECTS_AT_MOST = 5
ADDRESSES_TRIED = 4
TIMEOUTS = {"connect": 5.0, "read": 10.0, "write": 5.0, "pool": 5.0}
_KIND = re.compile(r"[a-z]{1,20}/[a-z0-9.+-]{1,60}")
"""The form of a media type that an error message may contain, so that a server cannot inject a message."""
REDIRECTS = (301, 302, 303, 307, 308)
HEADERS = [
    (b"User-Agent", b"Mozilla/5.0 (compatible; Conductor)"),
    (
        b"Accept",
        b"text/html,application/xhtml+xml,text/*;q=0.9,application/json,application/pdf;q=0.8",
    ),
    (b"Accept-Language", b"en,*;q=0.5"),
    (b"Accept-Encoding", b"gzip, deflate"),
    (b"Connection", b"close"),
]


class HttpResponse(NamedTuple):
    """The response to a request, with its body decompressed."""

    url: str
    """The address from which the response came, after all redirects."""
    media_type: str
    charset: str | None
    body: bytes


Limits = Callable[[str], int]
"""A function that returns the largest response in bytes for a media type, or 0 to refuse the response."""


async def fetch_public(
    url: httpx2.URL,
    judge: Judge,
    limits: Limits,
    *,
    resolve: Resolve | None = None,
    trust: ssl.SSLContext | None = None,
    redirects: int = REDIRECTS_AT_MOST,
    within_s: float = WITHIN_S,
) -> HttpResponse:
    """Fetch a web address, following redirects.

    Raises:
        NotAllowed: an address is refused by `judge`.
        NotAvailable: there is no usable response in time; the message says why.
        InvalidParams: a redirect leads to something that is not a web address.
    """
    connecting = _GuardedBackend(judge, resolve or resolve_host)
    try:
        async with asyncio.timeout(within_s):
            for _ in range(redirects + 1):
                found = await _send_request(url, connecting, trust, limits)
                if isinstance(found, HttpResponse):
                    return found
                url = found
    except TimeoutError:
        raise NotAvailable(f"{url.host} did not finish within {within_s:g} s") from None
    raise NotAvailable(f"{url.host} redirects more than {redirects} times; try another address")


async def _send_request(
    url: httpx2.URL, connecting: "_GuardedBackend", trust: ssl.SSLContext | None, limits: Limits
) -> HttpResponse | httpx2.URL:
    """Send one GET request without following a redirect; return the response or the redirect's target.
    Return the response, or the target address of a redirect.
    """
    wanted = httpcore2.URL(
        scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path
    )
    try:
        async with (
            httpcore2.AsyncConnectionPool(ssl_context=trust, network_backend=connecting) as pool,
            pool.stream("GET", wanted, headers=HEADERS, extensions={"timeout": TIMEOUTS}) as answer,
        ):
            return await _read_response(url, answer, limits)
    except httpcore2.TimeoutException:
        raise NotAvailable(f"{url.host} does not answer; try again later") from None
    except httpcore2.ProtocolError:
        raise NotAvailable(f"{url.host} answers with something that is not a web page") from None
    except (httpcore2.NetworkError, ssl.SSLError, OSError) as error:
        raise NotAvailable(f"{url.host} cannot be reached ({str(error)[:200]})") from None


async def _read_response(
    url: httpx2.URL, answer: httpcore2.Response, limits: Limits
) -> HttpResponse | httpx2.URL:
    headers = httpx2.Headers(answer.headers)
    if answer.status in REDIRECTS and "location" in headers:
        return _redirect_target(url, headers["location"])
    if answer.status != 200:
        raise NotAvailable(f"{url.host} answers {answer.status}; try another address")
    media_type = headers.get("content-type", "").partition(";")[0].strip().lower()
    at_most = limits(media_type)
    if at_most == 0:
        kind = media_type if _KIND.fullmatch(media_type) else "of no known kind"
        raise NotAvailable(f"the content at {url.host} is {kind}: it cannot be read")
    body = await _read_body(
        answer, headers, at_most, f"{url.host} sends more than {at_most / 1e6:g} MB"
    )
    return HttpResponse(str(url), media_type, _parse_charset(headers.get("content-type", "")), body)


def _parse_charset(content_type: str) -> str | None:
    """Return the charset in a Content-Type header, or None if it is missing or unknown."""
    stated = httpx2.Response(200, headers={"content-type": content_type}).charset_encoding
    try:
        return codecs.lookup(stated).name if stated else None
    except LookupError:
        return None


def _redirect_target(url: httpx2.URL, location: str) -> httpx2.URL:
    try:
        joined = url.join(location)
    except (httpx2.InvalidURL, ValueError):
        raise NotAvailable(f"{url.host} returned a redirect without a target URL") from None
    return parse_web_address(str(joined))


async def _read_body(
    answer: httpcore2.Response, headers: httpx2.Headers, at_most: int, too_much: str
) -> bytes:
    """Read the body of a response in pieces, raising an error as soon as it is too large, compressed or
    decompressed.
    """
    length = headers.get("content-length", "0")
    if length.isdecimal() and int(length[:20]) > at_most:
        raise NotAvailable(too_much)
    unpack = _build_decompressor(headers.get("content-encoding", "identity").strip().lower())
    taken, found = 0, bytearray()
    async for piece in answer.aiter_stream():
        taken += len(piece)
        try:
            found += unpack(piece, at_most + 1 - len(found))
        except zlib.error:
            raise NotAvailable("the page is packed, and damaged") from None
        if max(taken, len(found)) > at_most:
            raise NotAvailable(too_much)
    return bytes(found)


def _build_decompressor(encoding: str) -> Callable[[bytes, int], bytes]:
    """Return a function that decompresses a piece of data to at most a number of bytes."""
    if encoding in ("", "identity"):
        return lambda piece, _at_most: piece
    if encoding in ("gzip", "x-gzip", "deflate"):
        return zlib.decompressobj(zlib.MAX_WBITS | 32).decompress
    raise NotAvailable("the page is packed in a way that was not asked for")


async def resolve_host(host: str, port: int) -> Sequence[Address]:
    """Return the IP addresses that a host name resolves to."""
    loop = asyncio.get_running_loop()
    try:
        found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise NotAvailable(
            f"{host[:100]} is not known; is the name right, and this computer online?"
        ) from None
    return list(dict.fromkeys(ipaddress.ip_address(one[4][0]) for one in found))


class _GuardedBackend(httpcore2.AsyncNetworkBackend):
    """A network backend that connects only to the IP addresses that `judge` accepts."""

    def __init__(self, judge: Judge, resolve: Resolve) -> None:
        self._judge = judge
        self._resolve = resolve
        self._inner = cast(httpcore2.AsyncNetworkBackend, httpcore2.AnyIOBackend())

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 - the library's name
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        addresses = await self._resolve(host, port)
        for problem in filter(None, map(self._judge, addresses)):
            raise NotAllowed(f"{host[:100]} cannot be asked: {problem}")
        failure: Exception = httpcore2.ConnectError(f"{host[:100]} has no address")
        for address in addresses[:ADDRESSES_TRIED]:
            try:
                return await self._connect_to_address(address, port, timeout)
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout) as error:
                failure = error
        raise failure

    async def _connect_to_address(
        self, address: Address, port: int, timeout_s: float | None
    ) -> httpcore2.AsyncNetworkStream:
        stream = await self._inner.connect_tcp(str(address), port, timeout_s)
        here, there = (stream.get_extra_info(f"{end}_addr") for end in ("client", "server"))
        if here[0] == there[0] and not address.is_loopback:
            await stream.aclose()
            raise NotAllowed(f"{address} cannot be asked: it is this computer's own")
        return stream

    async def sleep(self, seconds: float) -> None:
        await self._inner.sleep(seconds)
