"""Describes a tool call for a terminal: `Create mapping in mode Default`."""

from conductor.base.json_types import JsonObject

SCOPES = ("mode", "profile")
OMITTED = (*SCOPES, "description", "index")


def describe_call(tool: str, arguments: JsonObject) -> str:
    """Return a phrase with the title, the scope and the simple arguments of a tool call."""
    phrase = _find_title(tool)
    for scope in SCOPES:
        value = arguments.get(scope)
        if value:
            phrase += f" {value}" if phrase.endswith(scope) else f" in {scope} {value}"
    details = [str(arguments["description"])] if arguments.get("description") else []
    details += [
        f"{key.replace('_', ' ')} {value}"
        for key, value in arguments.items()
        if key not in OMITTED and isinstance(value, str | int | float)
    ]
    return f"{phrase}: {', '.join(details)}" if details else phrase


def _find_title(tool: str) -> str:
    """Return the title of a built-in tool; for any other, its name as words."""
    # Takes a second, which only an answer with a call needs.
    from conductor.tools.catalog import REGISTRY

    known = REGISTRY.get(tool)
    if known is not None:
        return known.title
    words = tool.removeprefix("conductor_").replace("_", " ")
    return f"{words[:1].upper()}{words[1:]}"
