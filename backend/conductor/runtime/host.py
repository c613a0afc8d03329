"""Handles the app's messages in the engine process, and reports devices, traces and state to the app."""

import gc
import logging
import os
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from typing import assert_never

from conductor.base.clock import now
from conductor.base.environment import build_keyless_environment, copy_environment, hide_variables
from conductor.base.link import Link
from conductor.devices.gamepad.gamepads import GamepadPump
from conductor.devices.manager import MidiManager
from conductor.devices.virtual.controller import VirtualController
from conductor.domain.config import Config
from conductor.domain.devices import DeviceStatus
from conductor.domain.engine_protocol import (
    AskForConsent,
    Beat,
    ConfigComplete,
    ConfigFrame,
    ConfigLoadFailed,
    ConfigMappings,
    ConfigPiece,
    ConnectDevice,
    DevicesChanged,
    DryRun,
    EnableDevice,
    ExplainEvent,
    ForgetRecording,
    FromEngine,
    GetLearnedEvents,
    GetRecentEvents,
    GetRecentTraces,
    GetStatus,
    HideVariables,
    ListeningFailed,
    MessagesDropped,
    NumberTraces,
    Panic,
    Pause,
    PerformAction,
    PlayVirtual,
    PluginAnswered,
    PostEvents,
    ReadRecording,
    RescanPorts,
    SendMidi,
    StartLearn,
    Stop,
    StopLearn,
    SwitchMode,
    ToEngine,
    TracesNumbered,
    TracesRecorded,
    UseLights,
    WatchTraces,
    parse_message_to_engine,
)
from conductor.domain.engine_replies import (
    ConnectReply,
    RecentEventsReply,
    RescanReply,
    StartLearnReply,
    StatusReply,
    SwitchModeReply,
)
from conductor.domain.trace import Trace
from conductor.domain.wire_rows import EventRow, event_from_plain
from conductor.engine import step
from conductor.engine.config_transfer import ConfigAssembler
from conductor.engine.engine import Engine
from conductor.engine.learn import LearnSession
from conductor.engine.recording.recorder import TraceRecorder
from conductor.engine.runner import EffectRunner
from conductor.engine.state import EngineState
from conductor.runtime import osc_listener, requests
from conductor.runtime.config_loader import ConfigLoader
from conductor.runtime.engine_recording import EngineRecording, list_recorded_inputs
from conductor.runtime.flood_notice import FloodNotice
from conductor.runtime.osc_listener import OscListener
from conductor.runtime.outputs import EngineOutputs
from conductor.runtime.plugin_link import LinkedPlugins

log = logging.getLogger(__name__)

MIDI_FLOOD_NOTICE_TEMPLATE = (
    "dropped {count} MIDI messages in the last {since}: {where} sends them faster than they can be played. "
    "Other devices are not affected. Check what is sending so much, or disconnect it"
)
REPORT_INTERVAL_S = 0.033
HEARTBEAT_INTERVAL_S = 0.25
MAX_TRACES_PER_BATCH = 60


