"""Finds the version of the config that broke a saved example, by playing the example on older versions."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from conductor.config.diff import preview_diff
from conductor.config.parse import load_config_with_notes
from conductor.domain.config import Config
from conductor.domain.example_names import rename_modes_in_example
from conductor.domain.examples import Example
from conductor.domain.renames import find_renames
from conductor.engine.examples.check import run_example
from conductor.errors import ConfigError
from conductor.storage.history import History, Version

VERSION_PAGE_SIZE = 100


class BreakingVersion(NamedTuple):
    """The version of the config that broke an example, and the version before it."""

    version: Version
    before: Version
    problem: str
    diff: str

    def describe_change(self) -> str:
        """Return the number, time, author and reason of the change that broke the example."""
        author = f" by {self.version.author.describe()}" if self.version.author else ""
        when = f"{self.version.at:%Y-%m-%d %H:%M:%S}"
        return f"version {self.version.id} of {when}{author}: {self.version.reason}"


class BreakSearchResult(NamedTuple):
    """The result of a search for the version that broke an example, which may have found none."""

    culprit: BreakingVersion | None
    """The version that broke the example. None if the example passes now, or passes in no version."""
    passes_now: bool
    """Whether the example passes in the current version."""
    versions: int
    """The number of versions in which the example was played."""

    def describe_result(self, name: str) -> str:
        """Return a sentence about the example with this name."""
        if self.passes_now:
            return f"`{name}` passes"
        if self.culprit is None:
            return f"`{name}` fails in all {self.versions} stored versions"
        return f"`{name}` was broken by {self.culprit.describe_change()}"


def find_breaking_version(example: Example, versions: Iterable[Version]) -> BreakSearchResult:
    """Search the versions, newest first, for the last change that broke an example.

    The search is linear instead of binary, because an example may have been broken and fixed several times.
    Only the last break matters, and it is usually in one of the newest versions.
    """
    later: tuple[Version, Config, str] | None = None
    played = 0
    for version in versions:
        config = _parse_version_config(version)
        if config is None:
            continue
        if later is not None:
            # the example is played with the names that its modes had in this version
            example = rename_modes_in_example(example, find_renames(later[1], config))
        result = run_example(config, example)
        played += 1
        if result.passed:
            if later is None:
                return BreakSearchResult(None, passes_now=True, versions=played)
            broken, _, problem = later
            diff = preview_diff(version.text, broken.text)
            culprit = BreakingVersion(broken, version, problem, diff)
            return BreakSearchResult(culprit, passes_now=False, versions=played)
        later = (version, config, result.problem or "")
    return BreakSearchResult(None, passes_now=False, versions=played)


def iterate_versions_back(history: History) -> Iterator[Version]:
    """Yield the versions that led to the current one, newest first. Versions that were undone are skipped."""
    current = history.latest()
    before_id = None if current is None else current.id + 1
    while before_id is not None:
        page = history.list(VERSION_PAGE_SIZE, before_id)
        yield from (version for version in page if not version.left)
        before_id = page[-1].id if len(page) == VERSION_PAGE_SIZE else None


def _parse_version_config(version: Version) -> Config | None:
    """Return the config of a version, or None if this version of Conductor cannot read it."""
    try:
        return load_config_with_notes(version.text).config
    except ConfigError:
        return None
