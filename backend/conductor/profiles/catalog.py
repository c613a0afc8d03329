"""Loads the available device profiles, and finds the profile that matches a port."""

from pathlib import Path
from typing import NamedTuple

from conductor.base.resource_paths import find_knowledge_paths, read_modified_ns
from conductor.domain.device_profile import DeviceProfile, Variant
from conductor.domain.devices import DeviceIdentity, ExactName, NameContains, PortInfo
from conductor.errors import InvalidParams
from conductor.profiles.files import SUFFIXES, read_file, read_folder, read_profile

Stamp = tuple[tuple[str, int], ...]
_read: dict[Path, tuple[Stamp, tuple[DeviceProfile, ...]]] = {}
"""What was read of a folder, and its files as they were then."""


class MatchedProfile(NamedTuple):
    """A profile that matches a port, with the variant whose messages this port sends."""

    profile: DeviceProfile
    variant: Variant


class ProfileCatalog(NamedTuple):
    """The device profiles by id. A user's profile replaces a shipped profile with the same id."""

    profiles: dict[str, DeviceProfile]
    own: frozenset[str]

    def find_for_port(self, name: str) -> MatchedProfile | None:
        """Return the profile that matches a port name best, or None if no profile matches."""
        port = PortInfo(name=name)
        fitting = [
            (profile.id in self.own, profile.specificity(port), profile)
            for profile in self.profiles.values()
            if profile.specificity(port)
        ]
        if not fitting:
            return None
        profile = max(fitting, key=lambda each: each[:2])[2]
        return MatchedProfile(profile, choose_variant(profile, name))

    def find_for_alias(self, alias: DeviceIdentity) -> MatchedProfile | None:
        """Return the profile of a disconnected device, which is found by the port names in its matchers."""
        names = [one.pattern for one in alias.matchers if isinstance(one, ExactName | NameContains)]
        return next((fit for name in names if (fit := self.find_for_port(name))), None)


def load_catalog(home: Path) -> ProfileCatalog:
    """Load the shipped profiles and the user's profiles in a home folder.

    Unchanged folders are not read again.
    """
    where = find_knowledge_paths(home)
    own = _load_folder(where.profiles)
    found = {one.id: one for one in (*_load_folder(where.sources / "devices"), *own)}
    return ProfileCatalog(dict(sorted(found.items())), frozenset(one.id for one in own))


def save_profile(folder: Path, text: str) -> DeviceProfile:
    """Save a device profile, given as TOML or JSON, in the user's folder.

    The search finds it once the knowledge index is rebuilt.

    Raises:
        InvalidParams: the profile is not valid; the message says what is wrong where.
    """
    profile = read_profile(text)
    is_json = text.lstrip("\ufeff \t\r\n").startswith("{")
    target = folder / f"{profile.id}{'.json' if is_json else '.toml'}"
    folder.mkdir(parents=True, exist_ok=True)
    half = folder / f"{profile.id}.part"
    half.write_text(text, encoding="utf-8")
    half.replace(target)
    for path in _list_files(folder):
        if path != target and _read_profile_id(path) == profile.id:
            path.unlink()
    return profile


def delete_profile(folder: Path, profile_id: str) -> None:
    """Delete one of the user's profiles. It is found by its id, not by the name of its file.

    Raises:
        InvalidParams: the user has no profile with this id.
    """
    found = [path for path in _list_files(folder) if _read_profile_id(path) == profile_id]
    if not found:
        raise InvalidParams(f"there is no profile {profile_id[:64]!r} of your own to remove")
    for path in found:
        path.unlink()


def _list_files(folder: Path) -> list[Path]:
    there = folder.iterdir() if folder.is_dir() else ()
    return [path for path in there if path.suffix in SUFFIXES]


def _read_profile_id(path: Path) -> str:
    """Return the id of the profile in a file, or an empty string if the file is not a profile."""
    try:
        return read_file(path).id
    except InvalidParams:
        return ""


def choose_variant(profile: DeviceProfile, port: str) -> Variant:
    """Return the variant for a port, else the first variant without a port, else the first variant."""
    named = [
        variant
        for variant in profile.variants
        if variant.port and variant.port.casefold() in port.casefold()
    ]
    free = [variant for variant in profile.variants if not variant.port]
    return [*named, *free, *profile.variants][0]


def _load_folder(folder: Path) -> tuple[DeviceProfile, ...]:
    if not folder.is_dir():
        return ()
    stamp = tuple(sorted((path.name, read_modified_ns(path)) for path in folder.iterdir()))
    if folder not in _read or _read[folder][0] != stamp:
        _read[folder] = (stamp, read_folder(folder).profiles)
    return _read[folder][1]
