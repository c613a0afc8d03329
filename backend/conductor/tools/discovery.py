"""Searches tools by task, in the words of their names, descriptions and arguments."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from conductor.base.json_types import JsonObject
from conductor.tools.registry import Tool

MAX_MATCHES, MAX_WEAKER_MATCHES = 3, 4
MATCH_SHARE, WEAKER_MATCH_SHARE = 0.7, 0.4
"""The minimum share of the best score for a match, whose definition is sent, and for a weaker match."""
DEFAULT_CATEGORY = "conductor"
CATEGORIES = (DEFAULT_CATEGORY, "productivity", "developer", "network", "integrations")
DISCOVER = "conductor_discover_skills"
CORE = (
    DISCOVER,
    "conductor_search_knowledge",
    "conductor_get_mappings",
    "conductor_create_mapping",
)
"""The tools that are always sent to a model, in this order. Further tools are appended."""
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
"""The tools for mapping. They are always sent to a model that cannot search for tools."""
NOT_SEARCHABLE = (DISCOVER, "conductor_apply_plan")
"""The tools that a search never finds: the search itself, and a tool that only the user uses in a chat."""
MAX_DESCRIPTION = 2_000


class FoundTools(NamedTuple):
    """The tools that a search found, best first."""

    matches: Sequence[Tool] = ()
    weaker_matches: Sequence[Tool] = ()
    """Only the names of these tools are sent, because each definition adds tokens to all later requests."""


def find_tools(tools: Sequence[Tool], query: str, category: str | None = None) -> FoundTools:
    """Return the enabled tools that match a query.

    Tools that the model always receives are excluded, unless such a tool is the best match.
    """
    from conductor.knowledge.lexical import FieldWords, build_lexicon_of_texts  # imports numpy
    from conductor.knowledge.text import tokenize

    candidates = [
        tool
        for tool in tools
        if tool.name not in NOT_SEARCHABLE and category in (None, tool.category or DEFAULT_CATEGORY)
    ]
    named = [tool for tool in candidates if query.strip() in (tool.name, tool.wire_name)]
    if named or not candidates:
        return FoundTools(tuple(named))
    texts = [
        FieldWords(
            tokenize(f"{_split_into_words(tool.name)} {tool.title}"),
            tokenize(f"{tool.category or DEFAULT_CATEGORY} {tool.origin or ''}"),
            tokenize(tool.keywords),
            tokenize(
                " ".join(
                    [tool.description[:MAX_DESCRIPTION], *_list_argument_words(tool.input_schema)]
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
    rows = [row for row in best if row == best[0] or candidates[row].name not in CORE]
    matches = tuple(candidates[row] for row in rows if scores[row] >= top * MATCH_SHARE)
    matches = matches[:MAX_MATCHES]
    weaker_matches = tuple(
        candidates[row] for row in rows[len(matches) :] if scores[row] >= top * WEAKER_MATCH_SHARE
    )
    return FoundTools(matches, weaker_matches[:MAX_WEAKER_MATCHES])


def _split_into_words(name: str) -> str:
    """Split a tool name into words, such as `mcp time get time` for `mcp:time:get_time`."""
    return name.removeprefix("conductor_").replace("_", " ").replace(":", " ").replace("-", " ")


def _list_argument_words(schema: JsonObject) -> Iterator[str]:
    properties = schema.get("properties")
    if isinstance(properties, dict):
        for name, field in list(properties.items())[:40]:  # pyright: ignore[reportUnknownArgumentType,reportUnknownVariableType]
            yield _split_into_words(str(name))
            yield str(field.get("description", ""))[:200] if isinstance(field, dict) else ""
