"""SDL virtual joysticks: pads that SDL itself believes in, played on the thread that pumps SDL.

In one process give a `Stage` to `GamepadPump(on_pump=...)`. Where the pump is in another process,
give it a `StageServer(path)` there and play a `RemoteStage(path)` here.
"""

import ctypes
import itertools
import json
import queue
import socket
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import Any

TIMEOUT_S = 10.0
_CONTROLLER, _UNKNOWN = 1, 0
_CENTRE, _UP, _RIGHT, _DOWN, _LEFT = 0, 1, 2, 4, 8


class _Description(ctypes.Structure):
    """SDL_VirtualJoystickDesc, version 1."""

    _fields_ = (
        *((name, ctypes.c_uint16) for name in ("version", "type", "axes", "buttons", "hats")),
        *((name, ctypes.c_uint16) for name in ("vendor", "product", "padding")),
        *((name, ctypes.c_uint32) for name in ("button_mask", "axis_mask")),
        ("name", ctypes.c_char_p),
        *((name, ctypes.c_void_p) for name in ("userdata", "update", "set_player_index", "rumble")),
        *((name, ctypes.c_void_p) for name in ("rumble_triggers", "set_led", "send_effect")),
    )


class Rig:
    """The joysticks of this process. Only for the thread that pumps SDL."""

    def __init__(self) -> None:
        self._sdl = _sdl_of_pygame()
        self._handles: dict[int, int] = {}
        self._names: list[bytes] = []

    def play(self, method: str, *args: Any) -> Any:
        """Call a method by its name."""
        return getattr(self, method)(*args)

    def attach(
        self, name: str, vendor: int, product: int, known: bool, axes: int, buttons: int, hats: int
    ) -> int:
        """Plug a pad in, and return its SDL instance id."""
        self._names.append(name.encode())
        description = _Description(
            version=1,
            type=_CONTROLLER if known else _UNKNOWN,
            axes=axes,
            buttons=buttons,
            hats=hats,
            vendor=vendor,
            product=product,
            name=self._names[-1],
        )
        index = self._sdl.SDL_JoystickAttachVirtualEx(ctypes.byref(description))
        handle = self._sdl.SDL_JoystickOpen(index) if index >= 0 else None
        if not handle:
            raise RuntimeError(self._sdl.SDL_GetError().decode())
        instance_id = self._sdl.SDL_JoystickInstanceID(handle)
        self._handles[instance_id] = handle
        return instance_id

    def button(self, instance_id: int, button: int, down: bool) -> None:
        self._sdl.SDL_JoystickSetVirtualButton(self._handles[instance_id], button, int(down))

    def axis(self, instance_id: int, axis: int, raw: int) -> None:
        self._sdl.SDL_JoystickSetVirtualAxis(self._handles[instance_id], axis, raw)

    def hat(self, instance_id: int, hat: int, bits: int) -> None:
        self._sdl.SDL_JoystickSetVirtualHat(self._handles[instance_id], hat, bits)

    def detach(self, instance_id: int) -> None:
        indices = range(self._sdl.SDL_NumJoysticks())
        index = next(
            i for i in indices if self._sdl.SDL_JoystickGetDeviceInstanceID(i) == instance_id
        )
        self._sdl.SDL_JoystickClose(self._handles.pop(instance_id))
        self._sdl.SDL_JoystickDetachVirtual(index)


def _sdl_of_pygame() -> Any:
    """Return the SDL library that pygame has loaded into this process."""
    maps = Path("/proc/self/maps").read_text()
    sdl = ctypes.CDLL(
        next(line.split(maxsplit=5)[-1] for line in maps.splitlines() if "libSDL2-2" in line)
    )
    sdl.SDL_GetError.restype = ctypes.c_char_p
    sdl.SDL_JoystickOpen.restype = ctypes.c_void_p
    handle, number = ctypes.c_void_p, ctypes.c_int
    sdl.SDL_JoystickClose.argtypes = (handle,)
    sdl.SDL_JoystickInstanceID.argtypes = (handle,)
    sdl.SDL_JoystickSetVirtualButton.argtypes = (handle, number, ctypes.c_uint8)
    sdl.SDL_JoystickSetVirtualAxis.argtypes = (handle, number, ctypes.c_int16)
    sdl.SDL_JoystickSetVirtualHat.argtypes = (handle, number, ctypes.c_uint8)
    return sdl


