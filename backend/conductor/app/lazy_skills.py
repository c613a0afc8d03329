"""Creates the library of Agent Skills on first use."""

from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from conductor.domain.settings import SkillsSettings
    from conductor.skills.library import SkillLibrary


class LazySkills:
    """Provides one library of Agent Skills to the chat, the tools, the page and agents.

    Safe to use from any thread.
    """

    def __init__(self, home: Path, settings: "Callable[[], SkillsSettings]") -> None:
        self._home = home
        self._settings = settings

    @cached_property
    def library(self) -> "SkillLibrary":
        from conductor.skills.library import SkillLibrary

        return SkillLibrary(self._home, settings=self._settings)
