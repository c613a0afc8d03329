"""Describes the current mode, app, recent controls and plans to the model in 100 to 300 tokens.

The description changes with each message, so it follows the last user message instead of being part of the
system prompt.
"""

from collections.abc import Sequence
from datetime import datetime

from conductor.agent.deps import AppState
from conductor.agent.untrusted import format_one_line
from conductor.base.clock import now
from conductor.domain.config import Config
from conductor.domain.events import CONTROL_CLASS, InputEvent
from conductor.domain.phrases import format_note_name
from conductor.domain.plan import ConfigPlan
from conductor.engine.table import MappingTable

MAX_LIVE_CONTEXT_CHARACTERS = 1_200
"""The maximum length of the description; 1,200 characters are about 300 tokens."""
MAX_RECENT_EVENTS = 200
RECENT_EVENT_AGE_S = 300.0
MAX_LISTED_CONTROLS = 6
MAX_LISTED_PLANS = 6
ControlKey = tuple[str, int, str, int | str]
"""The device, channel, class and number that identify a control."""


def build_live_context(
    state: AppState,
    events: Sequence[InputEvent] | None,
    plans: Sequence[ConfigPlan],
    config: Config,
    at: datetime,
) -> str:
    """Return a description of the mode, the app, the recent controls and the plans for the model.

    `events` is None if the engine does not answer; the description then says that the recent input is
    unknown.
    """
    connected = [
        format_one_line(device["device_id"]) for device in state.devices if device["connected"]
    ]
    profile = f", profile {format_one_line(state.profile)}" if state.profile else ""
    mode, app = format_one_line(state.mode) or "unknown", format_one_line(state.app) or "unknown"
    lines = [
        "<now>",
        f"Time: {at.astimezone():%A %Y-%m-%d %H:%M}. Active mode: {mode}{profile}.",
        f"Foreground app: {app}. Connected: {', '.join(connected[:8]) or 'no device'}.",
        *_format_recent_controls(events, config),
        *(_format_plan(plan) for plan in plans[-MAX_LISTED_PLANS:]),
    ]
    text = "\n".join(lines)[: MAX_LIVE_CONTEXT_CHARACTERS - 7]
    return f"{text}\n</now>"


def group_recent_controls(events: Sequence[InputEvent]) -> dict[ControlKey, list[InputEvent]]:
    """Group the events of the last five minutes by control. The control that was used last comes first."""
    earliest = now() - RECENT_EVENT_AGE_S
    by_control: dict[ControlKey, list[InputEvent]] = {}
    for event in reversed(events):
        kind = CONTROL_CLASS.get(event.kind)
        if kind is not None and event.time >= earliest:
            key = (event.device, event.channel, kind, event.number)
            by_control.setdefault(key, []).append(event)
    return by_control


def describe_control(control: ControlKey) -> str:
    """Return a phrase that names a control, such as `note 36 (C1) on channel 10 of pads`."""
    device, channel, kind, number = control
    name = f"{kind} {number}" if kind not in ("pitch_bend", "channel_pressure", "sysex") else kind
    if kind == "note":
        name += f" ({format_note_name(int(number))})"
    place = f" on channel {channel}" if channel else ""
    return f"{name}{place} of {device or 'a device'}".replace("_", " ")


def is_mapped(config: Config, control: ControlKey) -> bool:
    """Return whether any mapping of the config listens to the control, whatever its mode."""
    device, channel, kind, number = control
    for compiled in MappingTable(config).compiled:
        trigger = compiled.trigger
        if (trigger.device in (None, device)) and (trigger.channel in (None, channel)):
            for listened, wanted in trigger.list_controls():
                if listened == kind and wanted in ("*", number):
                    return True
    return False


def _format_recent_controls(events: Sequence[InputEvent] | None, config: Config) -> list[str]:
    if events is None:
        return ["The engine does not answer; recent input is unknown."]
    controls = list(group_recent_controls(events).items())
    if not controls:
        return [f"No input in the last {RECENT_EVENT_AGE_S / 60:g} minutes."]
    return ["Recent input, newest first:"] + [
        _format_control_line(control, played, config)
        for control, played in controls[:MAX_LISTED_CONTROLS]
    ]


def _format_control_line(control: ControlKey, played: Sequence[InputEvent], config: Config) -> str:
    values = [event.value for event in played if not event.kind.endswith(("_off", "_up"))]
    low, high = (min(values), max(values)) if values else (0, 0)
    span = f"{low:g}" if low == high else f"{low:g}-{high:g}"
    ago = now() - played[0].time
    mapped = "mapped" if is_mapped(config, control) else "no mapping"
    name = format_one_line(describe_control(control), 120)
    return f"- {name}: {len(values)}x, values {span}, {ago:.0f} s ago, {mapped}"


def _format_plan(plan: ConfigPlan) -> str:
    by = (
        f" by {format_one_line(plan.approved_by.describe())}"
        if plan.approved_by and plan.status == "applied"
        else ""
    )
    reason = f" ({format_one_line(plan.reason, 120)})" if plan.reason else ""
    status = "waiting for the user" if plan.status == "pending" else plan.status
    return f'Plan {plan.plan_id[:8]} "{format_one_line(plan.description)}": {status}{by}{reason}.'
