"""The payloads of the events that the app publishes itself; what the engine reports is in `wire_rows`."""

from typing import Literal

from conductor.domain.coverage import Coverage
from conductor.domain.validate import Problem
from conductor.domain.value import Value


class ConfigTopic(Value):
    """Another config is running."""

    hash: str


class ProblemsTopic(Value):
    """The problems that prevent the file on disk from running; empty: the file is running."""

    problems: tuple[Problem, ...]


class PlanCoverageTopic(Value):
    """The results of the generated gestures for a plan so far; the last event has the final results."""

    plan_id: str
    coverage: Coverage


class KnowledgeTopic(Value):
    """The progress of building the knowledge index; sent once more when it is finished."""

    updating: bool
    step: str
    done: int
    of: int


class CodeTopic(Value):
    """A code run is offered to the pages, or was stopped."""

    run_id: str
    state: Literal["wanted", "stopped"]
