"""What the engine process does with each message of the app, and what it tells in return."""

import gc
import logging
import os
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any, ClassVar

from conductor.base.clock import now
from conductor.base.environment import environment_without_keys, hide, snapshot
from conductor.base.link import Link, Message
from conductor.devices.gamepad.gamepads import GamepadPump
from conductor.devices.manager import MidiManager
from conductor.devices.virtual.controller import VirtualController
from conductor.domain.config import Config
from conductor.domain.devices import DeviceStatus
from conductor.domain.trace import Trace, event_from_plain
from conductor.engine import step
from conductor.engine.config_transfer import ConfigAssembler
from conductor.engine.engine import Engine
from conductor.engine.learn import LearnSession
from conductor.engine.recording.recorder import Recorder
from conductor.engine.runner import Runner
from conductor.engine.state import EngineState
from conductor.runtime import osc_listener, requests
from conductor.runtime.config_loader import ConfigLoader
from conductor.runtime.engine_recording import EngineRecording, recorded_inputs
from conductor.runtime.environment import HIDE
from conductor.runtime.flood_notice import FloodNotice
from conductor.runtime.osc_listener import OscListener
from conductor.runtime.outputs import Outputs
from conductor.runtime.plugin_link import LinkedPlugins

log = logging.getLogger(__name__)

MIDI_DROPPED = (
    "dropped {count} MIDI messages in the last {since}: {where} sends them faster than they can be played. "
    "Other devices go on. Check what is sending so much, or disconnect it"
)
TELL_EVERY_S = 0.033
BEAT_EVERY_S = 0.25
TRACES_A_BATCH = 60


