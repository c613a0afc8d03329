"""Finds the config version that broke a stored example, by playing the example on older versions."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from conductor.config.diff import preview_diff
from conductor.config.parse import read
from conductor.domain.config import Config
from conductor.domain.example_names import rename_in_example
from conductor.domain.examples import Example
from conductor.domain.renames import find_renames
from conductor.engine.examples.check import run_example
from conductor.errors import ConfigError
from conductor.storage.history import History, Version

PAGE = 100


class BreakingVersion(NamedTuple):
    """The config version that broke an example."""

    version: Version
    before: Version
    problem: str
    diff: str

    def describe(self) -> str:
        """Describe the change that broke the example by its version, time, author and reason."""
        author = f" by {self.version.author.describe()}" if self.version.author else ""
        when = f"{self.version.at:%Y-%m-%d %H:%M:%S}"
        return f"version {self.version.id} of {when}{author}: {self.version.reason}"


class BreakSearchResult(NamedTuple):
    """The result of a search for the version that broke an example."""

    culprit: BreakingVersion | None
    """None if the example passes now, or passes in no version."""
    holds: bool
    """Whether the example passes on the current version."""
    versions: int
    """Number of versions that the example was played on."""

    def describe(self, name: str) -> str:
        """Return the result as a sentence about the example with this name."""
        if self.holds:
            return f"`{name}` passes"
        if self.culprit is None:
            return f"`{name}` fails in all {self.versions} stored versions"
        return f"`{name}` was broken by {self.culprit.describe()}"


def find_breaking_version(example: Example, versions: Iterable[Version]) -> BreakSearchResult:
    """Search back from the current version for the last version under which the example passed.

    The search is linear, not binary: an example may have been broken and fixed several times, and only
    the most recent break matters, which is rarely far back.
    """
    later: tuple[Version, Config, str] | None = None
    played = 0
    for version in versions:
        config = _parse_version(version)
        if config is None:
            continue
        if later is not None:
            # undo later renames of modes
            example = rename_in_example(example, find_renames(later[1], config))
        result = run_example(config, example)
        played += 1
        if result.passed:
            if later is None:
                return BreakSearchResult(None, holds=True, versions=played)
            broken, _, problem = later
            diff = preview_diff(version.text, broken.text)
            culprit = BreakingVersion(broken, version, problem, diff)
            return BreakSearchResult(culprit, holds=False, versions=played)
        later = (version, config, result.problem or "")
    return BreakSearchResult(None, holds=False, versions=played)


def iterate_versions_back(history: History) -> Iterator[Version]:
    """Yield the versions that led to the current version, newest first.

    Undone versions are left out.
    """
    current = history.latest()
    before_id = None if current is None else current.id + 1
    while before_id is not None:
        page = history.list(PAGE, before_id)
        yield from (version for version in page if not version.left)
        before_id = page[-1].id if len(page) == PAGE else None


def _parse_version(version: Version) -> Config | None:
    """Parse the text of a version. Return None if this Conductor cannot read it."""
    try:
        return read(version.text).config
    except ConfigError:
        return None
