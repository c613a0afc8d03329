"""Brings older configs to the current version: plain tables in, plain tables out, step by step."""

from typing import Any

from conductor.domain.config import CONFIG_VERSION
from conductor.errors import ConfigError


def migrate(raw: dict[str, Any]) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Give the tables as the current version writes them, and what was changed."""
    version = raw.get("version", CONFIG_VERSION)
    if isinstance(version, int) and version > CONFIG_VERSION:
        raise ConfigError(
            f"made by a newer Conductor (version {version}); update Conductor to use it"
        )
    return raw, ()
