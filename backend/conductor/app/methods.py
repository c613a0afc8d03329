"""What a running Conductor answers on its socket, with seed S1's names and fields."""

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any, Protocol

from conductor import __version__
from conductor.app.supervisor import EngineProcess
from conductor.base.clock import now
from conductor.config.store import ConfigStore
from conductor.domain.devices import SOFTWARE_PORTS
from conductor.domain.patterns import suggest
from conductor.domain.trace import event_from_plain
from conductor.engine.describe import event_words
from conductor.errors import NotAvailable, UnknownDevice, UnknownMode
from conductor.mcp.socket_server import Method

Params = dict[str, Any]


class Running(Protocol):
    """What the methods see of the app."""

    engine: EngineProcess
    store: ConfigStore
    devices: list[dict[str, Any]]
    notices: list[str]
    started_at: float
    mode: str
    demo: bool

    def config_is_active(self) -> bool: ...


class Methods:
    """One method for each name in `table`."""

    def __init__(self, app: Running) -> None:
        self._app = app

    def table(self) -> dict[str, Method]:
        """Give the methods by the names that they are called by."""
        return {
            "conductor_get_status": self._status,
            "conductor_get_config": self._config,
            "conductor_list_modes": self._modes,
            "conductor_get_mappings": self._mappings,
            "conductor_list_mappings": self._mappings,
            "conductor_list_devices": self._devices,
            "conductor_list_device_bindings": self._bindings,
            "conductor_validate_config": self._validate,
            "conductor_get_recent_events": self._recent,
            "conductor_explain_event": self._explain,
            "conductor_start_midi_learn": self._learn_start,
            "conductor_stop_midi_learn": self._learn_stop,
            "conductor_get_captured_events": self._learned,
            "conductor_switch_mode": self._switch_mode,
            "conductor_set_device_enabled": self._set_enabled,
            "conductor_scan_ports": self._scan,
            "conductor_panic": self._panic,
        }

    async def _ask(self, op: str, /, **fields: Any) -> dict[str, Any]:
        return await asyncio.to_thread(self._app.engine.ask, op, **fields)

    async def _status(self, _: Params) -> Params:
        app = self._app
        running = app.engine.running.is_set()
        engine = await self._engine_status() if running else {}
        inputs = [d for d in app.devices if _can_be_played(d)]
        last = engine.get("last_event_at", {})
        first = inputs[0] if inputs else None
        problems = [problem.text() for problem in app.store.problems]
        return {
            "daemon_running": True,
            "lifecycle_state": "Running" if engine and not problems else "Degraded",
            "connected": bool(inputs),
            "device_connected": bool(inputs),
            "device": None
            if first is None
            else {
                "name": first["port_name"],
                "port": 0,
                "last_event_at": _epoch(last.get(first["device_id"])),
            },
            "uptime_secs": int(now() - app.started_at),
            "input_mode": _input_mode(inputs),
            "statistics": {
                "events_processed": engine.get("events_processed", 0),
                "actions_executed": engine.get("actions_executed", 0),
            },
            "version": __version__,
            "demo": app.demo,
            "mode": engine.get("mode", app.mode),
            "profile": engine.get("profile"),
            "app_in_front": engine.get("app"),
            "mappings": engine.get("mappings", 0),
            "held_keys": engine.get("held_keys", []),
            "failures": engine.get("failures", []),
            "problems": [*problems, *engine.get("problems", [])],
            "notices": app.notices,
            "config": {
                "path": str(app.store.path),
                "hash": app.store.hash,
                "valid": not problems,
                "active": running and app.config_is_active(),
                "problems": problems,
            },
            "engine": {"pid": app.engine.pid, "running": running, "restarts": app.engine.restarts},
            "devices": app.devices,
        }

    async def _engine_status(self) -> Params:
        """Ask the engine; nothing when it does not answer, for a status is wanted most then."""
        try:
            return await self._ask("query", what="status")
        except NotAvailable:
            return {}

    async def _config(self, _: Params) -> Params:
        store = self._app.store
        return {"content": store.text, "path": str(store.path), "hash": store.hash}

    async def _modes(self, _: Params) -> Params:
        modes = self._app.store.current.modes
        return {
            "modes": [
                {"name": mode.name, "color": mode.color, "mapping_count": len(mode.mappings)}
                for mode in modes
            ],
            "active": self._app.mode,
        }

    async def _mappings(self, params: Params) -> Params:
        name = _text(params, "mode")
        mode = self._app.store.current.mode(name)
        if mode is None:
            raise UnknownMode(f"Invalid mode: '{name}' does not exist")
        return {
            "mode": name,
            "mappings": [
                {"index": index, **mapping.to_plain()}
                for index, mapping in enumerate(mode.mappings)
            ],
        }

    async def _devices(self, _: Params) -> Params:
        def names(*kinds: str) -> list[str]:
            return [
                d["port_name"] for d in self._app.devices if d["kind"] in kinds and d["connected"]
            ]

        return {
            "midi_inputs": names("midi_input"),
            "midi_outputs": names("midi_output"),
            "gamepads": names("gamepad"),
            "others": names("osc", "virtual"),
            "devices": self._app.devices,
        }

    async def _bindings(self, _: Params) -> Params:
        inputs = [d for d in self._app.devices if d["kind"] != "midi_output"]
        connected = [d for d in inputs if d["connected"]]
        return {
            "device_bindings": [
                {
                    "device_id": d["device_id"],
                    "port_name": d["port_name"],
                    "connected": d["connected"],
                    "enabled": d["enabled"],
                    "is_configured": d["is_configured"],
                }
                for d in inputs
            ],
            "multi_device_active": len(connected) > 1,
            "total_devices": len(inputs),
            "connected_count": len(connected),
            "muted_count": sum(1 for d in inputs if not d["enabled"]),
        }

    async def _validate(self, _: Params) -> Params:
        store = self._app.store
        report = store.snapshot.report.as_seed()
        if store.problems:
            errors = [problem.text() for problem in store.problems]
            return {**report, "valid": False, "errors": errors}
        return report

    async def _recent(self, params: Params) -> Params:
        limit = int(params.get("limit", 50))
        answer = await self._ask("query", what="recent_events", limit=max(1, min(1000, limit)))
        return {
            "events": [{**e, "text": event_words(event_from_plain(e))} for e in answer["events"]]
        }

    async def _explain(self, params: Params) -> Params:
        sequence = params.get("sequence")
        return await self._ask("query", what="explain", sequence=sequence)

    async def _learn_start(self, params: Params) -> Params:
        default = self._app.store.current.settings.learn.timeout_ms
        timeout_ms = int(params.get("timeout_ms", default))
        await self._ask("query", what="learn_start")
        expires = datetime.now(UTC) + timedelta(milliseconds=timeout_ms)
        return {"status": "learning", "expires_at": expires.isoformat().replace("+00:00", "Z")}

    async def _learn_stop(self, _: Params) -> Params:
        answer = await self._ask("query", what="learn_stop")
        return self._suggested(answer["events"])

    async def _learned(self, _: Params) -> Params:
        answer = await self._ask("query", what="learned")
        return self._suggested(answer["events"])

    def _suggested(self, events: list[dict[str, Any]]) -> Params:
        learn = self._app.store.current.settings.learn
        found = suggest([event_from_plain(event) for event in events], learn)
        return {
            "events": [{**e, "text": event_words(event_from_plain(e))} for e in events],
            "suggestions": [
                {**s.trigger, "trigger": s.trigger, "why": s.why, "score": s.score} for s in found
            ],
        }

    async def _switch_mode(self, params: Params) -> Params:
        answer = await self._ask("mode", mode=_text(params, "mode"))
        if "error" in answer:
            raise UnknownMode(answer["error"])
        return answer

    async def _set_enabled(self, params: Params) -> Params:
        device, enabled = _text(params, "device_id"), params["enabled"]
        if not isinstance(enabled, bool):
            raise TypeError("`enabled` must be true or false")
        if device not in [d["device_id"] for d in self._app.devices]:
            raise UnknownDevice(f"Invalid device: '{device}' does not exist")
        self._app.engine.send("mute", device=device, enabled=enabled)
        word = "unmuted" if enabled else "muted"
        return {"device_id": device, "enabled": enabled, "message": f"Device '{device}' {word}"}

    async def _scan(self, _: Params) -> Params:
        return await self._ask("rescan")

    async def _panic(self, _: Params) -> Params:
        self._app.engine.send("panic")
        return {"message": "All keys and notes were let go and running actions cancelled"}


def _can_be_played(device: dict[str, Any]) -> bool:
    """Say whether something outside plays it; our own port that waits for programs is nothing yet."""
    hears = device["connected"] and device["kind"] in ("midi_input", "gamepad", "osc")
    return hears and not device["port_name"].startswith(SOFTWARE_PORTS)


def _text(params: Params, name: str) -> str:
    value = params.get(name)
    if not isinstance(value, str):
        raise TypeError(f"`{name}` must be a text")
    return value


def _epoch(seconds_ago: float | None) -> int | None:
    return None if seconds_ago is None else int(datetime.now(UTC).timestamp() - seconds_ago)


def _input_mode(inputs: list[dict[str, Any]]) -> str:
    kinds = {device["kind"] for device in inputs}
    tests: tuple[tuple[Callable[[], bool], str], ...] = (
        (lambda: "midi_input" in kinds and "gamepad" in kinds, "Both"),
        (lambda: "gamepad" in kinds, "GamepadOnly"),
    )
    return next((name for test, name in tests if test()), "MidiOnly")
