"""Defines the access of agents on other computers: what they may do, their requests, and what was granted."""

from datetime import datetime
from typing import Literal, get_args

from conductor.domain.value import Value

RemoteScope = Literal["look", "operate", "propose", "hardware", "skills"]
"""What an agent on another computer may do. Each scope covers the tools of some tiers:

- `look`: read the config, devices and events, and simulate;
- `operate`: switch modes, mute devices, learn;
- `propose`: propose changes, which the user approves or rejects;
- `hardware`: send MIDI;
- `skills`: use the assistant's skills that the user offers to programs.
"""
REMOTE_SCOPES: tuple[RemoteScope, ...] = get_args(RemoteScope)
ALWAYS_GRANTED_SCOPE: RemoteScope = "look"
"""The scope that every grant includes, because an agent can do nothing without it."""
FIRST_SCOPES: tuple[RemoteScope, ...] = ("look", "propose")
"""The scopes that an agent is told to request first. It can ask for others when it needs them."""

AuthorizationState = Literal["pending", "allowed", "denied", "expired"]


class AuthorizationRequestView(Value):
    """An agent on another computer that asks for access, as page and terminal show it."""

    request_id: str
    state: AuthorizationState
    client: str
    """The name that the agent gives itself, which nobody has verified."""
    redirect_host: str
    """Where the browser goes after the decision: a host, or the program that opens such addresses."""
    source: str
    """The network address of the browser that made the request."""
    scopes: tuple[RemoteScope, ...]
    """The scopes that the agent requests."""
    granted: tuple[RemoteScope, ...]
    """The scopes that this agent already has; empty for an agent without access. Once the request is allowed,
    those that the user granted."""
    requested_at: datetime
    expires_at: datetime


class RemoteGrantView(Value):
    """Access that the user has granted to an agent on another computer."""

    grant_id: str
    client: str
    redirect_host: str
    scopes: tuple[RemoteScope, ...]
    created_at: datetime
    last_used_at: datetime | None


class RemoteAccessStatus(Value):
    """Whether and where agents on other computers are served."""

    enabled: bool
    address: str | None
    """The address for agents while they are served, or None."""
    fingerprint: str | None
    """The SHA-256 fingerprint of the certificate, or None if Conductor does not encrypt connections itself."""
    certificate_file: str | None
    is_self_made: bool
    """Whether Conductor made the certificate itself, so that agents must be given its file."""
    problem: str | None
    """Why agents are not served although they should be, and what to do."""


class Authorization(Value):
    """What the user allowed, as it is bound to an authorization code."""

    client_id: str
    client: str
    redirect_host: str
    redirect_uri: str
    is_redirect_uri_explicit: bool
    code_challenge: str
    scopes: tuple[RemoteScope, ...]
    resource: str
    is_registered: bool
    """Whether the client registered itself here, so that its id belongs to one installation only."""


class RemoteGrant(Value):
    """The access of an agent on another computer."""

    grant_id: str
    client_id: str
    client: str
    redirect_host: str
    scopes: tuple[RemoteScope, ...]
    resource: str
    created_at: float
    last_used_at: float | None
