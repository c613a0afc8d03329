"""A real Wayland compositor of the test's own, sway without a screen, and a window that reports what it receives.

with sway() as compositor:
    compositor.join(monkeypatch)
    with WaylandWindow(compositor) as window:
        ...
        assert window.next_key().name == "eacute"

sway refuses to run as root, so it runs as `nobody` then; the tests, as root, may still connect.
"""

import ctypes
import json
import mmap
import os
import queue
import select
import shutil
import socket
import struct
import subprocess
import tempfile
import threading
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple, Self

import pytest

from conductor.system.wayland.connection import (
    EventReader,
    WaylandConnection,
    encode_int,
    encode_string,
)
from conductor.system.wayland.link import VirtualDevices

WAIT_S = 10.0
NO_KEYMAP = 0
"""`wl_keyboard.keymap_format`: the seat has no keyboard, as when the virtual one is gone and sway is of Debian 13."""
NOBODY = 65534
CONFIG = """
xwayland disable
output HEADLESS-1 resolution 1280x720 position 0 0
default_border none
focus_follows_mouse no
exec sh -c 'echo "$WAYLAND_DISPLAY $SWAYSOCK" > ready'
"""
WAYLAND_SESSION = (
    "HYPRLAND_INSTANCE_SIGNATURE",
    "NIRI_SOCKET",
    "SWAYSOCK",
    "WAYLAND_DISPLAY",
    "XDG_CURRENT_DESKTOP",
    "XDG_SESSION_TYPE",
)


def leave_session() -> None:
    """Remove the variables of a Wayland session from the environment."""
    for name in WAYLAND_SESSION:
        os.environ.pop(name, None)


