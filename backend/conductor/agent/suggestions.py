"""Suggests up to four messages that the user may want to send, based on the config and the recent input."""

from collections.abc import Iterator, Sequence
from itertools import islice

from conductor.agent.deps import AppState
from conductor.agent.live_context import (
    ControlKey,
    describe_control,
    group_recent_controls,
    is_mapped,
)
from conductor.domain.config import Config
from conductor.domain.devices import SOFTWARE_PORT_NAMES
from conductor.domain.events import InputEvent

MAX_SUGGESTIONS = 4
GENERAL_SUGGESTIONS = (
    "What is mapped in the active mode?",
    "Why did nothing happen when I pressed that?",
    "Make a second mode and a button that switches to it",
    "What could I do with a long press and a double tap?",
)


def list_suggestions(
    config: Config, state: AppState, events: Sequence[InputEvent]
) -> tuple[str, ...]:
    """Return at most four messages that fit the config and the recent input, most relevant first."""
    return tuple(islice(dict.fromkeys(_list_candidates(config, state, events)), MAX_SUGGESTIONS))


def _list_candidates(
    config: Config, state: AppState, events: Sequence[InputEvent]
) -> Iterator[str]:
    touched = list(group_recent_controls(events))
    free = next((control for control in touched if not is_mapped(config, control)), None)
    if free is not None:
        yield f"Map {_shorten_control(free)}, which I just touched, to copy (cmd+c)"
    mappings = [mapping for _, _, mapping in config.list_all_mappings()]
    if not mappings and free is None:
        yield "I want to map a pad: let me touch it"
    used = {mapping.trigger.device for mapping in mappings}
    for device in config.devices:
        if device.alias not in used and None not in used:
            yield f"Suggest mappings for {device.alias}"
    for device in state.devices:
        port = str(device.get("port_name", ""))
        raw = str(device.get("device_id", "")).startswith("raw:")
        if device.get("connected") and raw and not port.startswith(SOFTWARE_PORT_NAMES):
            yield f"Give the device {port} a name"
    if state.app and mappings:
        yield f"Make a profile for {state.app}"
    yield from GENERAL_SUGGESTIONS


def _shorten_control(control: ControlKey) -> str:
    return describe_control(control).replace(" of raw:", " of ")
