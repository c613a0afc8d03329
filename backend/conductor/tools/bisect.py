"""Names the change that broke a kept example, by playing it on the versions of the config."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from conductor.config.diff import preview
from conductor.config.parse import read
from conductor.domain.config import Config
from conductor.domain.example_names import rename_in_example
from conductor.domain.examples import Example
from conductor.domain.renames import find_renames
from conductor.engine.examples.check import run_example
from conductor.errors import ConfigError
from conductor.storage.history import History, Version

PAGE = 100


class Culprit(NamedTuple):
    """The version that broke an example."""

    version: Version
    before: Version
    problem: str
    diff: str

    def words(self) -> str:
        """Return which change it was, who made it and why."""
        who = f" by {self.version.author.words()}" if self.version.author else ""
        when = f"{self.version.at:%Y-%m-%d %H:%M:%S}"
        return f"version {self.version.id} of {when}{who}: {self.version.reason}"


class Searched(NamedTuple):
    """What came of a search."""

    culprit: Culprit | None
    """None: it holds, or it holds in no version."""
    holds: bool
    """It holds in the running version."""
    versions: int
    """How many versions it was played on."""

    def words(self, name: str) -> str:
        """Return what is known of an example, as a sentence."""
        if self.holds:
            return f"`{name}` holds"
        if self.culprit is None:
            return f"`{name}` holds in none of the {self.versions} versions that are kept"
        return f"`{name}` was broken by {self.culprit.words()}"


def find_culprit(example: Example, versions: Iterable[Version]) -> Searched:
    """Walk back, from the running version on, to the last one in which an example held.

    Step by step and not by halves: an example may have been broken and mended several times, and the last
    change that broke it is wanted. That is rarely far away.
    """
    later: tuple[Version, Config, str] | None = None
    played = 0
    for version in versions:
        config = _config(version)
        if config is None:
            continue
        if later is not None:
            # back to what the modes were called then
            example = rename_in_example(example, find_renames(later[1], config))
        result = run_example(config, example)
        played += 1
        if result.passed:
            if later is None:
                return Searched(None, holds=True, versions=played)
            broken, _, problem = later
            diff = preview(version.text, broken.text)
            culprit = Culprit(broken, version, problem, diff)
            return Searched(culprit, holds=False, versions=played)
        later = (version, config, result.problem or "")
    return Searched(None, holds=False, versions=played)


def versions_back(history: History) -> Iterator[Version]:
    """Return the versions that led to the running one, newest first: what was undone is left out."""
    current = history.latest()
    before_id = None if current is None else current.id + 1
    while before_id is not None:
        page = history.list(PAGE, before_id)
        yield from (version for version in page if not version.left)
        before_id = page[-1].id if len(page) == PAGE else None


def _config(version: Version) -> Config | None:
    """Read a version; None for what this Conductor cannot read."""
    try:
        return read(version.text).config
    except ConfigError:
        return None
