"""Connects the app to the engine process, and restores the last reported state in a restarted engine."""

import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, assert_never

from conductor.domain.control_names import NO_CONTROL_NAMES, ControlNames
from conductor.domain.engine_protocol import (
    ActionFailure,
    Beat,
    ConfigLoaded,
    ConfigLoadFailed,
    DevicesChanged,
    DryRun,
    EnableDevice,
    FromEngine,
    ListeningStarted,
    ListeningStopped,
    MessagesDropped,
    NumberTraces,
    Pause,
    PluginCall,
    PluginWithdrawn,
    PostEvents,
    Ready,
    SwitchMode,
    TracesNumbered,
    TracesRecorded,
    WatchTraces,
)
from conductor.runtime.environment import build_engine_environment, build_engine_messages
from conductor.runtime.events import (
    CONFIG_LOADED_TOPIC,
    DEVICES_TOPIC,
    FAILURE_TOPIC,
    PUSH_TO_TALK_TOPIC,
    SKIPPED_TRACES_TOPIC,
    STATUS_TOPIC,
    TRACE_TOPIC,
    Publish,
)
from conductor.runtime.light_tables import list_light_table_messages, list_light_table_messages_for
from conductor.runtime.notices import Notices
from conductor.runtime.plugin_calls import PluginCalls
from conductor.runtime.supervisor import EngineSupervisor

if TYPE_CHECKING:
    from conductor.domain.actions import Action
    from conductor.domain.config import Config
    from conductor.domain.wire_rows import DeviceRow, EngineStateRow, EventRow

CONFIG_LOAD_NOTICE_KEY = "engine-config"
"""The key of the notice that says why the engine could not load the config."""


class ReportedEngineState:
    """The state that the engine reported last. Only the thread that reads the engine's messages changes it."""

    def __init__(self) -> None:
        self.devices: list[DeviceRow] = []
        self.devices_known = threading.Event()
        self.mode = ""
        self.base_mode = ""
        """The active mode, ignoring momentary modes. A restarted engine starts in this mode."""
        self.profile: str | None = None
        self.muted: list[str] = []
        self.paused = False
        self.held_keys: list[str] = []

    def get_ports_by_device(self) -> dict[str, str]:
        """Return the port name of each connected device, keyed by device id."""
        return {row["device_id"]: row["port_name"] for row in self.devices if row["connected"]}


