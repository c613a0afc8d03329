"""A JACK server of the test's own, and MIDI devices that live in other processes.

    @pytest.fixture
    def jack():
        with jack_server() as server:
            yield server

    with MidiPeer("Pads") as pads:
        pads.send("90 24 64")

JACK gives clients unique names, so a second peer called `Pads` has the port `Pads-01:out`.
"""

import contextlib
import fcntl
import itertools
import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Generator
from pathlib import Path
from types import TracebackType
from typing import Self, TypeVar

from conductor.base.clock import now

T = TypeVar("T")
PEER_SCRIPT = Path(__file__).with_name("midi_peer.py")
_numbers = itertools.count(1)
PERIOD = ("-r", "48000", "-p", "1024")
"""21 ms. The 0.17 ms of the benchmarks wake the server and each client 6,000 times a second: most of a core."""
TIMEOUT_MS = 200
"""`-t`. A synchronous server waits ten times as long for a client that died."""


class JackServer:
    """`jackd` with the dummy driver; `start` and `stop` may be repeated, `kill` is a crash."""

    def __init__(self, name: str, timeout_ms: int = TIMEOUT_MS) -> None:
        self.name = name
        self._timeout_ms = timeout_ms
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def environment(self) -> dict[str, str]:
        return {
            "JACK_DEFAULT_SERVER": self.name,
            "JACK_NO_START_SERVER": "1",
            "JACK_NO_AUDIO_RESERVATION": "1",
        }

    def start(self) -> None:
        """Start the server and wait until it answers; retried, because simultaneous starts may fail."""
        with _alone():
            _clean_registry()
            if not any(self._start_once() for _ in range(5)):
                raise RuntimeError(f"jackd did not start; its log is {self.log}")

    def stop(self) -> None:
        self._end(signal.SIGTERM)

    def kill(self) -> None:
        self._end(signal.SIGKILL)

    @property
    def log(self) -> Path:
        return Path(tempfile.gettempdir()) / f"{self.name}.log"

    def _start_once(self) -> bool:
        realtime = ("-R", "-P", "20") if os.geteuid() == 0 else ("-r",)
        driver = ("-d", "dummy", *PERIOD, "-C", "0", "-P", "0")
        environment = {**os.environ, **self.environment}
        with self.log.open("wb") as log:
            self._process = subprocess.Popen(
                [
                    "setpriv",
                    "--pdeathsig",
                    "TERM",
                    "jackd",
                    "-n",
                    self.name,
                    *realtime,
                    "-S",
                    "-t",
                    str(self._timeout_ms),
                    *driver,
                ],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env=environment,
            )
        _wait_for_socket(self.name)
        wait = ["jack_wait", "-s", self.name, "-w", "-t", "5"]
        ready = subprocess.run(wait, env=environment, capture_output=True, check=False)
        if ready.returncode == 0 and self._process.poll() is None:
            return True
        self._end(signal.SIGKILL)
        return False

    def _end(self, how: signal.Signals) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        process.send_signal(how)
        try:
            process.wait(5)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait(5)
        for pattern in (f"jack_sem.*_{self.name}_*", f"jack_{self.name}_*"):
            for left in Path("/dev/shm").glob(pattern):
                left.unlink(missing_ok=True)


@contextlib.contextmanager
def jack_server(name: str | None = None, *, timeout_ms: int = TIMEOUT_MS) -> Generator[JackServer]:
    """Run a server of a unique name, with the environment that makes clients find it."""
    server = JackServer(name or f"conductor-{os.getpid()}-{next(_numbers)}", timeout_ms)
    with jack_environment(server):
        server.start()
        try:
            yield server
        finally:
            server.stop()
            server.log.unlink(missing_ok=True)


@contextlib.contextmanager
def jack_environment(server: JackServer) -> Generator[None]:
    """Make clients of this process and its children look for `server`, running or not."""
    before = {name: os.environ.get(name) for name in server.environment}
    os.environ.update(server.environment)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def connect(source: str, destination: str) -> None:
    """Connect two JACK ports, such as `Conductor:Conductor Out` and `Pads In:in`."""
    subprocess.run(["jack_connect", source, destination], check=True, capture_output=True)


def jack_ports() -> list[str]:
    """Return the names of all JACK ports."""
    listing = subprocess.run(["jack_lsp"], check=True, capture_output=True, text=True)
    return listing.stdout.splitlines()


