"""Base classes of tool parameters."""

from typing import Annotated

from pydantic import Field, GetJsonSchemaHandler, WithJsonSchema
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from conductor.domain.plan import Example
from conductor.domain.value import Value
from conductor.tools.schema import compact_inputs


class Params(Value):
    """Base class of a tool's parameters. Unknown fields are refused."""

    @classmethod
    def __get_pydantic_json_schema__(
        cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        schema = compact_inputs(dict(super().__get_pydantic_json_schema__(core_schema, handler)))
        schema.pop("description", None)  # the tool has its own
        return schema


class NoParams(Params):
    pass


Examples = Annotated[
    tuple[Example, ...],
    Field(max_length=50),
    WithJsonSchema(
        {
            "type": "array",
            "items": {"type": "object"},
            "description": "Proof: {name,gesture,expect:[{type,at_ms?,fields?}],effects?,mode?,app?,clock?}",
        }
    ),
]


class PlanningParams(Params):
    """Base class of parameters for tools that create a plan, with optional examples of expected behaviour."""

    examples: Examples = ()
