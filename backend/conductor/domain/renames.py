"""Which modes, devices and profiles of an old config have another name in a new one.

Comparing finds a rename however it came about: by a plan, by hand, by undo or by a restored version.
"""

from typing import Any

from pydantic import Field

from conductor.domain.config import Config, Mode
from conductor.domain.rename import rename_mode
from conductor.domain.value import Value


class Renames(Value):
    """What only got another name: from the old name to the new one."""

    modes: dict[str, str] = Field(default_factory=dict[str, str])
    devices: dict[str, str] = Field(default_factory=dict[str, str])
    profiles: dict[str, str] = Field(default_factory=dict[str, str])

    def mode(self, name: str) -> str:
        """Return what a mode is called now."""
        return self.modes.get(name, name)

    def device(self, alias: str) -> str:
        """Return what a device is called now."""
        return self.devices.get(alias, alias)

    def profile(self, name: str) -> str:
        """Return what a profile is called now."""
        return self.profiles.get(name, name)


NONE = Renames()


def find_renames(old: Config, new: Config) -> Renames:
    """Return which modes, devices and profiles of an old config have another name in a new one."""
    return Renames(
        modes=_renamed_modes(old, new),
        devices=_renamed_devices(old, new),
        profiles=_renamed_profiles(old, new),
    )


def _renamed_modes(old: Config, new: Config) -> dict[str, str]:
    """Return which modes of an old config have another name in a new one.

    A mode that is gone is one that appeared when both have the same mappings, or when they stand at the
    same place and share most of what they have.
    """
    gone = [(at, mode) for at, mode in enumerate(old.modes) if new.mode(mode.name) is None]
    came = [(at, mode) for at, mode in enumerate(new.modes) if old.mode(mode.name) is None]
    found: dict[str, str] = {}
    for same_place in (False, True):
        for at, mode in gone:
            for place, other in came:
                is_free = mode.name not in found and other.name not in found.values()
                fits = at == place and _is_alike(old, mode, other)
                if is_free and (fits if same_place else _is_same(old, mode, other)):
                    found[mode.name] = other.name
    return found


def _renamed_profiles(old: Config, new: Config) -> dict[str, str]:
    """Return the new names of profiles whose app is matched by a profile of another name now."""
    names = {one.name for one in new.profiles}
    left = [one for one in old.profiles if one.name not in names]
    names = {one.name for one in old.profiles}
    came = [one for one in new.profiles if one.name not in names]
    renamed: dict[str, str] = {}
    for one in left:
        match = next((each for each in came if each.match == one.match), None)
        if match is not None:
            came.remove(match)
            renamed[one.name] = match.name
    return renamed


def _renamed_devices(old: Config, new: Config) -> dict[str, str]:
    """Return the new aliases of devices whose matchers have another alias now."""
    before = {one.alias for one in old.devices}
    came = [one for one in new.devices if one.alias not in before]
    left = [one for one in old.devices if one.alias not in {one.alias for one in new.devices}]
    renamed: dict[str, str] = {}
    for one in left:
        match = next((each for each in came if each.matchers == one.matchers), None)
        if match is not None:
            came.remove(match)
            renamed[one.alias] = match.alias
    return renamed


def _is_same(old: Config, mode: Mode, other: Mode) -> bool:
    """Check that two modes differ in their names alone; empty ones say too little."""
    return bool(mode.mappings) and _rows(old, mode, other.name) == other.mappings


def _is_alike(old: Config, mode: Mode, other: Mode) -> bool:
    rows = _rows(old, mode, other.name)
    shared = sum(row in other.mappings for row in rows)
    return 2 * shared >= max(len(rows), len(other.mappings))


def _rows(old: Config, mode: Mode, name: str) -> tuple[Any, ...]:
    """Return a mode's mappings as they are once it has another name."""
    renamed = old.model_copy(update={"modes": (mode,)})
    return rename_mode(renamed, mode.name, name).modes[0].mappings
