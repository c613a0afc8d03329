"""Finds the modes, devices and profiles that have another name in a new config.

Renames are found by comparing the configs, so that renames made by hand, by undo or by restoring
a version are found too.
"""

from typing import Any

from pydantic import Field

from conductor.domain.config import Config, Mode
from conductor.domain.rename import rename_mode
from conductor.domain.value import Value


class Renames(Value):
    """The renamed modes, devices and profiles, each with its old and its new name."""

    modes: dict[str, str] = Field(default_factory=dict[str, str])
    devices: dict[str, str] = Field(default_factory=dict[str, str])
    profiles: dict[str, str] = Field(default_factory=dict[str, str])

    def get_new_mode(self, name: str) -> str:
        """Return the new name of a mode; a mode that was not renamed keeps its name."""
        return self.modes.get(name, name)

    def get_new_device(self, alias: str) -> str:
        """Return the new alias of a device; a device that was not renamed keeps its alias."""
        return self.devices.get(alias, alias)

    def get_new_profile(self, name: str) -> str:
        """Return the new name of a profile; a profile that was not renamed keeps its name."""
        return self.profiles.get(name, name)


NO_RENAMES = Renames()


def find_renames(old: Config, new: Config) -> Renames:
    """Return the modes, devices and profiles that have another name in the new config."""
    return Renames(
        modes=_find_renamed_modes(old, new),
        devices=_find_renamed_devices(old, new),
        profiles=_find_renamed_profiles(old, new),
    )


def _find_renamed_modes(old: Config, new: Config) -> dict[str, str]:
    """Return the new name of each renamed mode, by its old name.

    A removed mode was renamed to an added mode if both have the same mappings, or if they have the same
    position and share most of their mappings.
    """
    removed = [(at, mode) for at, mode in enumerate(old.modes) if new.find_mode(mode.name) is None]
    added = [(at, mode) for at, mode in enumerate(new.modes) if old.find_mode(mode.name) is None]
    found: dict[str, str] = {}
    for same_place in (False, True):
        for at, mode in removed:
            for place, other in added:
                is_free = mode.name not in found and other.name not in found.values()
                fits = at == place and _has_similar_mappings(old, mode, other)
                if is_free and (fits if same_place else _has_same_mappings(old, mode, other)):
                    found[mode.name] = other.name
    return found


def _find_renamed_profiles(old: Config, new: Config) -> dict[str, str]:
    """Return the new name of each renamed profile, by its old name.

    A profile was renamed if an added one matches the same app.
    """
    names = {profile.name for profile in new.profiles}
    removed = [profile for profile in old.profiles if profile.name not in names]
    names = {profile.name for profile in old.profiles}
    added = [profile for profile in new.profiles if profile.name not in names]
    renamed: dict[str, str] = {}
    for profile in removed:
        match = next((each for each in added if each.match == profile.match), None)
        if match is not None:
            added.remove(match)
            renamed[profile.name] = match.name
    return renamed


def _find_renamed_devices(old: Config, new: Config) -> dict[str, str]:
    """Return the new alias of each renamed device, by its old alias.

    A device was renamed if an added one has the same matchers.
    """
    before = {device.alias for device in old.devices}
    after = {device.alias for device in new.devices}
    added = [device for device in new.devices if device.alias not in before]
    removed = [device for device in old.devices if device.alias not in after]
    renamed: dict[str, str] = {}
    for device in removed:
        match = next((each for each in added if each.matchers == device.matchers), None)
        if match is not None:
            added.remove(match)
            renamed[device.alias] = match.alias
    return renamed


def _has_same_mappings(old: Config, mode: Mode, other: Mode) -> bool:
    """Return whether two modes have the same mappings; modes without mappings never count as the same."""
    return bool(mode.mappings) and _list_renamed_mappings(old, mode, other.name) == other.mappings


def _has_similar_mappings(old: Config, mode: Mode, other: Mode) -> bool:
    rows = _list_renamed_mappings(old, mode, other.name)
    shared = sum(row in other.mappings for row in rows)
    return 2 * shared >= max(len(rows), len(other.mappings))


def _list_renamed_mappings(old: Config, mode: Mode, name: str) -> tuple[Any, ...]:
    """Return the mappings of a mode, in which all references to the mode have another name."""
    renamed = old.model_copy(update={"modes": (mode,)})
    return rename_mode(renamed, mode.name, name).modes[0].mappings
