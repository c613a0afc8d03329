"""Defines a benchmark case: the messages of a user, the expected result, and an example of a correct answer."""

from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

import yaml
from pydantic import Field, ValidationError, field_validator, model_validator

from conductor.base.json_types import JsonObject
from conductor.domain.devices import DeviceStatus
from conductor.domain.value import Value
from conductor.errors import ConfigError, InvalidParams

CASES_FOLDER = Path(__file__).with_name("cases")
STAGES_FILE = "stages.yaml"
Family = Literal[
    "triggers",
    "actions",
    "velocity",
    "holds",
    "chords",
    "values",
    "modes",
    "profiles",
    "edits",
    "bulk",
    "history",
    "devices",
    "settings",
    "asking",
    "learning",
    "conflicts",
    "corrections",
    "languages",
    "questions",
    "safety",
]
"""The subject of a case, by which results are grouped."""
Step = str | dict[str, JsonObject]
"""A step of a transcript: text, or parallel calls by tool name without `conductor_`."""


class ForeignTool(Value):
    """A simulated tool of an external MCP server, with a fixed answer."""

    server: str
    tool: str
    description: str
    answer: str


class Stage(Value):
    """The state of Conductor before the conversation begins."""

    config: str = ""
    """The text of config.toml at the beginning."""
    devices: tuple[DeviceStatus, ...] = ()
    """The devices that are connected at the beginning."""
    device: str = "virtual"
    """The id of the device that the user plays."""
    channel: int = 1
    foreign: tuple[ForeignTool, ...] = ()
    """The simulated tools of the user's MCP servers."""


class Turn(Value):
    """A message of the user in a conversation, and what the user does on the computer before sending it."""

    say: str = Field(min_length=1)
    plays: str = ""
    """The gestures that the user plays before the message, as an event script."""
    app: str = ""
    """The app that the user brings to the foreground before the message."""


class Check(Value):
    """A gesture to play on the resulting config, with the effects on the computer that it must have."""

    play: str
    mode: str | None = None
    """The mode in which the gesture is played; None means the first mode."""
    does: tuple[str, ...] = ()
    """The expected effects in order: `or` separates alternatives, `*` matches anything, `@200` is a time in ms.

    At the end, `...` repeats the last effect any number of times, and `*...` matches any further effects.
    """
    ends_in: str | None = None
    """The mode that must be active after the gesture."""


class Case(Value):
    """A case of the benchmark: a conversation, and what must be true after it."""

    id: str = Field(pattern=r"^[a-z0-9-]+$")
    family: Family
    suites: tuple[str, ...] = ("core",)
    stage: str = "pads"
    turns: tuple[Turn, ...] = Field(min_length=1)
    check: tuple[Check, ...] = ()
    changes: tuple[str, ...] = ()
    """The config items that may be changed, removed or added: `Default: Note 36`, `mode
    Live`, `settings.ui.theme`."""
    everywhere: bool = False
    """Whether the checked gestures may also have new effects in other modes."""
    active: str = ""
    """The mode that must be active at the end; empty for the mode at the beginning."""
    holds: dict[str, JsonObject] = Field(default_factory=dict[str, JsonObject])
    """The config items that must exist at the end with these fields, by their names as in `changes`."""
    lacks: tuple[str, ...] = ()
    """The config items that must not exist at the end, by their names as in `changes`."""
    asks: tuple[int, ...] = ()
    """The turns, counted from 0, that must be answered with a question and without a plan."""
    no_change: bool = False
    """Whether the answer must be only text, without a plan and without sending anything."""
    uses: tuple[str, ...] = ()
    """Names of tools, without `conductor_`, of which the model must call at least one."""
    never: tuple[str, ...] = ()
    """Names of tools, without `conductor_`, that the model must not call."""
    says: tuple[str, ...] = ()
    """Patterns, one of which the last answer must match; case is ignored."""
    sends: tuple[str, ...] = ()
    """The messages that must be sent to MIDI outputs during the conversation, in this order."""
    keeps_pending: bool = False
    """Whether the user leaves plans pending instead of approving them."""
    solution: tuple[tuple[Step, ...], ...]
    """The tool calls and texts of a good model in each turn; the tests play them to check the case."""

    @field_validator("turns", mode="before")
    @classmethod
    def _accept_single_values(cls, raw: Any) -> Any:
        return [{"say": one} if isinstance(one, str) else one for one in raw]

    @model_validator(mode="after")
    def _check_consistency(self) -> "Case":
        if len(self.solution) != len(self.turns):
            raise ValueError("the solution must have one list for each turn")
        if any(not 0 <= turn < len(self.turns) for turn in self.asks):
            raise ValueError("`asks` refers to a turn that does not exist")
        return self


@lru_cache
def load_cases() -> tuple[Case, ...]:
    """Return all cases, sorted by family and id.

    Raises:
        ConfigError: a file is invalid; the message names the case.
    """
    cases = tuple(one for path in sorted(CASES_FOLDER.glob("*.yaml")) for one in _read_file(path))
    ids = [case.id for case in cases]
    twice = {one for one in ids if ids.count(one) > 1}
    if twice:
        raise ConfigError(f"two cases are called {', '.join(sorted(twice))}")
    return cases


@lru_cache
def load_stages() -> dict[str, Stage]:
    """Return all stages by their names."""
    rows = _parse_yaml(CASES_FOLDER / STAGES_FILE)
    return {name: Stage.model_validate(row) for name, row in rows.items()}


def choose_cases(suite: str, ids: tuple[str, ...] = ()) -> tuple[Case, ...]:
    """Return the cases of a suite or, if ids are given, the cases with these ids.

    Raises:
        InvalidParams: there is no such suite or case.
    """
    cases = load_cases()
    if ids:
        unknown = set(ids) - {case.id for case in cases}
        if unknown:
            raise InvalidParams(f"no case is called {', '.join(sorted(unknown))}")
        return tuple(case for case in cases if case.id in ids)
    found = tuple(case for case in cases if suite in (*case.suites, "all"))
    if not found:
        known = ", ".join(sorted({one for case in cases for one in case.suites} | {"all"}))
        raise InvalidParams(f"there is no suite `{suite}`; there is {known}")
    return found


def _read_file(path: Path) -> Iterator[Case]:
    if path.name == STAGES_FILE:
        return
    for row in _parse_yaml(path):
        try:
            yield Case.model_validate({"family": path.stem, **row})
        except ValidationError as error:
            raise ConfigError(f"{path.name}, {row.get('id')}: {error}") from None


def _parse_yaml(path: Path) -> Any:
    """Parse a YAML file with the parser in C, which takes a tenth of the time, if PyYAML was built with it."""
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    return yaml.load(path.read_text(encoding="utf-8"), Loader=loader)  # noqa: S506 - both are safe
