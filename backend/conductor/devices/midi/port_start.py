"""Starts the process of a MIDI input, from the source tree or from the packaged app."""

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

PIPE_BYTES = 1 << 20
CONNECT_LIMIT_S = 5.0


class PortRequest(NamedTuple):
    """The input to open."""

    api: int
    name: str
    """The name as reported by rtmidi, or the name of a virtual port to create."""
    nth: int = 0
    """The index among ports of the same name; -1 creates a virtual port."""
    client_name: str = "Conductor"
    timing: bool = False


Started = tuple["subprocess.Popen[bytes]", int, socket.socket | None]
"""The process, the descriptor to wait on, and the socket if there is one."""


def start_with_pipe(request: PortRequest) -> Started:
    """Start the process with a pipe for its frames."""
    read_end, write_end = os.pipe()
    try:
        enlarge_buffer(write_end)
        process = _start_process(request, f"pipe:{write_end}", {}, (write_end,))
    except OSError:
        os.close(read_end)
        raise
    finally:
        os.close(write_end)
    os.set_blocking(read_end, False)
    return process, read_end, None


def start_with_socket(request: PortRequest) -> Started:
    """Start the process with a loopback socket for its frames."""
    token = secrets.token_bytes(16)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(CONNECT_LIMIT_S)
        where = f"socket:{listener.getsockname()[1]}"
        process = _start_process(request, where, {TOKEN_VARIABLE: token.hex()}, ())
        try:
            caller = _accept_child(listener, token)
        except OSError:
            process.kill()
            process.wait()
            raise
    return process, caller.fileno(), caller


def _accept_child(listener: socket.socket, token: bytes) -> socket.socket:
    """Return the connection that sends the token; other local programs may connect as well."""
    while True:
        caller, _ = listener.accept()
        caller.settimeout(CONNECT_LIMIT_S)
        if caller.recv(len(token), socket.MSG_WAITALL) == token:
            caller.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, PIPE_BYTES)
            return caller
        caller.close()


def _start_process(
    request: PortRequest, where: str, variables: dict[str, str], inherited: tuple[int, ...]
) -> "subprocess.Popen[bytes]":
    options = ProcessOptions(
        where, request.api, request.client_name, request.name, request.nth, request.timing
    )
    with start_in_real_time():
        return subprocess.Popen(
            [*build_command(), "--port-process", *options.arguments()],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**build_child_environment(), **variables},
            pass_fds=inherited,
        )


def build_child_environment() -> dict[str, str]:
    """Return the environment with this package's folder on PYTHONPATH and without starting a JACK server."""
    source_root = str(Path(conductor.__file__).parents[1])
    known = os.environ.get("PYTHONPATH")
    path = os.pathsep.join((source_root, known)) if known else source_root
    return {**build_keyless_environment(), "PYTHONPATH": path, "JACK_NO_START_SERVER": "1"}


def enlarge_buffer(pipe_end: int) -> None:
    """Enlarge the pipe's buffer to hold half a minute of busy MIDI, where the system allows it."""
    if sys.platform == "linux":
        import fcntl

        with contextlib.suppress(OSError):
            fcntl.fcntl(pipe_end, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
