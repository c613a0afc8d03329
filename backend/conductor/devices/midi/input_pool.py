"""Runs one process for each open MIDI input, restarts it if it ends, and reports unplugged and returned
devices.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from conductor.base import clock
from conductor.devices.midi.apis import PortKey
from conductor.devices.midi.input import MidiInput
from conductor.devices.midi.jack_graph import release_dead_clients
from conductor.devices.midi.port_start import PortRequest
from conductor.domain.events import EventKind, InputEvent
from conductor.domain.ports import EventSource

MIN_RETRY_DELAY_S, MAX_RETRY_DELAY_S = 0.25, 5.0
PORT_START_TIMEOUT_S = 5.0
STABLE_AFTER_OPEN_S = 1.0
"""Seconds that a port process must have run to be restarted at once, because the user is playing. A process
that ended sooner is restarted after a delay, which increases as long as the processes end without having
received a message."""

StartPortProcess = Callable[[str, PortRequest], MidiInput]
SourceCallback = Callable[[EventSource], object]
PostEvent = Callable[[InputEvent], object]


@dataclass
class _PortSlot:
    """The state of one wanted port: its input, or the reason why the port is not open."""

    device_id: str
    input: MidiInput | None = None
    started_at: float = 0.0
    listening: bool = False
    problem: str | None = None
    failures: int = 0
    retry_at: float = 0.0


class InputPool:
    """Runs one port process for each wanted input. The class is not thread-safe.

    An input is added to the engine's sources once it is open, and removed before it is closed, so that the
    engine never waits on a closed descriptor.
    """

    def __init__(
        self,
        add_source: SourceCallback,
        remove_source: SourceCallback,
        post: PostEvent,
        start_process: StartPortProcess = MidiInput,
        client_name: str = "Conductor",
        on_end: Callable[[], object] = lambda: None,
    ) -> None:
        """Create an empty pool. `on_end` is called on the reading thread when a port process has ended."""
        self._add_source = add_source
        self._remove_source = remove_source
        self._post = post
        self._start_process = start_process
        self._client_name = client_name
        self._on_end = on_end
        self._slots: dict[PortKey, _PortSlot] = {}
        self._gone: set[str] = set()
        self._counted_lost: dict[MidiInput, int] = {}

    def reconcile_ports(self, wanted: Mapping[PortKey, str]) -> None:
        """Open the wanted ports, close all others, and restart port processes that have ended.

        `wanted` maps each port to its device id.
        """
        self._close_ports([key for key in self._slots if key not in wanted])
        now = clock.now()
        for key, device_id in wanted.items():
            slot = self._slots.setdefault(key, _PortSlot(device_id))
            self._change_device_id(slot, device_id)
            self._check_port_process(slot, now)
            if slot.input is None and now >= slot.retry_at:
                self._start_input(key, slot, now)

    def list_starting_inputs(self) -> list[MidiInput]:
        """Return the inputs whose port process has not yet reported whether its port is open."""
        return [
            slot.input
            for slot in self._slots.values()
            if slot.input is not None and not slot.listening
        ]

    def is_settled(self) -> bool:
        """Return whether every wanted port is open and has lost no messages."""
        return all(
            slot.listening
            and slot.input is not None
            and slot.input.is_alive
            and slot.input.state == "ready"
            and not slot.input.lost
            for slot in self._slots.values()
        )

    def is_listening_to_port(self, key: PortKey) -> bool:
        return key in self._slots and self._slots[key].listening

    def get_port_problem(self, key: PortKey) -> str | None:
        """Return why a wanted port is not open or how many messages it lost, or None if it has no problem."""
        slot = self._slots.get(key)
        if slot is None:
            return None
        lost = slot.input.lost if slot.input else 0
        return slot.problem or (
            f"{lost} messages were lost because they arrived too fast" if lost else None
        )

    def collect_lost_messages(self) -> tuple[int, str]:
        """Return the number of messages lost since the last call, and the device that lost most of them."""
        inputs = [slot.input for slot in list(self._slots.values()) if slot.input is not None]
        previously_lost, self._counted_lost = (
            self._counted_lost,
            {source: source.lost for source in inputs},
        )
        lost = [
            (source.lost - previously_lost.get(source, 0), source.device_id) for source in inputs
        ]
        return sum(count for count, _ in lost), max(lost, default=(0, ""))[1]

    def retry_failed_ports(self) -> None:
        """Make the next `reconcile_ports` retry all failed ports, without the delay that follows a failure."""
        for slot in self._slots.values():
            slot.retry_at = 0.0

    def close(self) -> None:
        self._close_ports(list(self._slots))

    def _change_device_id(self, slot: _PortSlot, device_id: str) -> None:
        """Change the device id of a slot.

        Keys held by the old id would never be released, because no later event has that id. The old id is
        therefore reported as disconnected, and as connected again if another port still has it.
        """
        previous_id, slot.device_id = slot.device_id, device_id
        if slot.input is not None:
            slot.input.device_id = device_id
        if slot.listening and previous_id != device_id:
            self._post_device_event("device_gone", previous_id)
            self._gone.discard(device_id)
            if any(
                other.listening and other.device_id == previous_id for other in self._slots.values()
            ):
                self._post_device_event("device_back", previous_id)
            else:
                self._gone.add(previous_id)
            self._post_device_event("device_back", device_id)

    def _start_input(self, key: PortKey, slot: _PortSlot, now: float) -> None:
        request = PortRequest(key.api, key.name, key.name_index, self._client_name)
        try:
            slot.input, slot.started_at = self._start_process(slot.device_id, request), now
            slot.input.on_end = self._on_end
        except OSError as error:
            self._mark_port_failed(slot, now, f"the port process could not be started: {error}")

    def _check_port_process(self, slot: _PortSlot, now: float) -> None:
        if slot.input is None:
            return
        if not slot.listening:
            self._check_startup(slot, slot.input, now)
        elif not slot.input.is_alive or slot.input.state == "ended":
            was_stable = now - slot.started_at > STABLE_AFTER_OPEN_S
            if slot.input.has_received:
                slot.failures = 0
            self._stop_input(slot, slot.input)
            # Stopped first, so that held keys are released without waiting for the MIDI system.
            release_dead_clients(self._client_name)
            self._mark_port_failed(slot, now, "the port process ended and is being restarted")
            if was_stable:
                slot.failures, slot.retry_at = 0, now

    def _check_startup(self, slot: _PortSlot, source: MidiInput, now: float) -> None:
        if source.wait_until_open(0):
            slot.listening, slot.problem = True, None
            self._add_source(source)
            if slot.device_id in self._gone:
                self._gone.discard(slot.device_id)
                self._post_device_event("device_back", slot.device_id)
        elif source.state == "failed" or now - slot.started_at > PORT_START_TIMEOUT_S:
            self._stop_input(slot, source)
            self._mark_port_failed(slot, now, source.problem or "the port process does not respond")

    def _mark_port_failed(self, slot: _PortSlot, now: float, problem: str) -> None:
        slot.problem = problem
        slot.retry_at = now + min(MAX_RETRY_DELAY_S, MIN_RETRY_DELAY_S * 2**slot.failures)
        slot.failures = min(slot.failures + 1, 10)

    def _close_ports(self, keys: list[PortKey]) -> None:
        slots = [self._slots.pop(key) for key in keys]
        running = [(slot, slot.input) for slot in slots if slot.input is not None]
        for _, source in running:
            source.request_stop()
        for slot, source in running:
            self._stop_input(slot, source)

    def _stop_input(self, slot: _PortSlot, source: MidiInput) -> None:
        if slot.listening:
            self._remove_source(source)
            self._gone.add(slot.device_id)
            self._post_device_event("device_gone", slot.device_id)
        source.close()
        slot.input, slot.listening = None, False

    def _post_device_event(self, kind: EventKind, device_id: str) -> None:
        self._post(InputEvent(kind, device_id, 0, 0, 0, clock.now()))
