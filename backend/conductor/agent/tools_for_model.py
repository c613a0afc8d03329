"""Tools as a model gets them: which ones, and how what came of a call is told.

At first a model is sent the core, with a tool that finds others, and what the message asks for. What it finds
goes behind, in the order in which it was found, and stays for the rest of the branch: the list only grows, so
that what a provider has cached of a request is good for the next one. Notes in the branch keep what was found.
When a later message asks for more of the main job, all of it comes, so that the list grows for that only once.
In a window that has no room for all of it, what was asked for last is kept, and the order stays.
The providers' own search of tools is not used: it puts parts into a conversation that no other provider takes.
"""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from conductor.agent.needs import TOOLS, tools_for
from conductor.agent.untrusted import bounded
from conductor.base.invisible_chars import clean
from conductor.base.token_estimate import approximate_tokens
from conductor.base.untrusted import as_data
from conductor.domain.chat.messages import ChatMessage, NotePart, TextPart, ToolSpec
from conductor.domain.plan import ConfigPlan
from conductor.errors import NotAllowed, RateLimited
from conductor.tools.discovery import CORE, DISCOVER, MAIN, NOT_FOUND
from conductor.tools.executor import Outcome
from conductor.tools.next_steps import NEXT_STEPS
from conductor.tools.registry import Tool

OURS = (NotAllowed.code, RateLimited.code)
"""Errors whose words are Conductor's, whoever made the tool."""
TOKENS_AT_MOST = 6_000
SHARE_OF_WINDOW = 0.2
SHARE_OF_FOUND, FOUND_TOKENS = 0.05, 1_000
"""What there is for tools that were found in any case, however small the window."""
SHARE_OF_LATELY = 0.15
"""The same for those that the last message asks for and what was found since."""
LEARN = ("conductor_start_midi_learn", "conductor_stop_midi_learn")
TOGETHER: dict[str, tuple[str, ...]] = dict.fromkeys(LEARN, LEARN)
"""Tools of which one is of no use without the other."""
NAMED = re.compile(r"\bconductor_[a-z_]+\b")
_sizes: dict[str, tuple[Tool, int]] = {}
CHANGES = ("config_change", "privileged", "hardware_io")
PLAN_WAITS = (
    "Not applied. The user sees the plan as a card; only the user can apply it, with its button."
)


class Newest(NamedTuple):
    """What a branch asked for or found, the most wanted first: what is kept where not all has room."""

    lately: tuple[str, ...] = ()
    """By the last message that asks for any, or found since."""
    before: tuple[str, ...] = ()


def specs(
    tools: Sequence[Tool],
    window: int,
    found: Iterable[str] = (),
    *,
    newest: Newest | None = None,
    discovers: bool = True,
) -> tuple[ToolSpec, ...]:
    """Choose the tools for a model with this window: the core, then what was found, always in one order.

    A model that cannot find any is sent Conductor's own, as many as fit.
    """
    by_name = {tool.name: tool for tool in tools}
    discovers = discovers and DISCOVER in by_name
    first = CORE if discovers else MAIN
    core = [by_name[name] for name in first if name in by_name and (discovers or name != DISCOVER)]
    left = min(TOKENS_AT_MOST, int(window * SHARE_OF_WINDOW)) - sum(map(tokens, core))
    if discovers:
        names = [name for name in dict.fromkeys(found) if name in by_name and name not in CORE]
        costs = {name: tokens(by_name[name]) for name in names}
        kept = _kept(costs, newest or Newest(), left, window)
        return tuple(map(_spec, (*core, *(by_name[name] for name in names if name in kept))))
    rest = [tool for tool in by_name.values() if tool.name not in (*MAIN, *NOT_FOUND)]
    chosen = list(core)
    for tool in sorted(rest, key=lambda tool: tool.name):
        if tool.tier != "skill" and tokens(tool) <= left:
            left -= tokens(tool)
            chosen.append(tool)
    return tuple(map(_spec, chosen))


def found_in(branch: Iterable[ChatMessage]) -> tuple[str, ...]:
    """Return the tools that a branch asked for or found, each once, in the order in which it did."""
    names: list[str] = []
    has_asked = False
    for group, is_cue in _groups(branch):
        is_more = is_cue and has_asked and not {*group} <= {*names}
        names += (*group, *TOOLS) if is_more else group
        has_asked = has_asked or is_cue
    return tuple(dict.fromkeys(names))


def newest_in(branch: Iterable[ChatMessage]) -> Newest:
    """Return what a branch asked for or found itself, by the last time that it did."""
    lately: list[str] = []
    before: list[str] = []
    now = lately
    for group, is_cue in reversed([*_groups(branch)]):
        now += group
        now = before if is_cue else now
    return Newest(tuple(dict.fromkeys(lately)), tuple(dict.fromkeys(before)))


def _groups(branch: Iterable[ChatMessage]) -> Iterator[tuple[tuple[str, ...], bool]]:
    """Yield what was asked for or found at once, the best first, and whether words of the user asked for it."""
    for one in branch:
        for part in one.parts:
            if isinstance(part, NotePart) and part.tools:
                yield with_partners(part.tools), False
            elif one.role == "user" and isinstance(part, TextPart):
                wanted = tools_for(part.text)
                if wanted:
                    yield wanted, True


def with_partners(names: Iterable[str]) -> tuple[str, ...]:
    """Return these tools, each with those that belong to it."""
    return tuple(dict.fromkeys(one for name in names for one in TOGETHER.get(name, (name,))))


def named_in(text: str) -> tuple[str, ...]:
    """Return the tools beyond the core that a text tells a model to call, in their order."""
    names = dict.fromkeys(NAMED.findall(text))
    return tuple(name for name in names if name not in (*CORE, *NOT_FOUND))


def found_words(tools: Iterable[Tool]) -> str:
    """Say to the user what was found."""
    names = [one.title or one.name.removeprefix("conductor_").replace("_", " ") for one in tools]
    return f"Found: {', '.join(dict.fromkeys(names))}."


def _kept(costs: dict[str, int], newest: Newest, left: int, window: int) -> set[str]:
    """Choose of tools with their costs, in the order in which they were found, what there is room for.

    The most wanted one is let in although it takes more, up to the share of the window that all tools have.
    """
    kept: set[str] = set()
    spent, share = 0, int(window * SHARE_OF_WINDOW)
    for wanted, part in (
        (newest.lately, SHARE_OF_LATELY),
        ((*newest.before, *reversed(costs)), SHARE_OF_FOUND),
    ):
        room = max(left, min(FOUND_TOKENS, int(window * part)))
        for name in wanted:
            new = {one for one in with_partners([name]) if one in costs} - kept
            cost = sum(costs[one] for one in new)
            if new and spent + cost <= (room if kept else max(room, share)):
                kept |= new
                spent += cost
    return kept


def _spec(tool: Tool) -> ToolSpec:
    return ToolSpec(name=tool.wire_name, description=tool.description, parameters=tool.input_schema)


def tokens(tool: Tool) -> int:
    """Estimate what a tool costs in each request."""
    known = _sizes.get(tool.name)
    if known is None or known[0] is not tool:
        known = _sizes[tool.name] = (tool, approximate_tokens(_json(tool.listed())))
    return known[1]


def content_of(outcome: Outcome) -> str:
    """Return what the model is told of a call; words that are not Conductor's are marked as data."""
    origin = outcome.tool.origin if outcome.tool is not None else None
    if outcome.error is not None:
        words = failure_words(str(outcome.error), outcome.error.code)
        is_ours = outcome.tool is None or outcome.error.code in OURS or not outcome.tool.is_foreign
        return words if is_ours or origin is None else _foreign(origin, words)
    if isinstance(outcome.result, ConfigPlan) and plan_of(outcome) is not None:
        return _json(_plan(outcome.result))
    told = bounded(clean(_json(outcome.plain())))
    return told if origin is None else _foreign(origin, told)


def _foreign(origin: str, text: str) -> str:
    return as_data("tool_result", origin, text)


def failure_words(message: str, code: str) -> str:
    """Return an error with what to do next."""
    hint = NEXT_STEPS.get(code)
    return bounded(clean(message if hint is None else f"{message}\nNext: {hint}"))


def plan_of(outcome: Outcome) -> str | None:
    """Return the plan that a call made, if it made one that waits for the user."""
    if outcome.tool is None or outcome.tool.tier not in CHANGES or outcome.result is None:
        return None
    return getattr(outcome.result, "plan_id", None)


def _plan(plan: ConfigPlan) -> dict[str, Any]:
    """Return of a plan what a model needs to talk about it."""
    replay = plan.replay.summary if plan.replay is not None else None
    told = {
        "plan_id": plan.plan_id,
        "status": plan.status,
        "next": PLAN_WAITS,
        "changes": [change.description for change in plan.changes],
        "warnings": list(plan.warnings),
        "overlaps": [one.message for one in plan.overlaps if one.is_new],
        "impact": plan.impact.summary if plan.impact is not None else None,
        "replay_of_what_was_played_lately": replay,
        "not_covered_by_the_replay": list(plan.replay.not_covered) if plan.replay else [],
        "generated_gestures": _gestures(plan),
        "examples": [
            {"name": one.example.name, "passed": one.passed, "problem": one.problem}
            for one in plan.examples
        ],
        "diff": bounded(plan.diff_preview, 4_000),
    }
    return {key: item for key, item in told.items() if item not in (None, [], "")}


def _gestures(plan: ConfigPlan) -> dict[str, Any] | None:
    """Return what gestures showed of a plan, as far as they were played when it was asked for."""
    if plan.coverage is None or not plan.coverage.summary:
        return None
    found = plan.coverage.counterexamples[:3]
    return {
        "summary": plan.coverage.summary,
        "differ": [one.model_dump(exclude_defaults=True) for one in found],
    }


def _json(data: Any) -> str:
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"))
