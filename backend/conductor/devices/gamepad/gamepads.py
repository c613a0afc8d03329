"""Gamepads: SDL's event pump, which runs on the main thread of the engine process."""

import threading
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Literal

from conductor.base import clock
from conductor.devices.gamepad.events import Said
from conductor.devices.gamepad.sdl import Pad, Sdl
from conductor.domain.devices import DeviceIdentity, DeviceStatus, PortInfo, name_ports
from conductor.domain.events import InputEvent
from conductor.errors import NotAvailable

if TYPE_CHECKING:
    from pygame.event import Event

NO_PADS_S = 0.25
IDLE_S = 0.008
ACTIVE_S = 0.002
ACTIVE_FOR_S = 5.0


class _Unit:
    """A plugged-in pad, which one of its name it is, and what it is called."""

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
    """Turns SDL's events into input events. `configure` and `status` work from any thread."""

    def __init__(
        self,
        post: Callable[[InputEvent], None],
        on_change: Callable[[], None],
        clock: Callable[[], float] = clock.now,
        on_pump: Callable[[], None] | None = None,
    ) -> None:
        """`on_pump` is called before each look at SDL, on its thread."""
        self._post = post
        self._on_change = on_change
        self._clock = clock
        self._on_pump = on_pump
        self._lock = threading.Lock()
        self._units: list[_Unit] = []
        self._identities: tuple[DeviceIdentity, ...] = ()
        self._problem: str | None = None
        self._active_until = 0.0

    def run(self, stop: threading.Event) -> None:
        """Pump until `stop` is set. Without a working SDL: say so in `status`, and wait."""
        try:
            sdl = Sdl()
        except NotAvailable as error:
            self._problem = str(error)
            self._on_change()
            stop.wait()
            return
        try:
            self._attach(sdl)
            while not stop.wait(self._pause_s()):
                self._cycle(sdl)
        finally:
            self._units = []
            sdl.close()

    def configure(self, identities: Sequence[DeviceIdentity]) -> None:
        """Call the pads by these aliases from now on."""
        with self._lock:
            self._identities = tuple(identities)
            self._name_units()

    def status(self) -> list[DeviceStatus]:
        """Return a line for each plugged-in pad, or the reason why there are none.

        Whether one is muted is the engine's to say.
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
        """Return the device id of each pad, and what matchers recognise it by."""
        with self._lock:
            return tuple((unit.device_id, unit.port) for unit in self._units)

    def _pause_s(self) -> float:
        if not self._units:
            return NO_PADS_S
        return ACTIVE_S if self._clock() < self._active_until else IDLE_S

    def _cycle(self, sdl: Sdl) -> None:
        if self._on_pump is not None:
            self._on_pump()
        for event in sdl.events():
            if event.type == sdl.c.JOYDEVICEADDED:
                self._attach(sdl)
            elif event.type == sdl.c.JOYDEVICEREMOVED:
                self._detach(event.instance_id)
            else:
                self._hear(sdl, event)

    def _hear(self, sdl: Sdl, event: "Event") -> None:
        instance_id = getattr(event, "instance_id", None)
        unit = next((unit for unit in self._units if unit.pad.instance_id == instance_id), None)
        if unit is None:
            return
        now = self._clock()
        for said in _said(sdl, unit.pad, event):
            self._active_until = now + ACTIVE_FOR_S
            self._post(InputEvent(said.kind, unit.device_id, 0, said.number, said.value, now))

    def _attach(self, sdl: Sdl) -> None:
        pads = sdl.open_new({unit.pad.instance_id for unit in self._units})
        if not pads:
            return
        with self._lock:
            for pad in pads:
                self._units.append(_Unit(pad, self._free_occurrence(pad.name)))
            self._name_units()
        self._active_until = self._clock() + ACTIVE_FOR_S
        self._on_change()

    def _detach(self, instance_id: int) -> None:
        with self._lock:
            before = {unit.device_id for unit in self._units}
            left = [unit for unit in self._units if unit.pad.instance_id != instance_id]
            changed, self._units = len(left) != len(self._units), left
            self._tell_difference(before)
        if changed:
            self._on_change()

    def _free_occurrence(self, name: str) -> int:
        taken = {unit.port.occurrence for unit in self._units if unit.port.name == name}
        return next(number for number in range(1, len(taken) + 2) if number not in taken)

    def _name_units(self) -> None:
        """Give every pad its id; several may share one alias."""
        before = {unit.device_id for unit in self._units} - {""}
        ids = name_ports(self._identities, [unit.port for unit in self._units])
        for index, unit in enumerate(self._units):
            unit.device_id = ids[index]
        self._tell_difference(before)

    def _tell_difference(self, before: set[str]) -> None:
        now = {unit.device_id for unit in self._units}
        for device_id in sorted(before - now):
            self._tell("device_gone", device_id)
        for device_id in sorted(now - before):
            self._tell("device_back", device_id)

    def _tell(self, kind: Literal["device_gone", "device_back"], device_id: str) -> None:
        self._post(InputEvent(kind, device_id, 0, 0, 0, self._clock()))


def _said(sdl: Sdl, pad: Pad, event: "Event") -> Iterable[Said]:
    """Hear a recognised pad by its controller events only, another by its joystick events only."""
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
