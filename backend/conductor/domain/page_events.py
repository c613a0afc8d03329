"""The payloads of the events that the app publishes. The module `wire_rows` has the payloads of engine
events.
"""

from typing import Literal

from conductor.domain.coverage import Coverage
from conductor.domain.validate import Problem
from conductor.domain.value import Value


class ConfigTopic(Value):
    """Announces that a new config is running."""

    hash: str


class ProblemsTopic(Value):
    """The errors that prevent the config file on disk from being loaded. The list is empty if the file is
    loaded.
    """

    problems: tuple[Problem, ...]


class PlanCoverageTopic(Value):
    """The results of a plan's generated gestures so far. The last event has the final results."""

    plan_id: str
    coverage: Coverage


class KnowledgeTopic(Value):
    """The progress of building the knowledge index. The last event is sent when the index is complete."""

    updating: bool
    step: str
    done: int
    of: int


class CodeTopic(Value):
    """Announces that a code run is offered to the pages, or that it was stopped."""

    run_id: str
    state: Literal["wanted", "stopped"]
