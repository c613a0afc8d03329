"""The process that owns one MIDI input and forwards each message with its time stamp as a frame.

The input has its own process because rtmidi holds the GIL while it opens or closes a port, which deadlocks with
a running callback of another port in the same process. Here no other port is ever opened or closed.

Frames are `<HBd`: payload length, kind, `perf_counter` seconds; then the payload. The first frame is READY or
FAILED (with the reason). When the control end (stdin, or the socket itself) closes, the parent has closed the
input or died: the port is closed and the process ends.
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
from typing import Any, NamedTuple, Never

from conductor.base.realtime import request_real_time
from conductor.devices.midi.port_link import Link, Outbox, PipeLink, SocketLink

HEADER = struct.Struct("<HBd")
MIDI, READY, FAILED, LOST = range(4)
MAX_PAYLOAD = 4096 - HEADER.size
"""A write of up to 4,096 bytes to a pipe is atomic; a longer SysEx is sent in several frames."""
TOKEN_VARIABLE = "CONDUCTOR_PORT_TOKEN"  # noqa: S105
WINDOWS_MM = 4
"""rtmidi's API number. With this API only one program can open a port."""
CLOSE_LIMIT_S = 2
REALTIME_PRIORITY = 16
"""Above the engine's priority, so that a message is stamped before the engine handles others."""


class ProcessOptions(NamedTuple):
    """The command-line arguments of the process."""

    link: str
    """`pipe:<fd>` or `socket:<port>`."""
    api: int
    client_name: str
    port_name: str
    """The name as reported by rtmidi, or the name of a virtual port to create."""
    nth: int = 0
    """The index among ports of the same name; -1 creates a virtual port."""
    timing: bool = False
    """Whether MIDI clock is forwarded."""

    def arguments(self) -> list[str]:
        return [self.link, str(self.api), self.client_name, self.port_name, str(self.nth)] + (
            ["timing"] if self.timing else []
        )

    @classmethod
    def parse(cls, arguments: list[str]) -> "ProcessOptions":
        link, api, client_name, port_name, nth, *flags = arguments
        return cls(link, int(api), client_name, port_name, int(nth), "timing" in flags)


def build_frame(kind: int, payload: bytes = b"") -> bytes:
    """Return a frame stamped with the current time."""
    return HEADER.pack(len(payload), kind, time.perf_counter()) + payload


def main(arguments: list[str]) -> int:
    """Keep the port open until the parent closes the control end."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C belongs to the parent
    signal.signal(signal.SIGTERM, _exit_on_signal)
    gc.disable()  # frames create no cycles, and a collection would delay a message
    options = ProcessOptions.parse(arguments)
    link = _open_link(options.link)
    outbox = Outbox(link, lambda lost: build_frame(LOST, lost.to_bytes(4, "little")))
    port: Any = None
    try:
        port = _create_client(options)
        _open_port(port, options)
        port.set_callback(_build_forwarder(outbox))
        outbox.put(build_frame(READY))
        _serve_parent(link, outbox)
    except Exception as error:  # noqa: BLE001 - the parent must learn about any error
        outbox.put(build_frame(FAILED, _describe_error(options, error).encode()[:MAX_PAYLOAD]))
        return 1
    finally:
        if port is not None:
            _close_port(port)
    return 0


def _exit_on_signal(_signal: int, _frame: object) -> Never:
    raise SystemExit(0)


def _open_link(where: str) -> Link:
    kind, _, number = where.partition(":")
    if kind == "socket":
        return SocketLink(int(number), os.environ.get(TOKEN_VARIABLE, ""))
    return PipeLink(int(number))


def _create_client(options: ProcessOptions) -> Any:
    from conductor.devices.midi.binding import rtmidi

    request_real_time(REALTIME_PRIORITY)
    return rtmidi.MidiIn(options.api, options.client_name)


def _open_port(port: Any, options: ProcessOptions) -> None:
    port.ignore_types(sysex=False, timing=not options.timing, active_sense=True)
    if options.nth < 0:
        port.open_virtual_port(options.port_name)
        return
    same = [index for index, name in enumerate(port.get_ports()) if name == options.port_name]
    if options.nth >= len(same):
        raise LookupError("it was unplugged")
    port.open_port(same[options.nth], "in")


def _describe_error(options: ProcessOptions, error: Exception) -> str:
    if options.api == WINDOWS_MM and not isinstance(error, LookupError):
        return "another program uses it; close it there and it will be opened here automatically"
    return f"it could not be opened: {error}"


def _build_forwarder(outbox: Outbox) -> Any:
    now, pack, put = time.perf_counter, HEADER.pack, outbox.put
    registered: set[int] = set()

    def forward(event: tuple[list[int], float], _data: object) -> None:
        stamp, message = now(), bytes(event[0])
        if get_ident() not in registered:
            registered.add(get_ident())
            _keep_thread_state()
        for start in range(0, len(message), MAX_PAYLOAD):
            part = message[start : start + MAX_PAYLOAD]
            put(pack(len(part), MIDI, stamp) + part)

    return forward


def _keep_thread_state() -> None:
    """Keep Python's thread state for rtmidi's callback thread.

    Otherwise Python creates and frees one for each message, which maps and unmaps memory. PyGILState_Ensure is
    deliberately called once more than PyGILState_Release.
    """
    if sys.implementation.name == "cpython":
        ctypes.pythonapi.PyGILState_Ensure()


def _serve_parent(link: Link, outbox: Outbox) -> None:
    while True:
        writable = [link.data] if outbox.waiting else []
        readable, _, _ = select([link.control, link.wake_end], writable, [])
        if link.wake_end in readable:
            link.clear_wake()
        if link.control in readable and link.parent_is_gone():
            return
        outbox.flush()


def _close_port(port: Any) -> None:
    """Close the port properly: a JACK client that just disappears stops the whole server."""
    if hasattr(signal, "alarm"):
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(CLOSE_LIMIT_S)  # a dead server may block the calls below forever
    port.cancel_callback()
    under_way = allocate_lock()
    under_way.acquire()
    under_way.acquire(timeout=0.02)  # release the GIL, which a running callback needs to finish
    port.close_port()
    port.delete()
