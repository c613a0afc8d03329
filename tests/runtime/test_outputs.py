"""The layer between the actions and the computer: keys, ports and the threads they use."""

import os
import sys
from collections.abc import Iterable
from pathlib import Path
from queue import Queue
from threading import Thread
from threading import enumerate as list_threads

import pytest
from tests.support.portal import portal, session_bus
from tests.support.simulate import RecordingPlugins, RecordingVoice, config

from conductor.base.realtime import request_real_time
from conductor.domain.actions.base import Fire
from conductor.domain.events import InputEvent
from conductor.domain.keys import resolve_cmd_key
from conductor.domain.settings import EngineSettings
from conductor.domain.trace import Effect, MappingRef
from conductor.engine.runner import EffectRunner
from conductor.errors import ActionFailed
from conductor.runtime.ledger import HeldKeysLedger
from conductor.runtime.outputs import EngineOutputs
from conductor.system.keysyms import list_key_keysyms

ALT, SUPER = 56, 125


class Midi:
    """Remembers what it was asked to prepare."""

    def __init__(self) -> None:
        self.prepared: list[str] = []

    def send(self, port: str, message: bytes) -> None: ...

    def find_port_name(self, port: str) -> str:
        return port

    def prepare_ports(self, ports: Iterable[str]) -> None:
        self.prepared = list(ports)


@pytest.mark.parametrize("setting", ["auto", "ctrl", "super", "alt", "cmd"])
def test_every_cmd_key_of_the_schema_is_a_key(setting: str):
    assert list_key_keysyms(resolve_cmd_key(setting, "linux"))


def test_the_cmd_key_is_cmd_on_a_mac_and_super_elsewhere():
    assert resolve_cmd_key("cmd", "linux") == resolve_cmd_key("cmd", "win32") == "super"
    assert resolve_cmd_key("cmd", "darwin") == resolve_cmd_key("auto", "darwin") == "cmd"
    assert resolve_cmd_key("ctrl", "darwin") == "ctrl"


def test_ports_are_prepared_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("DISPLAY", raising=False)
    midi = Midi()
    outputs = EngineOutputs(
        HeldKeysLedger(tmp_path / "held"),
        midi,
        RecordingPlugins([]),
        RecordingVoice([]),
        tmp_path / "token",
    )
    outputs.use_cmd_key("cmd")
    outputs.prepare_ports(name for name in ("Synth", "Lights"))
    assert midi.prepared == ["Synth", "Lights"]
    outputs.close()


def test_another_cmd_key_keeps_the_question_for_consent_and_its_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("WAYLAND_DISPLAY", str(tmp_path / "no-compositor"))
    monkeypatch.delenv("DISPLAY", raising=False)
    with session_bus(tmp_path) as address, portal(address) as fake:
        monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", address)
        fake.may_answer.clear()
        ledger, token = HeldKeysLedger(tmp_path / "held"), tmp_path / "token"
        outputs = EngineOutputs(ledger, Midi(), RecordingPlugins([]), RecordingVoice([]), token)
        _join_threads("input connect")
        with pytest.raises(ActionFailed, match="the desktop is asking"):
            outputs.keyboard.press_keys(["x"])
        fake.wait_for_question(1)
        outputs.use_cmd_key("super")
        fake.may_answer.set()
        _join_threads("portal consent")
        outputs.keyboard.press_keys(["cmd"])
        outputs.use_cmd_key("alt")
        outputs.keyboard.press_keys(["cmd"])
        assert fake.wait_for_events(3) == [
            ("KeyboardKeycode", SUPER, 1),
            ("KeyboardKeycode", SUPER, 0),
            ("KeyboardKeycode", ALT, 1),
        ]
        assert (fake.questions, len(fake.sessions)) == (1, 1)
        outputs.close()


def _join_threads(name: str) -> None:
    for thread in [one for one in list_threads() if one.name == name]:
        thread.join(10)


def test_a_worker_starts_ordinary_programs_in_a_real_time_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.delenv("DISPLAY", raising=False)
    outputs = EngineOutputs(
        HeldKeysLedger(tmp_path / "held"),
        Midi(),
        RecordingPlugins([]),
        RecordingVoice([]),
        tmp_path / "token",
    )
    completed: Queue[InputEvent] = Queue()

    def post(event: InputEvent) -> None:
        if event.kind == "completed":
            completed.put(event)

    failures: list[str] = []
    runner = EffectRunner(outputs, post, lambda _effect, _sequence, reason: failures.append(reason))
    runner.apply_settings(EngineSettings(allow_shell=True))
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
    asking = Thread(target=lambda: (request_real_time(), runner.perform_effect(effect, 1)))
    asking.start()
    assert completed.get(timeout=10).value == 1, failures
    assert (tmp_path / "policy").read_text() == str(os.SCHED_OTHER)
    asking.join()
    runner.close()
    outputs.close()
