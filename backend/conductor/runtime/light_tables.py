"""Reads the light tables of device profiles for the engine, which needs them to light controls."""

import logging
from pathlib import Path
from typing import TYPE_CHECKING

from conductor.base.json_types import JsonObject
from conductor.domain.engine_protocol import UseLights

if TYPE_CHECKING:
    from conductor.domain.actions import Action
    from conductor.domain.config import Config

log = logging.getLogger(__name__)


def list_light_table_messages(home: Path, config: "Config") -> list[UseLights]:
    """Return a message with the light tables of all device profiles; return no message
    if no mapping uses lights.

    The app reads the profiles, because the engine would not respond during the 0.3 s that this takes.
    """
    return [_build_light_table_message(home)] if _config_uses_lights(config) else []


def list_light_table_messages_for(
    home: Path, config: "Config", action: "Action"
) -> list[UseLights]:
    """Return the message with the light tables if an action that is performed once needs them and no
    mapping does, so that the engine does not have them.
    """
    is_first = _uses_lights(action) and not _config_uses_lights(config)
    return [_build_light_table_message(home)] if is_first else []


def _config_uses_lights(config: "Config") -> bool:
    return any(_uses_lights(row.action) for _, _, row in config.list_all_mappings())


def _uses_lights(action: "Action") -> bool:
    from conductor.domain.actions import walk_actions
    from conductor.domain.actions.led import LedAction

    return any(isinstance(part, LedAction) for part in walk_actions(action))


def _build_light_table_message(home: Path) -> UseLights:
    from conductor.domain.lights import build_light_table
    from conductor.profiles.catalog import load_catalog

    tables: list[JsonObject] = []
    for profile in load_catalog(home).profiles.values():
        try:
            table = build_light_table(profile)
        except ValueError as problem:  # an error in one profile must not prevent loading the config
            log.warning(
                "the lights of the device profile %s cannot be used: %s", profile.id, problem
            )
            continue
        if table.rows:
            tables.append(table.model_dump(mode="json"))
    return UseLights(tables)
