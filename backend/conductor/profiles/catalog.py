"""Loads the device profiles that ship with Conductor and the user's own profiles, and
finds the profile of a port.
"""

from pathlib import Path
from typing import NamedTuple

from conductor.base.resource_paths import find_knowledge_paths, read_modified_ns
from conductor.domain.device_profile import DeviceProfile, Variant
from conductor.domain.devices import DeviceIdentity, ExactName, NameContains, PortInfo
from conductor.errors import InvalidParams
from conductor.profiles.files import (
    MAX_PROFILE_BYTES,
    PROFILE_SUFFIXES,
    parse_profile,
    read_limited_bytes,
    read_profile_file,
    read_profile_folder,
)

FolderStamp = tuple[tuple[str, int], ...]
_profiles_by_folder: dict[Path, tuple[FolderStamp, tuple[DeviceProfile, ...]]] = {}
"""A cache of the profiles in each folder, valid while the names and modification
times of its files are equal."""


class MatchedProfile(NamedTuple):
    """The profile of a device, and the variant of it whose messages the matching port sends."""

    profile: DeviceProfile
    variant: Variant


class ProfileCatalog(NamedTuple):
    """All available device profiles, by id. A user's profile replaces a shipped profile with the same id."""

    profiles: dict[str, DeviceProfile]
    own: frozenset[str]

    def find_profile_for_port(self, name: str) -> MatchedProfile | None:
        """Return the profile whose matchers fit a port name best, or None if no profile fits."""
        port = PortInfo(name=name)
        fitting = [
            (profile.id in self.own, profile.get_match_specificity(port), profile)
            for profile in self.profiles.values()
            if profile.get_match_specificity(port)
        ]
        if not fitting:
            return None
        profile = max(fitting, key=lambda each: each[:2])[2]
        return MatchedProfile(profile, choose_variant(profile, name))

    def find_profile_for_alias(self, alias: DeviceIdentity) -> MatchedProfile | None:
        """Return the profile of a configured device, judged by the port names in its matchers, or None.

        This also works while the device is disconnected.
        """
        names = [
            matcher.pattern
            for matcher in alias.matchers
            if isinstance(matcher, ExactName | NameContains)
        ]
        return next((fit for name in names if (fit := self.find_profile_for_port(name))), None)


def load_catalog(home: Path) -> ProfileCatalog:
    """Return the shipped profiles and the user's own profiles, which are in the home folder.

    Folders that have not changed since the last call are not read again.
    """
    where = find_knowledge_paths(home)
    own = _load_profile_folder(where.profiles_folder)
    shipped = _load_profile_folder(where.sources / "devices")
    profiles = {profile.id: profile for profile in (*shipped, *own)}
    return ProfileCatalog(dict(sorted(profiles.items())), frozenset(profile.id for profile in own))


def save_user_profile(folder: Path, text: str) -> DeviceProfile:
    """Save a device profile, given as TOML or JSON, in the folder of the user's profiles, and return it.

    The knowledge search finds the profile after the next rebuild of the index.

    Raises:
        InvalidParams: the profile is not valid; the message lists the errors and their positions.
    """
    profile = parse_profile(text)
    is_json = text.lstrip("\ufeff \t\r\n").startswith("{")
    target = folder / f"{profile.id}{'.json' if is_json else '.toml'}"
    folder.mkdir(parents=True, exist_ok=True)
    partial = folder / f"{profile.id}.part"
    partial.write_text(text, encoding="utf-8")
    partial.replace(target)
    for path in _list_profile_files(folder):
        if path != target and _read_profile_id(path) == profile.id:
            path.unlink()
    return profile


def read_user_profile_texts(folder: Path) -> tuple[str, ...]:
    """Return the texts of the user's valid device profiles."""
    return tuple(
        read_limited_bytes(path, MAX_PROFILE_BYTES).decode("utf-8-sig")
        for path in sorted(_list_profile_files(folder))
        if _read_profile_id(path)
    )


def delete_user_profile(folder: Path, profile_id: str) -> None:
    """Delete the file of the user's profile with this id, whatever the file is called.

    Raises:
        InvalidParams: the user has no profile with this id.
    """
    found = [path for path in _list_profile_files(folder) if _read_profile_id(path) == profile_id]
    if not found:
        raise InvalidParams(
            f"you have no device profile {profile_id[:64]!r}; shipped profiles cannot be deleted"
        )
    for path in found:
        path.unlink()


def _list_profile_files(folder: Path) -> list[Path]:
    paths = folder.iterdir() if folder.is_dir() else ()
    return [path for path in paths if path.suffix in PROFILE_SUFFIXES]


def _read_profile_id(path: Path) -> str:
    """Return the id of the profile in a file, or an empty string if the file contains no valid profile."""
    try:
        return read_profile_file(path).id
    except InvalidParams:
        return ""


def choose_variant(profile: DeviceProfile, port: str) -> Variant:
    """Return the variant of a profile for a port: one that names the port, if there is any.

    Otherwise it is the first variant without a port, or else the first variant.
    """
    matching = [
        variant
        for variant in profile.variants
        if variant.port and variant.port.casefold() in port.casefold()
    ]
    without_port = [variant for variant in profile.variants if not variant.port]
    return [*matching, *without_port, *profile.variants][0]


def _load_profile_folder(folder: Path) -> tuple[DeviceProfile, ...]:
    if not folder.is_dir():
        return ()
    stamp = tuple(sorted((path.name, read_modified_ns(path)) for path in folder.iterdir()))
    if folder not in _profiles_by_folder or _profiles_by_folder[folder][0] != stamp:
        _profiles_by_folder[folder] = (stamp, read_profile_folder(folder).profiles)
    return _profiles_by_folder[folder][1]
