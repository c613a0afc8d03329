"""Defines the complete config as one immutable value: devices, modes, mappings, profiles and settings."""

from collections.abc import Iterator
from typing import Any

from pydantic import Field, field_validator, model_validator

from conductor.domain.actions import TopLevelAction
from conductor.domain.devices import DeviceIdentity
from conductor.domain.scopes import format_mode_scope, format_profile_scope
from conductor.domain.search_pattern import (
    MAX_REGEX_LENGTH,
    MAX_TOTAL_PATTERN_COST,
    contains_match,
    estimate_pattern_cost,
    validate_pattern,
)
from conductor.domain.settings import KnowledgeSettings, LlmSettings, Settings, SkillsSettings
from conductor.domain.triggers import Trigger
from conductor.domain.value import Value

CONFIG_VERSION = 1
DEFAULT_MODE = "Default"


class Mapping(Value):
    """A trigger and the action that it performs."""

    description: str | None = Field(default=None, max_length=500)
    """What the mapping is for, in your words; shown in lists and traces."""
    enabled: bool = True
    """Whether the mapping works; if false, it only stays in the file."""
    trigger: Trigger
    """The gesture on a control that fires the mapping."""
    action: TopLevelAction
    """What the mapping does when it fires."""


class Mode(Value):
    """A named set of mappings; one mode is active at a time."""

    name: str = Field(min_length=1, max_length=64, pattern=r"^[^\x00-\x1f]+$")
    """The name that ModeChange and ModeIs use."""
    color: str | None = Field(default=None, max_length=32)
    """The colour of the mode in the window."""
    mappings: tuple[Mapping, ...] = ()
    """The mappings of this mode."""


class ProfileMatch(Value):
    """Describes the app of a profile; every given field must match."""

    bundle_id: str | None = None
    """The bundle id of the app on macOS."""
    executable: str | None = None
    """The file name of the app's program; case does not matter."""
    title_regex: str | None = Field(default=None, max_length=MAX_REGEX_LENGTH)
    """A regular expression found in the window's title, of which the first 256 characters count.
    `(?!...)` may say what must not follow; other look-around and backreferences are not known."""

    @field_validator("title_regex", mode="after")
    @classmethod
    def _require_valid_pattern(cls, pattern: str | None) -> str | None:
        return None if pattern is None else validate_pattern(pattern)

    @model_validator(mode="after")
    def _require_field(self) -> "ProfileMatch":
        if self.bundle_id is None and self.executable is None and self.title_regex is None:
            raise ValueError("give at least one of bundle_id, executable and title_regex")
        return self

    def matches_app(self, app: tuple[str, str, str]) -> bool:
        """Return whether an app matches, given by its executable, bundle id and window title."""
        executable, bundle_id, title = app
        return (
            (self.bundle_id is None or self.bundle_id.casefold() == bundle_id.casefold())
            and (self.executable is None or self.executable.casefold() == executable.casefold())
            and (self.title_regex is None or contains_match(self.title_regex, title))
        )


class Profile(Value):
    """What changes while an app is in front: its own mappings first, and perhaps a mode."""

    name: str = Field(min_length=1, max_length=64)
    """The name of the profile."""
    match: ProfileMatch
    """The app that the profile is for."""
    mode: str | None = None
    """The mode to switch to when the app comes to the front."""
    enabled: bool = True
    """Whether the profile works; if false, it only stays in the file."""
    mappings: tuple[Mapping, ...] = ()
    """The mappings that work while the app is in front."""


class Config(Value):
    """The complete content of config.toml."""

    version: int = Field(default=CONFIG_VERSION, ge=1, le=CONFIG_VERSION)
    """The version of the config format."""
    devices: tuple[DeviceIdentity, ...] = ()
    """The devices that have an alias."""
    modes: tuple[Mode, ...] = (Mode(name=DEFAULT_MODE),)
    """Sets of mappings; one is active at a time."""
    global_mappings: tuple[Mapping, ...] = ()
    """Mappings that work in every mode; a mode's own mapping for the same control takes precedence."""
    profiles: tuple[Profile, ...] = ()
    """What changes while an app is in front."""
    settings: Settings = Settings()
    """The settings of the engine, the window and MIDI Learn."""
    llm: LlmSettings = LlmSettings()
    """The models that the chat may call."""
    knowledge: KnowledgeSettings = KnowledgeSettings()
    """The reference texts that the chat may use."""
    skills: SkillsSettings = SkillsSettings()
    """The skills that the chat may use."""

    @model_validator(mode="before")
    @classmethod
    def _accept_bindings(cls, raw: Any) -> Any:
        """Accept `[[bindings]]`, which is the older name of `[[devices]]`."""
        if isinstance(raw, dict) and "bindings" in raw and "devices" not in raw:
            return {("devices" if key == "bindings" else key): item for key, item in raw.items()}
        return raw

    @field_validator("profiles", mode="after")
    @classmethod
    def _limit_pattern_cost(cls, profiles: tuple[Profile, ...]) -> tuple[Profile, ...]:
        """Reject a config whose title patterns are so large that matching a window
        title would delay the engine.
        """
        patterns = (profile.match.title_regex for profile in profiles)
        together = sum(
            estimate_pattern_cost(pattern) for pattern in patterns if pattern is not None
        )
        if together > MAX_TOTAL_PATTERN_COST:
            raise ValueError(
                f"the title patterns of all profiles together are too large (size {together}, "
                f"at most {MAX_TOTAL_PATTERN_COST}): use `executable` where it is enough"
            )
        return profiles

    @field_validator("modes", mode="after")
    @classmethod
    def _require_mode(cls, modes: tuple[Mode, ...]) -> tuple[Mode, ...]:
        return modes or (Mode(name=DEFAULT_MODE),)

    def find_mode(self, name: str) -> Mode | None:
        return next((mode for mode in self.modes if mode.name == name), None)

    def get_start_mode(self) -> str:
        """Return the name of the mode that is active when Conductor starts."""
        wanted = self.settings.engine.start_mode
        return wanted if wanted and self.find_mode(wanted) else self.modes[0].name

    def list_all_mappings(self) -> Iterator[tuple[str, int, Mapping]]:
        """Yield each mapping with its scope (`mode:<name>`, `profile:<name>` or `global`)
        and its index in the scope.
        """
        for profile in self.profiles:
            for index, mapping in enumerate(profile.mappings):
                yield format_profile_scope(profile.name), index, mapping
        for mode in self.modes:
            for index, mapping in enumerate(mode.mappings):
                yield format_mode_scope(mode.name), index, mapping
        for index, mapping in enumerate(self.global_mappings):
            yield "global", index, mapping
