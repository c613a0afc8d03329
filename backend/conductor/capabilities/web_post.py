"""Sends JSON to web addresses that another program named, by connecting only to IP addresses that were checked.

As in `web_get.py`, the check is part of connecting. Redirects are not followed.
"""

import asyncio
import ssl
from collections.abc import Sequence

import httpcore2
import httpx2

from conductor.capabilities.web_address import AddressCheck
from conductor.capabilities.web_get import (
    REQUEST_TIMEOUTS_S,
    CheckingBackend,
    ResolveHost,
    resolve_host,
)
from conductor.errors import NotAllowed, NotAvailable

POST_TIMEOUT_S = 10.0
Header = tuple[bytes, bytes]


async def check_host_addresses(url: httpx2.URL, check_address: AddressCheck) -> None:
    """Check every IP address that the host of a URL has now.

    Raises:
        NotAllowed: One of the addresses is refused by `check_address`.
        NotAvailable: The host is not known.
    """
    port = url.port or (443 if url.scheme == "https" else 80)
    for problem in filter(None, map(check_address, await resolve_host(url.host, port))):
        raise NotAllowed(f"{url.host[:100]} cannot be requested: {problem}")


async def post_json(
    url: httpx2.URL,
    body: bytes,
    headers: Sequence[Header],
    check_address: AddressCheck,
    *,
    resolve: ResolveHost | None = None,
    ssl_context: ssl.SSLContext | None = None,
    timeout_s: float = POST_TIMEOUT_S,
) -> int:
    """Send a POST request with JSON, and return the status of the response, whose body is not read.

    Raises:
        NotAllowed: An address of the host is refused by `check_address`.
        NotAvailable: There is no response in time. The message says why.
    """
    backend = CheckingBackend(check_address, resolve or resolve_host)
    request_url = httpcore2.URL(
        scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path
    )
    all_headers = [
        (b"User-Agent", b"Conductor"),
        (b"Content-Type", b"application/json"),
        (b"Connection", b"close"),
        *headers,
    ]
    try:
        async with (
            asyncio.timeout(timeout_s),
            httpcore2.AsyncConnectionPool(ssl_context=ssl_context, network_backend=backend) as pool,
            pool.stream(
                "POST",
                request_url,
                headers=all_headers,
                content=body,
                extensions={"timeout": REQUEST_TIMEOUTS_S},
            ) as response,
        ):
            return response.status
    except (TimeoutError, httpcore2.TimeoutException):
        raise NotAvailable(f"{url.host} does not answer") from None
    except httpcore2.ProtocolError:
        raise NotAvailable(f"{url.host} does not answer in HTTP") from None
    except (httpcore2.NetworkError, ssl.SSLError, OSError) as error:
        raise NotAvailable(f"{url.host} cannot be reached ({str(error)[:200]})") from None
