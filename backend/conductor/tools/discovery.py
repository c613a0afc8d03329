"""Searches the tools for a task in the words of their names, descriptions and arguments."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from conductor.base.json_types import JsonObject
from conductor.tools.registry import Tool

MAX_FOUND_TOOLS, MAX_WEAKER_TOOLS = 3, 4
MIN_MATCH_SCORE_SHARE, MIN_WEAKER_SCORE_SHARE = 0.7, 0.4
"""The shares of the best score that a match and a weaker match need.

Only the definitions of matches are sent.
"""
DEFAULT_TOOL_CATEGORY = "conductor"
TOOL_CATEGORIES = (DEFAULT_TOOL_CATEGORY, "productivity", "developer", "network", "integrations")
DISCOVERY_TOOL = "conductor_discover_skills"
CORE_TOOLS = (
    DISCOVERY_TOOL,
    "conductor_search_knowledge",
    "conductor_get_mappings",
    "conductor_create_mapping",
)
"""The tools that every request to a model offers, in this order. Further tools are appended."""
MAPPING_TOOLS = (
    *CORE_TOOLS,
    "conductor_list_devices",
    "conductor_get_recent_events",
    "conductor_explain_event",
    "conductor_simulate",
    "conductor_start_midi_learn",
    "conductor_stop_midi_learn",
    "conductor_update_mapping",
    "conductor_batch",
)
"""The tools for mapping. A model that cannot search for tools is always offered these."""
UNSEARCHABLE_TOOLS = (DISCOVERY_TOOL, "conductor_apply_plan")
"""The tools that a search never finds: the search itself, and a tool that only the user calls in a chat."""
MAX_DESCRIPTION_LENGTH = 2_000


class FoundTools(NamedTuple):
    """The tools that a search found, best first, divided into matches and weaker matches."""

    matches: Sequence[Tool] = ()
    weaker_matches: Sequence[Tool] = ()
    """Weaker matches. Only their names are sent, because each definition adds tokens to all later requests."""


def find_matching_tools(
    tools: Sequence[Tool], query: str, category: str | None = None
) -> FoundTools:
    """Return the enabled tools that match a query.

    A tool that is always offered is left out, unless it is the best match.
    """
    # imported here, because it imports numpy
    from conductor.knowledge.lexical import FieldWords, build_lexicon_of_texts
    from conductor.knowledge.text import tokenize

    candidates = [
        tool
        for tool in tools
        if tool.name not in UNSEARCHABLE_TOOLS
        and category in (None, tool.category or DEFAULT_TOOL_CATEGORY)
    ]
    named = [tool for tool in candidates if query.strip() in (tool.name, tool.wire_name)]
    if named or not candidates:
        return FoundTools(tuple(named))
    texts = [
        FieldWords(
            tokenize(f"{_split_into_words(tool.name)} {tool.title}"),
            tokenize(f"{tool.category or DEFAULT_TOOL_CATEGORY} {tool.origin or ''}"),
            tokenize(tool.keywords),
            tokenize(
                " ".join(
                    [
                        tool.description[:MAX_DESCRIPTION_LENGTH],
                        *_list_argument_words(tool.input_schema),
                    ]
                )
            ),
        )
        for tool in candidates
    ]
    scores = build_lexicon_of_texts(texts).score_chunks(
        dict.fromkeys(tokenize(_split_into_words(query)), 1.0)
    )
    best = sorted(range(len(candidates)), key=lambda row: (-scores[row], candidates[row].name))
    top = scores[best[0]]
    if top < 1e-9:
        return FoundTools()
    rows = [row for row in best if row == best[0] or candidates[row].name not in CORE_TOOLS]
    matches = tuple(candidates[row] for row in rows if scores[row] >= top * MIN_MATCH_SCORE_SHARE)
    matches = matches[:MAX_FOUND_TOOLS]
    weaker_matches = tuple(
        candidates[row]
        for row in rows[len(matches) :]
        if scores[row] >= top * MIN_WEAKER_SCORE_SHARE
    )
    return FoundTools(matches, weaker_matches[:MAX_WEAKER_TOOLS])


def _split_into_words(name: str) -> str:
    """Return the words of a tool name, such as `mcp time get time` for `mcp:time:get_time`."""
    return name.removeprefix("conductor_").replace("_", " ").replace(":", " ").replace("-", " ")


def _list_argument_words(schema: JsonObject) -> Iterator[str]:
    properties = schema.get("properties")
    if isinstance(properties, dict):
        for name, field in list(properties.items())[:40]:  # pyright: ignore[reportUnknownArgumentType,reportUnknownVariableType]
            yield _split_into_words(str(name))
            yield str(field.get("description", ""))[:200] if isinstance(field, dict) else ""
