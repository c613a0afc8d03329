"""The process that holds one MIDI input and hands each message on, stamped, as a frame.

A process of its own, because rtmidi keeps the GIL while it opens and closes ports: with a callback
in the same process that deadlocks. Here nothing but this port is ever opened or closed.

Frames are `<HBd`: payload length, kind, `perf_counter` seconds; then the payload. The first frame
is READY or FAILED (with the reason). When the control end (stdin, or the socket itself) closes, the
parent is gone or done: the port is closed and the process ends.
"""

import ctypes
import gc
import os
import signal
import struct
import sys
import time
from _thread import allocate_lock, get_ident
from select import select
from typing import Any, NamedTuple, Never, cast

from conductor.base.realtime import request_real_time
from conductor.devices.midi.port_link import Link, Outbox, PipeLink, SocketLink

HEADER = struct.Struct("<HBd")
MIDI, READY, FAILED, LOST = range(4)
MAX_PAYLOAD = 4096 - HEADER.size
"""A pipe takes up to 4,096 bytes whole or not at all; a longer SysEx is cut."""
TOKEN_VARIABLE = "CONDUCTOR_PORT_TOKEN"  # noqa: S105
WINDOWS_MM = 4
"""rtmidi's number; there a port can be held by one program only."""
CLOSE_LIMIT_S = 2
REALTIME_PRIORITY = 16
"""Over the engine's: what has arrived is stamped before anything is made of it."""


class Options(NamedTuple):
    """What the process is told on its command line."""

    link: str
    """`pipe:<fd>` or `socket:<port>`."""
    api: int
    client_name: str
    port_name: str
    """The name as rtmidi gives it, or the name of a virtual port to make."""
    nth: int = 0
    """Which of several ports of the very same name, from 0; -1 makes a virtual port."""
    timing: bool = False
    """Whether MIDI clock is passed on."""

    def arguments(self) -> list[str]:
        return [self.link, str(self.api), self.client_name, self.port_name, str(self.nth)] + (
            ["timing"] if self.timing else []
        )

    @classmethod
    def parse(cls, arguments: list[str]) -> "Options":
        link, api, client_name, port_name, nth, *flags = arguments
        return cls(link, int(api), client_name, port_name, int(nth), "timing" in flags)


def frame(kind: int, payload: bytes = b"") -> bytes:
    """Return a frame stamped with now."""
    return HEADER.pack(len(payload), kind, time.perf_counter()) + payload


def main(arguments: list[str]) -> int:
    """Hold the port until the parent closes the control end."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C belongs to the parent
    signal.signal(signal.SIGTERM, _end)
    gc.disable()  # frames make no cycles
    options = Options.parse(arguments)
    link = _link(options.link)
    outbox = Outbox(link, lambda lost: frame(LOST, lost.to_bytes(4, "little")))
    port: Any = None
    try:
        port = _client(options)
        _open(port, options)
        port.set_callback(_forwarder(outbox))
        outbox.put(frame(READY))
        _serve(link, outbox)
    except Exception as error:  # noqa: BLE001 - whatever it is, the parent must be told
        outbox.put(frame(FAILED, _reason(options, error).encode()[:MAX_PAYLOAD]))
        return 1
    finally:
        if port is not None:
            _close(port)
    return 0


def _end(_signal: int, _frame: object) -> Never:
    raise SystemExit(0)


def _link(where: str) -> Link:
    kind, _, number = where.partition(":")
    if kind == "socket":
        return SocketLink(int(number), os.environ.get(TOKEN_VARIABLE, ""))
    return PipeLink(int(number))


def _client(options: Options) -> Any:
    import rtmidi as untyped_rtmidi

    request_real_time(REALTIME_PRIORITY)
    return cast(Any, untyped_rtmidi).MidiIn(options.api, options.client_name)


def _open(port: Any, options: Options) -> None:
    port.ignore_types(sysex=False, timing=not options.timing, active_sense=True)
    if options.nth < 0:
        port.open_virtual_port(options.port_name)
        return
    same = [index for index, name in enumerate(port.get_ports()) if name == options.port_name]
    if options.nth >= len(same):
        raise LookupError("it was unplugged")
    port.open_port(same[options.nth], "in")


def _reason(options: Options, error: Exception) -> str:
    if options.api == WINDOWS_MM and not isinstance(error, LookupError):
        return "another program holds it; close it there and it is picked up here by itself"
    return f"it could not be opened: {error}"


def _forwarder(outbox: Outbox) -> Any:
    now, pack, put = time.perf_counter, HEADER.pack, outbox.put
    at_home: set[int] = set()

    def forward(event: tuple[list[int], float], _data: object) -> None:
        stamp, message = now(), bytes(event[0])
        if get_ident() not in at_home:
            at_home.add(get_ident())
            _settle_in_thread()
        for start in range(0, len(message), MAX_PAYLOAD):
            part = message[start : start + MAX_PAYLOAD]
            put(pack(len(part), MIDI, stamp) + part)

    return forward


def _settle_in_thread() -> None:
    """Have Python keep what it knows of this thread, which is not its own.

    It would make that anew for each message, and map and unmap memory for it: PyGILState_Ensure, once more
    than it is released.
    """
    if sys.implementation.name == "cpython":
        ctypes.pythonapi.PyGILState_Ensure()


def _serve(link: Link, outbox: Outbox) -> None:
    while True:
        writable = [link.data] if outbox.waiting else []
        readable, _, _ = select([link.control, link.wake_end], writable, [])
        if link.wake_end in readable:
            link.clear_wake()
        if link.control in readable and link.parent_is_gone():
            return
        outbox.flush()


def _close(port: Any) -> None:
    """Leave the MIDI system in good order: a JACK client that just vanishes stops everyone."""
    if hasattr(signal, "alarm"):
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(CLOSE_LIMIT_S)
    port.cancel_callback()
    under_way = allocate_lock()
    under_way.acquire()
    under_way.acquire(timeout=0.02)  # gives a callback under way the GIL that it needs to end
    port.close_port()
    port.delete()
