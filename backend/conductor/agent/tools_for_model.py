"""Tools as a model gets them: which ones, and how what came of a call is told."""

import json
from collections.abc import Sequence
from typing import Any

from conductor.agent.untrusted import bounded
from conductor.base.token_estimate import of_text
from conductor.base.untrusted import clean
from conductor.domain.chat import ToolSpec
from conductor.domain.plan import ConfigPlan
from conductor.tools.executor import Outcome
from conductor.tools.next_steps import NEXT_STEPS
from conductor.tools.registry import Tool

CORE = (
    "conductor_get_status",
    "conductor_get_config",
    "conductor_get_mappings",
    "conductor_list_devices",
    "conductor_get_recent_events",
    "conductor_explain_event",
    "conductor_simulate",
    "conductor_start_midi_learn",
    "conductor_stop_midi_learn",
    "conductor_create_mapping",
    "conductor_update_mapping",
    "conductor_batch",
)
"""Always there, in this order; whatever the window, a model can do the main job with them."""
NOT_FOR_CHAT = ("conductor_apply_plan",)
"""The user applies a plan with the button of its card."""
TOKENS_AT_MOST = 6_000
SHARE_OF_WINDOW = 0.2
_sizes: dict[str, tuple[Tool, int]] = {}
CHANGES = ("config_change", "privileged", "hardware_io")
PLAN_WAITS = (
    "Not applied. The user sees the plan as a card; only the user can apply it, with its button."
)


def specs(tools: Sequence[Tool], window: int) -> tuple[ToolSpec, ...]:
    """Choose the tools for a model with this window: the core first, then what fits, always in one order."""
    by_name = {tool.name: tool for tool in tools if tool.name not in NOT_FOR_CHAT}
    core = [by_name.pop(name) for name in CORE if name in by_name]
    rest = sorted(by_name.values(), key=lambda tool: tool.name)
    left = min(TOKENS_AT_MOST, int(window * SHARE_OF_WINDOW)) - sum(map(tokens, core))
    chosen = list(core)
    for tool in rest:
        if tokens(tool) <= left:
            left -= tokens(tool)
            chosen.append(tool)
    return tuple(
        ToolSpec(name=tool.name, description=tool.description, parameters=tool.input_schema)
        for tool in chosen
    )


def tokens(tool: Tool) -> int:
    """Estimate what a tool costs in each request."""
    known = _sizes.get(tool.name)
    if known is None or known[0] is not tool:
        known = _sizes[tool.name] = (tool, of_text(_json(tool.listed())))
    return known[1]


def content_of(outcome: Outcome) -> str:
    """Give what the model is told of a call."""
    if outcome.error is not None:
        return failure_words(str(outcome.error), outcome.error.code)
    if isinstance(outcome.result, ConfigPlan) and plan_of(outcome) is not None:
        return _json(_plan(outcome.result))
    return bounded(clean(_json(outcome.plain())))


def failure_words(message: str, code: str) -> str:
    """Give an error with what to do next."""
    hint = NEXT_STEPS.get(code)
    return bounded(clean(message if hint is None else f"{message}\nNext: {hint}"))


def plan_of(outcome: Outcome) -> str | None:
    """Give the plan that a call made, if it made one that waits for the user."""
    if outcome.tool is None or outcome.tool.tier not in CHANGES or outcome.result is None:
        return None
    return getattr(outcome.result, "plan_id", None)


def _plan(plan: ConfigPlan) -> dict[str, Any]:
    """Give of a plan what a model needs to talk about it."""
    replay = plan.replay.summary if plan.replay is not None else None
    told = {
        "plan_id": plan.plan_id,
        "status": plan.status,
        "next": PLAN_WAITS,
        "changes": [change.description for change in plan.changes],
        "warnings": list(plan.warnings),
        "overlaps": [one.message for one in plan.overlaps if one.is_new],
        "replay_of_what_was_played_lately": replay,
        "examples": [
            {"name": one.example.name, "passed": one.passed, "problem": one.problem}
            for one in plan.examples
        ],
        "diff": bounded(plan.diff_preview, 4_000),
    }
    return {key: item for key, item in told.items() if item not in (None, [], "")}


def _json(data: Any) -> str:
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"))
