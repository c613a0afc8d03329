"""Defines the payloads of the app's events; those of the engine's events are in `wire_rows`."""

from typing import Literal

from conductor.domain.coverage import Coverage
from conductor.domain.validate import Problem
from conductor.domain.value import Value


class ConfigTopic(Value):
    """Reports that a new config is running."""

    hash: str


class ProblemsTopic(Value):
    """The errors because of which the config file on disk is not loaded; empty if the file is loaded."""

    problems: tuple[Problem, ...]


class PlanCoverageTopic(Value):
    """The results so far of playing generated gestures for a plan; the last event has the final results."""

    plan_id: str
    coverage: Coverage


class KnowledgeTopic(Value):
    """The progress of building the knowledge index; the last event is sent when the index is complete."""

    updating: bool
    step: str
    done: int
    of: int


class CodeTopic(Value):
    """Offers a piece of code to the pages, one of which runs it, or withdraws the offer."""

    run_id: str
    state: Literal["wanted", "stopped"]
