"""Defines the scopes of mappings, written as `mode:<name>`, `profile:<name>` or `global`."""

from typing import Literal, NamedTuple

ScopeKind = Literal["mode", "profile", "global"]


class Scope(NamedTuple):
    """A scope: its kind, and the name of the mode or profile."""

    kind: ScopeKind
    name: str
    """The name of the mode or profile; empty for `global`."""


def format_mode_scope(mode: str) -> str:
    """Return the scope of the mappings in a mode, `mode:<name>`."""
    return f"mode:{mode}"


def format_profile_scope(profile: str) -> str:
    """Return the scope of the mappings in a profile, `profile:<name>`."""
    return f"profile:{profile}"


def parse_scope(scope: str) -> Scope:
    """Return a scope as its kind and the name of its mode or profile."""
    kind, _, name = scope.partition(":")
    return Scope(kind, name)  # pyright: ignore[reportArgumentType]
