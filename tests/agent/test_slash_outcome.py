"""What a command that was called comes to, in words."""

from tests.agent.saying import called

from conductor.agent.slash.answer import SlashCall
from conductor.agent.slash.turn import describe_outcome
from conductor.domain.value import Value
from conductor.errors import NotAllowed, NothingToUndo
from conductor.tools.executor import ToolOutcome


class Planned(Value):
    plan_id: str = "p"
    description: str = "Change “Copy” in mode Default: F5"


def test_nothing_to_undo_is_a_plain_sentence() -> None:
    outcome = ToolOutcome(None, error=NothingToUndo("there is nothing to undo"))
    assert describe_outcome(called("/undo"), outcome) == "There is nothing to undo."


def test_what_was_refused_is_said_with_its_reason() -> None:
    outcome = ToolOutcome(None, error=NotAllowed("too many plans wait"))
    said = describe_outcome(called("/undo"), outcome)
    assert said == "Not done: Undo the last change.\nToo many plans wait."


def test_a_proposal_is_worded_as_the_plan() -> None:
    said = describe_outcome(called("/map 37 to f5 in Default"), ToolOutcome(None, Planned()))
    assert said == "Proposed: Change “Copy” in mode Default: F5."


def test_a_name_that_stays_is_said_after_the_proposal() -> None:
    request = SlashCall(tool="conductor_update_mapping", words="", note="It keeps its name.")
    said = describe_outcome(request, ToolOutcome(None, Planned()))
    assert said == "Proposed: Change “Copy” in mode Default: F5. It keeps its name."
