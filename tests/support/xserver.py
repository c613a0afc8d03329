"""A real X server of the test's own, and a small window that reports the keys and clicks it receives.

with x_server() as server:
    monkeypatch.setenv("DISPLAY", server.display)
    with KeyWindow(server.display) as window:
        ...
        assert window.next_key() == KeyEvent("a", pressed=True)
"""

import itertools
import os
import queue
import select
import signal
import socket
import subprocess
import threading
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any, NamedTuple, Self

from Xlib import XK, X, Xatom, Xutil
from Xlib.display import Display

WAIT_S = 30.0
_MODIFIERS = {
    "shift": X.ShiftMask,
    "lock": X.LockMask,
    "ctrl": X.ControlMask,
    "alt": X.Mod1Mask,
    "super": X.Mod4Mask,
}
XK.load_keysym_group("xf86")
XK.load_keysym_group("cyrillic")
_NAME_OF = {
    getattr(XK, name): name[3:].replace("XF86_", "XF86")
    for name in sorted(dir(XK), reverse=True)
    if name.startswith("XK_") and not name.startswith("XK_Page_")
}


class KeyEvent(NamedTuple):
    """A key event as an application receives it."""

    name: str
    """The character, or the keysym's name: `a`, `é`, `Control_L`, `F13`, `XF86AudioPlay`."""
    pressed: bool
    modifiers: frozenset[str] = frozenset()
    """Those down just before: shift, lock, ctrl, alt, super."""
    synthetic: bool = False
    """Sent by a program with XSendEvent, which many applications ignore."""


class ButtonEvent(NamedTuple):
    """A mouse button; 4 to 7 are the wheel: up, down, left, right."""

    button: int
    pressed: bool
    x: int
    y: int
    modifiers: frozenset[str] = frozenset()


_numbers = itertools.count(100 + os.getpid() % 1000 * 50)
"""Of this process alone: a number that Xvfb picks itself goes to a neighbour after a stop."""


