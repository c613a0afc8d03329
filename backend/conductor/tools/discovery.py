"""Searches tools by task, using the words of their names, descriptions and arguments."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from conductor.base.json_types import JsonObject
from conductor.tools.registry import Tool

MAX_FOUND, MAX_OTHERS = 3, 4
NEAR, CLOSE = 0.7, 0.4
"""Minimum shares of the best score: for a tool that is sent, and for one that is only named."""
OWN = "conductor"
CATEGORIES = (OWN, "productivity", "developer", "network", "integrations")
DISCOVER = "conductor_discover_skills"
CORE = (
    DISCOVER,
    "conductor_search_knowledge",
    "conductor_get_mappings",
    "conductor_create_mapping",
)
"""Always sent to a model, in this order; further tools are appended."""
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
"""The tools for mapping: sent to a model that cannot search tools, whatever its window."""
NOT_FOUND = (DISCOVER, "conductor_apply_plan")
"""Never found by a search: the search itself, and what only the user does in a chat."""
MAX_DESCRIPTION = 2_000


class FoundTools(NamedTuple):
    """The tools that a search found, best first."""

    fit: Sequence[Tool] = ()
    others: Sequence[Tool] = ()
    """Weaker matches: only named, because every tool that is sent costs its definition in later requests."""


def find_tools(tools: Sequence[Tool], query: str, category: str | None = None) -> FoundTools:
    """Return the tools that match a query. Pass only enabled tools.

    Tools that the model always receives are left out, unless the best match is one of them.
    """
    from conductor.knowledge.lexical import Fields, index  # imports numpy
    from conductor.knowledge.text import words

    candidates = [
        tool
        for tool in tools
        if tool.name not in NOT_FOUND and category in (None, tool.category or OWN)
    ]
    named = [tool for tool in candidates if query.strip() in (tool.name, tool.wire_name)]
    if named or not candidates:
        return FoundTools(tuple(named))
    texts = [
        Fields(
            words(f"{_split_into_words(tool.name)} {tool.title}"),
            words(f"{tool.category or OWN} {tool.origin or ''}"),
            words(tool.keywords),
            words(
                " ".join(
                    [tool.description[:MAX_DESCRIPTION], *_list_argument_words(tool.input_schema)]
                )
            ),
        )
        for tool in candidates
    ]
    scores = index(texts).scores(dict.fromkeys(words(_split_into_words(query)), 1.0))
    best = sorted(range(len(candidates)), key=lambda row: (-scores[row], candidates[row].name))
    top = scores[best[0]]
    if top < 1e-9:
        return FoundTools()
    rows = [row for row in best if row == best[0] or candidates[row].name not in CORE]
    fit = tuple(candidates[row] for row in rows if scores[row] >= top * NEAR)[:MAX_FOUND]
    others = tuple(candidates[row] for row in rows[len(fit) :] if scores[row] >= top * CLOSE)
    return FoundTools(fit, others[:MAX_OTHERS])


def _split_into_words(name: str) -> str:
    """Split a tool name into words, such as `mcp time get time` for `mcp:time:get_time`."""
    return name.removeprefix("conductor_").replace("_", " ").replace(":", " ").replace("-", " ")


def _list_argument_words(schema: JsonObject) -> Iterator[str]:
    properties = schema.get("properties")
    if isinstance(properties, dict):
        for name, field in list(properties.items())[:40]:  # pyright: ignore[reportUnknownArgumentType,reportUnknownVariableType]
            yield _split_into_words(str(name))
            yield str(field.get("description", ""))[:200] if isinstance(field, dict) else ""
