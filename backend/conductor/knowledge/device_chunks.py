"""Converts device profiles to chunks. A profile of the user replaces a shipped profile with the same id."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from conductor.domain.device_profile import ConfidenceGrade, DeviceProfile, Fact
from conductor.domain.knowledge import Chunk
from conductor.knowledge.documents import build_heading_slug
from conductor.knowledge.text import estimate_tokens
from conductor.profiles.device_text import build_markdown_sections
from conductor.profiles.files import read_profile_folder

DEVICE_FACTS_LICENCE = "Facts in our own words."
MAX_REFERENCE_CHARACTERS = 200
"""The maximum length of a reference. It is short, because the prompt repeats the reference under each text."""


@dataclass(frozen=True)
class DeviceProfiles:
    """All device profiles, and the problems of the files that are invalid."""

    profiles: tuple[DeviceProfile, ...] = ()
    problems: tuple[str, ...] = ()
    own_ids: frozenset[str] = frozenset()
    """The ids of the user's own profiles."""

    def build_chunks(self) -> list[Chunk]:
        """Return the chunks of all device profiles."""
        return [
            chunk
            for profile in self.profiles
            for chunk in _build_profile_chunks(profile, own=profile.id in self.own_ids)
        ]

    def list_device_names(self) -> dict[str, list[str]]:
        """Return the common names of each device, by its id.

        The other names of a profile count with and without the maker. The name without a remark, such as
        "Launchpad Pro" for "Launchpad Pro (first generation)", is one of them unless another profile has it.
        """
        names = {
            profile.id: [
                f"{profile.maker} {profile.model}",
                profile.model,
                *profile.also,
                *(f"{profile.maker} {name}" for name in profile.also),
            ]
            for profile in self.profiles
        }
        taken = {name for own_names in names.values() for name in own_names}
        for profile in self.profiles:
            plain = re.sub(r"\s*\([^)]*\)", "", profile.model)
            if plain not in taken and not re.search(r"[,\d]| and ", plain):
                names[profile.id].append(plain)
        return names


def read_device_profiles(folders: Sequence[Path]) -> DeviceProfiles:
    """Read the shipped profiles from the first folder and the user's profiles from the others.

    If several profiles have the same id, the one in the last folder is used.
    """
    found: dict[str, DeviceProfile] = {}
    problems: list[str] = []
    own: set[str] = set()
    for number, folder in enumerate(folders):
        there = read_profile_folder(folder) if folder.is_dir() else None
        if there is not None:
            new = {profile.id: profile for profile in there.profiles}
            found.update(new)
            own.update(new if number else ())
            problems += there.problems
    profiles = tuple(profile for _, profile in sorted(found.items()))
    return DeviceProfiles(profiles, tuple(problems), frozenset(own))


def _build_profile_chunks(profile: DeviceProfile, *, own: bool) -> Iterable[Chunk]:
    taken: set[str] = set()
    for path, content in build_markdown_sections(profile):
        key = _find_unused_chunk_id(
            f"device/{profile.id}#{build_heading_slug(path[1:] or path)}", taken
        )
        yield Chunk(
            id=key,
            domain="device",
            source=f"device/{profile.id}",
            source_title=f"{profile.maker} {profile.model}",
            section_path=path,
            content=content,
            revision=profile.revision,
            licence=DEVICE_FACTS_LICENCE,
            reference=_join_source_references(profile),
            tokens=estimate_tokens(content),
            device=profile.id,
            own=own,
            grade=_find_lowest_reliability_grade(profile),
        )


def _join_source_references(profile: DeviceProfile) -> str:
    """Return as many of the sources that a profile names as fit on a line."""
    titles = list(dict.fromkeys(source.title for source in profile.sources))
    named = titles[:1]
    for title in titles[1:]:
        if len("; ".join([*named, title])) > MAX_REFERENCE_CHARACTERS:
            break
        named.append(title)
    more = len(titles) - len(named)
    return "; ".join(named) + (f"; and {more} more" if more else "")


def _find_unused_chunk_id(key: str, taken: set[str]) -> str:
    free, number = key, 2
    while free in taken:
        free, number = f"{key}-{number}", number + 1
    taken.add(free)
    return free


def _find_lowest_reliability_grade(profile: DeviceProfile) -> ConfidenceGrade:
    """Return the lowest reliability grade among the facts of a profile.

    The text of the chunk states the grade of each fact.
    """
    groups: list[Fact] = [group for variant in profile.variants for group in variant.groups]
    facts = [*groups, *profile.lights, *profile.remarks]
    return "two_sources" if all(fact.grade == "two_sources" for fact in facts) else "one_source"
