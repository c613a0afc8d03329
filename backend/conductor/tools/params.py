"""The base classes of tool parameters."""

from typing import Annotated

from pydantic import Field, GetJsonSchemaHandler, WithJsonSchema
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from conductor.domain.plan import Example
from conductor.domain.value import Value
from conductor.tools.schema import compact_optional_fields


class Params(Value):
    """The base class of tool parameters. Unknown fields are refused."""

    @classmethod
    def __get_pydantic_json_schema__(
        cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        schema = dict(super().__get_pydantic_json_schema__(core_schema, handler))
        schema = compact_optional_fields(schema)
        # the description of the parameters is left out, because the tool has its own
        schema.pop("description", None)
        return schema


class NoParams(Params):
    pass


ExamplesParam = Annotated[
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
    """The base class for the parameters of tools that plan a change.

    The examples describe the expected behaviour.
    """

    examples: ExamplesParam = ()
