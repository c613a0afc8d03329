"""`conductor status`: prints the status of the running Conductor."""

import argparse
import json
import shlex
from collections import Counter
from typing import cast

from conductor.cli.client import SocketClient
from conductor.cli.text import format_duration, format_mapping_count
from conductor.domain.mapping_names import format_row_name
from conductor.domain.wire_rows import DeviceRow, FailureRow, StatusRow

_PAUSED_TEXT = " but paused (input does nothing until you resume it in the window or the tray)"
_CONSENT_TEXTS: dict[str | None, str] = {
    "needed": "not allowed yet; `conductor desktop ask` asks you now",
    "asking": "the desktop is asking whether Conductor may press keys",
    "refused": "not allowed, because you refused; `conductor desktop ask` asks again",
}


def run(args: argparse.Namespace) -> int:
    """Print the status of the running Conductor. Return the exit code."""
    status = cast(StatusRow, SocketClient().call_method("conductor_get_status"))
    print(json.dumps(status) if args.json else "\n".join(_format_status(status)))
    return 0


def _format_status(status: StatusRow) -> list[str]:
    engine, config, counts = status["engine"], status["config"], status["statistics"]
    restarts = f", restarts: {engine['restarts']}" if engine["restarts"] else ""
    process = f"engine process {engine['pid']}{restarts}"
    conflicts = status["conflicts"]
    state = f"{status['lifecycle_state']}{_PAUSED_TEXT if status['paused'] else ''}"
    lines = [
        f"{state}, up for {format_duration(status['uptime_secs'])} ({process})",
        f"mode      {status['mode']}"
        + (f", profile {status['profile']}" if status["profile"] else ""),
        f"config    {config['path']}: {format_mapping_count(status['mappings'])}",
        f"events    {counts['events_processed']} in, {counts['actions_executed']} actions",
    ]
    if conflicts:
        path = shlex.quote(config["path"])
        lines.append(f"conflicts {conflicts}; `conductor validate {path}` lists them")
    lines += [f"device    {format_device(device)}" for device in status["devices"]]
    if status.get("input_route"):
        lines.append(f"keys by   {status['input_route']}")
    if text := _CONSENT_TEXTS.get(status.get("input_consent")):
        lines.append(f"keys      {text}")
    if status.get("window"):
        lines.append(f"window    {status['window']}")
    lines += [f"held      {key}" for key in status["held_keys"]]
    lines += _format_failures(status["failures"])
    # problems of the config are notices as well, and are printed only once
    problems = status["problems"]
    notices = [
        notice for notice in status["notices"] if not any(problem in notice for problem in problems)
    ]
    lines += [f"notice    {notice}" for notice in notices[-3:]]
    lines += [f"problem   {problem}" for problem in problems]
    return lines


def _format_failures(failures: list[FailureRow]) -> list[str]:
    """Return the last three failures that differ, each with how often it occurred."""
    failed = Counter(f"{format_row_name(failure)}: {failure['reason']}" for failure in failures)
    return [
        f"failed    {failure}{f' (x{times})' if times > 1 else ''}"
        for failure, times in list(failed.items())[-3:]
    ]


def format_device(device: DeviceRow) -> str:
    """Return one line about a device and its state."""
    states = [
        *([] if device["connected"] else ["disconnected"]),
        *([] if device["enabled"] else ["muted"]),
        *([device["problem"]] if device["problem"] else []),
    ]
    state = f" ({'; '.join(states)})" if states else ""
    return f"{device['kind'].replace('_', ' '):<12} {device['device_id']:<24} {device['port_name']}{state}"
