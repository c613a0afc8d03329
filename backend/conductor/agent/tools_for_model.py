"""Chooses the tools that a model request offers, and renders the results of tool calls for the model.

A conversation starts with the core tools, one of which finds other tools, and with the tools that the first
message needs. Discovered tools are appended and stay in all later requests of the branch, and notes in the
branch record them. As the list only grows at its end, the provider's prompt cache stays valid. When a later
message needs further main tools, all main tools are added at once, so that the list grows only one more
time. If the context window is small, the tools that were needed most recently are kept, in unchanged order.
The providers' own tool search is not used, because it adds parts to a conversation that other providers
reject.
"""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from conductor.agent.needs import TOOL_PATTERNS, find_needed_tools
from conductor.agent.untrusted import shorten_middle
from conductor.base.invisible_chars import remove_hidden
from conductor.base.json_types import JsonObject
from conductor.base.token_estimate import estimate_token_count
from conductor.base.untrusted import wrap_untrusted
from conductor.domain.chat.messages import ChatMessage, NotePart, TextPart, ToolSpec
from conductor.domain.plan import ConfigPlan
from conductor.errors import NotAllowed, RateLimited
from conductor.tools.discovery import CORE_TOOLS, DISCOVERY_TOOL, MAPPING_TOOLS, UNSEARCHABLE_TOOLS
from conductor.tools.executor import ToolOutcome
from conductor.tools.next_steps import NEXT_STEP_BY_ERROR_CODE
from conductor.tools.registry import Tool
from conductor.tools.schema import FULL_SCHEMA_TOOL

GATE_ERROR_CODES = (NotAllowed.code, RateLimited.code)
"""Errors with these codes come from Conductor's own checks, even if the tool belongs to a third party."""
MAX_TOOL_TOKENS = 6_000
TOOLS_WINDOW_SHARE = 0.2
FOUND_TOOLS_WINDOW_SHARE, MIN_FOUND_TOOL_TOKENS = 0.05, 1_000
"""Discovered tools may always use this share of the context window, but at most this many tokens."""
RECENT_TOOLS_WINDOW_SHARE = 0.15
"""The share of the context window for recent tools: those that the last message needs and those discovered
since.
"""
MIDI_LEARN_TOOLS = ("conductor_start_midi_learn", "conductor_stop_midi_learn")
PARTNER_TOOLS: dict[str, tuple[str, ...]] = dict.fromkeys(MIDI_LEARN_TOOLS, MIDI_LEARN_TOOLS)
"""Groups of tools that are only useful together, by the name of each tool."""
OMITTED_PARAMETERS: dict[str, tuple[str, ...]] = {
    "conductor_discover_skills": ("category",),
    "conductor_search_knowledge": ("k",),
}
"""Optional parameters that the model is not told about.

Their defaults fit, and each would cost about 30 tokens per request.
"""
LONG_OPTION_LIST_PATTERN = re.compile(r"\?:(?:\w+\|){4,}\w+")
"""Matches a long list of options in a description.

The core reference explains the options when a message needs them.
"""
OMITTED_SCHEMA_KEYWORDS = ("minLength", "maxLength", "minimum", "maximum")
TOOL_NAME_PATTERN = re.compile(r"\bconductor_[a-z_]+\b")
_tool_specs: dict[str, "_CachedSpec"] = {}
CHANGING_TIERS = ("config_change", "privileged", "hardware_io")
PENDING_PLAN_NOTE = (
    "Not applied. The user sees the plan as a card, and only the user can apply it there. It expires after 5"
    " minutes, and when the config changes."
)


class _CachedSpec(NamedTuple):
    tool: Tool
    spec: ToolSpec
    tokens: int


class ToolPriorities(NamedTuple):
    """The discovered tools of a branch in two groups.

    If the context window is small, recent tools are kept first.
    """

    recent: tuple[str, ...] = ()
    """The tools that the last message with tool keywords needs, and those that were discovered after it."""
    earlier: tuple[str, ...] = ()


