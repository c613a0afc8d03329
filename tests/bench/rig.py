"""The basis of every measurement: a separate JACK server, and the meter."""

import contextlib
import fcntl
import itertools
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent
CACHE = ROOT / ".cache" / "bench"
METER = CACHE / "meter"
STOP_S = 5.0
_numbers = itertools.count(1)


class Unmeasured(Exception):
    """Why a figure could not be had."""


class Server(NamedTuple):
    """A running `jackd`; `environment` makes clients find it."""

    name: str
    period_ms: float
    log: Path

    @property
    def environment(self) -> dict[str, str]:
        return {
            "JACK_DEFAULT_SERVER": self.name,
            "JACK_NO_START_SERVER": "1",
            "JACK_NO_AUDIO_RESERVATION": "1",
        }


class Answers(NamedTuple):
    """What the meter says of one stream: times in ms, from a note played to its answer."""

    sent: int
    answered: int
    lost: int
    reordered: int
    duplicates: int
    unexpected: int
    p50_ms: float
    p90_ms: float
    p99_ms: float
    p999_ms: float
    max_ms: float
    stall_ms: float
    """The longest silence between two answers, beyond the time between their notes."""
    late_ms: float
    """How late the graph let out its latest note."""
    rate: float
    xruns: int
    period_ms: float
    first_answer_ns: int
    server_gone: bool

    @property
    def is_whole(self) -> bool:
        return not (self.lost or self.reordered or self.duplicates or self.server_gone)


def say(text: str = "") -> None:
    """Print at once."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def build_meter() -> None:
    """Compile the meter when its source is newer."""
    source = HERE / "meter.c"
    if METER.is_file() and METER.stat().st_mtime >= source.stat().st_mtime:
        return
    CACHE.mkdir(parents=True, exist_ok=True)
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        raise SystemExit("The meter needs a C compiler: apt-get install gcc libjack-jackd2-dev")
    fresh = METER.with_suffix(f".{os.getpid()}")
    command = [compiler, "-O2", "-Wall", "-Wextra", "-o", str(fresh), str(source), "-ljack"]
    if subprocess.run(command, check=False).returncode != 0:
        raise SystemExit("The meter did not compile: apt-get install gcc libjack-jackd2-dev")
    fresh.replace(METER)


@contextlib.contextmanager
def jack_server(rate: int = 192_000, period: int = 32) -> Generator[Server]:
    """Run a synchronous server: it loses no MIDI while no client dies uncleanly."""
    name = f"bench-{os.getpid()}-{next(_numbers)}"
    log = Path(tempfile.gettempdir()) / f"{name}.log"
    server = Server(name, 1000 * period / rate, log)
    process = _start_server(server, rate, period) or _start_server(server, rate, period)
    if process is None:
        raise Unmeasured(f"jackd did not start: {_tail(log)}")
    try:
        yield server
    finally:
        stop(process)
        _sweep(name)
        log.unlink(missing_ok=True)


def _start_server(server: Server, rate: int, period: int) -> subprocess.Popen[bytes] | None:
    realtime = ("-R", "-P", "20") if os.geteuid() == 0 else ("-r",)
    driver = ("-d", "dummy", "-r", str(rate), "-p", str(period), "-C", "0", "-P", "0")
    command = ["jackd", "-n", server.name, *realtime, "-m", "-S", "-t", "200", *driver]
    environment = {**os.environ, **server.environment}
    with _one_start_at_a_time(), server.log.open("wb") as log:
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=environment
        )
        wait = ["jack_wait", "-s", server.name, "-w", "-t", "5"]
        ready = subprocess.run(wait, env=environment, capture_output=True, check=False)
    if ready.returncode == 0 and process.poll() is None:
        return process
    stop(process)
    _sweep(server.name)
    return None


@contextlib.contextmanager
def _one_start_at_a_time() -> Generator[None]:
    """Two servers that start in the same instant may take each other's place; the tests lock too."""
    with (Path(tempfile.gettempdir()) / "conductor-tests-jack.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _sweep(name: str) -> None:
    for left in Path("/dev/shm").glob(f"jack_sem.*_{name}_*"):
        left.unlink(missing_ok=True)


def _tail(log: Path) -> str:
    lines = log.read_text(errors="replace").splitlines() if log.is_file() else []
    return " / ".join(lines[-3:])


def stop(process: subprocess.Popen[Any], how: signal.Signals = signal.SIGTERM) -> None:
    """End a process that we started, and all it left in its session if it has one of its own."""
    with contextlib.suppress(ProcessLookupError):
        if process.poll() is None:
            process.send_signal(how)
    try:
        process.wait(STOP_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait(STOP_S)


def start_meter(
    server: Server, mode: str, options: Mapping[str, object], name: str = "meter"
) -> subprocess.Popen[str]:
    """Start the meter; an option that is True is a flag, None is left out."""
    return subprocess.Popen(
        [str(METER), *_flags({"name": name, **options}), mode],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, **server.environment},
    )


def _flags(options: Mapping[str, object]) -> Sequence[str]:
    flags: list[str] = []
    for name, option in options.items():
        if option is True:
            flags.append(f"--{name}")
        elif option is not None and option is not False:
            flags.extend((f"--{name}", str(option)))
    return flags


def finish_meter(
    process: subprocess.Popen[str], timeout_s: float, measured: subprocess.Popen[Any] | None = None
) -> Answers:
    """Wait for a stream's answers, but not when the measured program has ended."""
    until = time.monotonic() + timeout_s
    while True:
        try:
            printed, problem = process.communicate(timeout=0.25)
            break
        except subprocess.TimeoutExpired:
            if measured is not None and measured.poll() is not None:
                stop(process)
                raise Unmeasured(f"it ended by itself with {measured.returncode}") from None
            if time.monotonic() > until:
                stop(process, signal.SIGKILL)
                raise Unmeasured(f"the meter did not end within {timeout_s:.0f} s") from None
    if process.returncode != 0:
        said = [line for line in problem.splitlines() if line.startswith("meter:")]
        raise Unmeasured(" ".join(said) or f"the meter ended with {process.returncode}")
    return Answers(**json.loads(printed.splitlines()[-1]))


def stream(
    server: Server, options: Mapping[str, object], measured: subprocess.Popen[Any] | None = None
) -> Answers:
    """Play a stream to its end; keywords are the meter's options."""
    process = start_meter(server, "stream", options)
    expected_s = float(str(options.get("count", 1000))) / float(str(options.get("rate", 500)))
    return finish_meter(process, expected_s * 3 + 30, measured)
