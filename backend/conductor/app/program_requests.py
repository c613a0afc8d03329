"""Answers the texts of other agents with the user's model, if the user has set one up."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from conductor.domain.plan import Requester
from conductor.errors import NotAvailable
from conductor.mcp.a2a.deps import ModelAnswer
from conductor.tools.registry import Tool

if TYPE_CHECKING:
    from conductor.agent.deps import ChatDeps

NO_MODEL_MESSAGE = (
    "Conductor cannot read plain text: its user has set up no model (Settings > Providers)"
)


async def answer_program_with_model(
    deps: "ChatDeps", tools: Sequence[Tool], text: str, by: Requester
) -> ModelAnswer:
    """Answer a text of a program.

    Raises:
        NotAvailable: No model is set up, or the model does not answer.
    """
    # imported here, because an app without a model never needs the agent
    from conductor.agent.choice import NoProviderError
    from conductor.agent.program_request import answer_program

    if not deps.config().llm.enabled:
        raise NotAvailable(NO_MODEL_MESSAGE)
    try:
        return ModelAnswer(*await answer_program(deps, tools, text, by))
    except NoProviderError:
        raise NotAvailable(NO_MODEL_MESSAGE) from None
