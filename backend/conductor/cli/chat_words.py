"""What a terminal says of a model's call: `Create mapping in mode Default`."""

from typing import Any

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
PLACES = ("mode", "profile")
UNSAID = (*PLACES, "description", "index")


def call_words(tool: str, arguments: dict[str, Any]) -> str:
    """Return what a call does, and where, with its plainest arguments."""
    name = tool.removeprefix("conductor_")
    verb, _, rest = name.partition("_")
    words = NAMES.get(name) or f"{VERBS.get(verb, verb)} {rest.replace('_', ' ')}".strip()
    for place in PLACES:
        said = arguments.get(place)
        if said:
            words += f" {said}" if name.endswith(place) else f" in {place} {said}"
    more = [str(arguments["description"])] if arguments.get("description") else []
    more += [
        f"{key.replace('_', ' ')} {value}"
        for key, value in arguments.items()
        if key not in UNSAID and isinstance(value, str | int | float)
    ]
    tail = f": {', '.join(more)}" if more else ""
    return f"{words[:1].upper()}{words[1:]}{tail}"
