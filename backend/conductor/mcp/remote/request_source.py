"""Remembers the network address that a request comes from.

The MCP library does not pass the request to the provider, so the address is in a context variable.
"""

from contextvars import ContextVar

_source: ContextVar[str] = ContextVar("remote_request_source", default="unknown")


def set_request_source(scope_client: tuple[str, int] | None) -> None:
    """Record the address of the client for the code that handles this request."""
    _source.set("unknown" if scope_client is None else scope_client[0])


def get_request_source() -> str:
    """Return the network address that the current request comes from."""
    return _source.get()
