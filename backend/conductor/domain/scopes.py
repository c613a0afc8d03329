"""The scopes that mappings belong to, written as `mode:<name>`, `profile:<name>` or `global`."""

from typing import Literal, NamedTuple

ScopeKind = Literal["mode", "profile", "global"]


class Scope(NamedTuple):
    """The kind of a scope and the name of its mode or profile."""

    kind: ScopeKind
    name: str
    """The mode's or profile's name; empty for `global`."""


def format_mode_scope(mode: str) -> str:
    """Return the scope of the mappings of a mode."""
    return f"mode:{mode}"


def format_profile_scope(profile: str) -> str:
    """Return the scope of the mappings of an app profile."""
    return f"profile:{profile}"


def parse_scope(scope: str) -> Scope:
    """Split a scope into its kind and the name of its mode or profile."""
    kind, _, name = scope.partition(":")
    return Scope(kind, name)  # pyright: ignore[reportArgumentType]
