"""A MIDI manager with a minimal engine that reads its inputs."""

import queue
import select
import threading
from collections.abc import Callable

from conductor.devices.manager import MidiManager
from conductor.devices.midi.input import MidiInput
from conductor.devices.midi.input_pool import StartPortProcess
from conductor.domain.devices import DeviceIdentity, DeviceStatus
from conductor.domain.events import InputEvent
from conductor.domain.ports import EventSource

WAIT_S = 15


class Engine:
    """A thread that reads all sources, as the engine does."""

    def __init__(self) -> None:
        self.events: queue.Queue[InputEvent] = queue.Queue()
        self.changed = threading.Condition()
        self.sources: list[EventSource] = []
        self._lock = threading.Lock()
        self._closing = False
        self._thread = threading.Thread(target=self._run, name="test engine")
        self._thread.start()

    def add(self, source: EventSource) -> None:
        with self._lock:
            self.sources.append(source)

    def remove(self, source: EventSource) -> None:
        with self._lock:
            if source in self.sources:
                self.sources.remove(source)

    def on_change(self) -> None:
        with self.changed:
            self.changed.notify_all()

    def wait_for(self, kind: str, device: str, timeout_s: float = WAIT_S) -> InputEvent:
        while True:
            event = self.events.get(timeout=timeout_s)
            if (event.kind, event.device) == (kind, device):
                return event

    def close(self) -> None:
        self._closing = True
        self._thread.join()

    def _run(self) -> None:
        while not self._closing:
            with self._lock:
                for source in select.select(self.sources, [], [], 0)[0]:
                    self._read(source)
            threading.Event().wait(0.002)

    def _read(self, source: EventSource) -> None:
        try:
            for event in source.read_events():
                self.events.put(event)
        except EOFError:
            self.sources.remove(source)


class Rig:
    """A manager with the engine that reads its inputs."""

    def __init__(self, start_process: StartPortProcess = MidiInput) -> None:
        self.engine = Engine()
        self.manager = MidiManager(
            self.engine.add,
            self.engine.remove,
            self.engine.events.put,
            self.engine.on_change,
            start_process=start_process,
        )

    def wait_until(self, test: Callable[[list[DeviceStatus]], bool]) -> list[DeviceStatus]:
        with self.engine.changed:
            reached = self.engine.changed.wait_for(lambda: test(self.manager.status()), WAIT_S)
        assert reached, [one.model_dump() for one in self.manager.status()]
        return self.manager.status()

    def wait_for_input(self, device_id: str, *, connected: bool = True) -> DeviceStatus:
        def shown(status: list[DeviceStatus]) -> list[DeviceStatus]:
            wanted = (device_id, "midi_input", connected)
            return [one for one in status if (one.device_id, one.kind, one.connected) == wanted]

        return shown(self.wait_until(lambda status: bool(shown(status))))[0]

    def close(self) -> None:
        self.manager.close()
        self.engine.close()


def contains(alias: str, pattern: str) -> DeviceIdentity:
    return DeviceIdentity.model_validate(
        {"alias": alias, "matchers": [{"type": "NameContains", "pattern": pattern}]}
    )