def wait_for_ports(wanted: Callable[[list[str]], T]) -> T:
    """Wait until the ports of the server are as wanted: it changes its list at the end of a cycle.

    Raises:
        TimeoutError: they never were.
    """
    pause, deadline = threading.Event(), now() + 30
    while True:
        found = jack_ports()
        result = wanted(found)
        if result:
            return result
        if now() > deadline:
            raise TimeoutError(f"the ports are {found}")
        pause.wait(0.01)


class MidiPeer:
    """A device in another process, with the JACK ports `<name>:out` and `<name> In:in`."""

    def __init__(self, name: str, on_message: Callable[[str], object] | None = None) -> None:
        """Start the device; `on_message` is called with each message on a thread of its own."""
        self.name = name
        self.received: list[str] = []
        """The received messages as hex: `90 24 64`."""
        self._on_message = on_message
        self._news = threading.Condition()
        self._lines: list[str] = []
        self._process = subprocess.Popen(
            [sys.executable, str(PEER_SCRIPT), name],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self._reader = threading.Thread(target=self._read, name=f"peer {name}", daemon=True)
        self._reader.start()
        self._expect_line("ready")

    def send(self, message: str | bytes) -> None:
        """Send `90 24 64`, as hex or as bytes."""
        self._command("send " + (message if isinstance(message, str) else message.hex(" ")))

    def burst(self, count: int) -> None:
        """Send `count` control changes, numbered by `midi_peer.numbered_cc`, as fast as is safe."""
        self.start_burst(count)
        self.end_burst()

    def start_burst(self, count: int) -> None:
        self._command(f"burst {count}")

    def end_burst(self, timeout_s: float = 60) -> None:
        self._expect_line("burst done", timeout_s)

    def connect_to(self, destination: str) -> None:
        """Connect this device's output to a JACK port, such as `Conductor:Conductor In`."""
        connect(f"{self.name}:out", destination)

    def listen_to(self, source: str) -> None:
        """Connect a JACK port, such as `Conductor:Conductor Out`, to this device's input."""
        connect(source, f"{self.name} In:in")

    def wait_for(self, message: str | bytes, timeout_s: float = 30) -> None:
        """Wait until this message has arrived.

        Raises:
            TimeoutError: it did not; the text says what did.
        """
        wanted = message if isinstance(message, str) else message.hex(" ")
        with self._news:
            if not self._news.wait_for(lambda: wanted in self.received, timeout_s):
                raise TimeoutError(f"{wanted} did not arrive; there was {self.received}")

    def unplug(self) -> None:
        """Close the ports and end, as when the cable is pulled."""
        process = self._process
        if process.stdin:
            with contextlib.suppress(BrokenPipeError):
                process.stdin.close()
        try:
            process.wait(5)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait(5)
        self._reader.join(5)
        if process.stdout:
            process.stdout.close()

    def kill(self) -> None:
        """Kill the device; also the way to end a device whose JACK server died."""
        self._process.kill()
        self.unplug()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        self.unplug()

    def _command(self, line: str) -> None:
        assert self._process.stdin
        self._process.stdin.write(line + "\n")
        self._process.stdin.flush()

    def _read(self) -> None:
        assert self._process.stdout
        for line in self._process.stdout:
            with self._news:
                kind, _, rest = line.strip().partition(" ")
                if kind == "got":
                    self.received.append(rest)
                    if self._on_message is not None:
                        self._on_message(rest)
                else:
                    self._lines.append(line.strip())
                self._news.notify_all()

    def _expect_line(self, line: str, timeout_s: float = 60) -> None:
        with self._news:
            if not self._news.wait_for(lambda: line in self._lines, timeout_s):
                raise TimeoutError(f"peer `{self.name}` did not say `{line}`: {self._lines}")
            self._lines.remove(line)


@contextlib.contextmanager
def _alone() -> Generator[None]:
    """Prevent two test runs from starting servers simultaneously, which makes one of them fail."""
    with (Path(tempfile.gettempdir()) / "conductor-tests-jack.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _wait_for_socket(name: str) -> None:
    """Wait for the server's socket: `jack_wait` alone looks only once a second."""
    for _ in range(500):
        if f"/jack_{name}_" in Path("/proc/net/unix").read_text():
            return
        threading.Event().wait(0.01)


def _clean_registry() -> None:
    """Remove the leftovers of killed servers when none runs: the registry has room for only 8."""
    if "/jack_" in Path("/proc/net/unix").read_text():
        return
    for left in Path("/dev/shm").glob("jack*"):
        if left.is_file():
            left.unlink(missing_ok=True)