def choose_tools_to_send(
    tools: Sequence[Tool],
    window: int,
    found: Iterable[str] = (),
    *,
    priorities: ToolPriorities | None = None,
    discovers: bool = True,
) -> tuple[ToolSpec, ...]:
    """Return the tools to offer to a model: the core tools, then the discovered tools in the order of their
    discovery.

    A model that cannot discover tools gets as many of Conductor's own tools as fit the window instead.
    """
    by_name = {tool.name: tool for tool in tools}
    discovers = discovers and DISCOVERY_TOOL in by_name
    first = CORE_TOOLS if discovers else MAPPING_TOOLS
    core = [
        by_name[name] for name in first if name in by_name and (discovers or name != DISCOVERY_TOOL)
    ]
    left = min(MAX_TOOL_TOKENS, int(window * TOOLS_WINDOW_SHARE)) - sum(
        map(estimate_tool_tokens, core)
    )
    if discovers:
        names = [
            name for name in dict.fromkeys(found) if name in by_name and name not in CORE_TOOLS
        ]
        costs = {name: estimate_tool_tokens(by_name[name]) for name in names}
        kept = _select_fitting_tools(costs, priorities or ToolPriorities(), left, window)
        return tuple(
            map(_build_tool_spec, (*core, *(by_name[name] for name in names if name in kept)))
        )
    rest = [
        tool for tool in by_name.values() if tool.name not in (*MAPPING_TOOLS, *UNSEARCHABLE_TOOLS)
    ]
    chosen = list(core)
    for tool in sorted(rest, key=lambda tool: tool.name):
        if tool.tier != "skill" and estimate_tool_tokens(tool) <= left:
            left -= estimate_tool_tokens(tool)
            chosen.append(tool)
    return tuple(map(_build_tool_spec, chosen))


def list_found_tools(branch: Iterable[ChatMessage]) -> tuple[str, ...]:
    """Return the names of the tools that a branch needs or has discovered, in the order of their first
    appearance.
    """
    names: list[str] = []
    has_asked = False
    for group, by_keyword in _list_tool_groups(branch):
        is_more = by_keyword and has_asked and not {*group} <= {*names}
        names += (*group, *TOOL_PATTERNS) if is_more else group
        has_asked = has_asked or by_keyword
    return tuple(dict.fromkeys(names))


def list_priorities(branch: Iterable[ChatMessage]) -> ToolPriorities:
    """Return the names of the tools that a branch needs or has discovered, the most recent first."""
    recent: list[str] = []
    earlier: list[str] = []
    target = recent
    for group, by_keyword in reversed([*_list_tool_groups(branch)]):
        target += group
        target = earlier if by_keyword else target
    return ToolPriorities(tuple(dict.fromkeys(recent)), tuple(dict.fromkeys(earlier)))


def _list_tool_groups(branch: Iterable[ChatMessage]) -> Iterator[tuple[tuple[str, ...], bool]]:
    """Yield the groups of tools that were added at the same time, with a flag.

    The flag is true if keywords of a user message selected the group, and false if the model discovered it.
    """
    for message in branch:
        for part in message.parts:
            if isinstance(part, NotePart) and part.tools:
                yield add_partner_tools(part.tools), False
            elif message.role == "user" and isinstance(part, TextPart):
                wanted = find_needed_tools(part.text)
                if wanted:
                    yield wanted, True


def add_partner_tools(names: Iterable[str]) -> tuple[str, ...]:
    """Return the names of tools, each followed by the tools that are only useful together with it."""
    return tuple(
        dict.fromkeys(partner for name in names for partner in PARTNER_TOOLS.get(name, (name,)))
    )


def find_tool_names(text: str) -> tuple[str, ...]:
    """Return the names of the tools that a text mentions, in order.

    Core tools are left out, as they are always offered.
    """
    names = dict.fromkeys(TOOL_NAME_PATTERN.findall(text))
    return tuple(name for name in names if name not in (*CORE_TOOLS, *UNSEARCHABLE_TOOLS))


def describe_discovered_tools(tools: Iterable[Tool]) -> str:
    """Return the text of a note that tells the user which tools the model discovered."""
    return f"Found: {', '.join(dict.fromkeys(tool.title for tool in tools))}."


def _select_fitting_tools(
    costs: dict[str, int], priorities: ToolPriorities, left: int, window: int
) -> set[str]:
    """Return the names of the discovered tools that fit the token budget.

    `costs` contains the tokens of each tool in the order of discovery. The first tool may exceed its
    budget, up to the share of the context window for all tools, so that at least one is kept.
    """
    kept: set[str] = set()
    spent, share = 0, int(window * TOOLS_WINDOW_SHARE)
    for wanted, part in (
        (priorities.recent, RECENT_TOOLS_WINDOW_SHARE),
        ((*priorities.earlier, *reversed(costs)), FOUND_TOOLS_WINDOW_SHARE),
    ):
        room = max(left, min(MIN_FOUND_TOOL_TOKENS, int(window * part)))
        for name in wanted:
            new = {tool for tool in add_partner_tools([name]) if tool in costs} - kept
            cost = sum(costs[tool] for tool in new)
            if new and spent + cost <= (room if kept else max(room, share)):
                kept |= new
                spent += cost
    return kept


def _build_tool_spec(tool: Tool) -> ToolSpec:
    return _get_cached_spec(tool).spec


