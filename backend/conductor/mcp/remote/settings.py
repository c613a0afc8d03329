"""Reads the settings of the server for agents on other computers."""

import socket
from typing import NamedTuple

from conductor.base.loopback import LOOPBACK_HOST, is_loopback_host
from conductor.domain.settings import LlmMcp
from conductor.errors import NotAvailable
from conductor.mcp.server.access import require_agents_enabled


class RemoteSettings(NamedTuple):
    """The settings that a server for agents on other computers is built from."""

    address: str
    """The address by which agents reach the server, without a path. It is the issuer of their tokens."""
    host: str
    port: int
    tls: bool
    certificate: str
    certificate_key: str


def read_remote_settings(settings: LlmMcp) -> RemoteSettings | None:
    """Return the settings of the server, or None if it is switched off.

    Raises:
        NotAvailable: It is switched on, but other settings prevent it. The message says which.
    """
    if not settings.remote_enabled:
        return None
    require_agents_enabled(settings, "agents on other computers", "llm.mcp.remote_enabled")
    if not settings.remote_tls and not is_loopback_host(settings.remote_host):
        raise NotAvailable(
            f"agents on other computers are not served, because {settings.remote_host} can be reached without"
            f" encryption: set llm.mcp.remote_tls to true, or llm.mcp.remote_host to {LOOPBACK_HOST} and"
            " let a program such as Caddy encrypt the connections"
        )
    return RemoteSettings(
        settings.remote_address or f"https://{_get_own_name()}:{settings.remote_port}",
        settings.remote_host,
        settings.remote_port,
        settings.remote_tls,
        settings.remote_certificate,
        settings.remote_certificate_key,
    )


def _get_own_name() -> str:
    """Return the name by which other computers on the network usually find this one."""
    name = socket.gethostname().lower() or "localhost"
    return name if "." in name or name == "localhost" else f"{name}.local"