class EngineConnection:
    """Sends the config to the engine, tracks the engine's state, and restores that state after a restart.

    Publishes `trace`, `skipped`, `failure`, `devices`, `loaded` and `status`. The imports here must be
    light, because the engine starts before the app imports anything large.
    """

    def __init__(
        self,
        home: Path,
        config_path: Path,
        publish: Publish,
        notices: Notices,
        read_names: Callable[[], ControlNames] = lambda: NO_CONTROL_NAMES,
        *,
        demo: bool = False,
    ) -> None:
        self._publish = publish
        self._notices = notices
        self._home = home
        self._demo = demo
        self.state = ReportedEngineState()
        self.loaded = threading.Event()
        """Set while the engine runs the config that was sent last."""
        self._config: Config | None = None
        self._config_number = 0
        self._last_trace_number = 0
        """The highest trace number received so far, from this engine or an earlier one."""
        self._send_lock = threading.Lock()
        self._open_monitors: frozenset[str] = frozenset()
        self._foreground_app: tuple[str, str, str] | None = None
        self._status: EngineStateRow | None = None
        self._is_listening = False
        """Whether the engine reported that a control with a `PushToTalk` action is held."""
        self.read_names = read_names
        """Returns the names of controls, with which the events in traces are labelled."""
        self._status_lock = threading.Lock()
        self.process = EngineSupervisor(
            home,
            on_message=self._on_message,
            on_start=self._on_engine_start,
            on_exit=self.loaded.clear,
            on_death=self._on_engine_death,
            release_keys=self._release_keys,
            environment=lambda: build_engine_environment(config_path),
        )
        self.plugin_calls = PluginCalls(self.process)

    def load_config(self, config: "Config") -> None:
        """Send a config to the engine. `loaded` is set when the engine has activated the config."""
        self._config = config
        self._send_config()

    def is_running_config(self, config: "Config") -> bool:
        """Return whether the engine has activated this config and still runs it."""
        return self.loaded.is_set() and self._config == config

    def set_watched(self, monitor: str, *, on: bool) -> None:
        """Record that a kind of monitor was opened or closed; the engine sends traces
        while any monitor is open.
        """
        self._open_monitors = (
            self._open_monitors | {monitor} if on else self._open_monitors - {monitor}
        )
        self.process.send(WatchTraces(bool(self._open_monitors)))

    def is_watched(self, monitor: str) -> bool:
        """Return whether at least one monitor of this kind is open."""
        return monitor in self._open_monitors

    def set_foreground_app(self, app: tuple[str, str, str]) -> None:
        """Report the executable, bundle id and title of the foreground app to the engine."""
        self._foreground_app = app
        self._send_foreground_app()

    def update_lights(self) -> None:
        """Send the light tables to the engine again, after a device profile was added or removed.

        Reads all profiles.
        """
        with self._send_lock:
            if self._config is not None:
                for lights in list_light_table_messages(self._home, self._config):
                    self.process.send(lights)

    def prepare_action(self, action: "Action") -> None:
        """Send the engine what it needs to perform an action that no mapping has."""
        with self._send_lock:
            if self._config is not None:
                for lights in list_light_table_messages_for(self._home, self._config, action):
                    self.process.send(lights)

    def publish_status(self) -> None:
        """Publish the current status even if it has not changed, so that a new listener receives it."""
        self._publish_changed_status(force=True)

    def _on_engine_start(self) -> None:
        """Send the config to an engine that has just started.

        After a crash, also restore the mode, the mutes and the pause, and continue the numbering of traces.
        """
        self.process.send(NumberTraces(self._last_trace_number))
        base_mode, muted = self.state.base_mode, self.state.muted
        self.state.devices = []
        self.state.devices_known.clear()
        self.plugin_calls.cancel_all()
        if self._demo:
            self.process.send(DryRun(True))
        self._send_config()
        if base_mode:
            self.process.send(SwitchMode(base_mode))
        for device in muted:
            self.process.send(EnableDevice(device, False))
        self._send_foreground_app()
        if self.state.paused:
            self.process.send(Pause(True))

    def _send_config(self) -> None:
        """Send the current config; it is read under the lock, so that an older config
        cannot be sent after it.
        """
        with self._send_lock:
            if self._config is None:
                return
            self.loaded.clear()
            self._config_number += 1
            for lights in list_light_table_messages(self._home, self._config):
                self.process.send(lights)
            for message in build_engine_messages(self._config, self._config_number):
                self.process.send(message)
        if self._open_monitors:
            self.process.send(WatchTraces(True))

    def _send_foreground_app(self) -> None:
        if self._foreground_app is not None:
            event: EventRow = {
                "kind": "app",
                "device": "",
                "channel": 0,
                "number": 0,
                "value": 0,
                "time": 0,
                "data": list(self._foreground_app),
            }
            self.process.send(PostEvents([event]))

    def _on_engine_death(self, text: str) -> None:
        """Report immediately that the engine has died, because no heartbeat arrives
        until another engine runs.
        """
        # The restarted engine does not know which controls are held, so a momentary mode ends.
        self.state.mode = self.state.base_mode or self.state.mode
        self._notices.show_warning(text)
        if self._is_listening:  # the release is lost with the engine; the microphone must be closed
            self._publish_release()
        self._publish_changed_status()

    def _release_keys(self, ledger: Path) -> None:
        """Release the keys that a dead engine was holding."""
        from conductor.runtime.orphaned_keys import release_orphaned_keys

        release_orphaned_keys(ledger, self.state.held_keys)

    def _on_message(self, message: FromEngine) -> None:  # noqa: C901 - one arm per message
        state = self.state
        match message:
            case TracesRecorded(items=items, skipped=skipped):
                names = self.read_names()
                for item in items:
                    self._note_trace_number(item["sequence"])
                    self._publish(
                        TRACE_TOPIC, {**item, "event": names.add_name_to_event(item["event"])}
                    )
                if skipped:
                    self._publish(SKIPPED_TRACES_TOPIC, {"count": skipped})
            case TracesNumbered(last=last):
                self._note_trace_number(last)
            case ActionFailure(failure=failure):
                self._note_trace_number(failure["sequence"])
                self._publish(FAILURE_TOPIC, failure)
            case PluginCall() | PluginWithdrawn():
                self.plugin_calls.on_message(message)
            case ListeningStarted(by=by):
                self._is_listening = True
                self._publish(PUSH_TO_TALK_TOPIC, {"held": True, "by": by})
            case ListeningStopped():
                self._publish_release()
            case DevicesChanged(devices=devices):
                state.devices = devices
                state.devices_known.set()
                self._publish(DEVICES_TOPIC, {"devices": devices})
            case ConfigLoaded():
                state.mode = message.mode
                if message.token == self._config_number:
                    self.loaded.set()
                    self._notices.withdraw_notice(CONFIG_LOAD_NOTICE_KEY)
                token, mappings, mode = message
                self._publish(
                    CONFIG_LOADED_TOPIC, {"token": token, "mappings": mappings, "mode": mode}
                )
                self._publish_changed_status()
            case MessagesDropped(text=text):
                self._notices.show_warning(text)
            case ConfigLoadFailed(reason=reason):
                self._notices.show_warning(
                    f"the engine could not load the config: {reason}", key=CONFIG_LOAD_NOTICE_KEY
                )
            case Beat():
                state.mode, state.profile = message.mode, message.profile
                state.base_mode = message.base_mode
                state.muted, state.paused = message.muted, message.paused
                state.held_keys = message.held_keys
                self._publish_changed_status()
            case Ready():
                pass
            case _:
                assert_never(message)

    def _publish_release(self) -> None:
        self._is_listening = False
        self._publish(PUSH_TO_TALK_TOPIC, {"held": False, "by": ""})

    def _note_trace_number(self, number: int) -> None:
        self._last_trace_number = max(self._last_trace_number, number)

    def _publish_changed_status(self, *, force: bool = False) -> None:
        """Publish the status if it differs from the last published one; with `force`, publish it in any case.

        The status is built and published under one lock. Otherwise a slow thread could publish an older
        status after a newer one, and the pages would keep the older one.
        """
        if self._config is None:  # the engine starts before the config has been read
            return
        with self._status_lock:
            state = self.state
            status: EngineStateRow = {
                "mode": state.mode,
                "profile": state.profile,
                "muted": state.muted,
                "paused": state.paused,
                "engine_running": self.process.running.is_set(),
                "held_keys": state.held_keys,
                "modes": [mode.name for mode in self._config.modes],
            }
            if force or status != self._status:
                self._status = status
                self._publish(STATUS_TOPIC, status)
