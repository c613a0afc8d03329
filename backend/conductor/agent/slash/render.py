"""Renders the results of slash commands as Markdown, for the conversation and the terminal."""

from collections.abc import Callable

from conductor.base.json_types import JsonObject
from conductor.domain.control_names import format_device_name


def render_result(tool: str, result: JsonObject) -> str:
    """Return the result of a tool as Markdown.

    A plan becomes one sentence, because the page shows a card with its details.
    """
    render = _RENDERERS.get(tool)
    if render is not None:
        return render(result)
    if "plan_id" in result:
        # true also after the plan is applied: the sentence stays in the conversation
        return f"Proposed: {result['description']}."
    message: str = result.get("message") or "Done."
    return message


def _render_status(status: JsonObject) -> str:
    connected = [device["device_id"] for device in status["devices"] if device.get("connected")]
    devices = ", ".join(map(format_device_name, connected))
    profile = f", profile {status['profile']}" if status["profile"] else ""
    paused = " and paused" if status["paused"] else ""
    lines = [
        f"Conductor {status['version']} is {status['lifecycle_state'].lower()}{paused}.",
        f"Mode {status['mode']}{profile} is active.",
        f"{_format_count(status['mappings'], 'mapping')}.",
        f"{_format_count(len(connected), 'device')}: {devices}." if devices else "No devices.",
        *status["problems"],
        *status["notices"],
    ]
    return "\n".join(f"- {line}" for line in lines)


def _format_count(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _render_device_list(result: JsonObject) -> str:
    rows = [
        f"- {_render_device_name(device)}{_render_device_state(device)}"
        for device in result["device_bindings"]
    ]
    return "\n".join(rows) or "No devices. Connect one; it is detected automatically."


def _render_device_name(device: JsonObject) -> str:
    name, port = format_device_name(device["device_id"]), device["port_name"]
    return name if name == port else f"{name} ({port})"


def _render_device_state(device: JsonObject) -> str:
    if not device["connected"]:
        return ": not connected"
    return "" if device["enabled"] else ": muted"


def _render_plan_list(result: JsonObject) -> str:
    rows = [
        f"- {plan['status']}: {plan['description']} ({plan['plan_id']})" for plan in result["plans"]
    ]
    return "\n".join(rows) or "No plans."


def _render_learning(_result: JsonObject) -> str:
    return "Use the control now, then send `/map that to ...` or open Learn in the window."


def _render_mode_switch(result: JsonObject) -> str:
    return f"Mode {result['mode_name']} is active."


def _render_explanation(result: JsonObject) -> str:
    answer: str = result["answer"]
    return answer


_RENDERERS: dict[str, Callable[[JsonObject], str]] = {
    "conductor_get_status": _render_status,
    "conductor_list_device_bindings": _render_device_list,
    "conductor_list_plans": _render_plan_list,
    "conductor_start_midi_learn": _render_learning,
    "conductor_switch_mode": _render_mode_switch,
    "conductor_explain_event": _render_explanation,
}
