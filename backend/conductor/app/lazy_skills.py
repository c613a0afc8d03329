"""The library of skills of a running Conductor: made at the first need of it."""

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from conductor.config.store import ConfigStore
    from conductor.skills.library import SkillLibrary


class WithStore(Protocol):
    """What is seen of the app."""

    home: Path
    store: "ConfigStore"


class LazySkills:
    """One library for the chat, the tools, the page and other agents; from any thread."""

    def __init__(self, app: WithStore) -> None:
        self._app = app

    @cached_property
    def library(self) -> "SkillLibrary":
        from conductor.skills.library import SkillLibrary

        return SkillLibrary(self._app.home, settings=lambda: self._app.store.current.skills)
