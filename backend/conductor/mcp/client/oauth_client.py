"""What a service gave the user for a program that signs in: it takes the place of registering there."""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class OAuthClient:
    """As `oauth` of an entry says it; the secret is shown to nobody."""

    client_id: str = ""
    """Empty: the server lets programs register themselves."""
    client_secret: str = field(default="", repr=False)
    """Empty: a public client, which has none."""
    scopes: tuple[str, ...] = ()
    """What to ask for instead of what the server names."""
    port: int = 0
    """Where the browser comes back to; 0 takes a free one."""
