"""Builds the result of the tool `conductor_get_status`, with the fields that older clients expect."""

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime

from conductor import __version__
from conductor.base.clock import now
from conductor.config.store import ConfigStore
from conductor.domain.config import Config
from conductor.domain.devices import SOFTWARE_PORT_NAMES, list_midi_inputs
from conductor.domain.engine_protocol import GetStatus
from conductor.domain.engine_replies import StatusReply
from conductor.domain.wire_rows import DeviceRow, StatusRow
from conductor.errors import NotAvailable
from conductor.runtime.engine_connection import EngineConnection

CONFLICT_COUNT_TIMEOUT_S = 1.0
"""Seconds to wait for the number of conflicts. Counting takes about a second for a thousand mappings on a
few controls, and the result is cached."""


class StatusReader:
    """Reads the status of the running app and its engine."""

    def __init__(
        self,
        engine: EngineConnection,
        store: ConfigStore,
        notices: Callable[[], list[str]],
        count_conflicts: Callable[[Config], int],
        list_server_problems: Callable[[], list[str]] = list,
        *,
        describe_window: Callable[[], str],
        demo: bool,
    ) -> None:
        self._describe_window = describe_window
        self._engine = engine
        self._store = store
        self._notices = notices
        self._count_conflicts = count_conflicts
        self._list_server_problems = list_server_problems
        self._demo = demo
        self._started_at = now()

    async def read_status(self) -> StatusRow:
        """Return all fields of the result of the tool `conductor_get_status`."""
        devices, store, process = self._engine.state.devices, self._store, self._engine.process
        # before the answer, because another engine may run when it arrives
        pid, restarts, running = process.pid, process.restarts, process.running.is_set()
        answer = await self._request_engine_status() if running else None
        engine = answer or _build_stopped_status(self._engine.state.mode)
        inputs = [d for d in devices if _is_playable_input(d)]
        last = engine["last_event_at"]
        first = inputs[0] if inputs else None
        problems = [problem.format() for problem in store.problems]
        return {
            "daemon_running": True,
            "lifecycle_state": "Running" if answer and not problems else "Degraded",
            "connected": bool(inputs),
            "device_connected": bool(inputs),
            "device": None
            if first is None
            else {
                "name": first["port_name"],
                "port": _find_port_number(first, devices),
                "last_event_at": _convert_to_epoch(last.get(first["device_id"])),
            },
            "uptime_secs": int(now() - self._started_at),
            "input_mode": _get_input_mode(inputs),
            "statistics": {
                "events_processed": engine["events_processed"],
                "actions_executed": engine["actions_executed"],
            },
            "version": __version__,
            "demo": self._demo,
            "mode": engine["mode"],
            "profile": engine["profile"],
            "app_in_front": engine["app"] if answer else None,
            "paused": engine["paused"],
            "mappings": engine["mappings"],
            "conflicts": await self._read_conflict_count(),
            "held_keys": engine["held_keys"],
            "input_route": engine["input_route"],
            "input_consent": engine["input_consent"],
            "window": self._describe_window(),
            "failures": engine["failures"],
            "problems": [*problems, *engine["problems"], *self._list_server_problems()],
            "notices": self._notices(),
            "config": {
                "path": str(store.path),
                "hash": store.config_hash,
                "valid": not problems,
                "active": running and self._engine.is_running_config(store.current_config),
                "problems": problems,
            },
            "engine": {"pid": pid, "running": running, "restarts": restarts},
            "devices": devices,
        }

    async def _read_conflict_count(self) -> int | None:
        """Return the number of conflicts in the config, or None if they have not been counted in time."""
        config = self._store.current_config
        try:
            async with asyncio.timeout(CONFLICT_COUNT_TIMEOUT_S):
                return await asyncio.to_thread(self._count_conflicts, config)
        except TimeoutError:
            return None  # the counting continues, and a later status contains the result

    async def _request_engine_status(self) -> StatusReply | None:
        """Return the status that the engine reports, or None if the engine does not answer."""
        try:
            return await self._engine.process.send_request_async(GetStatus())
        except NotAvailable:
            return None


def _build_stopped_status(mode: str) -> StatusReply:
    """Return the status fields for an engine that is stopped or does not answer."""
    return StatusReply(
        mode=mode,
        profile=None,
        paused=False,
        app=[],
        mappings=0,
        events_processed=0,
        actions_executed=0,
        failures=[],
        last_event_at={},
        held_keys=[],
        input_route=None,
        input_consent=None,
        input_problem=None,
        dry_run=False,
        problems=[],
    )


def _convert_to_epoch(seconds_ago: float | None) -> int | None:
    return None if seconds_ago is None else int(datetime.now(UTC).timestamp() - seconds_ago)


def _is_playable_input(device: DeviceRow) -> bool:
    """Return whether a device is a connected input; software ports of Conductor itself do not count."""
    is_input = device["connected"] and device["kind"] in ("midi_input", "gamepad", "osc")
    return is_input and not device["port_name"].startswith(SOFTWARE_PORT_NAMES)


def _find_port_number(device: DeviceRow, devices: list[DeviceRow]) -> int | None:
    """Return the number of a MIDI input among all MIDI inputs, or None for another kind of device."""
    inputs = list_midi_inputs(devices)
    return inputs.index(device) if device in inputs else None


def _get_input_mode(inputs: list[DeviceRow]) -> str:
    kinds = {device["kind"] for device in inputs}
    if "gamepad" not in kinds:
        return "MidiOnly"
    return "Both" if "midi_input" in kinds else "GamepadOnly"
