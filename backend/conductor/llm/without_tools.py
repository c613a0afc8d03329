"""Supports tool calls of models without tool support.

The system prompt describes the tools, and the model writes each call as a fenced block.
"""

import json
import re
from collections.abc import Sequence
from html import escape
from typing import Any

from conductor.domain.chat.messages import ToolCallPart, ToolResultPart, ToolSpec
from conductor.llm.fit import clean_tool_name, parse_tool_arguments, repair_surrogates

CALL_BLOCK_START = "```conductor-call"
_CALL_BLOCK = re.compile(r"```conductor-call[^\S\n]*\n(.*?)(?:\n[^\S\n]*```|\Z)", re.DOTALL)
_TOOL_CALL_INSTRUCTIONS = """\
# Tools

You can call the tools below. To call one, write a block like this, and nothing after it:

```conductor-call
{"tool": "name_of_the_tool", "arguments": {}}
```

Several blocks make several calls. End your answer after the blocks; the results come in the next message.
Never write a result yourself.
"""


def describe_tools(tools: Sequence[ToolSpec]) -> str:
    """Return the section of the system prompt that describes the tools and how to call them."""
    if not tools:
        return ""
    rows = [
        f"## {tool.name}\n{tool.description}\nArguments: {_serialize_json(tool.parameters)}"
        for tool in tools
    ]
    return "\n".join([_TOOL_CALL_INSTRUCTIONS, *rows])


def render_tool_call(call: ToolCallPart) -> str:
    """Return a tool call as the fenced block in which a model without tool support writes it."""
    arguments = call.arguments if call.malformed is None else call.malformed
    body = _serialize_json({"tool": call.tool, "arguments": arguments})
    return f"{CALL_BLOCK_START}\n{body}\n```"


def render_tool_result(result: ToolResultPart) -> str:
    """Return the result of a tool call as text for a model without tool support."""
    ok = "true" if result.ok else "false"
    tool = escape(clean_tool_name(result.tool))
    return f'<tool_result tool="{tool}" ok="{ok}">\n{result.content}\n</tool_result>'


def find_call_blocks(text: str) -> list[str]:
    """Return the content of each fenced call in an answer.

    The last block may be incomplete if the answer was cut off.
    """
    return [block.strip() for block in _CALL_BLOCK.findall(text)]


def compute_shown_length(text: str) -> int:
    """Return how many characters of a growing answer can be shown to the user.

    These are the characters before the first fenced call, or before a text that may become one.
    """
    start = text.find("```")
    while start >= 0:
        if CALL_BLOCK_START.startswith(text[start : start + len(CALL_BLOCK_START)]):
            return start
        start = text.find("```", start + 3)
    backticks = len(text) - len(text.rstrip("`"))
    return len(text) - backticks if backticks < 3 else len(text)


def parse_call_block(body: str, call_id: str) -> ToolCallPart:
    """Parse the content of a fenced block as a tool call.

    If the content is no valid call, the text is kept as malformed arguments, so that the model can be told.
    """
    read, malformed = parse_tool_arguments(body)
    tool, arguments = read.get("tool"), read.get("arguments") or {}
    if malformed is None and isinstance(tool, str) and isinstance(arguments, dict):
        return ToolCallPart(call_id=call_id, tool=clean_tool_name(tool), arguments=arguments)
    named = re.search(r'"tool"\s*:\s*"([^"]*)"', body)
    tool = clean_tool_name(named[1]) if named else "unknown"
    return ToolCallPart(call_id=call_id, tool=tool, malformed=repair_surrogates(body))


def _serialize_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(", ", ": "))
