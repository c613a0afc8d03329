"""The layer between the actions and the computer: keys, ports and the threads they use."""

import os
import sys
from collections.abc import Iterable
from pathlib import Path
from queue import Queue
from threading import Thread

import pytest
from tests.support.simulate import RecordingPlugins, config

from conductor.base.realtime import request_real_time
from conductor.domain.actions.base import Fire
from conductor.domain.events import InputEvent
from conductor.domain.keys import cmd_key
from conductor.domain.settings import EngineSettings
from conductor.domain.trace import Effect, MappingRef
from conductor.engine.runner import EffectRunner
from conductor.runtime.ledger import Ledger
from conductor.runtime.outputs import Outputs
from conductor.system.build import make_keyboard


class Midi:
    """Remembers what it was asked to prepare."""

    def __init__(self) -> None:
        self.prepared: list[str] = []

    def send(self, port: str, message: bytes) -> None: ...

    def find_port_name(self, port: str) -> str:
        return port

    def prepare(self, ports: Iterable[str]) -> None:
        self.prepared = list(ports)


@pytest.mark.parametrize("setting", ["auto", "ctrl", "super", "alt", "cmd"])
def test_every_cmd_key_of_the_schema_makes_a_keyboard(setting: str):
    assert make_keyboard(cmd_key(setting, "linux"), "linux")


def test_the_cmd_key_is_cmd_on_a_mac_and_super_elsewhere():
    assert cmd_key("cmd", "linux") == cmd_key("cmd", "win32") == "super"
    assert cmd_key("cmd", "darwin") == cmd_key("auto", "darwin") == "cmd"
    assert cmd_key("ctrl", "darwin") == "ctrl"


def test_ports_are_prepared_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("DISPLAY", raising=False)
    midi = Midi()
    outputs = Outputs(Ledger(tmp_path / "held"), midi, RecordingPlugins([]), tmp_path / "token")
    outputs.use_cmd_key("cmd")
    outputs.prepare(name for name in ("Synth", "Lights"))
    assert midi.prepared == ["Synth", "Lights"]
    outputs.close()


def test_a_worker_starts_ordinary_programs_in_a_real_time_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.delenv("DISPLAY", raising=False)
    outputs = Outputs(Ledger(tmp_path / "held"), Midi(), RecordingPlugins([]), tmp_path / "token")
    completed: Queue[InputEvent] = Queue()

    def post(event: InputEvent) -> None:
        if event.kind == "completed":
            completed.put(event)

    failures: list[str] = []
    runner = EffectRunner(outputs, post, lambda _effect, _sequence, reason: failures.append(reason))
    runner.configure(EngineSettings(allow_shell=True))
    script = (
        f"import os; open({str(tmp_path / 'policy')!r}, 'w').write(str(os.sched_getscheduler(0)))"
    )
    row = {
        "trigger": {"type": "Note", "note": 36},
        "action": {"type": "Shell", "argv": [sys.executable, "-c", script]},
    }
    mapping = config([row]).global_mappings[0]
    effect = Effect(
        "do", mapping.action, Fire(1.0), MappingRef("global", 0, mapping), 1, waits=True
    )
    asking = Thread(target=lambda: (request_real_time(), runner.perform(effect, 1)))
    asking.start()
    assert completed.get(timeout=10).value == 1, failures
    assert (tmp_path / "policy").read_text() == str(os.SCHED_OTHER)
    asking.join()
    runner.close()
    outputs.close()
