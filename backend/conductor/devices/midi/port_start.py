"""Starts the process that owns a MIDI input, from the source tree or from the packaged app."""

import contextlib
import os
import secrets
import socket
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import conductor
from conductor.base.environment import build_keyless_environment
from conductor.base.program import build_command
from conductor.base.realtime import start_in_real_time
from conductor.devices.midi.port_process import TOKEN_VARIABLE, ProcessOptions

PIPE_BUFFER_BYTES = 1 << 20
CHILD_CONNECT_TIMEOUT_S = 5.0


class PortRequest(NamedTuple):
    """The MIDI port that a port process must open, and the name of the client that opens it."""

    api: int
    name: str
    """The port name as reported by rtmidi, or the name of a virtual port to create."""
    name_index: int = 0
    """The index among the ports with the same name; -1 creates a virtual port."""
    client_name: str = "Conductor"
    timing: bool = False


StartedProcess = tuple["subprocess.Popen[bytes]", int, socket.socket | None]
"""A started port process, the descriptor from which its frames are read, and the socket of that descriptor,
if any."""


def start_with_pipe(request: PortRequest) -> StartedProcess:
    """Start a port process that sends its frames through a pipe."""
    assert sys.platform != "win32"
    read_end, write_end = os.pipe()
    try:
        enlarge_pipe_buffer(write_end)
        process = _start_process(request, f"pipe:{write_end}", {}, (write_end,))
    except OSError:
        os.close(read_end)
        raise
    finally:
        os.close(write_end)
    os.set_blocking(read_end, False)
    return process, read_end, None


def start_with_socket(request: PortRequest) -> StartedProcess:
    """Start a port process that sends its frames through a loopback socket."""
    token = secrets.token_bytes(16)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(CHILD_CONNECT_TIMEOUT_S)
        link = f"socket:{listener.getsockname()[1]}"
        process = _start_process(request, link, {TOKEN_VARIABLE: token.hex()}, ())
        try:
            connection = _accept_child(listener, token)
        except OSError:
            process.kill()
            process.wait()
            raise
    return process, connection.fileno(), connection


def _accept_child(listener: socket.socket, token: bytes) -> socket.socket:
    """Accept connections until one sends the token, because other programs on this computer can connect as
    well.
    """
    while True:
        connection, _ = listener.accept()
        connection.settimeout(CHILD_CONNECT_TIMEOUT_S)
        if connection.recv(len(token), socket.MSG_WAITALL) == token:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, PIPE_BUFFER_BYTES)
            return connection
        connection.close()


def _start_process(
    request: PortRequest, link: str, variables: dict[str, str], inherited: tuple[int, ...]
) -> "subprocess.Popen[bytes]":
    options = ProcessOptions(
        link, request.api, request.client_name, request.name, request.name_index, request.timing
    )
    with start_in_real_time():
        return subprocess.Popen(
            [*build_command(), "--port-process", *options.to_arguments()],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**build_child_environment(), **variables},
            pass_fds=inherited,
        )


def build_child_environment() -> dict[str, str]:
    """Return the environment for a port process: this package can be imported, and JACK never starts a
    server.
    """
    source_root = str(Path(conductor.__file__).parents[1])
    known = os.environ.get("PYTHONPATH")
    path = os.pathsep.join((source_root, known)) if known else source_root
    return {**build_keyless_environment(), "PYTHONPATH": path, "JACK_NO_START_SERVER": "1"}


def enlarge_pipe_buffer(pipe_end: int) -> None:
    """Enlarge the buffer of a pipe, where the system allows it, to hold half a minute of dense MIDI."""
    if sys.platform == "linux":
        import fcntl

        with contextlib.suppress(OSError):
            fcntl.fcntl(pipe_end, fcntl.F_SETPIPE_SZ, PIPE_BUFFER_BYTES)
