"""The OAuth client that the user registered with a service by hand."""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class OAuthClient:
    """The `oauth` settings in the entry of a server; `repr` omits the secret."""

    client_id: str = ""
    """The client id; if it is empty, Conductor registers itself with the server."""
    client_secret: str = field(default="", repr=False)
    """The client secret; empty for a public client."""
    scopes: tuple[str, ...] = ()
    """Scopes to request instead of the scopes that the server names."""
    port: int = 0
    """Loopback port of the redirect address; 0 selects a free port."""
