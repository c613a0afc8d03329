"""A Conductor that really runs: its processes, its socket and its command line, in a home of its own.

with running_conductor(config_text=CONFIG) as conductor:
    conductor.use(OTHER_CONFIG)
    assert conductor.status()["mode"] == "Default"
"""

import hashlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any, TypeVar

from pythonosc.udp_client import SimpleUDPClient

from conductor.base.clock import now
from conductor.cli.client import Client
from conductor.errors import ConductorError, NotRunning

REPOSITORY = Path(__file__).parents[2]
JOYSTICK_LAUNCHER = str(Path(__file__).with_name("joystick_launcher.py"))
WAIT_S = 20.0
START_WITHIN_S = 40.0
LOOK_EVERY_S = 0.02
NOTHING: Mapping[str, str] = {}
PADS = """
[[devices]]
alias = "pads"
matchers = [{ type = "NameContains", pattern = "Pads" }]
"""
"""How a config begins that names the device of the `pads` fixture."""
Status = dict[str, Any]
T = TypeVar("T")
Finished = subprocess.CompletedProcess[str]


class RunningConductor:
    """A `conductor run` process, started as a user would start it, with the operations that tests need."""

    def __init__(
        self,
        home: Path,
        config_text: str | None,
        *,
        environment: Mapping[str, str] = NOTHING,
        arguments: Sequence[str] = ("run", "--headless", "--quiet"),
        launcher: Sequence[str] = ("-m", "conductor"),
    ) -> None:
        self.home = home
        self.config_path = home / "config.toml"
        self.environment = conductor_environment(home, environment)
        self._log = (home / "stderr.txt").open("w+")
        self._client: Client | None = None
        self._config_text = config_text
        if config_text is not None:
            self.config_path.write_text(config_text)
        self.process = subprocess.Popen(
            [sys.executable, *launcher, *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=self._log,
            env=self.environment,
            cwd=home,
        )

    def wait_until_running(self) -> None:
        """Wait until Conductor answers and its engine runs the config."""

        def answers() -> bool:
            assert self.process.poll() is None, f"conductor ended: {self.log()}"
            try:
                self.status()
            except ConductorError:
                return False
            return True

        wait_for(answers, bool, START_WITHIN_S)
        if self._config_text is not None:
            self.wait_until_active(self._config_text)

    @property
    def engine_pid(self) -> int:
        return self.status()["engine"]["pid"]

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        """Call a method over the socket."""
        if self._client is not None:
            try:
                return self._client.call(method, **params)
            except (OSError, NotRunning):
                self._disconnect()  # it hangs up after five silent minutes; asked anew below
        self._client = Client(self.home / "mcp.sock")
        return self._client.call(method, **params)

    def status(self) -> Status:
        return self.call("conductor_get_status")

    def wait_status(self, wanted: Callable[[Status], object], timeout_s: float = WAIT_S) -> Status:
        """Wait until the status is as wanted, and give it.

        Raises:
            TimeoutError: it did not become so; the text is the last status.
        """
        return wait_for(self.status, wanted, timeout_s)

    def write_config(self, text: str) -> None:
        """Save the config as an editor does: a new file, renamed over the old one."""
        beside = self.config_path.with_name("config.toml.new")
        beside.write_text(text)
        beside.replace(self.config_path)

    def use(self, text: str) -> None:
        """Save this config and wait until the engine runs it."""
        self.write_config(text)
        self.wait_until_active(text)

    def wait_until_active(self, text: str, timeout_s: float = WAIT_S) -> None:
        file_hash = "sha256:" + hashlib.sha256(text.encode()).hexdigest()

        def runs_it(status: Status) -> bool:
            config = status["config"]
            return config["hash"] == file_hash and config["active"]

        self.wait_status(runs_it, timeout_s)

    def wait_for_device(
        self, device_id: str, kind: str = "midi_input", *, connected: bool = True
    ) -> None:
        """Wait until a device is connected or disconnected."""

        def there(status: Status) -> bool:
            rows = [row for row in status["devices"] if row["connected"]]
            return connected == any(
                (row["device_id"], row["kind"]) == (device_id, kind) for row in rows
            )

        self.wait_status(there)

    def cli(self, *arguments: str, stdin: str | None = None) -> Finished:
        """Run a command of the command line against this Conductor."""
        return conductor(*arguments, environment=self.environment, stdin=stdin)

    def family(self) -> list[int]:
        """Return the pids of the app, the engine and every port process."""
        return [self.process.pid, *descendants(self.process.pid)]

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """Stop Conductor as Ctrl+C does; require exit code 0 and no remaining process."""
        family = self.family()
        self._disconnect()
        self.process.send_signal(how)
        try:
            code = self.process.wait(WAIT_S)
        except subprocess.TimeoutExpired:
            self.process.send_signal(signal.SIGABRT)  # it writes where each thread is
            self.process.wait(WAIT_S)
            raise AssertionError(f"it did not end in {WAIT_S:.0f} s: {self.log()}") from None
        assert code == 0, self.log()
        wait_for(lambda: alive(family), lambda left: not left, 5)
        assert not (self.home / "mcp.sock").exists()
        assert "Traceback" not in self.log(), self.log()

    def kill(self) -> list[int]:
        """Kill the app process, and return the pids of the processes that it leaves behind."""
        family = descendants(self.process.pid)
        self._disconnect()
        self.process.kill()
        self.process.wait(WAIT_S)
        return family

    def clean_up(self) -> None:
        """Kill all remaining processes, however the test ended."""
        if self.process.poll() is None:
            left = self.kill()
            for pid in alive(left):
                os.kill(pid, signal.SIGKILL)
        self._disconnect()
        self._log.close()

    def log(self) -> str:
        """Return the standard error output."""
        return (self.home / "stderr.txt").read_text()

    def _disconnect(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            client.close()


@contextmanager
def running_conductor(
    config_text: str | None = "",
    *,
    environment: Mapping[str, str] = NOTHING,
    arguments: Sequence[str] = ("run", "--headless", "--quiet"),
    launcher: Sequence[str] = ("-m", "conductor"),
    home: Path | None = None,
) -> Generator[RunningConductor]:
    """Run a Conductor for the length of the block; it must end cleanly unless it was ended before.

    Without a text it runs whatever config its home has.
    """
    with nullcontext(home) if home else short_home() as folder:
        running = RunningConductor(
            folder, config_text, environment=environment, arguments=arguments, launcher=launcher
        )
        try:
            running.wait_until_running()
            yield running
            if running.process.poll() is None:
                running.stop()
        finally:
            running.clean_up()


WITH_ABILITIES = """
[llm.mcp]
toolsets = ["devices", "hardware", "knowledge", "learn", "mappings", "plans", "skills", "status"]
"""
"""Offers programs the assistant's own abilities too."""


def mapped(*rows: tuple[str, str], settings: str = "", more: str = "") -> str:
    """Return a config whose only mode has a mapping for each trigger and action."""
    mappings = [
        f"[[modes.mappings]]\ntrigger = {trigger}\naction = {action}\n" for trigger, action in rows
    ]
    engine = f"[settings.engine]\n{settings}\n" if settings else ""
    return "\n".join([PADS, engine, "[[modes]]\nname = 'Default'", *mappings, more])


def free_udp_port() -> int:
    """Return a port that nobody listens on."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def send_osc(port: int, address: str, *arguments: float | str) -> None:
    """Send an OSC message to a port of this machine."""
    client = SimpleUDPClient("127.0.0.1", port)
    with client:
        client.send_message(address, list(arguments))


@contextmanager
def short_home() -> Generator[Path]:
    """Create a home with a short path: pytest's own folders exceed the limit of socket paths."""
    home = Path(tempfile.mkdtemp(prefix="cond-", dir="/tmp"))
    try:
        yield home
    finally:
        shutil.rmtree(home, ignore_errors=True)


def conductor_environment(home: Path, more: Mapping[str, str] = NOTHING) -> dict[str, str]:
    """Return the environment of a user whose home for Conductor is `home`."""
    path = os.pathsep.join([str(REPOSITORY), str(REPOSITORY / "backend")])
    tested = {"PYTHONPATH": path, "PYTHONFAULTHANDLER": "1"}
    return {**os.environ, **tested, **more, "CONDUCTOR_HOME": str(home)}


def conductor(
    *arguments: str, environment: Mapping[str, str], stdin: str | None = None
) -> Finished:
    """Run a command to completion; check that it prints no traceback."""
    finished = subprocess.run(
        [sys.executable, "-m", "conductor", *arguments],
        env=dict(environment),
        input=stdin or "",
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert "Traceback" not in finished.stderr, finished.stderr
    return finished


def wait_for(look: Callable[[], T], wanted: Callable[[T], object], timeout_s: float = WAIT_S) -> T:
    """Look again and again until what is seen is wanted.

    Raises:
        TimeoutError: it never was; the text is what was seen last.
    """
    pause, deadline = threading.Event(), now() + timeout_s
    while True:
        seen = look()
        if wanted(seen):
            return seen
        if now() > deadline:
            raise TimeoutError(f"waited {timeout_s:g} s; last seen: {seen}")
        pause.wait(LOOK_EVERY_S)


def descendants(pid: int) -> list[int]:
    """Return the pids of the children of a process, and of theirs."""
    children: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(stat.read_text().rpartition(")")[2].split()[1])
        except (OSError, IndexError):
            continue
        children.setdefault(parent, []).append(int(stat.parent.name))
    found = list(children.get(pid, ()))
    for child in found:
        found += children.get(child, ())
    return found


def processes_of(home: Path) -> list[int]:
    """Return the processes whose environment names this home, whoever started them."""
    mark = f"CONDUCTOR_HOME={home}\0".encode()
    found: list[int] = []
    for environ in Path("/proc").glob("[0-9]*/environ"):
        try:
            if mark in environ.read_bytes():
                found.append(int(environ.parent.name))
        except OSError:
            continue
    return found


def alive(pids: Iterable[int]) -> list[int]:
    """Return the pids of processes that are still running."""
    return [pid for pid in pids if _state(pid) not in ("", "Z")]


def _state(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return ""
