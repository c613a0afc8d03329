"""An OAuth client that the user registered with a service by hand."""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class OAuthClient:
    """The `oauth` settings in the entry of a server. Its `repr` does not contain the secret."""

    client_id: str = ""
    """The client id. If it is empty, Conductor registers itself with the server."""
    client_secret: str = field(default="", repr=False)
    """The client secret, or an empty text for a public client."""
    scopes: tuple[str, ...] = ()
    """Scopes to request instead of those that the server names."""
    port: int = 0
    """The loopback port of the redirect address. 0 selects a free port."""
