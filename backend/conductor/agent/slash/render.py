"""What came of a slash command's call, in words: Markdown for the conversation and the terminal."""

from collections.abc import Callable
from typing import Any

Plain = dict[str, Any]


def render_result(tool: str, result: Plain) -> str:
    """Return what a tool gave. A plan is shown by its card; here it is one sentence."""
    tell = _TELLERS.get(tool)
    if tell is not None:
        return tell(result)
    if "plan_id" in result:
        return f"{result['description']}. Nothing changes before you apply it."
    message: str = result.get("message") or "Done."
    return message


def _status(status: Plain) -> str:
    devices = [one["device_id"] for one in status["devices"] if one.get("connected")]
    profile = f", profile {status['profile']}" if status["profile"] else ""
    paused = " and paused" if status["paused"] else ""
    lines = [
        f"Conductor {status['version']} is {status['lifecycle_state'].lower()}{paused}.",
        f"Mode {status['mode']}{profile} is active.",
        f"{status['mappings']} mappings, {len(devices)} devices: {', '.join(devices) or 'none'}.",
        *status["problems"],
        *status["notices"],
    ]
    return "\n".join(f"- {line}" for line in lines)


def _devices(result: Plain) -> str:
    rows = [
        f"- {one['device_id']} ({one['port_name']}){_state(one)}"
        for one in result["device_bindings"]
    ]
    return "\n".join(rows) or "No device is there. Connect one; it is found by itself."


def _state(device: Plain) -> str:
    if not device["connected"]:
        return ": not connected"
    return "" if device["enabled"] else ": muted"


def _plans(result: Plain) -> str:
    rows = [
        f"- {plan['status']}: {plan['description']} ({plan['plan_id']})" for plan in result["plans"]
    ]
    return "\n".join(rows) or "No plan is kept."


def _learning(_result: Plain) -> str:
    return "Play the control now; then write `/map that to ...`, or look at Learn in the window."


def _switched(result: Plain) -> str:
    return f"Mode {result['mode_name']} is active."


def _explained(result: Plain) -> str:
    answer: str = result["answer"]
    return answer


_TELLERS: dict[str, Callable[[Plain], str]] = {
    "conductor_get_status": _status,
    "conductor_list_device_bindings": _devices,
    "conductor_list_plans": _plans,
    "conductor_start_midi_learn": _learning,
    "conductor_switch_mode": _switched,
    "conductor_explain_event": _explained,
}
