"""Decides whether a web address may be requested, by its text and by the IP addresses of its host."""

import ipaddress
import re
import socket
from collections.abc import Callable
from ipaddress import IPv4Address, IPv6Address

import httpx2

from conductor.errors import InvalidParams, NotAllowed

Address = IPv4Address | IPv6Address
AddressCheck = Callable[[Address], str | None]
"""A function that returns why an IP address must not be requested, or None if it may be."""
MAX_ADDRESS_CHARACTERS = 2_000
STANDARD_WEB_PORTS = (80, 443)
UNPRIVILEGED_PORTS = range(1024, 65_536)
"""The ports above those of system services, such as mail, file shares and remote shells."""
_FORBIDDEN_CHARACTER_PATTERN = re.compile(r"[\x00-\x20\x7f-\xa0\u2028\u2029\\]")
_BLOCKED_IPV4 = tuple(
    map(
        ipaddress.IPv4Network,
        (
            "0.0.0.0/8",
            "100.64.0.0/10",  # carrier-grade NAT, shared by the customers of a provider
            "168.63.129.16/32",  # what a cloud tells its machines, at a public address
            "192.0.0.0/24",
            "192.88.99.0/24",  # the gateway to 6to4
            "198.18.0.0/15",
        ),
    )
)
_PUBLIC_IPV6 = ipaddress.IPv6Network("2000::/3")
_BLOCKED_IPV6 = tuple(
    map(
        ipaddress.IPv6Network,
        (
            "2001::/23",  # Teredo and other protocols whose addresses contain another address
            "2001:db8::/32",
            "2002::/16",  # 6to4, whose addresses contain an IPv4 address
            "3fff::/20",
        ),
    )
)
_NAT64_NETWORK = ipaddress.IPv6Network("64:ff9b::/96")


def parse_web_address(address: str) -> httpx2.URL:
    """Parse a web address and check that its form is allowed.

    Raises:
        InvalidParams: the address is invalid or not allowed; the message says what it must look like.
    """
    if len(address) > MAX_ADDRESS_CHARACTERS:
        raise InvalidParams(f"the address is longer than {MAX_ADDRESS_CHARACTERS} characters")
    if _FORBIDDEN_CHARACTER_PATTERN.search(address):
        raise InvalidParams("the address has spaces, backslashes or invisible characters")
    try:
        url = httpx2.URL(address)
        host = url.raw_host.decode("ascii")
    except (httpx2.InvalidURL, ValueError, TypeError) as error:
        raise InvalidParams(f"this is not a web address: {error}") from None
    if url.scheme not in ("http", "https"):
        raise InvalidParams("the address must begin with https:// or http://")
    if url.userinfo:
        raise InvalidParams("the address must not contain a user name or a password")
    if not host.strip("."):
        raise InvalidParams("the address has no host")
    is_standard = url.port is None or url.port in STANDARD_WEB_PORTS
    if not is_standard and url.port not in UNPRIVILEGED_PORTS:
        raise InvalidParams(f"port {url.port} is not used for web pages")
    return url.copy_with(fragment=None)


def reject_private_host(written: str) -> None:
    """Raise an error for a private host that can be recognised without a DNS lookup.

    The IP addresses that a name resolves to are checked when connecting.

    Raises:
        InvalidParams: the address is invalid or not allowed.
        NotAllowed: the host is a private IP address, in any notation.
    """
    host = parse_web_address(written).host.rstrip(".")
    if host == "localhost" or host.endswith(".localhost"):
        raise NotAllowed(f"{host[:100]} cannot be requested: it is this computer")
    address = _parse_literal_host(host)
    problem = None if address is None else explain_non_public_address(address)
    if problem is not None:
        raise NotAllowed(f"{host[:100]} cannot be requested: {problem}")


def _parse_literal_host(host: str) -> Address | None:
    """Return the IP address if a host is written as one, otherwise None.

    Notations such as `127.1` or `0x7f000001` are recognised.
    """
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        pass
    try:
        return IPv4Address(socket.inet_aton(host))
    except (OSError, ValueError):
        return None


def explain_non_public_address(address: Address) -> str | None:
    """Return why an IP address is not on the public internet, or None if it is."""
    if isinstance(address, IPv6Address):
        embedded = _extract_embedded_address(address)
        if embedded is not None:
            return explain_non_public_address(embedded)
        is_blocked = address not in _PUBLIC_IPV6 or any(
            address in network for network in _BLOCKED_IPV6
        )
    else:
        is_blocked = any(address in network for network in _BLOCKED_IPV4)
    if is_blocked or not address.is_global or address.is_multicast or address.is_reserved:
        return f"{address} is not an address of the public internet"
    return None


def _extract_embedded_address(address: IPv6Address) -> IPv4Address | None:
    """Return the IPv4 address that an IPv6 address contains, as 6to4 and NAT64 addresses do, or None."""
    if address in _NAT64_NETWORK:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped
