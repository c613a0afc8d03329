"""Finds tools by what somebody wants to do, by the words in their names, descriptions and arguments."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from conductor.tools.registry import Tool

AT_MOST, OTHERS_AT_MOST = 3, 4
NEAR, CLOSE = 0.7, 0.4
"""The least shares of the best one's score: of what fits, and of what is worth a name beside it."""
OWN = "conductor"
CATEGORIES = (OWN, "productivity", "developer", "network", "integrations")
DISCOVER = "conductor_discover_skills"
CORE = (
    DISCOVER,
    "conductor_search_knowledge",
    "conductor_get_mappings",
    "conductor_create_mapping",
)
"""Always sent to a model, in this order; what else a message asks for is added behind them."""
MAIN = (
    *CORE,
    "conductor_list_devices",
    "conductor_get_recent_events",
    "conductor_explain_event",
    "conductor_simulate",
    "conductor_start_midi_learn",
    "conductor_stop_midi_learn",
    "conductor_update_mapping",
    "conductor_batch",
)
"""What the main job takes: sent to a model that cannot find tools, whatever its window."""
NOT_FOUND = (DISCOVER, "conductor_apply_plan")
"""The search itself, and what only the user does in a chat."""
LONGEST = 2_000


class Found(NamedTuple):
    """What a search gives, best first."""

    fit: Sequence[Tool] = ()
    others: Sequence[Tool] = ()
    """Less near: named, and not sent, for each tool that is sent costs its definition from then on."""


def find(tools: Sequence[Tool], query: str, category: str | None = None) -> Found:
    """Find the tools that fit; only what is enabled should be given to choose from.

    Those that are always sent are left out, unless the very best is one of them.
    """
    from conductor.knowledge.lexical import Fields, index  # numpy, at the first search
    from conductor.knowledge.text import words

    there = [
        one
        for one in tools
        if one.name not in NOT_FOUND and category in (None, one.category or OWN)
    ]
    named = [one for one in there if query.strip() in (one.name, one.wire_name)]
    if named or not there:
        return Found(tuple(named))
    texts = [
        Fields(
            words(f"{_spoken(one.name)} {one.title}"),
            words(f"{one.category or OWN} {one.origin or ''}"),
            words(one.keywords),
            words(" ".join([one.description[:LONGEST], *_arguments(one.input_schema)])),
        )
        for one in there
    ]
    asked = dict.fromkeys(words(_spoken(query)), 1.0)
    scores = index(texts).scores(asked)
    best = sorted(range(len(there)), key=lambda row: (-scores[row], there[row].name))
    top = scores[best[0]]
    if top < 1e-9:
        return Found()
    rows = [row for row in best if row == best[0] or there[row].name not in CORE]
    fit = tuple(there[row] for row in rows if scores[row] >= top * NEAR)[:AT_MOST]
    others = tuple(there[row] for row in rows[len(fit) :] if scores[row] >= top * CLOSE)
    return Found(fit, others[:OTHERS_AT_MOST])


def _spoken(name: str) -> str:
    """Return a name as words: `mcp:time:get_time` is found by each of its three."""
    return name.removeprefix("conductor_").replace("_", " ").replace(":", " ").replace("-", " ")


def _arguments(schema: dict[str, Any]) -> Iterator[str]:
    properties = schema.get("properties")
    if isinstance(properties, dict):
        for name, one in list(properties.items())[:40]:  # pyright: ignore[reportUnknownArgumentType,reportUnknownVariableType]
            yield _spoken(str(name))
            yield str(one.get("description", ""))[:200] if isinstance(one, dict) else ""
