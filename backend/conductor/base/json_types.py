"""Defines the type for JSON objects whose fields are unknown to the code that passes them on."""

from typing import Any

JsonObject = dict[str, Any]
"""A JSON or TOML object whose fields only its final reader knows: the arguments of a tool, a JSON schema, the
answer of a provider, a table of a config. Where the fields are known, a TypedDict, a named tuple or a model
names them instead."""
