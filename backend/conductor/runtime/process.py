"""The main program of the engine process: it connects devices, engine and outputs, and serves the app.

The process exits when the app exits, because that closes the standard input of the engine process.
"""

import argparse
import gc
import logging
import os
import signal
import sys
import threading
from pathlib import Path

from conductor.base.clock import now
from conductor.base.link import Link
from conductor.base.logs import log_to_file, log_to_stderr
from conductor.base.paths import HELD_KEYS_FILE, PORTAL_TOKEN_FILE, SOUNDING_NOTES_FILE
from conductor.base.realtime import request_real_time
from conductor.devices.gamepad.gamepads import GamepadPump
from conductor.devices.manager import MidiManager
from conductor.devices.midi.sounding_notes import NotesInFile
from conductor.domain.config import Config
from conductor.domain.engine_protocol import DROPPABLE_MESSAGE_OPS, ActionFailure, FromEngine, Ready
from conductor.domain.events import InputEvent
from conductor.domain.ports import EventSource
from conductor.domain.trace import Effect
from conductor.engine.engine import Engine
from conductor.engine.local_time import get_wall_clock
from conductor.engine.recording.recorder import TraceRecorder
from conductor.engine.runner import EffectRunner
from conductor.engine.state import EngineState
from conductor.engine.table import compile_table
from conductor.runtime.engine_recording import EngineRecording
from conductor.runtime.host import EngineHost
from conductor.runtime.ledger import HeldKeysLedger
from conductor.runtime.outputs import EngineOutputs
from conductor.runtime.plugin_link import LinkedPlugins
from conductor.runtime.voice_link import LinkedVoice

THREAD_SWITCH_INTERVAL_S = 0.0001
"""Seconds for which another thread of the process may keep the engine's thread from running."""


def main(argv: list[str]) -> int:
    """Run the engine until the app sends `stop` or exits; return the exit code of the process."""
    parser = argparse.ArgumentParser(prog="conductor --engine-process")
    parser.add_argument("--home", type=Path, required=True)
    args = parser.parse_args(argv)
    log_to_stderr()
    # In the packaged app, nobody sees standard error.
    log_to_file(args.home / "logs", "engine.log", logging.WARNING)
    sys.setswitchinterval(THREAD_SWITCH_INTERVAL_S)
    request_real_time()
    gc.set_threshold(50_000, 20, 100)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _serve_engine(_link_over_pipes(), args.home)
    return 0


def _link_over_pipes() -> Link:
    """Return a link over standard input and output; all other output is redirected to standard error."""
    reader, writer = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return Link(reader, writer, DROPPABLE_MESSAGE_OPS)


def _serve_engine(link: Link, home: Path) -> None:
    stop = threading.Event()
    signal.signal(signal.SIGTERM, lambda _number, _frame: stop.set())
    recorder = TraceRecorder()

    def emit(message: FromEngine) -> None:
        link.send(message.op, **message._asdict())

    def post(event: InputEvent) -> None:
        engine.post_event(event)

    def report_failure(effect: Effect, sequence: int, reason: str) -> None:
        emit(ActionFailure(recorder.record_failure(effect, sequence, reason, now())))

    def devices_changed() -> None:
        host.on_devices_changed()

    def add_source(source: EventSource) -> None:
        engine.add_source(source)

    def remove_source(source: EventSource) -> None:
        engine.remove_source(source)

    midi = MidiManager(
        add_source,
        remove_source,
        post,
        devices_changed,
        notes=NotesInFile(home / SOUNDING_NOTES_FILE),
    )
    plugins = LinkedPlugins(emit)
    outputs = EngineOutputs(
        HeldKeysLedger(home / HELD_KEYS_FILE),
        midi.outputs,
        plugins,
        LinkedVoice(emit),
        home / PORTAL_TOKEN_FILE,
    )
    runner = EffectRunner(outputs, post, report_failure)
    state = EngineState(compile_table(Config()), get_wall_clock)
    recording = EngineRecording(recorder, state)
    pump = GamepadPump(post, devices_changed)
    host = EngineHost(link, recorder, recording, runner, outputs, plugins, midi, pump, stop)
    engine = Engine(state, runner, host.record_trace, recording.record_failed_run)
    host.set_engine(engine)
    engine.start()
    host.start()
    emit(Ready(os.getpid()))
    logging.getLogger(__name__).debug("engine process is ready")
    try:
        host.pump_until_stopped(pump)
    finally:
        host.close()