class EngineHost:
    """The engine's end of the link: one thread handles messages from the app, another reports changes."""

    def __init__(
        self,
        link: Link,
        recorder: TraceRecorder,
        recording: EngineRecording,
        runner: EffectRunner,
        outputs: EngineOutputs,
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
        self._unsent_traces: list[Trace] = []
        self._skipped = 0
        self._devices_changed = threading.Event()
        self._config = Config()
        """The config that was received last; it determines the names of devices and which ports are open."""
        self._loader = ConfigLoader(self._send_message, recording)
        self._gamepads = threading.Event()
        self._learn: dict[str, LearnSession] = {}
        """The MIDI Learn sessions by id. Replaced as a whole, because the engine's thread iterates over it."""
        self._reported: tuple[str, str | None, bool] | None = None
        self._is_gc_frozen = False

    def set_engine(self, engine: Engine) -> None:
        """Set the engine, which is created after the host because it calls the host."""
        self._engine = engine
        self._virtual = VirtualController(engine.post_event)
        self._osc = OscListener(engine.add_source, engine.remove_source)
        self._flood_notices = (
            FloodNotice(self._osc.collect_dropped_messages, osc_listener.OSC_FLOOD_NOTICE_TEMPLATE),
            FloodNotice(self._midi.collect_lost_messages, MIDI_FLOOD_NOTICE_TEMPLATE),
        )

    def start(self) -> None:
        threading.Thread(target=self._read_messages, name="link reader", daemon=True).start()
        threading.Thread(target=self._report_changes, name="link reporter", daemon=True).start()

    def pump_until_stopped(self, pump: GamepadPump) -> None:
        """Poll gamepads on the main thread, from the time a config enables them until the process stops."""
        while not self._stop.is_set():
            if self._gamepads.wait(0.25) and not self._stop.is_set():
                pump.run(self._stop)

    def close(self) -> None:
        """Release all keys, end all notes and close all ports, in this order, before the process exits."""
        released = threading.Event()

        def release_everything_held(state: EngineState) -> Trace:
            released.set()
            return step.release_everything(state, now())

        self._engine.call_in_engine_thread(release_everything_held)
        released.wait(1)
        self._engine.stop()
        self._outputs.keyboard.release_all_keys()
        self._runner.close()
        self._outputs.close()
        self._midi.close()
        self._osc.close()
        self._link.close()

    def record_trace(self, trace: Trace) -> None:
        """Record a trace, and queue it for open monitors. Called in the engine's thread, so it must be fast."""
        self._recording.record_trace(trace)
        for session in self._learn.values():
            session.add_event(trace.event)
        if self._monitoring:
            if len(self._unsent_traces) < MAX_TRACES_PER_BATCH or trace.fired:
                self._unsent_traces.append(trace)
            else:
                self._skipped += 1

    def on_devices_changed(self) -> None:
        """Record which inputs are connected, and schedule a report to the app.

        This must happen before the first event of a new input is recorded.
        """
        other_devices = [*self._virtual.status(), *self._osc.status()]
        inputs = list_recorded_inputs(self._midi, self._pump, other_devices)
        self._engine.call_in_engine_thread(lambda _: self._recording.record_devices(inputs))
        self._devices_changed.set()

    def _send_message(self, message: FromEngine) -> None:
        self._link.send(message.op, **message._asdict())

    def _read_messages(self) -> None:
        for plain in self._link.receive_messages():
            try:
                message = parse_message_to_engine(plain)
                if message is None:
                    log.warning("unknown message %s", plain.get("op"))
                else:
                    self._handle_message(message, partial(self._reply, plain.get("id")))
            except Exception:  # one invalid message must not end the link
                log.exception("message %s failed", plain.get("op"))
        self._request_stop()

    def _handle_message(self, message: ToEngine, reply: requests.Reply) -> None:  # noqa: C901 - one arm per message
        match message:
            case ConfigFrame() | ConfigMappings() | ConfigComplete():
                self._add_config_piece(message)
            case UseLights(tables=tables):
                self._outputs.lights.replace_tables(tables)
            case SwitchMode(mode=mode):
                self._switch_mode(mode, reply)
            case EnableDevice(device=device, enabled=enabled):
                self._engine.call_in_engine_thread(
                    lambda state: step.mute_device(state, device, now(), muted=not enabled)
                )
                self.on_devices_changed()
            case Pause(paused=paused):
                requests.set_all_paused(
                    paused=paused, engine=self._engine, runner=self._runner, reply=reply
                )
            case Panic():
                self._release_everything()
            case PostEvents(events=events):
                self._post_events(events)
            case PlayVirtual(do=do, args=args):
                method: Callable[..., None] = getattr(self._virtual, do)
                method(*args)
            case NumberTraces(after=after):
                self._engine.call_in_engine_thread(lambda state: state.number_traces_after(after))
            case WatchTraces(on=on):
                self._monitoring = on
            case HideVariables(names=names):
                _remove_key_variables(names)
            case DryRun(on=on):
                self._runner.dry_run = on
            case RescanPorts():
                self._midi.rescan_ports(0)
                reply(RescanReply(message="Port rescan triggered"))
            case ConnectDevice(device=device, connected=connected):
                self._midi.set_device_connected(device, connected=connected)
                reply(ConnectReply(connected=connected))
            case SendMidi():
                requests.send_midi(message, self._midi, reply)
            case PerformAction():
                requests.perform_action(message, self._engine, self._runner, self._recorder, reply)
            case ForgetRecording():
                self._engine.call_in_engine_thread(self._recording.clear)
            case PluginAnswered():
                self._plugins.on_answer(message)
            case ListeningFailed(reason=reason):
                self._runner.fail_listening(reason)
            case AskForConsent():
                requests.ask_for_consent(self._outputs.ask_for_consent, reply)
            case GetStatus():
                reply(self._build_status())
            case GetRecentEvents(limit=limit):
                reply(RecentEventsReply(events=self._recorder.recent_events(limit)))
            case GetRecentTraces(limit=limit):
                reply(self._recorder.recent_traces(limit))
            case ExplainEvent():
                requests.explain_event(message, self._engine, self._recorder, reply)
            case ReadRecording():
                reply(self._recording.read(message))
            case StartLearn(session=session):
                self._learn = {**self._learn, session: LearnSession(now())}
                reply(StartLearnReply(status="learning"))
            case StopLearn(session=session):
                stopped = self._learn.get(session)
                self._learn = {key: one for key, one in self._learn.items() if key != session}
                reply(requests.collect_learned_events(stopped))
            case GetLearnedEvents(session=session):
                reply(requests.collect_learned_events(self._learn.get(session)))
            case Stop():
                self._request_stop()
            case _:
                assert_never(message)

    def _request_stop(self) -> None:
        self._stop.set()
        self._gamepads.set()

    def _add_config_piece(self, piece: ConfigPiece) -> None:
        try:
            config = self._assembler.add_message(piece)
            if config is not None and isinstance(piece, ConfigComplete):
                self._load_config(config, piece.token, piece.config_id)
        except Exception as error:
            log.exception("the config could not be read or compiled")
            self._send_message(ConfigLoadFailed(piece.token, str(error)))

    def _load_config(self, config: Config, token: int, config_id: str) -> None:
        activate_config = self._loader.prepare_activation(config, token, config_id)
        settings = config.settings.engine
        self._config = config
        self._runner.apply_settings(settings)
        self._outputs.use_cmd_key(settings.cmd_key)
        self._engine.call_in_engine_thread(activate_config)
        self._open_devices(config)
        self._outputs.prepare_ports(requests.list_output_ports(config))
        # Frozen objects are skipped by later garbage collections, which would otherwise
        # delay the engine's thread.
        if not self._is_gc_frozen:
            gc.collect()
            self._is_gc_frozen = True
        gc.freeze()

    def _open_devices(self, config: Config) -> None:
        """Open the inputs that the config enables, and give their devices the aliases in the config."""
        engine = config.settings.engine
        self._midi.configure_ports(
            config.devices,
            engine.open_inputs,
            engine.virtual_input or None,
            engine.virtual_output or None,
        )
        self._pump.set_identities(config.devices)
        if engine.gamepads:
            self._gamepads.set()
        self._osc.apply_config(config)
        self.on_devices_changed()

    def list_devices(self) -> list[DeviceStatus]:
        """Return the status of each port and gamepad.

        The virtual controller is included if no other device is connected, or if the config enables it.
        """
        devices = [*self._midi.status(), *self._pump.status(), *self._osc.status()]
        setting = self._config.settings.engine.virtual_controller
        has_hardware = any(device.is_hardware() for device in devices)
        if setting == "on" or (setting == "auto" and not has_hardware):
            devices += self._virtual.status()
        muted = self._engine.state.muted
        return [d.model_copy(update={"enabled": d.device_id not in muted}) for d in devices]

    def _switch_mode(self, mode: str, reply: requests.Reply) -> None:
        def switch(state: EngineState) -> Trace | None:
            try:
                trace = step.switch_mode(state, mode, now())
            except KeyError:
                reply(SwitchModeReply(error=f"Invalid mode: '{mode}' does not exist"))
                return None
            names = state.table.modes
            reply(
                SwitchModeReply(
                    success=True,
                    mode_name=state.mode,
                    mode_index=names.index(state.mode),
                    total_modes=len(names),
                )
            )
            return trace

        self._engine.call_in_engine_thread(switch)

    def _release_everything(self) -> None:
        def release_everything(state: EngineState) -> Trace:
            self._runner.cancel_all()
            return step.release_everything(state, now())

        self._engine.call_in_engine_thread(release_everything)
        self._outputs.keyboard.release_all_keys()
        self._midi.outputs.silence_everything()

    def _post_events(self, events: list[EventRow]) -> None:
        for plain in events:
            event = event_from_plain(plain)
            self._engine.post_event(event if plain["time"] else event._replace(time=now()))

    def _reply(self, request_id: int | None, result: Mapping[str, object]) -> None:
        """Send the reply to a request; a message without an id expects none."""
        if request_id is not None:
            self._send_message(TracesNumbered(self._engine.state.sequence))
            self._link.send("reply", id=request_id, result=result)

    def _build_status(self) -> StatusReply:
        state, recorder = self._engine.state, self._recorder
        input_problem = self._outputs.input_problem
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
            "held_keys": self._outputs.keyboard.list_held_keys(),
            "input_route": self._outputs.input_route,
            "input_consent": self._outputs.input_consent,
            "input_problem": input_problem,
            "dry_run": self._runner.dry_run,
            "problems": [*self._midi.list_problems(), *([input_problem] if input_problem else [])],
        }

    def _report_changes(self) -> None:
        beats_at = 0.0
        while not self._stop.wait(REPORT_INTERVAL_S if self._monitoring else HEARTBEAT_INTERVAL_S):
            with suppress(Exception):
                if self._devices_changed.is_set():
                    self._devices_changed.clear()
                    self._send_message(
                        DevicesChanged([device.to_row() for device in self.list_devices()])
                    )
                self._send_traces()
                for notice in self._flood_notices:
                    if (text := notice.build_due_text(now())) is not None:
                        self._send_message(MessagesDropped(text))
            if (
                now() - beats_at >= HEARTBEAT_INTERVAL_S
                or self._get_reported_state() != self._reported
            ):
                beats_at = now()
                self._reported = self._get_reported_state()
                self._engine.call_in_engine_thread(self._recording.tick)
                state = self._engine.state
                beat = Beat(
                    beats=self._engine.beats,
                    mode=state.mode,
                    base_mode=state.base_mode,
                    profile=state.profile,
                    muted=sorted(state.muted),
                    paused=state.paused,
                    held_keys=self._outputs.keyboard.list_held_keys(),
                )
                self._send_message(beat)

    def _get_reported_state(self) -> tuple[str, str | None, bool]:
        """Return mode, profile and pause.

        A change of these is reported at once, and not with the next heartbeat.
        """
        state = self._engine.state
        return state.mode, state.profile, state.paused

    def _send_traces(self) -> None:
        traces, self._unsent_traces = self._unsent_traces, []
        skipped, self._skipped = self._skipped, 0
        if traces or skipped:
            items = [trace.to_plain() for trace in traces]
            self._send_message(TracesRecorded(items, skipped))


def _remove_key_variables(names: list[str]) -> None:
    """Remove variables with API keys from the environment, because neither the engine nor
    launched programs need them.
    """
    hide_variables(names)
    for name in set(copy_environment()) - set(build_keyless_environment()):
        os.environ.pop(name, None)
