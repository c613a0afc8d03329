"""Builds the JSON of a plan for agents, without what they do not need."""

from typing import Any

from conductor.base.json_types import JsonObject
from conductor.domain.plan import ConfigPlan


def build_plan_data(plan: ConfigPlan) -> JsonObject:
    """Return a plan as JSON with only those overlaps that the plan adds, to save tokens."""
    new = tuple(overlap for overlap in plan.overlaps if overlap.is_new)
    data = plan.model_copy(update={"overlaps": new}).model_dump(mode="json")
    return {name: _drop_empty_values(item) for name, item in data.items()}


def _drop_empty_values(item: Any) -> Any:
    """Return JSON data without nulls and empty values, which make up a third of a plan's tokens."""
    if isinstance(item, dict):
        return {
            name: _drop_empty_values(each)
            for name, each in item.items()
            if each is not None and each not in ("", [], {})
        }
    return [_drop_empty_values(each) for each in item] if isinstance(item, list) else item
