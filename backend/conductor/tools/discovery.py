"""Finds tools by what somebody wants to do, by the words in their names, descriptions and arguments."""

from collections.abc import Iterator, Sequence
from typing import Any

from conductor.tools.registry import Tool

AT_MOST = 5
CLOSE = 0.4
"""The least share of the best one's score: what fits much worse than the best is left out."""
OWN = "conductor"
CATEGORIES = (OWN, "productivity", "developer", "network", "integrations")
DISCOVER = "conductor_discover_skills"
CORE = (
    DISCOVER,
    "conductor_search_knowledge",
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
"""Always sent to a model, in this order; whatever its window, it can do the main job with them."""
NOT_FOUND = (DISCOVER, "conductor_apply_plan")
"""The search itself, and what only the user does in a chat."""
LONGEST = 2_000


def find(tools: Sequence[Tool], query: str, category: str | None = None) -> list[Tool]:
    """Give the tools that fit best, best first; only what is enabled should be given to choose from.

    Those that are always sent are left out, unless the very best is one of them.
    """
    from conductor.knowledge.lexical import Fields, index  # numpy, at the first search
    from conductor.knowledge.text import words

    there = [
        one
        for one in tools
        if one.name not in NOT_FOUND and category in (None, one.category or OWN)
    ]
    if not there:
        return []
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
    least = max(scores[best[0]] * CLOSE, 1e-9)
    fit = [there[row] for row in best if scores[row] >= least]
    return [one for place, one in enumerate(fit) if not place or one.name not in CORE][:AT_MOST]


def _spoken(name: str) -> str:
    """Give a name as words: `mcp:time:get_time` is found by each of its three."""
    return name.removeprefix("conductor_").replace("_", " ").replace(":", " ").replace("-", " ")


def _arguments(schema: dict[str, Any]) -> Iterator[str]:
    properties = schema.get("properties")
    if isinstance(properties, dict):
        for name, one in list(properties.items())[:40]:  # pyright: ignore[reportUnknownArgumentType,reportUnknownVariableType]
            yield _spoken(str(name))
            yield str(one.get("description", ""))[:200] if isinstance(one, dict) else ""