class EngineHost:
    """Owns the threads of the link: one reads and obeys, one tells what happened."""

    def __init__(
        self,
        link: Link,
        recorder: Recorder,
        recording: EngineRecording,
        runner: Runner,
        outputs: Outputs,
        plugins: LinkedPlugins,
        midi: MidiManager,
        pump: GamepadPump,
        stop: threading.Event,
    ) -> None:
        self._link = link
        self._recorder = recorder
        self._recording = recording
        self._runner = runner
        self._outputs = outputs
        self._plugins = plugins
        self._midi = midi
        self._pump = pump
        self._stop = stop
        self._assembler = ConfigAssembler()
        self._monitoring = False
        self._untold: list[Trace] = []
        self._skipped = 0
        self._devices_changed = threading.Event()
        self._config = Config()
        """The last one that was sent: devices are opened and named as it says."""
        self._loader = ConfigLoader(link, recording)
        self._gamepads = threading.Event()
        self._learn: LearnSession | None = None
        self._told: tuple[str, str | None, bool] | None = None
        self._frozen = False

    def attach(self, engine: Engine) -> None:
        """Take the engine, which calls back into this."""
        self._engine = engine
        self._virtual = VirtualController(engine.post)
        self._osc = OscListener(engine.add_source, engine.remove_source)
        self._flood_notices = (
            FloodNotice(self._osc.take_dropped, osc_listener.DROPPED),
            FloodNotice(self._midi.take_lost, MIDI_DROPPED),
        )

    def start(self) -> None:
        threading.Thread(target=self._read, name="link reader", daemon=True).start()
        threading.Thread(target=self._tell, name="link teller", daemon=True).start()

    def pump_until_stopped(self, pump: GamepadPump) -> None:
        """Run the gamepads on this, the main thread, once a config asks for them."""
        while not self._stop.is_set():
            if self._gamepads.wait(0.25) and not self._stop.is_set():
                pump.run(self._stop)

    def close(self) -> None:
        """Keys up, notes off, ports closed, in this order."""
        done = threading.Event()

        def let_go(state: EngineState) -> Trace:
            done.set()
            return step.panic(state, now())

        self._engine.call(let_go)
        done.wait(1)
        self._engine.stop()
        self._outputs.keyboard.release_all()
        self._runner.close()
        self._outputs.close()
        self._midi.close()
        self._osc.close()
        self._link.close()

    def observe(self, trace: Trace) -> None:
        """See every trace, on the engine's thread: be quick."""
        self._recording.take(trace)
        if self._learn is not None:
            self._learn.take(trace.event)
        if self._monitoring:
            if len(self._untold) < TRACES_A_BATCH or trace.fired:
                self._untold.append(trace)
            else:
                self._skipped += 1

    def devices_changed(self) -> None:
        """Record the inputs now, before the first event of a new one, and tell the app soon."""
        others = [*self._virtual.status(), *self._osc.status()]
        inputs = recorded_inputs(self._midi, self._pump, others)
        self._engine.call(lambda _: self._recording.take_devices(inputs))
        self._devices_changed.set()

    def _read(self) -> None:
        for message in self._link.receive():
            handler = self._HANDLERS.get(message.get("op", ""))
            if handler is None:
                log.warning("unknown message %s", message.get("op"))
                continue
            try:
                handler(self, message)
            except Exception:  # one bad message must not cut the line
                log.exception("message %s failed", message.get("op"))
        self._stop.set()
        self._gamepads.set()

    def _take_config(self, message: Message) -> None:
        try:
            config = self._assembler.take(message)
            if config is not None:
                self._use(config, message["token"], message["config_id"])
        except Exception as error:
            log.exception("the config could not be read or compiled")
            self._link.send("load_failed", token=message["token"], reason=str(error))

    def _use(self, config: Config, token: int, config_id: str) -> None:
        swap = self._loader.prepare(config, token, config_id)
        settings = config.settings.engine
        self._config = config
        self._runner.configure(settings)
        self._outputs.use_cmd_key(settings.cmd_key)
        self._engine.call(swap)
        self._open(config)
        self._outputs.prepare(requests.output_ports(config))
        if not self._frozen:
            gc.collect()
            self._frozen = True
        gc.freeze()

    def _open(self, config: Config) -> None:
        """Open and name devices as the config says."""
        engine = config.settings.engine
        self._midi.configure(
            config.devices,
            engine.open_inputs,
            engine.virtual_input or None,
            engine.virtual_output or None,
        )
        self._pump.configure(config.devices)
        if engine.gamepads:
            self._gamepads.set()
        self._osc.configure(config)
        self.devices_changed()

    def devices(self) -> list[DeviceStatus]:
        """Return every port and pad; the virtual controller when there is nothing else, or always if asked."""
        found = [*self._midi.status(), *self._pump.status(), *self._osc.status()]
        wanted = self._config.settings.engine.virtual_controller
        hardware = any(device.is_hardware() for device in found)
        if wanted == "on" or (wanted == "auto" and not hardware):
            found += self._virtual.status()
        muted = self._engine.state.muted
        return [d.model_copy(update={"enabled": d.device_id not in muted}) for d in found]

    def _switch_mode(self, message: Message) -> None:
        def switch(state: EngineState) -> Trace | None:
            try:
                trace = step.switch_mode(state, message["mode"], now())
            except KeyError:
                self._reply(message, error=f"Invalid mode: '{message['mode']}' does not exist")
                return None
            names = state.table.modes
            self._reply(
                message,
                success=True,
                mode_name=state.mode,
                mode_index=names.index(state.mode),
                total_modes=len(names),
            )
            return trace

        self._engine.call(switch)

    def _mute(self, message: Message) -> None:
        device, muted = message["device"], not message["enabled"]
        self._engine.call(lambda state: step.mute(state, device, now(), muted=muted))
        self.devices_changed()

    def _pause(self, message: Message) -> None:
        requests.pause(message, self._engine, self._runner, self._reply)

    def _panic(self, message: Message) -> None:
        def everything(state: EngineState) -> Trace:
            self._runner.cancel_all()
            return step.panic(state, now())

        self._engine.call(everything)
        self._outputs.keyboard.release_all()
        self._midi.outputs.silence()

    def _post(self, message: Message) -> None:
        for plain in message["events"]:
            event = event_from_plain(plain)
            self._engine.post(event if plain["time"] else event._replace(time=now()))

    def _play_virtual(self, message: Message) -> None:
        method: Callable[..., None] = getattr(self._virtual, message["do"])
        method(*message["args"])

    def _monitor(self, message: Message) -> None:
        self._monitoring = message["on"]

    def _hide_variables(self, message: Message) -> None:
        """Forget variables with keys: nothing here needs them, nor what a mapping starts."""
        hide(message["names"])
        for name in set(snapshot()) - set(environment_without_keys()):
            os.environ.pop(name, None)

    def _set_dry_run(self, message: Message) -> None:
        self._runner.dry_run = message["on"]

    def _rescan(self, message: Message) -> None:
        self._midi.rescan(0)
        self._reply(message, message="Port rescan triggered")

    def _connect(self, message: Message) -> None:
        requests.connect(message, self._midi, self._reply)

    def _send_midi(self, message: Message) -> None:
        requests.send_midi(message, self._midi, self._reply)

    def _perform(self, message: Message) -> None:
        requests.perform(message, self._engine, self._recorder, self._reply)

    def _forget_recording(self, _message: Message) -> None:
        self._engine.call(self._recording.forget_all)

    def _plugin_answered(self, message: Message) -> None:
        self._plugins.hear(message)

    def _end(self, message: Message) -> None:
        self._stop.set()
        self._gamepads.set()

    def _query(self, message: Message) -> None:
        what = message["what"]
        if what == "status":
            self._reply(message, **self._status())
        elif what == "recent_events":
            self._reply(message, events=self._recorder.recent_events(message.get("limit", 50)))
        elif what == "traces":
            self._reply(message, traces=self._recorder.recent_traces(message["limit"]))
        elif what == "explain":
            requests.explain(message, self._engine, self._recorder, self._reply)
        elif what == "recording":
            self._reply(message, **self._recording.read(message))
        elif what == "learn_start":
            self._learn = LearnSession(now())
            self._reply(message, status="learning")
        elif what == "learn_stop":
            session, self._learn = self._learn, None
            self._reply(message, **requests.learned(session))
        elif what == "learned":
            self._reply(message, **requests.learned(self._learn))

    def _reply(self, message: Message, /, **result: Any) -> None:
        if "id" in message:
            self._link.send("reply", id=message["id"], result=result)

    def _status(self) -> dict[str, Any]:
        state, recorder = self._engine.state, self._recorder
        return {
            "mode": state.mode,
            "profile": state.profile,
            "paused": state.paused,
            "app": list(state.app),
            "mappings": state.table.size,
            "events_processed": recorder.events_processed,
            "actions_executed": self._runner.done,
            "failures": list(recorder.failures)[-10:],
            "last_event_at": {
                name: round(now() - at, 3) for name, at in recorder.last_event_at.items()
            },
            "held_keys": self._outputs.keyboard.held(),
            "dry_run": self._runner.dry_run,
            "problems": self._midi.problems(),
        }

    def _tell(self) -> None:
        beats_at = 0.0
        while not self._stop.wait(TELL_EVERY_S if self._monitoring else BEAT_EVERY_S):
            with suppress(Exception):
                if self._devices_changed.is_set():
                    self._devices_changed.clear()
                    self._link.send("devices", devices=[d.model_dump() for d in self.devices()])
                self._tell_traces()
                for notice in self._flood_notices:
                    if (text := notice.text(now())) is not None:
                        self._link.send("dropped", text=text)
            if now() - beats_at >= BEAT_EVERY_S or self._stands() != self._told:
                beats_at = now()
                self._told = self._stands()
                self._engine.call(self._recording.tick)
                state = self._engine.state
                self._link.send(
                    "beat",
                    beats=self._engine.beats,
                    mode=state.mode,
                    base_mode=state.base_mode,
                    profile=state.profile,
                    muted=sorted(state.muted),
                    paused=state.paused,
                    held_keys=self._outputs.keyboard.held(),
                )

    def _stands(self) -> tuple[str, str | None, bool]:
        """Return what is told at once when it changes."""
        state = self._engine.state
        return state.mode, state.profile, state.paused

    def _tell_traces(self) -> None:
        traces, self._untold = self._untold, []
        skipped, self._skipped = self._skipped, 0
        if traces or skipped:
            items = [trace.to_plain() for trace in traces]
            self._link.send("traces", items=items, skipped=skipped)

    _HANDLERS: ClassVar[dict[str, Callable[["EngineHost", Message], None]]] = {
        "config": _take_config,
        "mode": _switch_mode,
        "mute": _mute,
        "pause": _pause,
        "panic": _panic,
        "post": _post,
        "virtual": _play_virtual,
        "monitor": _monitor,
        "dry_run": _set_dry_run,
        HIDE: _hide_variables,
        "rescan": _rescan,
        "connect": _connect,
        "send_midi": _send_midi,
        "perform": _perform,
        "forget_recording": _forget_recording,
        "plugin_answered": _plugin_answered,
        "query": _query,
        "stop": _end,
    }