def _get_cached_spec(tool: Tool) -> _CachedSpec:
    known = _tool_specs.get(tool.name)
    if known is None or known.tool is not tool:
        parameters = tool.input_schema if tool.is_foreign else _shorten_parameters(tool)
        spec = ToolSpec(name=tool.wire_name, description=tool.description, parameters=parameters)
        shown = {"name": spec.name, "description": spec.description, "input": spec.parameters}
        known = _CachedSpec(tool, spec, estimate_token_count(_dump_json(shown)))
        _tool_specs[tool.name] = known
    return known


def _shorten_parameters(tool: Tool) -> JsonObject:
    """Return the JSON schema of a tool without the details that a model does not need.

    Calls are still validated against the complete schema.
    """
    omitted = OMITTED_PARAMETERS.get(tool.name, ())
    fields: dict[str, JsonObject] = tool.input_schema.get("properties", {})
    shown = {
        name: {
            key: item
            for key, item in field.items()
            if key not in OMITTED_SCHEMA_KEYWORDS and (key, item) != ("default", [])
        }
        for name, field in fields.items()
        if name not in omitted
    }
    for field in shown.values():
        if "description" in field:
            field["description"] = LONG_OPTION_LIST_PATTERN.sub("?", field["description"])
    if tool.name != FULL_SCHEMA_TOOL and "examples" in shown:
        shown["examples"]["description"] = f"As in {FULL_SCHEMA_TOOL}"
    return {**tool.input_schema, "properties": shown}


def estimate_tool_tokens(tool: Tool) -> int:
    """Return the approximate number of tokens that a tool costs in every request."""
    return _get_cached_spec(tool).tokens


def render_outcome(outcome: ToolOutcome) -> str:
    """Return the outcome of a tool call as text for the model. Text of a third party is marked as data."""
    origin = outcome.tool.origin if outcome.tool is not None else None
    if outcome.error is not None:
        text = describe_failure(str(outcome.error), outcome.error.code)
        is_ours = (
            outcome.tool is None
            or outcome.error.code in GATE_ERROR_CODES
            or not outcome.tool.is_foreign
        )
        return text if is_ours or origin is None else _wrap_third_party_text(origin, text)
    if isinstance(outcome.result, ConfigPlan) and find_pending_plan_id(outcome) is not None:
        return _dump_json(_summarize_plan(outcome.result))
    text = shorten_middle(remove_hidden(_dump_json(outcome.to_plain())))
    return text if origin is None else _wrap_third_party_text(origin, text)


def _wrap_third_party_text(origin: str, text: str) -> str:
    return wrap_untrusted("tool_result", origin, text)


def describe_failure(message: str, code: str) -> str:
    """Return an error message, followed by what the model should do next."""
    hint = NEXT_STEP_BY_ERROR_CODE.get(code)
    return shorten_middle(remove_hidden(message if hint is None else f"{message}\nNext: {hint}"))


def find_pending_plan_id(outcome: ToolOutcome) -> str | None:
    """Return the id of the plan that a tool call created for the user's approval, or None if it created no
    plan.
    """
    if outcome.tool is None or outcome.tool.tier not in CHANGING_TIERS or outcome.result is None:
        return None
    return getattr(outcome.result, "plan_id", None)


def _summarize_plan(plan: ConfigPlan) -> JsonObject:
    """Return the fields of a plan that a model needs to discuss the plan with the user."""
    replay = plan.replay.summary if plan.replay is not None else None
    only_adds = {change.change_type for change in plan.changes} == {"CreateMapping"}
    fields = {
        "plan_id": plan.plan_id,
        "status": plan.status,
        "next": PENDING_PLAN_NOTE,
        "changes": [change.description for change in plan.changes],
        "warnings": list(plan.warnings),
        "overlaps": [overlap.message for overlap in plan.overlaps if overlap.is_new],
        "impact": plan.impact.summary if plan.impact is not None else None,
        "replay_of_recent_input": replay,
        "not_covered_by_the_replay": list(plan.replay.not_covered) if plan.replay else [],
        "generated_gestures": _summarize_gestures(plan),
        "examples": [
            {"name": row.example.name, "passed": row.passed}
            | ({"problem": row.problem} if row.problem else {})
            for row in plan.examples
        ],
        # A new mapping needs no diff: the model has just written it, and `changes` describes it in
        # words.
        "diff": "" if only_adds else shorten_middle(plan.diff_preview, 4_000),
    }
    return {key: item for key, item in fields.items() if item not in (None, [], "")}


def _summarize_gestures(plan: ConfigPlan) -> JsonObject | None:
    """Return the results of the generated gestures, or None if the plan was not tested with any."""
    if plan.coverage is None or not plan.coverage.summary:
        return None
    found = plan.coverage.counterexamples[:3]
    return {
        "summary": plan.coverage.summary,
        "differ": [example.model_dump(exclude_defaults=True) for example in found],
    }


def _dump_json(data: Any) -> str:
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"))
