"""Converts SDL events to gamepad input on the main thread of the engine process."""

import threading
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Literal

from conductor.base import clock
from conductor.devices.gamepad.events import GamepadEvent
from conductor.devices.gamepad.sdl import Gamepad, Sdl
from conductor.domain.devices import DeviceIdentity, DeviceStatus, PortInfo, assign_device_ids
from conductor.domain.events import InputEvent
from conductor.domain.wire_rows import BatteryLevel
from conductor.errors import NotAvailable

if TYPE_CHECKING:
    from pygame.event import Event

POLL_INTERVAL_WITHOUT_GAMEPADS_S = 0.25
IDLE_POLL_INTERVAL_S = 0.008
ACTIVE_POLL_INTERVAL_S = 0.002
ACTIVE_AFTER_INPUT_S = 5.0
BATTERY_CHECK_INTERVAL_S = 30.0
"""SDL reads the charge with the input anyway; the interval only limits how often a change is announced."""


class _ConnectedGamepad:
    """A connected gamepad with its device id and its number among gamepads of the same name."""

    def __init__(self, pad: Gamepad, occurrence: int) -> None:
        self.pad = pad
        self.port = PortInfo(
            name=pad.name,
            occurrence=occurrence,
            platform_id=pad.guid,
            vendor_id=pad.vendor_id,
            product_id=pad.product_id,
        )
        self.device_id = ""
        self.battery: BatteryLevel | None = pad.read_battery()


