"""The engine's supervisor, with stand-ins for the engine that behave badly."""

import asyncio
import os
import signal
import sys
import threading
from pathlib import Path

import pytest

from conductor.base import child
from conductor.domain.config import Config
from conductor.domain.engine_protocol import SwitchMode
from conductor.errors import NotAvailable
from conductor.runtime import engine_connection, supervisor
from conductor.runtime.engine_connection import EngineConnection
from conductor.runtime.notices import Notices
from conductor.runtime.supervisor import EngineSupervisor

SLOW = """
import sys, threading
threading.Event().wait(1.5)
print('{"op": "ready", "pid": 1}', flush=True)
sys.stdin.read()
"""

RUNS_A_CONFIG = """
import sys
print('{"op": "ready", "pid": 1}', flush=True)
for line in sys.stdin:
    if '"config_complete"' in line:
        print('{"op": "loaded", "token": 1, "mappings": 0, "mode": "Default"}', flush=True)
"""

ANSWERS = """
import json, sys
print('{"op": "ready", "pid": 1}', flush=True)
modes = []
for line in sys.stdin:
    message = json.loads(line)
    if message["op"] == "mode":
        modes.append(message["mode"])
        print(json.dumps({"op": "reply", "id": message.get("id"), "result": modes}), flush=True)
"""


def test_an_engine_that_starts_slower_than_allowed_is_given_longer_each_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(supervisor, "MAX_STARTUP_SILENCE_S", 1.0)
    monkeypatch.setattr(child, "build_command", lambda: [sys.executable, "-c", SLOW])
    engine = EngineSupervisor(tmp_path, _ignore, _ignore, _ignore, _ignore, _ignore)
    engine.start()
    try:
        assert engine.running.wait(30), "it was killed again and again before it was ready"
    finally:
        engine.stop()


def test_a_config_no_longer_counts_as_running_once_its_engine_has_died(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(child, "build_command", lambda: [sys.executable, "-c", RUNS_A_CONFIG])
    config = Config()
    restarted = threading.Event()
    counted_as_running: list[bool] = []

    def build_environment(_: Path) -> dict[str, str]:
        counted_as_running.append(connection.is_running_config(config))
        if len(counted_as_running) == 2:
            restarted.set()
        return dict(os.environ)

    monkeypatch.setattr(engine_connection, "build_engine_environment", build_environment)
    connection = EngineConnection(tmp_path, tmp_path / "config.toml", _ignore, Notices(_ignore))
    connection.process.start()
    try:
        connection.load_config(config)
        assert connection.loaded.wait(30)
        assert connection.process.pid is not None
        os.kill(connection.process.pid, signal.SIGKILL)
        assert restarted.wait(30)
    finally:
        connection.process.stop()
    assert counted_as_running == [False, False]


def test_a_switch_of_modes_is_not_undone_by_the_restored_mode(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(supervisor, "ANSWER_TIMEOUT_S", 0.01)
    monkeypatch.setattr(child, "build_command", lambda: [sys.executable, "-c", ANSWERS])

    def restore() -> None:
        with pytest.raises(NotAvailable):
            engine.send_request(SwitchMode("too early"))
        with pytest.raises(NotAvailable):
            asyncio.run(engine.send_request_async(SwitchMode("too early")))
        engine.send(SwitchMode("restored"))

    engine = EngineSupervisor(tmp_path, _ignore, restore, _ignore, _ignore, _ignore)
    engine.start()
    try:
        monkeypatch.setattr(supervisor, "ANSWER_TIMEOUT_S", 30)
        assert engine.send_request(SwitchMode("chosen")) == ["restored", "chosen"]
    finally:
        engine.stop()


def _ignore(*_: object) -> None:
    return
