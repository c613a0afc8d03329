"""Which addresses on the web may be asked: written ones, and what they lead to."""

import ipaddress
import re
import socket
from collections.abc import Callable
from ipaddress import IPv4Address, IPv6Address

import httpx2

from conductor.errors import InvalidParams, NotAllowed

Address = IPv4Address | IPv6Address
Judge = Callable[[Address], str | None]
"""Says why an address must not be asked, or None when it may."""
CHARACTERS_AT_MOST = 2_000
USUAL_PORTS = (80, 443)
OTHER_PORTS = range(1024, 65_536)
"""Below are the services of a system: mail, file shares, remote shells."""
_UNSEEN = re.compile(r"[\x00-\x20\x7f-\xa0\u2028\u2029\\]")
_SHUT_V4 = tuple(
    map(
        ipaddress.IPv4Network,
        (
            "0.0.0.0/8",
            "100.64.0.0/10",  # shared by the customers of a provider
            "168.63.129.16/32",  # what a cloud tells its machines, at a public address
            "192.0.0.0/24",
            "192.88.99.0/24",  # the way into 6to4
            "198.18.0.0/15",
        ),
    )
)
_PUBLIC_V6 = ipaddress.IPv6Network("2000::/3")
_SHUT_V6 = tuple(
    map(
        ipaddress.IPv6Network,
        (
            "2001::/23",  # Teredo and other protocols, which lead elsewhere
            "2001:db8::/32",
            "2002::/16",  # 6to4
            "3fff::/20",
        ),
    )
)
_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")


def web_address(written: str) -> httpx2.URL:
    """Read a web address.

    Raises:
        InvalidParams: it is none that may be asked; says what one looks like.
    """
    if len(written) > CHARACTERS_AT_MOST:
        raise InvalidParams(f"the address is longer than {CHARACTERS_AT_MOST} characters")
    if _UNSEEN.search(written):
        raise InvalidParams("the address has spaces, backslashes or characters that nobody sees")
    try:
        url = httpx2.URL(written)
        host = url.raw_host.decode("ascii")
    except (httpx2.InvalidURL, ValueError, TypeError) as error:
        raise InvalidParams(f"this is not a web address: {error}") from None
    if url.scheme not in ("http", "https"):
        raise InvalidParams("the address must begin with https:// or http://")
    if url.userinfo:
        raise InvalidParams("the address must not carry a user or a password")
    if not host.strip("."):
        raise InvalidParams("the address names no host")
    usual = url.port is None or url.port in USUAL_PORTS
    if not usual and url.port not in OTHER_PORTS:
        raise InvalidParams(f"port {url.port} is not one of web pages")
    return url.copy_with(fragment=None)


def refuse_private(written: str) -> None:
    """Look at an address before anybody is asked about it; what its name leads to is looked at later.

    Raises:
        InvalidParams: it is none that may be asked.
        NotAllowed: the host is an address that is not public, however it is written.
    """
    host = web_address(written).host.rstrip(".")
    if host == "localhost" or host.endswith(".localhost"):
        raise NotAllowed(f"{host[:100]} cannot be asked: it is this computer")
    address = _literal(host)
    problem = None if address is None else why_not_public(address)
    if problem is not None:
        raise NotAllowed(f"{host[:100]} cannot be asked: {problem}")


def _literal(host: str) -> Address | None:
    """Return the address that a host is, also as `127.1` or `0x7f000001`, which systems take for one."""
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        pass
    try:
        return IPv4Address(socket.inet_aton(host))
    except (OSError, ValueError):
        return None


def why_not_public(address: Address) -> str | None:
    """Return why an address is not one of the public internet, or None when it is."""
    if isinstance(address, IPv6Address):
        inner = _inside(address)
        if inner is not None:
            return why_not_public(inner)
        shut = address not in _PUBLIC_V6 or any(address in network for network in _SHUT_V6)
    else:
        shut = any(address in network for network in _SHUT_V4)
    if shut or not address.is_global or address.is_multicast or address.is_reserved:
        return f"{address} is not an address of the public internet"
    return None


def _inside(address: IPv6Address) -> IPv4Address | None:
    """Return the IPv4 address that an IPv6 address stands for."""
    if address in _NAT64:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped
