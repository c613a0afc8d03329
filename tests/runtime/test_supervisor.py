"""The engine's supervisor, with stand-ins for the engine that behave badly."""

import sys
from pathlib import Path

import pytest

from conductor.base import child
from conductor.runtime import supervisor
from conductor.runtime.supervisor import EngineSupervisor

SLOW = """
import sys, threading
threading.Event().wait(1.5)
print('{"op": "ready", "pid": 1}', flush=True)
sys.stdin.read()
"""


def test_an_engine_that_starts_slower_than_allowed_is_given_longer_each_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(supervisor, "MAX_STARTUP_SILENCE_S", 1.0)
    monkeypatch.setattr(child, "build_command", lambda: [sys.executable, "-c", SLOW])
    engine = EngineSupervisor(tmp_path, _ignore, lambda: None, _ignore, _ignore)
    engine.start()
    try:
        assert engine.running.wait(30), "it was killed again and again before it was ready"
    finally:
        engine.stop()


def _ignore(*_: object) -> None:
    return
