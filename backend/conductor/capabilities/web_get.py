"""Sends GET requests that can connect only to IP addresses that were checked before.

The check is part of connecting: `httpcore2` accepts a custom network backend (`network_backend`, a public
parameter; httpx2, urllib3 and requests have none). The backend resolves the name itself, checks every
resulting address, and connects to one of those. So it does not matter how an address is written, whether a
name resolves differently the next time, or where a redirect leads; TLS and the `Host` header keep the name.
Proxies, cookies and connection reuse are off.
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

from conductor.capabilities.web_address import Address, AddressCheck, parse_web_address
from conductor.errors import NotAllowed, NotAvailable

ResolveHost = Callable[[str, int], Awaitable[Sequence[Address]]]
FETCH_TIMEOUT_S = 20.0
MAX_REDIRECTS = 5
MAX_TRIED_ADDRESSES = 4
REQUEST_TIMEOUTS_S = {"connect": 5.0, "read": 10.0, "write": 5.0, "pool": 5.0}
_MEDIA_TYPE_PATTERN = re.compile(r"[a-z]{1,20}/[a-z0-9.+-]{1,60}")
"""Matches the media types that an error message may quote, so that a server cannot put other text into it."""
REDIRECT_STATUSES = (301, 302, 303, 307, 308)
REQUEST_HEADERS = [
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
    """The response to a request, with a decompressed body."""

    url: str
    """The address that sent the response, after all redirects."""
    media_type: str
    charset: str | None
    body: bytes


GetByteLimit = Callable[[str], int]
"""A function that returns the maximum size of a response in bytes for a media type, or 0 to refuse it."""


async def fetch_public_url(
    url: httpx2.URL,
    check_address: AddressCheck,
    get_byte_limit: GetByteLimit,
    *,
    resolve: ResolveHost | None = None,
    ssl_context: ssl.SSLContext | None = None,
    max_redirects: int = MAX_REDIRECTS,
    timeout_s: float = FETCH_TIMEOUT_S,
) -> HttpResponse:
    """Fetch a web address, follow its redirects, and return the final response.

    Raises:
        NotAllowed: an address is refused by `check_address`.
        NotAvailable: there is no usable response in time; the message says why.
        InvalidParams: a redirect leads to something that is not a web address.
    """
    backend = CheckingBackend(check_address, resolve or resolve_host)
    try:
        async with asyncio.timeout(timeout_s):
            for _ in range(max_redirects + 1):
                result = await _send_request(url, backend, ssl_context, get_byte_limit)
                if isinstance(result, HttpResponse):
                    return result
                url = result
    except TimeoutError:
        raise NotAvailable(f"{url.host} did not finish within {timeout_s:g} s") from None
    raise NotAvailable(f"{url.host} redirects more than {max_redirects} times; try another address")


async def _send_request(
    url: httpx2.URL,
    backend: "CheckingBackend",
    ssl_context: ssl.SSLContext | None,
    get_byte_limit: GetByteLimit,
) -> HttpResponse | httpx2.URL:
    """Send one GET request; return the response or, for a redirect, the address that it leads to."""
    request_url = httpcore2.URL(
        scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path
    )
    try:
        async with (
            httpcore2.AsyncConnectionPool(ssl_context=ssl_context, network_backend=backend) as pool,
            pool.stream(
                "GET",
                request_url,
                headers=REQUEST_HEADERS,
                extensions={"timeout": REQUEST_TIMEOUTS_S},
            ) as response,
        ):
            return await _read_response(url, response, get_byte_limit)
    except httpcore2.TimeoutException:
        raise NotAvailable(f"{url.host} does not answer; try again later") from None
    except httpcore2.ProtocolError:
        raise NotAvailable(f"{url.host} answers with something that is not a web page") from None
    except (httpcore2.NetworkError, ssl.SSLError, OSError) as error:
        raise NotAvailable(f"{url.host} cannot be reached ({str(error)[:200]})") from None


async def _read_response(
    url: httpx2.URL, response: httpcore2.Response, get_byte_limit: GetByteLimit
) -> HttpResponse | httpx2.URL:
    headers = httpx2.Headers(response.headers)
    if response.status in REDIRECT_STATUSES and "location" in headers:
        return _resolve_redirect(url, headers["location"])
    if response.status != 200:
        raise NotAvailable(f"{url.host} answers {response.status}; try another address")
    media_type = headers.get("content-type", "").partition(";")[0].strip().lower()
    max_bytes = get_byte_limit(media_type)
    if max_bytes == 0:
        described = media_type if _MEDIA_TYPE_PATTERN.fullmatch(media_type) else "of no known kind"
        raise NotAvailable(f"the content at {url.host} is {described}: it cannot be read")
    body = await _read_body(
        response, headers, max_bytes, f"{url.host} sends more than {max_bytes / 1e6:g} MB"
    )
    return HttpResponse(str(url), media_type, _parse_charset(headers.get("content-type", "")), body)


def _parse_charset(content_type: str) -> str | None:
    """Return the charset that a Content-Type header names, or None if it names none or an unknown one."""
    stated = httpx2.Response(200, headers={"content-type": content_type}).charset_encoding
    try:
        return codecs.lookup(stated).name if stated else None
    except LookupError:
        return None


def _resolve_redirect(url: httpx2.URL, location: str) -> httpx2.URL:
    try:
        joined = url.join(location)
    except (httpx2.InvalidURL, ValueError):
        raise NotAvailable(f"{url.host} returned a redirect without a target URL") from None
    return parse_web_address(str(joined))


async def _read_body(
    response: httpcore2.Response, headers: httpx2.Headers, max_bytes: int, error_message: str
) -> bytes:
    """Read the body of a response in pieces; raise an error as soon as it is too large,
    before or after decompression.
    """
    length = headers.get("content-length", "0")
    if length.isdecimal() and int(length[:20]) > max_bytes:
        raise NotAvailable(error_message)
    unpack = _build_decompressor(headers.get("content-encoding", "identity").strip().lower())
    received, body = 0, bytearray()
    async for piece in response.aiter_stream():
        received += len(piece)
        try:
            body += unpack(piece, max_bytes + 1 - len(body))
        except zlib.error:
            raise NotAvailable("the compressed page is damaged") from None
        if max(received, len(body)) > max_bytes:
            raise NotAvailable(error_message)
    return bytes(body)


def _build_decompressor(encoding: str) -> Callable[[bytes, int], bytes]:
    """Return a function that decompresses a piece of data to at most a given number of bytes."""
    if encoding in ("", "identity"):
        return lambda piece, _at_most: piece
    if encoding in ("gzip", "x-gzip", "deflate"):
        return zlib.decompressobj(zlib.MAX_WBITS | 32).decompress
    raise NotAvailable("the page is compressed in an unsupported way")


async def resolve_host(host: str, port: int) -> Sequence[Address]:
    """Return the IP addresses of a host name."""
    loop = asyncio.get_running_loop()
    try:
        found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise NotAvailable(
            f"{host[:100]} is not known; is the name right, and this computer online?"
        ) from None
    return list(dict.fromkeys(ipaddress.ip_address(one[4][0]) for one in found))


class CheckingBackend(httpcore2.AsyncNetworkBackend):
    """A network backend that connects only to the IP addresses that `check_address` accepts."""

    def __init__(self, check_address: AddressCheck, resolve: ResolveHost) -> None:
        self._check_address = check_address
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
        for problem in filter(None, map(self._check_address, addresses)):
            raise NotAllowed(f"{host[:100]} cannot be requested: {problem}")
        failure: Exception = httpcore2.ConnectError(f"{host[:100]} has no address")
        for address in addresses[:MAX_TRIED_ADDRESSES]:
            try:
                return await self._connect_to_address(address, port, timeout)
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout) as error:
                failure = error
        raise failure

    async def _connect_to_address(
        self, address: Address, port: int, timeout_s: float | None
    ) -> httpcore2.AsyncNetworkStream:
        stream = await self._inner.connect_tcp(str(address), port, timeout_s)
        local, remote = (stream.get_extra_info(f"{end}_addr") for end in ("client", "server"))
        if local[0] == remote[0] and not address.is_loopback:
            await stream.aclose()
            raise NotAllowed(f"{address} cannot be requested: it is an address of this computer")
        return stream

    async def sleep(self, seconds: float) -> None:
        await self._inner.sleep(seconds)
