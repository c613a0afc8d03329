"""The programs that are measured: how each is started, found on JACK and ended."""

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Generator, Mapping
from pathlib import Path
from typing import NamedTuple

from tests.bench.caller import Caller, line
from tests.bench.configs import write_config
from tests.bench.peers import PEERS, SYSTEM_LIBJACK
from tests.bench.rig import HERE, ROOT, Server, Unmeasured, stop

CONDUCTOR = (sys.executable, "-m", "conductor", "run", "--headless")
LOADED = (sys.executable, str(HERE / "loaded_app.py"))
STATUS = line("conductor_get_status", {})
CONDUCTOR_IN, CONDUCTOR_OUT = "Conductor In", "Conductor Out"


class Program(NamedTuple):
    """One program with one mapping for each note of some channels."""

    name: str
    command: tuple[str, ...] = ()
    to: str = "self"
    source: str | None = None
    channels: int = 1
    environment: Mapping[str, str] = {}
    how_to_stop: signal.Signals = signal.SIGTERM
    peer: str | None = None
    """The environment of other people's software that it needs."""

    @property
    def mappings(self) -> int:
        return 128 * self.channels

    @property
    def route(self) -> dict[str, object]:
        """Return the meter's options that lead through this program."""
        return {"to": self.to, "from": self.source, "channels": self.channels}


def cable() -> Program:
    """A cable from the meter to itself: what nothing can be faster than."""
    return Program("direct cable")


def bare_pass_through(channels: int = 1) -> Program:
    script = str(HERE / "bare_pass_through.py")
    to, source = "^bare pass-through.*:in$", "^bare pass-through.*:out$"
    return Program("bare pass-through", (sys.executable, script), to, source, channels)


def conductor(
    channels: int, command: tuple[str, ...] = CONDUCTOR, name: str = "Conductor"
) -> Program:
    """Conductor itself; `running` gives it a home with a config of its own."""
    return Program(name, command, CONDUCTOR_IN, CONDUCTOR_OUT, channels)


def mididings(backend: str, channels: int) -> Program:
    command = (
        str(PEERS["mididings"].python),
        str(HERE / "mididings_notes.py"),
        backend,
        str(channels),
    )
    label = {"jack": "mididings (thread)", "jack-rt": "mididings (jack-rt)"}[backend]
    ports = "^mididings:in$", "^mididings:out$"
    return Program(label, command, *ports, channels, {}, signal.SIGINT, "mididings")


def midiscripter(channels: int) -> Program:
    command = (
        str(PEERS["midiscripter"].python),
        str(HERE / "midiscripter_notes.py"),
        str(channels),
    )
    ports = "midiscripter in", "midiscripter out"
    environment = {"LD_PRELOAD": SYSTEM_LIBJACK, "QT_QPA_PLATFORM": "offscreen"}
    return Program(
        "midiscripter", command, *ports, channels, environment, signal.SIGINT, "midiscripter"
    )


class Running(NamedTuple):
    process: subprocess.Popen[bytes]
    home: Path
    log: Path


@contextlib.contextmanager
def running(
    program: Program, server: Server, home: Path | None = None
) -> Generator[Running | None]:
    """Run a program for as long as the block lasts; a cable needs none."""
    if not program.command:
        yield None
        return
    if program.peer is not None and (reason := PEERS[program.peer].problem()):
        raise Unmeasured(reason)
    folder = Path(tempfile.mkdtemp(prefix="conductor-bench-"))
    if home is None:
        write_config(folder, program.mappings)
    environment = _environment(program, server, home or folder)
    with contextlib.ExitStack() as stack:
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
        if program.peer == "midiscripter":
            environment["DISPLAY"] = stack.enter_context(screen())
        log = folder / "program.log"
        process = start(program.command, environment, folder, log)
        stack.callback(stop, process, program.how_to_stop)
        try:
            yield Running(process, home or folder, log)
        except Unmeasured as problem:
            raise Unmeasured(f"{problem}; its last words: {last_words(log)}") from problem
        if process.poll() is not None:
            raise Unmeasured(f"{program.name} ended with {process.returncode}: {last_words(log)}")


def _environment(program: Program, server: Server, home: Path) -> dict[str, str]:
    inherited = {
        name: text
        for name, text in os.environ.items()
        if name not in {"DISPLAY", "WAYLAND_DISPLAY"}
    }
    inherited.pop("PYTHONDONTWRITEBYTECODE", None)
    return {
        **inherited,
        **({} if program.peer else environment_of(home)),
        **server.environment,
        **program.environment,
    }


def environment_of(home: Path) -> dict[str, str]:
    """Return what makes a `conductor` command use this home and these sources."""
    return {"CONDUCTOR_HOME": str(home), "PYTHONPATH": str(ROOT / "backend")}


def socket_of(it: Running) -> str:
    return str(it.home / "mcp.sock")


def wait_until_it_serves(it: Running, timeout_s: float = 30) -> None:
    """Wait until Conductor runs its config and serves agents, whose library it loads beside."""
    until = time.monotonic() + timeout_s
    while it.process.poll() is None and time.monotonic() < until:
        with contextlib.suppress(OSError):
            Caller(socket_of(it), "modern").call(1)
            if json.loads(Caller(socket_of(it), "bare").ask(STATUS))["result"]["mappings"]:
                return
        threading.Event().wait(0.05)
    raise Unmeasured("nobody answers on the socket")


def start(
    command: tuple[str, ...], environment: Mapping[str, str], folder: Path, log: Path
) -> subprocess.Popen[bytes]:
    """Start a program whose words go to a log."""
    with log.open("wb") as sink:
        return subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=sink, stderr=sink, env=environment, cwd=folder
        )


def last_words(log: Path) -> str:
    """Return the last line of a log that is not empty."""
    lines = [line for line in log.read_text(errors="replace").splitlines() if line.strip()]
    return lines[-1].strip() if lines else "it said nothing"


@contextlib.contextmanager
def screen() -> Generator[str]:
    """Run an X server on a free display: midiscripter does not start without one."""
    reader, writer = os.pipe()
    command = ["Xvfb", "-displayfd", str(writer), "-screen", "0", "640x480x24", "-nolisten", "tcp"]
    server = subprocess.Popen(
        command,
        pass_fds=(writer,),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    os.close(writer)
    try:
        with os.fdopen(reader) as told:
            yield f":{told.readline().strip()}"
    finally:
        stop(server)
