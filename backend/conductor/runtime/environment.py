"""Builds the environment of the engine and of the programs that mappings start, without API keys.

The engine is started before the config is parsed, so the names of variables with keys are first searched for
in the text of the config. Names in a later config are sent to the running engine.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from conductor.base.environment import build_keyless_environment, hide_variables
from conductor.domain.engine_protocol import ConfigPiece, HideVariables

if TYPE_CHECKING:
    from conductor.domain.config import Config

_KEY_VARIABLE = re.compile(
    r"""\b(?:api_key_env|auth_token_env)["']?\s*=\s*["']([A-Za-z_][A-Za-z0-9_]*)["']"""
)
MAX_SCANNED_CONFIG_CHARS = 1_000_000


def build_engine_environment(config_path: Path) -> dict[str, str]:
    """Return the environment for the engine process, without the API keys that the config names."""
    try:
        with config_path.open(encoding="utf-8", errors="replace") as file:
            text = file.read(MAX_SCANNED_CONFIG_CHARS)
    except OSError:
        text = ""
    return build_keyless_environment(_KEY_VARIABLE.findall(text))


def list_key_variables(config: "Config") -> set[str]:
    """Return the names of the environment variables from which a config reads API keys."""
    llm = config.llm
    names = {provider.api_key_env for provider in llm.providers.values()} | {llm.mcp.auth_token_env}
    return {name for name in names if name}


def build_engine_messages(config: "Config", token: int) -> Iterator[ConfigPiece | HideVariables]:
    """Yield the messages that transfer a config to the engine, after the names of the
    variables with API keys.
    """
    from conductor.engine.config_transfer import build_config_messages

    names = list_key_variables(config)
    hide_variables(names)
    yield HideVariables(sorted(names))
    yield from build_config_messages(config, token)
