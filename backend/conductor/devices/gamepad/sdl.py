"""Reads gamepads through SDL and pygame, without a window."""

import importlib.util
import os
import sys
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

from conductor.base.json_types import JsonObject
from conductor.devices.gamepad.events import (
    GamepadEvent,
    HatPosition,
    convert_controller_axis,
    convert_controller_button,
    convert_joystick_axis,
    convert_joystick_button,
    convert_joystick_hat,
    is_trigger_pulled,
    parse_usb_ids,
)
from conductor.domain.wire_rows import BatteryLevel
from conductor.errors import NotAvailable

if TYPE_CHECKING:
    from pygame._sdl2.controller import Controller
    from pygame.event import Event
    from pygame.joystick import JoystickType

_SDL_HINTS = {
    "SDL_VIDEODRIVER": "dummy",
    "SDL_JOYSTICK_ALLOW_BACKGROUND_EVENTS": "1",
    "SDL_NO_SIGNAL_HANDLERS": "1",
    "SDL_JOYSTICK_THREAD": "1",  # on Windows, SDL needs this thread because no window receives device messages
    "SDL_GAMECONTROLLER_USE_BUTTON_LABELS": "0",  # positions, also on Nintendo pads
    "PYGAME_HIDE_SUPPORT_PROMPT": "1",
}

_BATTERY_LEVELS: Mapping[str, BatteryLevel] = {
    "empty": "empty",
    "low": "low",
    "medium": "medium",
    "full": "full",
    "max": "full",
    "wired": "wired",
}
"""The levels of pygame; it also has `unknown`."""


class Gamepad:
    """An open gamepad: a controller if SDL knows its layout, otherwise a plain joystick."""

    def __init__(self, joystick: "JoystickType", controller: "Controller | None") -> None:
        self.instance_id = joystick.get_instance_id()
        self.name = joystick.get_name().strip() or "Gamepad"
        self.guid = joystick.get_guid()
        self.vendor_id, self.product_id = parse_usb_ids(self.guid)
        self.is_controller = controller is not None
        self._joystick = joystick
        self._controller = controller
        self._axes: dict[int, float] = {}
        self._hats: dict[int, HatPosition] = {}
        self._pulled: set[int] = set()

    def store_rest_positions(self) -> None:
        """Remember the rest positions of all axes, so that only movements away from them produce events."""
        if self._controller is not None:
            self._axes = {index: self._controller.get_axis(index) for index in range(6)}
            return
        stick = self._joystick
        self._axes = {index: stick.get_axis(index) for index in range(stick.get_numaxes())}

    def read_battery(self) -> BatteryLevel | None:
        """Return the charge of the gamepad, or None if the gamepad does not report it."""
        return _BATTERY_LEVELS.get(self._joystick.get_power_level())

    def convert_button(self, index: int, *, down: bool) -> GamepadEvent:
        """Convert the press or release of a button to an event, named by the layout of the gamepad if SDL
        knows it.
        """
        name = convert_controller_button if self.is_controller else convert_joystick_button
        return name(index, down=down)

    def convert_axis(self, index: int, value: float) -> Iterator[GamepadEvent]:
        """Yield the events for a new axis position; yield nothing if the position has not changed."""
        if self._axes.get(index) == value:
            return
        self._axes[index] = value
        if not self.is_controller:
            yield convert_joystick_axis(index, value)
            return
        pulled = index in self._pulled
        yield from convert_controller_axis(index, int(value), pulled=pulled)
        (self._pulled.add if is_trigger_pulled(int(value), was=pulled) else self._pulled.discard)(
            index
        )

    def convert_hat(self, index: int, now: HatPosition) -> Iterator[GamepadEvent]:
        """Yield the button events for a new position of a hat. The first hat is the d-pad."""
        was = self._hats.get(index, (0, 0))
        self._hats[index] = now
        yield from convert_joystick_hat(index, now, was, self._joystick.get_numbuttons())


class Sdl:
    """Provides the event queue and device list of SDL. Only the thread that created an `Sdl` may use it."""

    def __init__(self) -> None:
        """Load and start SDL.

        Raises:
            NotAvailable: SDL is missing or cannot be started.
        """
        try:
            with _set_sdl_hints():
                _load_pygame_core()
                from pygame import base, constants, display, event, joystick
                from pygame._sdl2 import controller

                display.init()
                joystick.init()
                controller.init()
        except (ImportError, OSError, RuntimeError) as error:  # pygame.error is a RuntimeError
            raise NotAvailable(
                f"gamepads cannot be read, because SDL cannot be started ({error}). "
                "Reinstall pygame-ce, then restart Conductor."
            ) from error
        self._event, self._joystick, self._controller = event, joystick, controller
        self._display, self._error = display, base.error
        self.constants = constants

    def read_events(self) -> "list[Event]":
        """Return the SDL events since the last call, oldest first."""
        return self._event.get()

    def open_new_gamepads(self, known: set[int]) -> list[Gamepad]:
        """Open all gamepads that are connected but not yet open, and return them.

        `known` holds the instance ids of the open ones.
        """
        with _set_sdl_hints():
            indices = range(self._joystick.get_count())
            new = [pad for index in indices for pad in self._open_gamepad(index, known)]
        self._event.pump()
        for pad in new:
            pad.store_rest_positions()
        return new

    def close(self) -> None:
        """Shut down SDL, which closes all gamepads."""
        self._controller.quit()
        self._joystick.quit()
        self._display.quit()

    def _open_gamepad(self, index: int, known: set[int]) -> Iterator[Gamepad]:
        try:
            stick = self._joystick.Joystick(index)
            if stick.get_instance_id() in known:
                return
            is_controller = self._controller.is_controller(index)
            yield Gamepad(stick, self._controller.Controller(index) if is_controller else None)
        except self._error:
            # The gamepad was unplugged meanwhile; its removal event is in the queue.
            return


@contextmanager
def _set_sdl_hints() -> Generator[None]:
    """Set SDL's environment variables only while SDL starts, so that apps launched later do not inherit
    them.
    """
    before: JsonObject = {name: os.environ.get(name) for name in _SDL_HINTS}
    os.environ.update(_SDL_HINTS)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def _load_pygame_core() -> None:
    """Prepare pygame without running `pygame/__init__.py`, which takes 9 MB and 30 ms.

    `pygame/__init__.py` imports mixer, fonts and images. On Windows the file must run, because it registers the
    folder of the DLLs.
    """
    spec = None if "pygame" in sys.modules else importlib.util.find_spec("pygame")
    if spec is not None and sys.platform != "win32":
        sys.modules["pygame"] = importlib.util.module_from_spec(spec)