class Sway:
    """A running compositor."""

    def __init__(self, folder: Path, process: subprocess.Popen[bytes], names: list[str]) -> None:
        self.folder = folder
        self.process = process
        self.display, self.ipc = names
        self.environment = {
            "XDG_RUNTIME_DIR": str(folder),
            "WAYLAND_DISPLAY": self.display,
            "SWAYSOCK": self.ipc,
            "XDG_SESSION_TYPE": "wayland",
            "DISPLAY": "",
        }

    def join(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Make this process a part of the compositor's session."""
        for name in WAYLAND_SESSION:
            monkeypatch.delenv(name, raising=False)
        for name, value in self.environment.items():
            monkeypatch.setenv(name, value)

    @property
    def socket(self) -> Path:
        return self.folder / self.display

    def command(self, text: str) -> None:
        """Run a command of sway, such as `workspace 2`."""
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(self.ipc)
            data = text.encode()
            client.sendall(b"i3-ipc" + struct.pack("=II", len(data), 0) + data)
            header = client.recv(14, socket.MSG_WAITALL)
            (length,) = struct.unpack_from("=I", header, 6)
            answer = json.loads(client.recv(length, socket.MSG_WAITALL))
            assert all(each["success"] for each in answer), answer

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait(WAIT_S)


@contextmanager
def sway() -> Generator[Sway]:
    """Run a compositor for the length of the block."""
    folder = Path(tempfile.mkdtemp(prefix="sway-", dir="/tmp"))  # socket paths are short
    try:
        (folder / "config").write_text(CONFIG)
        os.mkfifo(folder / "ready")
        if os.geteuid() == 0:
            for path in (folder, folder / "ready"):
                os.chown(path, NOBODY, NOBODY)
        compositor = _start(folder)
        try:
            # the keyboard and mouse of a real desktop: without any, no window gets the focus
            desk = VirtualDevices(WaylandConnection(compositor.socket))
            try:
                yield compositor
            finally:
                desk.connection.close()
        finally:
            compositor.stop()
    finally:
        shutil.rmtree(folder)


def _start(folder: Path) -> Sway:
    environment = {
        "HOME": str(folder),
        "PATH": os.environ["PATH"],
        "WLR_BACKENDS": "headless",
        "WLR_LIBINPUT_NO_DEVICES": "1",
        "WLR_RENDERER": "pixman",
        "XDG_RUNTIME_DIR": str(folder),
    }
    reader = os.open(folder / "ready", os.O_RDONLY | os.O_NONBLOCK)
    user: Any = {"user": NOBODY, "group": NOBODY, "extra_groups": []} if os.geteuid() == 0 else {}
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen[bytes](
            ["sway", "-c", str(folder / "config")],
            cwd=folder,
            env=environment,
            stderr=log,
            stdout=log,
            **user,
        )
    try:
        assert select.select([reader], [], [], WAIT_S)[0], (folder / "log").read_text()
        names = os.read(reader, 1000).decode().split()
    finally:
        os.close(reader)
    return Sway(folder, process, names)


class KeyEvent(NamedTuple):
    """A key as a program with the focus receives it, resolved by libxkbcommon."""

    name: str
    """The keysym's name, such as `eacute` or `F13`."""
    text: str
    code: int
    """The key code of the kernel."""
    pressed: bool
    modifiers: frozenset[str] = frozenset()
    """Those in effect: Shift, Lock, Control, Mod1, Mod4."""


class PointerEvent(NamedTuple):
    """A motion (`x`, `y`), a button (`code`, `pressed`) or a turn of the wheel (`axis`, `notches`)."""

    kind: str
    values: tuple[float, ...]


class _Xkb:
    """The functions of libxkbcommon that a program needs to read keys."""

    def __init__(self) -> None:
        library: Any = ctypes.CDLL("libxkbcommon.so.0")
        for name in ("xkb_context_new", "xkb_keymap_new_from_string", "xkb_state_new"):
            getattr(library, name).restype = ctypes.c_void_p
        self._library = library
        self._context = ctypes.c_void_p(library.xkb_context_new(0))
        self._keymap = self._state = ctypes.c_void_p()

    def load(self, text: bytes) -> None:
        keymap = self._library.xkb_keymap_new_from_string(self._context, text, 1, 0)
        assert keymap, text.decode()
        self._keymap = ctypes.c_void_p(keymap)
        self._state = ctypes.c_void_p(self._library.xkb_state_new(self._keymap))

    def set_modifiers(self, depressed: int, latched: int, locked: int, group: int) -> None:
        if self._state:  # sway sends no keymap before the first use of a keyboard
            masks = (depressed, latched, locked, 0, 0, group)
            self._library.xkb_state_update_mask(self._state, *masks)

    def resolve(self, code: int) -> tuple[str, str]:
        keysym = self._library.xkb_state_key_get_one_sym(self._state, code + 8)
        name = ctypes.create_string_buffer(64)
        self._library.xkb_keysym_get_name(keysym, name, 64)
        text = ctypes.create_string_buffer(8)
        self._library.xkb_keysym_to_utf8(keysym, text, 8)
        return name.value.decode(), text.value.decode()

    def modifiers(self) -> frozenset[str]:
        names = ("Shift", "Lock", "Control", "Mod1", "Mod4")
        return frozenset(
            name
            for name in names
            if self._library.xkb_state_mod_name_is_active(self._state, name.encode(), 8) > 0
        )


class WaylandWindow:
    """A window on a connection and thread of its own, which gets the focus when it opens."""

    def __init__(self, compositor: Sway, title: str = "keys", app_id: str = "keywindow") -> None:
        self._events: queue.Queue[KeyEvent | PointerEvent] = queue.Queue()
        self._xkb = _Xkb()
        self._focused = threading.Event()
        self.down: set[int] = set()
        self._fd = -1
        self._connection = WaylandConnection(compositor.socket)
        self._wake, self._stop = socket.socketpair()
        self._lock = threading.Lock()
        self._create(title, app_id)
        self._thread = threading.Thread(target=self._listen, name="wayland window", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        if not self._focused.wait(WAIT_S):
            self.__exit__()
            raise AssertionError("the window did not get the focus")
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.close()
        self._thread.join(WAIT_S)
        self._wake.close()
        self._connection.close()
        if self._fd >= 0:
            os.close(self._fd)

    def set_title(self, title: str) -> None:
        with self._lock:
            self._connection.send_request(self._toplevel, 2, encode_string(title))

    def next(self, timeout_s: float = WAIT_S) -> KeyEvent | PointerEvent:
        return self._events.get(timeout=timeout_s)

    def next_key(self) -> KeyEvent:
        """Wait for the next key to go down or up."""
        while not isinstance(event := self.next(), KeyEvent):
            pass
        return event

    def next_pointer(self, kind: str) -> PointerEvent:
        """Wait for the next event of the pointer of this kind."""
        while not (isinstance(event := self.next(), PointerEvent) and event.kind == kind):
            pass
        return event

    def next_text(self, length: int) -> str:
        """Wait until a number of characters has been typed."""
        typed = ""
        while len(typed) < length:
            key = self.next_key()
            if key.pressed:
                typed += key.text
        return typed

    def is_idle(self) -> bool:
        """Return whether no event is waiting to be read."""
        return self._events.empty()

    def _create(self, title: str, app_id: str) -> None:
        wayland = self._connection
        compositor = wayland.bind_first_global("wl_compositor", 4)
        self._shm = wayland.bind_first_global("wl_shm", 1)
        shell = wayland.bind_first_global("xdg_wm_base", 1, self._on_shell)
        self._shell = shell
        seat = wayland.bind_first_global("wl_seat", 5, self._on_seat)
        self._seat, self._devices = seat, 0
        self._surface = wayland.create_object()
        wayland.send_request(compositor, 0, encode_int(self._surface))
        self._xdg_surface = wayland.create_object(self._on_configure)
        wayland.send_request(shell, 2, encode_int(self._xdg_surface), encode_int(self._surface))
        self._toplevel = wayland.create_object()
        wayland.send_request(self._xdg_surface, 1, encode_int(self._toplevel))
        wayland.send_request(self._toplevel, 2, encode_string(title))
        wayland.send_request(self._toplevel, 3, encode_string(app_id))
        wayland.send_request(self._surface, 6)

    def _listen(self) -> None:
        while not select.select([self._connection, self._wake], [], [])[0].count(self._wake):
            with self._lock:
                self._connection.dispatch_events()

    def _on_shell(self, _opcode: int, event: EventReader) -> None:
        self._connection.send_request(self._shell, 3, encode_int(event.read_uint()))  # pong

    def _on_seat(self, opcode: int, event: EventReader) -> None:
        if opcode != 0:
            return
        capabilities = event.read_uint()
        new = capabilities & ~self._devices
        self._devices = capabilities
        if new & 1:
            self._connection.send_request(
                self._seat, 0, encode_int(self._connection.create_object(self._on_pointer))
            )
        if new & 2:
            self._connection.send_request(
                self._seat, 1, encode_int(self._connection.create_object(self._on_key))
            )

    def _on_configure(self, _opcode: int, event: EventReader) -> None:
        wayland = self._connection
        wayland.send_request(self._xdg_surface, 4, encode_int(event.read_uint()))
        if self._fd < 0:
            self._attach_buffer(1280, 720)
        wayland.send_request(self._surface, 6)

    def _attach_buffer(self, width: int, height: int) -> None:
        wayland, size = self._connection, width * height * 4
        self._fd = os.memfd_create("window")
        os.ftruncate(self._fd, size)
        pool, buffer = wayland.create_object(), wayland.create_object()
        wayland.send_request(self._shm, 0, encode_int(pool), encode_int(size), fds=[self._fd])
        numbers = [encode_int(number) for number in (0, width, height, width * 4, 0)]
        wayland.send_request(pool, 0, encode_int(buffer), *numbers)
        wayland.send_request(self._surface, 1, encode_int(buffer), encode_int(0), encode_int(0))
        wayland.send_request(
            self._surface, 2, *[encode_int(number) for number in (0, 0, width, height)]
        )

    def _on_key(self, opcode: int, event: EventReader) -> None:
        match opcode:
            case 0:
                keymap_format, fd, size = event.read_uint(), event.take_fd(), event.read_uint()
                if keymap_format != NO_KEYMAP:
                    with mmap.mmap(fd, size, mmap.MAP_PRIVATE, mmap.PROT_READ) as text:
                        self._xkb.load(text[: size - 1] + b"\0")
                os.close(fd)
            case 1:
                self._focused.set()
            case 3:
                event.skip_arguments(2)
                code, pressed = event.read_uint(), bool(event.read_uint())
                (self.down.add if pressed else self.down.discard)(code)
                name, text = self._xkb.resolve(code)
                self._events.put(KeyEvent(name, text, code, pressed, self._xkb.modifiers()))
            case 4:
                event.read_uint()
                self._xkb.set_modifiers(
                    event.read_uint(), event.read_uint(), event.read_uint(), event.read_uint()
                )
            case _:
                pass

    def _on_pointer(self, opcode: int, event: EventReader) -> None:
        match opcode:
            case 0:
                event.skip_arguments(2)
                self._events.put(PointerEvent("motion", (event.read_fixed(), event.read_fixed())))
            case 2:
                event.read_uint()
                self._events.put(PointerEvent("motion", (event.read_fixed(), event.read_fixed())))
            case 3:
                event.skip_arguments(2)
                self._events.put(PointerEvent("button", (event.read_uint(), event.read_uint())))
            case 8:
                self._events.put(PointerEvent("wheel", (event.read_uint(), event.read_int())))
            case _:
                pass
