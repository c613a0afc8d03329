"""Describes a tool call for a terminal, such as `Create mapping in mode Default`."""

from conductor.base.json_types import JsonObject
from conductor.cli.tool_titles import TOOL_TITLES

SCOPE_ARGUMENTS = ("mode", "profile")
OMITTED_ARGUMENTS = (*SCOPE_ARGUMENTS, "description", "index")


def describe_call(tool: str, arguments: JsonObject) -> str:
    """Return one line with the title of the tool, the scope, and the arguments that are not lists or tables."""
    phrase = _find_title(tool)
    for scope in SCOPE_ARGUMENTS:
        value = arguments.get(scope)
        if value:
            phrase += f" {value}" if phrase.endswith(scope) else f" in {scope} {value}"
    details = [str(arguments["description"])] if arguments.get("description") else []
    details += [
        f"{key.replace('_', ' ')} {value}"
        for key, value in arguments.items()
        if key not in OMITTED_ARGUMENTS and isinstance(value, str | int | float)
    ]
    return f"{phrase}: {', '.join(details)}" if details else phrase


def render_tool_titles() -> str:
    """Return the source code of the module `tool_titles`, which lists the titles of the registered tools."""
    from conductor.tools.catalog import REGISTRY

    rows = "".join(
        f'    "{name}": "{tool.title}",\n'
        for tool in sorted(REGISTRY.list_tools(), key=lambda tool: tool.name)
        for name in (tool.name, *tool.aliases)
    )
    return (
        '"""The titles of the built-in tools. Written by `conductor generate`. Do not edit."""\n\n'
        f"TOOL_TITLES = {{\n{rows}}}\n"
    )


def _find_title(tool: str) -> str:
    """Return the title of a built-in tool. For another tool, return its name as words."""
    # The titles are in a table, because importing the tools takes a second, during which a chat
    # would print nothing.
    title = TOOL_TITLES.get(tool)
    if title is not None:
        return title
    words = tool.removeprefix("conductor_").replace("_", " ")
    return f"{words[:1].upper()}{words[1:]}"