class GamepadPump:
    """Polls SDL for gamepad events, and posts them to the engine as input events.

    Any thread may call `set_identities` and `status`.
    """

    def __init__(
        self,
        post: Callable[[InputEvent], None],
        on_change: Callable[[], None],
        clock: Callable[[], float] = clock.now,
        on_pump: Callable[[], None] | None = None,
    ) -> None:
        """Create the pump, which does nothing until `run` is called.

        `on_pump` is called before each poll, on the thread that calls `run`.
        """
        self._post = post
        self._on_change = on_change
        self._clock = clock
        self._on_pump = on_pump
        self._lock = threading.Lock()
        self._pads: list[_ConnectedGamepad] = []
        self._identities: tuple[DeviceIdentity, ...] = ()
        self._problem: str | None = None
        self._active_until = 0.0
        self._next_battery_check_at = 0.0

    def run(self, stop: threading.Event) -> None:
        """Poll SDL until `stop` is set. If SDL cannot be started, `status` reports the problem."""
        try:
            sdl = Sdl()
        except NotAvailable as error:
            self._problem = str(error)
            self._on_change()
            stop.wait()
            return
        try:
            self._add_new_gamepads(sdl)
            while not stop.wait(self._choose_poll_interval_s()):
                self._poll_once(sdl)
        finally:
            self._pads = []
            sdl.close()

    def set_identities(self, identities: Sequence[DeviceIdentity]) -> None:
        """Set the devices that the config names, and update the device ids of the connected gamepads to
        match.
        """
        with self._lock:
            self._identities = tuple(identities)
            self._assign_device_ids()

    def status(self) -> list[DeviceStatus]:
        """Return the status of each connected gamepad, or one entry with the problem if gamepads cannot be
        read.

        The entries do not say whether a device is muted, which only the engine knows.
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
                    battery=unit.battery,
                )
                for unit in self._pads
            ]

    def inputs(self) -> tuple[tuple[str, PortInfo], ...]:
        """Return the device id and port info of each connected gamepad, for the list of devices."""
        with self._lock:
            return tuple((unit.device_id, unit.port) for unit in self._pads)

    def _choose_poll_interval_s(self) -> float:
        if not self._pads:
            return POLL_INTERVAL_WITHOUT_GAMEPADS_S
        return (
            ACTIVE_POLL_INTERVAL_S if self._clock() < self._active_until else IDLE_POLL_INTERVAL_S
        )

    def _poll_once(self, sdl: Sdl) -> None:
        if self._on_pump is not None:
            self._on_pump()
        for event in sdl.read_events():
            if event.type == sdl.constants.JOYDEVICEADDED:
                self._add_new_gamepads(sdl)
            elif event.type == sdl.constants.JOYDEVICEREMOVED:
                self._remove_gamepad(event.instance_id)
            else:
                self._on_sdl_event(sdl, event)
        self._check_batteries()

    def _check_batteries(self) -> None:
        now = self._clock()
        if now < self._next_battery_check_at:
            return
        self._next_battery_check_at = now + BATTERY_CHECK_INTERVAL_S
        with self._lock:
            before = [unit.battery for unit in self._pads]
            for unit in self._pads:
                unit.battery = unit.pad.read_battery()
            changed = before != [unit.battery for unit in self._pads]
        if changed:
            self._on_change()

    def _on_sdl_event(self, sdl: Sdl, event: "Event") -> None:
        instance_id = getattr(event, "instance_id", None)
        unit = next((unit for unit in self._pads if unit.pad.instance_id == instance_id), None)
        if unit is None:
            return
        now = self._clock()
        for pad_event in _convert_sdl_event(sdl, unit.pad, event):
            self._active_until = now + ACTIVE_AFTER_INPUT_S
            self._post(
                InputEvent(
                    pad_event.kind, unit.device_id, 0, pad_event.number, pad_event.value, now
                )
            )

    def _add_new_gamepads(self, sdl: Sdl) -> None:
        pads = sdl.open_new_gamepads({unit.pad.instance_id for unit in self._pads})
        if not pads:
            return
        with self._lock:
            for pad in pads:
                self._pads.append(_ConnectedGamepad(pad, self._find_free_unit_number(pad.name)))
            self._assign_device_ids()
        self._active_until = self._clock() + ACTIVE_AFTER_INPUT_S
        self._on_change()

    def _remove_gamepad(self, instance_id: int) -> None:
        with self._lock:
            before = {unit.device_id for unit in self._pads}
            left = [unit for unit in self._pads if unit.pad.instance_id != instance_id]
            changed, self._pads = len(left) != len(self._pads), left
            self._post_connection_changes(before)
        if changed:
            self._on_change()

    def _find_free_unit_number(self, name: str) -> int:
        taken = {unit.port.occurrence for unit in self._pads if unit.port.name == name}
        return next(number for number in range(1, len(taken) + 2) if number not in taken)

    def _assign_device_ids(self) -> None:
        """Assign a device id to each connected gamepad, and post an event for each id that appears or
        disappears.

        Several gamepads may share one alias, and then have the same id.
        """
        before = {unit.device_id for unit in self._pads} - {""}
        ids = assign_device_ids(self._identities, [unit.port for unit in self._pads])
        for index, unit in enumerate(self._pads):
            unit.device_id = ids[index]
        self._post_connection_changes(before)

    def _post_connection_changes(self, before: set[str]) -> None:
        now = {unit.device_id for unit in self._pads}
        for device_id in sorted(before - now):
            self._post_device_event("device_gone", device_id)
        for device_id in sorted(now - before):
            self._post_device_event("device_back", device_id)

    def _post_device_event(
        self, kind: Literal["device_gone", "device_back"], device_id: str
    ) -> None:
        self._post(InputEvent(kind, device_id, 0, 0, 0, self._clock()))


def _convert_sdl_event(sdl: Sdl, pad: Gamepad, event: "Event") -> Iterable[GamepadEvent]:
    """Convert an SDL event to gamepad events.

    SDL reports a recognised gamepad twice; only its controller events are used, not its joystick events.
    """
    c = sdl.constants
    match (pad.is_controller, event.type):
        case (True, c.CONTROLLERBUTTONDOWN | c.CONTROLLERBUTTONUP):
            return (pad.convert_button(event.button, down=event.type == c.CONTROLLERBUTTONDOWN),)
        case (False, c.JOYBUTTONDOWN | c.JOYBUTTONUP):
            return (pad.convert_button(event.button, down=event.type == c.JOYBUTTONDOWN),)
        case (True, c.CONTROLLERAXISMOTION) | (False, c.JOYAXISMOTION):
            return pad.convert_axis(event.axis, event.value)
        case (False, c.JOYHATMOTION):
            return pad.convert_hat(event.hat, event.value)
        case _:
            return ()
