"""Formats a gesture as an event script, which the user can read and play again."""

from collections.abc import Iterable, Sequence

from conductor.domain.events import InputEvent
from conductor.engine.gestures.contexts import NO_APP, GestureContext
from conductor.engine.script import DEFAULT_VELOCITY

DEFAULT_SCRIPT_DEVICE, DEFAULT_SCRIPT_CHANNEL = "virtual", 1
CONTEXT_SETTLE_MS = 1000
"""Milliseconds to wait after mode, app and held controls are set up, before the gesture begins."""


def format_gesture_script(
    events: Sequence[InputEvent],
    context: GestureContext | None = None,
    start_mode: str | None = None,
    *,
    held_ms: float = 0,
) -> str:
    """Return a gesture as an event script on one line, such as `mode Live; down 36; wait 299; down 36`.

    `held_ms` is how long the last control is held, if the gesture does not release it.
    """
    parts = [] if context is None else list(_format_context(context, start_mode))
    if parts and events:
        parts.append(f"wait {CONTEXT_SETTLE_MS}")
    last = events[0].time if events else 0.0
    for event in events:
        gap_ms = round((event.time - last) * 1000, 3)
        if gap_ms > 0:
            parts.append(f"wait {gap_ms:g}")
        parts.append(format_event_script(event))
        last = event.time
    if held_ms > 0:
        parts.append(f"wait {held_ms:g}")
    return "; ".join(parts)


def _format_context(context: GestureContext, start_mode: str | None) -> Iterable[str]:
    if context.app != NO_APP:
        executable, bundle_id, title = context.app
        yield f"app {executable or bundle_id or '-'} {title}".strip()
    if context.mode != start_mode:
        yield f"mode {context.mode}"
    for event in context.held:
        yield format_event_script(event)


def format_event_script(event: InputEvent) -> str:  # noqa: C901 - one arm a kind
    """Return an event as one line of an event script."""
    number, value = event.number, event.value
    match event.kind:
        case "note_on":
            words = f"down {number}" + (f" vel {value}" if value != DEFAULT_VELOCITY else "")
        case "note_off":
            words = f"up {number}"
        case "cc" | "nrpn" | "rpn":
            words = f"{event.kind} {number} {value}"
        case "pitch_bend":
            words = f"bend {value}"
        case "channel_pressure":
            words = f"pressure {value}"
        case "poly_pressure":
            words = f"pressure {value} note {number}"
        case "program_change":
            words = f"program {number}"
        case "sysex":
            words = f"sysex {bytes(event.data or b'').hex(' ').upper()}"
        case "button_down" | "button_up":
            words = f"button {number} {event.kind.removeprefix('button_')}"
        case "axis":
            words = f"axis {number} {value:g}"
        case "gamepad_trigger":
            words = f"trigger {number} {value:g}"
        case "osc":
            words = f"osc {number} {value:g}"
        case _:
            words = event.kind
    usual = "osc" if event.kind == "osc" else DEFAULT_SCRIPT_DEVICE
    device = f" dev {event.device}" if event.device not in (usual, "") else ""
    channel = f" ch {event.channel}" if event.channel not in (DEFAULT_SCRIPT_CHANNEL, 0) else ""
    return words + device + channel
