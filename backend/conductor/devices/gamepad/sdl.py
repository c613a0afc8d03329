"""Reads SDL's joysticks through pygame, without a window, as `PadEvent`s."""

import importlib.util
import os
import sys
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from conductor.base.json_types import JsonObject
from conductor.devices.gamepad.events import (
    Hat,
    PadEvent,
    is_pulled,
    parse_usb_ids,
    read_controller_axis,
    read_controller_button,
    read_joystick_axis,
    read_joystick_button,
    read_joystick_hat,
)
from conductor.errors import NotAvailable

if TYPE_CHECKING:
    from pygame._sdl2.controller import Controller
    from pygame.event import Event
    from pygame.joystick import JoystickType

_HINTS = {
    "SDL_VIDEODRIVER": "dummy",
    "SDL_JOYSTICK_ALLOW_BACKGROUND_EVENTS": "1",
    "SDL_NO_SIGNAL_HANDLERS": "1",
    "SDL_JOYSTICK_THREAD": "1",  # Windows: there is no window to receive the device messages
    "SDL_GAMECONTROLLER_USE_BUTTON_LABELS": "0",  # positions, also on Nintendo pads
    "PYGAME_HIDE_SUPPORT_PROMPT": "1",
}


class Pad:
    """One open pad: a controller when SDL knows its layout, else a plain joystick."""

    def __init__(self, joystick: "JoystickType", controller: "Controller | None") -> None:
        self.instance_id = joystick.get_instance_id()
        self.name = joystick.get_name().strip() or "Gamepad"
        self.guid = joystick.get_guid()
        self.vendor_id, self.product_id = parse_usb_ids(self.guid)
        self.is_controller = controller is not None
        self._joystick = joystick
        self._controller = controller
        self._axes: dict[int, float] = {}
        self._hats: dict[int, Hat] = {}
        self._pulled: set[int] = set()

    def settle(self) -> None:
        """Store the resting positions of the axes, so that only real changes produce events."""
        if self._controller is not None:
            self._axes = {index: self._controller.get_axis(index) for index in range(6)}
            return
        stick = self._joystick
        self._axes = {index: stick.get_axis(index) for index in range(stick.get_numaxes())}

    def press(self, index: int, *, down: bool) -> PadEvent:
        """Return the event for a press or release of a button."""
        name = read_controller_button if self.is_controller else read_joystick_button
        return name(index, down=down)

    def move(self, index: int, value: float) -> Iterator[PadEvent]:
        """Yield the events for a new axis position; none if the axis did not move."""
        if self._axes.get(index) == value:
            return
        self._axes[index] = value
        if not self.is_controller:
            yield read_joystick_axis(index, value)
            return
        pulled = index in self._pulled
        yield from read_controller_axis(index, int(value), pulled=pulled)
        (self._pulled.add if is_pulled(int(value), was=pulled) else self._pulled.discard)(index)

    def tilt(self, index: int, now: Hat) -> Iterator[PadEvent]:
        """Yield the events for a new position of a hat (a d-pad)."""
        was = self._hats.get(index, (0, 0))
        self._hats[index] = now
        yield from read_joystick_hat(index, now, was, self._joystick.get_numbuttons())


class Sdl:
    """SDL's event queue and device list, to be used only by the thread that created it."""

    def __init__(self) -> None:
        """Load and start SDL.

        Raises:
            NotAvailable: SDL is missing or does not start.
        """
        try:
            with _set_hints():
                _load_pygame_core()
                from pygame import base, constants, display, event, joystick
                from pygame._sdl2 import controller

                display.init()
                joystick.init()
                controller.init()
        except (ImportError, OSError, RuntimeError) as error:  # pygame.error is a RuntimeError
            raise NotAvailable(
                f"gamepads cannot be read, because SDL does not start ({error}). "
                "Reinstall pygame-ce, then restart Conductor."
            ) from error
        self._event, self._joystick, self._controller = event, joystick, controller
        self._display, self._error = display, base.error
        self.c = constants

    def events(self) -> "list[Event]":
        """Return the events since the last call, oldest first."""
        return self._event.get()

    def open_new(self, known: set[int]) -> list[Pad]:
        """Open the pads whose instance ids are not known yet."""
        with _set_hints():
            indices = range(self._joystick.get_count())
            new = [pad for index in indices for pad in self._open_pad(index, known)]
        self._event.pump()
        for pad in new:
            pad.settle()
        return new

    def close(self) -> None:
        """Stop SDL."""
        self._controller.quit()
        self._joystick.quit()
        self._display.quit()

    def _open_pad(self, index: int, known: set[int]) -> Iterator[Pad]:
        try:
            stick = self._joystick.Joystick(index)
            if stick.get_instance_id() in known:
                return
            is_controller = self._controller.is_controller(index)
            yield Pad(stick, self._controller.Controller(index) if is_controller else None)
        except self._error:  # unplugged in between; its removal is in the queue
            return


@contextmanager
def _set_hints() -> Generator[None]:
    """Set SDL's environment variables only while SDL reads them, because launched apps inherit them."""
    before: JsonObject = {name: os.environ.get(name) for name in _HINTS}
    os.environ.update(_HINTS)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def _load_pygame_core() -> None:
    """Skip `pygame/__init__.py`, which imports mixer, fonts and images (9 MB and 30 ms).

    On Windows it must run, because it tells the loader where the DLLs are.
    """
    spec = None if "pygame" in sys.modules else importlib.util.find_spec("pygame")
    if spec is not None and sys.platform != "win32":
        sys.modules["pygame"] = importlib.util.module_from_spec(spec)
