"""The tool that explains how to write triggers, actions, conditions and values."""

from typing import Annotated

from pydantic import Field

from conductor.domain.value import Value
from conductor.tools.context import ReadContext
from conductor.tools.describe import describe_topic
from conductor.tools.params import Params
from conductor.tools.registry import REGISTRY


class DescribeParams(Params):
    topics: Annotated[tuple[str, ...], Field(min_length=1, max_length=8)]
    """Types such as LongPress, or: when, from, keys, buttons, gestures, examples, curves, triggers, actions"""


class Description(Value):
    text: tuple[str, ...]


@REGISTRY.tool("read_only", "mappings", title="Describe types")
async def describe_types(params: DescribeParams, context: ReadContext) -> Description:
    """Explain how to write a trigger, action, condition (`when`), value from a control (`from`), key, gesture \
or example: fields, ranges, defaults, JSON."""
    return Description(text=tuple(describe_topic(topic) for topic in params.topics))
