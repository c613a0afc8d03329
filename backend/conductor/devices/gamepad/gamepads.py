"""Turns SDL's events into gamepad input, on the main thread of the engine process."""

import threading
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Literal

from conductor.base import clock
from conductor.devices.gamepad.events import PadEvent
from conductor.devices.gamepad.sdl import Pad, Sdl
from conductor.domain.devices import DeviceIdentity, DeviceStatus, PortInfo, assign_device_ids
from conductor.domain.events import InputEvent
from conductor.errors import NotAvailable

if TYPE_CHECKING:
    from pygame.event import Event

NO_PADS_S = 0.25
IDLE_S = 0.008
ACTIVE_S = 0.002
ACTIVE_FOR_S = 5.0


class _ConnectedPad:
    """A plugged-in pad with its number among pads of the same name and its device id."""

    def __init__(self, pad: Pad, occurrence: int) -> None:
        self.pad = pad
        self.port = PortInfo(
            name=pad.name,
            occurrence=occurrence,
            platform_id=pad.guid,
            vendor_id=pad.vendor_id,
            product_id=pad.product_id,
        )
        self.device_id = ""


class GamepadPump:
    """The loop that converts SDL's events to input events. Any thread may call `configure` and `status`."""

    def __init__(
        self,
        post: Callable[[InputEvent], None],
        on_change: Callable[[], None],
        clock: Callable[[], float] = clock.now,
        on_pump: Callable[[], None] | None = None,
    ) -> None:
        """Store the callbacks. SDL's thread calls `on_pump` before each poll."""
        self._post = post
        self._on_change = on_change
        self._clock = clock
        self._on_pump = on_pump
        self._lock = threading.Lock()
        self._units: list[_ConnectedPad] = []
        self._identities: tuple[DeviceIdentity, ...] = ()
        self._problem: str | None = None
        self._active_until = 0.0

    def run(self, stop: threading.Event) -> None:
        """Poll SDL until `stop` is set. Without a working SDL, `status` shows the problem."""
        try:
            sdl = Sdl()
        except NotAvailable as error:
            self._problem = str(error)
            self._on_change()
            stop.wait()
            return
        try:
            self._attach_pad(sdl)
            while not stop.wait(self._choose_pause_s()):
                self._run_cycle(sdl)
        finally:
            self._units = []
            sdl.close()

    def configure(self, identities: Sequence[DeviceIdentity]) -> None:
        """Set the aliases of the pads."""
        with self._lock:
            self._identities = tuple(identities)
            self._name_units()

    def status(self) -> list[DeviceStatus]:
        """Return an entry for each plugged-in pad, or one entry with the problem.

        Muting is known to the engine only.
        """
        if self._problem is not None:
            return [
                DeviceStatus(
                    device_id="gamepads",
                    port_name="Gamepads",
                    kind="gamepad",
                    connected=False,
                    problem=self._problem,
                )
            ]
        with self._lock:
            aliases = {identity.alias for identity in self._identities}
            return [
                DeviceStatus(
                    device_id=unit.device_id,
                    port_name=unit.port.name,
                    kind="gamepad",
                    is_configured=unit.device_id in aliases,
                )
                for unit in self._units
            ]

    def inputs(self) -> tuple[tuple[str, PortInfo], ...]:
        """Return the device id and port info of each pad."""
        with self._lock:
            return tuple((unit.device_id, unit.port) for unit in self._units)

    def _choose_pause_s(self) -> float:
        if not self._units:
            return NO_PADS_S
        return ACTIVE_S if self._clock() < self._active_until else IDLE_S

    def _run_cycle(self, sdl: Sdl) -> None:
        if self._on_pump is not None:
            self._on_pump()
        for event in sdl.events():
            if event.type == sdl.c.JOYDEVICEADDED:
                self._attach_pad(sdl)
            elif event.type == sdl.c.JOYDEVICEREMOVED:
                self._detach_pad(event.instance_id)
            else:
                self._on_sdl_event(sdl, event)

    def _on_sdl_event(self, sdl: Sdl, event: "Event") -> None:
        instance_id = getattr(event, "instance_id", None)
        unit = next((unit for unit in self._units if unit.pad.instance_id == instance_id), None)
        if unit is None:
            return
        now = self._clock()
        for pad_event in _read_pad_events(sdl, unit.pad, event):
            self._active_until = now + ACTIVE_FOR_S
            self._post(
                InputEvent(
                    pad_event.kind, unit.device_id, 0, pad_event.number, pad_event.value, now
                )
            )

    def _attach_pad(self, sdl: Sdl) -> None:
        pads = sdl.open_new({unit.pad.instance_id for unit in self._units})
        if not pads:
            return
        with self._lock:
            for pad in pads:
                self._units.append(_ConnectedPad(pad, self._find_free_occurrence(pad.name)))
            self._name_units()
        self._active_until = self._clock() + ACTIVE_FOR_S
        self._on_change()

    def _detach_pad(self, instance_id: int) -> None:
        with self._lock:
            before = {unit.device_id for unit in self._units}
            left = [unit for unit in self._units if unit.pad.instance_id != instance_id]
            changed, self._units = len(left) != len(self._units), left
            self._post_difference(before)
        if changed:
            self._on_change()

    def _find_free_occurrence(self, name: str) -> int:
        taken = {unit.port.occurrence for unit in self._units if unit.port.name == name}
        return next(number for number in range(1, len(taken) + 2) if number not in taken)

    def _name_units(self) -> None:
        """Assign the device id of every pad; several may share one alias."""
        before = {unit.device_id for unit in self._units} - {""}
        ids = assign_device_ids(self._identities, [unit.port for unit in self._units])
        for index, unit in enumerate(self._units):
            unit.device_id = ids[index]
        self._post_difference(before)

    def _post_difference(self, before: set[str]) -> None:
        now = {unit.device_id for unit in self._units}
        for device_id in sorted(before - now):
            self._post_device("device_gone", device_id)
        for device_id in sorted(now - before):
            self._post_device("device_back", device_id)

    def _post_device(self, kind: Literal["device_gone", "device_back"], device_id: str) -> None:
        self._post(InputEvent(kind, device_id, 0, 0, 0, self._clock()))


def _read_pad_events(sdl: Sdl, pad: Pad, event: "Event") -> Iterable[PadEvent]:
    """Return the events of a pad. SDL reports a recognised pad twice; only its controller events are used."""
    c = sdl.c
    match (pad.is_controller, event.type):
        case (True, c.CONTROLLERBUTTONDOWN | c.CONTROLLERBUTTONUP):
            return (pad.press(event.button, down=event.type == c.CONTROLLERBUTTONDOWN),)
        case (False, c.JOYBUTTONDOWN | c.JOYBUTTONUP):
            return (pad.press(event.button, down=event.type == c.JOYBUTTONDOWN),)
        case (True, c.CONTROLLERAXISMOTION) | (False, c.JOYAXISMOTION):
            return pad.move(event.axis, event.value)
        case (False, c.JOYHATMOTION):
            return pad.tilt(event.hat, event.value)
        case _:
            return ()
