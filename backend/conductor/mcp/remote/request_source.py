"""Remembers the network address that a request comes from.

The MCP library does not pass the request to the provider, so the address is in a context variable.
"""

import ipaddress
from collections.abc import Mapping
from contextvars import ContextVar

_source: ContextVar[str] = ContextVar("remote_request_source", default="unknown")
_FORWARDED_FOR = b"x-forwarded-for"


def find_request_source(
    client: tuple[str, int] | None, headers: Mapping[bytes, str], *, is_behind_proxy: bool
) -> str:
    """Return the network address that a request comes from.

    Behind a program that encrypts, every connection comes from this computer, and that program appends the
    address of its client to a header. Anybody may write the earlier addresses in it.
    """
    forwarded = headers.get(_FORWARDED_FOR, "").rpartition(",")[2].strip()
    if is_behind_proxy and forwarded:
        try:
            return str(ipaddress.ip_address(forwarded))
        except ValueError:
            return "unknown"
    return "unknown" if client is None else client[0]


def set_request_source(source: str) -> None:
    """Record the address of the client for the code that handles this request."""
    _source.set(source)


def get_request_source() -> str:
    """Return the network address that the current request comes from."""
    return _source.get()
