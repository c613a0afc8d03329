"""The OAuth client that the user registered with a service by hand."""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class OAuthClient:
    """The `oauth` settings of a server's entry in mcp.json; `repr` leaves the secret out."""

    client_id: str = ""
    """Empty: Conductor registers itself with the server."""
    client_secret: str = field(default="", repr=False)
    """Empty: a public client, which has none."""
    scopes: tuple[str, ...] = ()
    """Scopes to request instead of those the server names."""
    port: int = 0
    """Loopback port of the redirect address; 0 takes a free one."""