class Joystick:
    """An attached pad that a test may play from any thread."""

    def __init__(self, play: Callable[..., Any], instance_id: int) -> None:
        self._play = play
        self.instance_id = instance_id

    def press(self, button: int) -> None:
        self._play("button", self.instance_id, button, True)

    def release(self, button: int) -> None:
        self._play("button", self.instance_id, button, False)

    def axis(self, axis: int, position: float) -> None:
        """Move an axis, in SDL's sense: down is positive and a trigger rests at -1.0."""
        raw = round(position * 32_767) if position > -1 else -32_768
        self._play("axis", self.instance_id, axis, raw)

    def hat(self, x: int, y: int, hat: int = 0) -> None:
        """Tilt a hat: right and up are positive."""
        bits = {0: _CENTRE, 1: _RIGHT, -1: _LEFT}[x] | {0: _CENTRE, 1: _UP, -1: _DOWN}[y]
        self._play("hat", self.instance_id, hat, bits)

    def detach(self) -> None:
        self._play("detach", self.instance_id)


class _Attaching:
    def play(self, method: str, *args: Any) -> Any:
        raise NotImplementedError

    def attach(
        self,
        name: str,
        vendor: int = 0x045E,
        product: int = 0x028E,
        *,
        known: bool = True,
        axes: int = 6,
        buttons: int = 15,
        hats: int = 1,
    ) -> Joystick:
        """Plug a pad in. The buttons of a `known` one are in SDL_GameControllerButton order."""
        shape = (name, vendor, product, known, axes, buttons, hats)
        return Joystick(self.play, self.play("attach", *shape))


class Stage(_Attaching):
    """An `on_pump` hook that plays what other threads ask for, one thing for each turn."""

    def __init__(self) -> None:
        self._asked: queue.SimpleQueue[tuple[Future[Any], str, tuple[Any, ...]]] = (
            queue.SimpleQueue()
        )
        self._rig: Rig | None = None

    def play(self, method: str, *args: Any) -> Any:
        done: Future[Any] = Future()
        self._asked.put((done, method, args))
        return done.result(TIMEOUT_S)

    def __call__(self) -> None:
        if self._asked.empty():
            return
        self._rig = self._rig or Rig()
        done, method, args = self._asked.get()
        try:
            done.set_result(self._rig.play(method, *args))
        except Exception as error:  # noqa: BLE001 - it is raised where it was asked for
            done.set_exception(error)


class StageServer:
    """An `on_pump` hook that plays what another process asks for over a Unix socket."""

    def __init__(self, path: Path) -> None:
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.bind(str(path))
        self._socket.setblocking(False)
        self._rig: Rig | None = None

    def __call__(self) -> None:
        try:
            request, sender = self._socket.recvfrom(65_536)
        except BlockingIOError:
            return
        self._rig = self._rig or Rig()
        try:
            answer = {"result": self._rig.play(*json.loads(request))}
        except Exception as error:  # noqa: BLE001 - it is raised where it was asked for
            answer = {"error": repr(error)}
        self._socket.sendto(json.dumps(answer).encode(), sender)


_numbers = itertools.count(1)


class RemoteStage(_Attaching):
    """Plays the pads of the process that has the `StageServer` at this path."""

    def __init__(self, path: Path) -> None:
        self._path = str(path)
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.bind(f"{path}.{next(_numbers)}")
        self._socket.settimeout(TIMEOUT_S)

    def play(self, method: str, *args: Any) -> Any:
        self._socket.sendto(json.dumps([method, *args]).encode(), self._path)
        answer = json.loads(self._socket.recv(65_536))
        if "error" in answer:
            raise RuntimeError(answer["error"])
        return answer["result"]

    def close(self) -> None:
        self._socket.close()
