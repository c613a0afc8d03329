"""Implements `tools.abilities.Abilities` for a running Conductor."""

from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from conductor.app.records import Records

if TYPE_CHECKING:
    from conductor.config.store import ConfigStore


class WithAbilities(Protocol):
    """What is seen of the app."""

    home: Path
    store: "ConfigStore"
    records: Records


class AppAbilities:
    """Each part is made, and its library imported, when it is first used."""

    def __init__(self, app: WithAbilities) -> None:
        self._app = app
