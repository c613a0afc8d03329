"""The process that owns one MIDI input and forwards each message with its time stamp as a frame.

The input has its own process because rtmidi holds the GIL while it opens or closes a port, which deadlocks with
a running callback of another port in the same process. This process opens and closes only one port.

Frames are `<HBd`: payload length, kind, `perf_counter` seconds; then the payload. The first frame is READY or
FAILED (with the reason). When the control descriptor (stdin, or the socket) is closed, the parent has closed
the input or exited: the process then closes the port and exits.
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
from conductor.devices.midi.port_link import Outbox, ParentLink, PipeLink, SocketLink

FRAME_HEADER = struct.Struct("<HBd")
MIDI_FRAME, READY_FRAME, FAILED_FRAME, LOST_FRAME = range(4)
MAX_PAYLOAD_BYTES = 4096 - FRAME_HEADER.size
"""The maximum payload of a frame, because writes to a pipe are atomic up to 4,096 bytes. A longer SysEx message
is sent in several frames."""
TOKEN_VARIABLE = "CONDUCTOR_PORT_TOKEN"  # noqa: S105
WINDOWS_MM_API = 4
"""RtMidi's number of the Windows API, with which only one program at a time can open a port."""
PORT_CLOSE_TIMEOUT_S = 2
REALTIME_PRIORITY = 16
"""The real-time priority of a port process. It is above the engine's priority, so that
time stamps are not delayed."""


class ProcessOptions(NamedTuple):
    """The command-line arguments of the port process."""

    link: str
    """The link to the parent: `pipe:<fd>` or `socket:<port>`."""
    api: int
    client_name: str
    port_name: str
    """The port name as reported by rtmidi, or the name of a virtual port to create."""
    name_index: int = 0
    """The index among the ports with the same name; -1 creates a virtual port."""
    timing: bool = False
    """Whether MIDI clock messages are forwarded."""

    def to_arguments(self) -> list[str]:
        return [
            self.link,
            str(self.api),
            self.client_name,
            self.port_name,
            str(self.name_index),
        ] + (["timing"] if self.timing else [])

    @classmethod
    def parse(cls, arguments: list[str]) -> "ProcessOptions":
        link, api, client_name, port_name, name_index, *flags = arguments
        return cls(link, int(api), client_name, port_name, int(name_index), "timing" in flags)


def build_frame(kind: int, payload: bytes = b"") -> bytes:
    """Build a frame with the current time as its time stamp."""
    return FRAME_HEADER.pack(len(payload), kind, time.perf_counter()) + payload


def main(arguments: list[str]) -> int:
    """Forward the messages of a port until the parent exits or closes the input; return the exit code."""
    # Ctrl+C is for the parent, which then closes its inputs.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _exit_on_signal)
    gc.disable()  # frames create no cycles, and a collection would delay a message
    options = ProcessOptions.parse(arguments)
    link = _open_link(options.link)
    outbox = Outbox(link, lambda lost: build_frame(LOST_FRAME, lost.to_bytes(4, "little")))
    port: Any = None
    try:
        port = _create_client(options)
        _open_port(port, options)
        port.set_callback(_build_forwarder(outbox))
        outbox.send_frame(build_frame(READY_FRAME))
        _serve_parent(link, outbox)
    except Exception as error:  # noqa: BLE001 - the parent must learn about any error
        outbox.send_frame(
            build_frame(FAILED_FRAME, _describe_error(options, error).encode()[:MAX_PAYLOAD_BYTES])
        )
        return 1
    finally:
        if port is not None:
            _close_port(port)
    return 0


def _exit_on_signal(_signal: int, _frame: object) -> Never:
    raise SystemExit(0)


def _open_link(address: str) -> ParentLink:
    kind, _, number = address.partition(":")
    if kind == "socket":
        return SocketLink(int(number), os.environ.get(TOKEN_VARIABLE, ""))
    return PipeLink(int(number))


def _create_client(options: ProcessOptions) -> Any:
    from conductor.devices.midi.binding import rtmidi

    request_real_time(REALTIME_PRIORITY)
    return rtmidi.MidiIn(options.api, options.client_name)


def _open_port(port: Any, options: ProcessOptions) -> None:
    port.ignore_types(sysex=False, timing=not options.timing, active_sense=True)
    if options.name_index < 0:
        port.open_virtual_port(options.port_name)
        return
    same = [index for index, name in enumerate(port.get_ports()) if name == options.port_name]
    if options.name_index >= len(same):
        raise LookupError("the device was unplugged")
    port.open_port(same[options.name_index], "in")


def _describe_error(options: ProcessOptions, error: Exception) -> str:
    if options.api == WINDOWS_MM_API and not isinstance(error, LookupError):
        return "another program uses the port; close it there, and Conductor opens the port automatically"
    return f"the port could not be opened: {error}"


def _build_forwarder(outbox: Outbox) -> Any:
    now, pack, put = time.perf_counter, FRAME_HEADER.pack, outbox.send_frame
    registered: set[int] = set()

    def forward_message(event: tuple[list[int], float], _data: object) -> None:
        stamp, message = now(), bytes(event[0])
        if get_ident() not in registered:
            registered.add(get_ident())
            _keep_thread_state()
        for start in range(0, len(message), MAX_PAYLOAD_BYTES):
            part = message[start : start + MAX_PAYLOAD_BYTES]
            put(pack(len(part), MIDI_FRAME, stamp) + part)

    return forward_message


def _keep_thread_state() -> None:
    """Keep Python's thread state for rtmidi's callback thread.

    Otherwise Python would create and free a thread state for each message, which maps and unmaps memory.
    PyGILState_Ensure is deliberately called once more than PyGILState_Release.
    """
    if sys.implementation.name == "cpython":
        ctypes.pythonapi.PyGILState_Ensure()


def _serve_parent(link: ParentLink, outbox: Outbox) -> None:
    while True:
        writable = [link.data] if outbox.has_frames else []
        readable, _, _ = select([link.control, link.wake_end], writable, [])
        if link.wake_end in readable:
            link.clear_wake()
        if link.control in readable and link.has_parent_exited():
            return
        outbox.send_queued_frames()


def _close_port(port: Any) -> None:
    """Close the port properly, because a JACK client that just disappears stops the JACK server."""
    if sys.platform != "win32":
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(PORT_CLOSE_TIMEOUT_S)  # a dead server may block the calls below forever
    port.cancel_callback()
    pause = allocate_lock()
    pause.acquire()
    pause.acquire(timeout=0.02)  # release the GIL, which a running callback needs to finish
    port.close_port()
    port.delete()