class XServer:
    """One Xvfb process on a display number of its own."""

    def __init__(self) -> None:
        self.display = ""
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start on the display used before, or the first time on a free one."""
        for _ in range(10):
            display = self.display or f":{next(_numbers)}"
            if self._answers(display):
                self.display = display
                return
            self.stop()
        raise AssertionError("Xvfb did not start")

    def _answers(self, display: str) -> bool:
        reader, writer = os.pipe()
        options = ["-screen", "0", "1280x800x24", "-nolisten", "tcp", "-noreset"]
        self._process = subprocess.Popen(
            ["Xvfb", display, "-displayfd", str(writer), *options],
            pass_fds=[writer],
            stderr=subprocess.DEVNULL,
        )
        os.close(writer)
        with os.fdopen(reader, "rb") as answer:
            return bool(select.select([answer], [], [], WAIT_S)[0] and answer.readline().strip())

    @contextmanager
    def frozen(self) -> Generator[None]:
        """Freeze the server for the length of the block."""
        assert self._process is not None
        self._process.send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self._process.send_signal(signal.SIGCONT)

    def stop(self) -> None:
        if self._process is not None:
            _end(self._process)
            self._process = None


@contextmanager
def x_server() -> Generator[XServer]:
    """Run an X server for the length of the block."""
    server = XServer()
    try:
        server.start()
        yield server
    finally:
        server.stop()


@contextmanager
def window_manager(display: str) -> Generator[None]:
    """Run openbox on the display, ready when the block begins."""
    watcher = Display(display)
    root = watcher.screen().root
    root.change_attributes(event_mask=X.PropertyChangeMask)
    ready = watcher.get_atom("_TEST_READY")  # openbox loses windows mapped while it starts
    announce = "xprop -root -f _TEST_READY 8s -set _TEST_READY yes"
    watcher.flush()
    process = subprocess.Popen(
        ["openbox", "--sm-disable", "--startup", announce],
        env=os.environ | {"DISPLAY": display},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        while root.get_full_property(ready, X.AnyPropertyType) is None:
            assert select.select([watcher], [], [], WAIT_S)[0], "openbox did not start"
            watcher.next_event()
        watcher.close()
        yield
    finally:
        _end(process)


class KeyWindow:
    """A window with the focus, on a connection and thread of its own, that records its input."""

    def __init__(self, display: str, title: str = "keys", wm_class: str = "keywindow") -> None:
        self._display = Display(display)
        self._keys: queue.Queue[KeyEvent] = queue.Queue()
        self._buttons: queue.Queue[ButtonEvent] = queue.Queue()
        self._focused = threading.Event()
        self._wake, self._stop = socket.socketpair()
        self._window = self._make_window(wm_class)
        self.set_title(title)
        self._thread = threading.Thread(target=self._listen, name="key window", daemon=True)

    def __enter__(self) -> Self:
        self._window.map()
        self._display.flush()
        self._thread.start()
        if not self._focused.wait(WAIT_S):
            self.__exit__()
            raise AssertionError("the window did not get the focus")
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.close()
        self._thread.join(WAIT_S)
        self._wake.close()
        self._display.close()

    def set_title(self, title: str) -> None:
        name = self._display.get_atom("_NET_WM_NAME")
        kind = self._display.get_atom("UTF8_STRING")
        self._window.change_property(name, kind, 8, title.encode())
        self._display.flush()

    def set_pid(self) -> None:
        """Set the process id of this window for the window manager."""
        name = self._display.get_atom("_NET_WM_PID")
        self._window.change_property(name, Xatom.CARDINAL, 32, [os.getpid()])
        self._display.flush()

    def next_key(self) -> KeyEvent:
        """Wait for the next key to go down or up."""
        return self._keys.get(timeout=WAIT_S)

    def next_button(self) -> ButtonEvent:
        """Wait for the next mouse button or wheel notch."""
        return self._buttons.get(timeout=WAIT_S)

    def next_text(self, length: int) -> str:
        """Wait until a number of characters has been typed; modifiers are not counted."""
        typed = ""
        while len(typed) < length:
            key = self.next_key()
            if key.pressed and (len(key.name) == 1 or key.name in ("Return", "Tab")):
                typed += {"Return": "\n", "Tab": "\t"}.get(key.name, key.name)
        return typed

    def _make_window(self, wm_class: str) -> Any:
        screen = self._display.screen()
        keys, buttons = X.KeyPressMask | X.KeyReleaseMask, X.ButtonPressMask | X.ButtonReleaseMask
        mask = keys | buttons | X.FocusChangeMask | X.ExposureMask
        window = screen.root.create_window(
            0,
            0,
            400,
            300,
            0,
            screen.root_depth,
            event_mask=mask,
        )
        window.set_wm_class(wm_class, wm_class.capitalize())
        window.set_wm_hints(flags=Xutil.InputHint, input=1)
        return window

    def _listen(self) -> None:
        while True:
            while self._display.pending_events():
                self._take(self._display.next_event())
            ready, _, _ = select.select([self._display, self._wake], [], [])
            if self._wake in ready:
                return

    def _take(self, event: Any) -> None:
        if event.type == X.Expose and not self._focused.is_set():
            self._window.set_input_focus(X.RevertToPointerRoot, X.CurrentTime)
            self._display.flush()
        elif event.type == X.FocusIn:
            self._focused.set()
        elif event.type == X.MappingNotify:
            self._display.refresh_keyboard_mapping(event)
        elif event.type in (X.KeyPress, X.KeyRelease):
            self._keys.put(self._key_event(event))
        elif event.type in (X.ButtonPress, X.ButtonRelease):
            pressed = event.type == X.ButtonPress
            where = (event.event_x, event.event_y)
            self._buttons.put(ButtonEvent(event.detail, pressed, *where, _modifiers(event.state)))

    def _key_event(self, event: Any) -> KeyEvent:
        column = int(bool(event.state & X.ShiftMask)) + 2 * (event.state >> 13 & 1)
        keysym = self._display.keycode_to_keysym(event.detail, column)
        keysym = keysym or self._display.keycode_to_keysym(event.detail, 0)
        pressed = event.type == X.KeyPress
        return KeyEvent(name_of(keysym), pressed, _modifiers(event.state), bool(event.send_event))


def name_of(keysym: int) -> str:
    """Return the character a keysym types, or its name."""
    if 0x20 <= keysym <= 0xFF:
        return chr(keysym)
    if keysym >> 24 == 1:
        return chr(keysym & 0xFFFFFF)
    if 0x6C0 <= keysym <= 0x6FF:
        return bytes([keysym & 0xFF]).decode("koi8-r")
    return _NAME_OF.get(keysym, hex(keysym))


def _modifiers(state: int) -> frozenset[str]:
    return frozenset(name for name, mask in _MODIFIERS.items() if state & mask)


def _end(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(WAIT_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
