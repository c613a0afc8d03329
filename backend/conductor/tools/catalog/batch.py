"""The tool that plans several changes as one plan: all of them or none."""

from typing import Annotated, Any

from pydantic import Field, ValidationError, WithJsonSchema

from conductor.base.json_types import JsonObject
from conductor.config.explain_invalid import explain_invalid
from conductor.domain.change_kinds import Change
from conductor.domain.changes import apply_change
from conductor.domain.config import Config
from conductor.domain.plan import Proposal
from conductor.domain.value import Value
from conductor.errors import ConductorError, InvalidParams
from conductor.tools.params import PlanningParams
from conductor.tools.registry import REGISTRY

BATCHABLE_TIERS = ("config_change", "privileged")


class Operation(Value):
    tool: str = Field(max_length=80)
    arguments: JsonObject = Field(default_factory=JsonObject)


class BatchParams(PlanningParams):
    operations: Annotated[
        tuple[Operation, ...],
        Field(min_length=1, max_length=200),
        WithJsonSchema(
            {
                "type": "array",
                "items": {"type": "object"},
                "description": "[{tool,arguments}] of create/update/delete tools, in order",
            }
        ),
    ]

    def list_inner_tools(self) -> tuple[str, ...]:
        """Return the names of the tools in the batch. The caller must be allowed to call each of them."""
        return tuple(operation.tool for operation in self.operations)


@REGISTRY.tool("config_change", "mappings", title="Make several changes")
def batch(params: BatchParams, config: Config) -> Proposal:
    """Plan several changes as one, all or nothing; each change sees the results of earlier changes."""
    changes: list[Change] = []
    for number, operation in enumerate(params.operations):
        try:
            for change in _plan_operation(operation, config):
                config = apply_change(config, change)
                changes.append(change)
        except ConductorError as error:
            error.args = (f"operation {number} ({operation.tool}): {error}",)
            raise
    return tuple(changes)


def _plan_operation(operation: Operation, config: Config) -> tuple[Change, ...]:
    tool = REGISTRY.find_tool(operation.tool)
    if tool is None or tool.tier not in BATCHABLE_TIERS or tool.run is batch:
        raise InvalidParams("Invalid params: only tools that change the config can be in a batch")
    try:
        params = tool.params.model_validate(operation.arguments)
    except ValidationError as error:
        known = tool.params.model_fields
        raise InvalidParams(f"Invalid params: {explain_invalid(error, known)}") from None
    proposal: Any = tool.run(params, config)
    if type(proposal) is not tuple:
        raise InvalidParams(f"Invalid params: {tool.name} cannot be in a batch")
    if getattr(params, "examples", ()):
        raise InvalidParams("Invalid params: pass the examples to the batch, not to an operation")
    return proposal
