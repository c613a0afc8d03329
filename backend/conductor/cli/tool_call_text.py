"""Describes a tool call for a terminal: `Create mapping in mode Default`."""

from conductor.base.json_types import JsonObject

NAMES = {
    "get_config": "Read the config",
    "get_status": "Look at the status",
    "get_mappings": "Read the mappings",
    "explain_event": "Explain an event",
    "start_midi_learn": "Listen for a control",
    "stop_midi_learn": "Stop listening",
    "batch": "Several changes",
    "validate_config": "Check the config",
}
VERBS = {"get": "read"}
SCOPES = ("mode", "profile")
OMITTED = (*SCOPES, "description", "index")


def describe_call(tool: str, arguments: JsonObject) -> str:
    """Return a phrase with the verb, the scope and the simple arguments of a tool call."""
    name = tool.removeprefix("conductor_")
    verb, _, rest = name.partition("_")
    phrase = NAMES.get(name) or f"{VERBS.get(verb, verb)} {rest.replace('_', ' ')}".strip()
    for scope in SCOPES:
        value = arguments.get(scope)
        if value:
            phrase += f" {value}" if name.endswith(scope) else f" in {scope} {value}"
    details = [str(arguments["description"])] if arguments.get("description") else []
    details += [
        f"{key.replace('_', ' ')} {value}"
        for key, value in arguments.items()
        if key not in OMITTED and isinstance(value, str | int | float)
    ]
    tail = f": {', '.join(details)}" if details else ""
    return f"{phrase[:1].upper()}{phrase[1:]}{tail}"
