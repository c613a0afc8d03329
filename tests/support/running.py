"""A Conductor that really runs, with its engine, its socket and its command line, in a home of its own.

with running_conductor(config_text=CONFIG) as conductor:
    conductor.use(OTHER_CONFIG)
    assert conductor.status()["mode"] == "Default"
"""

import hashlib
import io
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import (
    AbstractContextManager,
    contextmanager,
    nullcontext,
    redirect_stderr,
    redirect_stdout,
    suppress,
)
from functools import cache
from pathlib import Path
from typing import Any, TextIO, TypeVar

from pythonosc.udp_client import SimpleUDPClient
from tests.support.app_thread import AppThread, swap_environment
from tests.support.conductor_fork import start_fork
from tests.support.engine_forks import is_engine_of
from tests.support.failure_logs import logs_on_failure
from tests.support.fork_server import ForkedPython
from tests.support.processes import alive, descendants, describe, has_home

from conductor.__main__ import main as run_command
from conductor.base.clock import now
from conductor.cli.client import SocketClient
from conductor.errors import ConductorError, NotRunning

REPOSITORY = Path(__file__).parents[2]
HEADLESS = ("run", "--headless", "--quiet")
BROWSER = ("run", "--headless", "--browser")
MODULE = ("-m", "conductor")
BROWSER_LAUNCHER = (str(Path(__file__).with_name("browser_launcher.py")),)
JOYSTICK_LAUNCHER = str(Path(__file__).with_name("joystick_launcher.py"))
WAIT_S = 45.0
START_WITHIN_S = 40.0
LOOK_EVERY_S, LOOK_AT_LEAST_EVERY_S = 0.02, 0.1
READ_FILES = ("audit", "history")
"""Commands that ask no running Conductor, which would have to recognise their process."""
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


class redirect_stdin(AbstractContextManager[None]):  # noqa: N801 - as those of contextlib
    """Replace the standard input for the length of the block."""

    def __init__(self, replacement: TextIO) -> None:
        self._replacement = replacement

    def __enter__(self) -> None:
        self._before, sys.stdin = sys.stdin, self._replacement

    def __exit__(self, *_: object) -> None:
        sys.stdin = self._before


class RunningConductor:
    """A running Conductor with the operations that tests need: a thread of this process, or `conductor run`."""

    def __init__(
        self,
        home: Path,
        config_text: str | None,
        *,
        environment: Mapping[str, str] = NOTHING,
        arguments: Sequence[str] = HEADLESS,
        launcher: Sequence[str] = MODULE,
        own_process: bool = True,
        with_page: bool = False,
        as_fork: bool = True,
    ) -> None:
        self.home = home
        self.config_path = home / "config.toml"
        self.environment = conductor_environment(home, environment)
        self._client: SocketClient | None = None
        self._config_text = config_text
        self._app: AppThread | None = None
        self._address: str | None = None
        self._process: subprocess.Popen[bytes] | ForkedPython | None = None
        if config_text is not None:
            self.config_path.write_text(config_text)
        if not own_process:
            self._app = AppThread(
                home, self.environment, with_page=with_page, engine_as_fork=as_fork
            )
            return
        self._log = (home / "stderr.txt").open("w+")
        words = [*launcher, *arguments]
        if as_fork:
            self._process = start_fork(words, self.environment, home, stderr=self._log)
            return
        self._process = subprocess.Popen(
            [sys.executable, *words],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=self._log,
            env=self.environment,
            cwd=home,
        )

    def wait_until_running(self) -> None:
        """Wait until Conductor answers and its engine runs the config."""
        if self._app is not None:
            self._address = self._app.wait_until_started()

        def answers() -> bool:
            assert self.is_running, f"conductor ended: {self.log()}"
            try:
                self.status()
            except ConductorError:
                return False
            return True

        wait_for(answers, bool, START_WITHIN_S)
        if self._config_text is not None:
            self.wait_until_active(self._config_text)

    @property
    def process(self) -> "subprocess.Popen[bytes] | ForkedPython":
        assert self._process is not None, "it has no process of its own: start it with own_process"
        return self._process

    @property
    def is_running(self) -> bool:
        if self._app is not None:
            return self._app.is_running
        return self.process.poll() is None

    @property
    def pid(self) -> int:
        """The process of the app."""
        return os.getpid() if self._app is not None else self.process.pid

    @property
    def engine_pid(self) -> int:
        return self.status()["engine"]["pid"]

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        """Call a method over the socket."""
        if self._client is not None:
            try:
                return self._client.call_method(method, **params)
            except (OSError, NotRunning):
                self._disconnect()  # it hangs up after five silent minutes; asked again below
        self._client = SocketClient(self.home / "mcp.sock")
        return self._client.call_method(method, **params)

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
        own_process = not arguments or arguments[0] not in READ_FILES
        return conductor(
            *arguments, environment=self.environment, stdin=stdin, own_process=own_process
        )

    def family(self) -> list[int]:
        """Return the pids of the app, the engine and every port process."""
        return [self.process.pid, *descendants(self.process.pid)]

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """Stop Conductor as Ctrl+C does; require exit code 0 and no remaining process."""
        self._disconnect()
        if self._app is not None:
            left = descendants(os.getpid())
            engine = [
                pid for pid in left if has_home(pid, self.home) or is_engine_of(pid, self.home)
            ]
            self._app.stop()
            wait_for(lambda: alive(engine), lambda left: not left, 5)
            assert not (self.home / "mcp.sock").exists()
            return
        family = self.family()
        self.process.send_signal(how)
        try:
            code = self.process.wait(WAIT_S)
        except subprocess.TimeoutExpired:
            self.process.send_signal(signal.SIGABRT)  # it writes where each thread is
            self.process.wait(WAIT_S)
            raise AssertionError(f"it did not end in {WAIT_S:.0f} s: {self.log()}") from None
        assert code == 0, self.log()
        wait_for(lambda: describe(alive(family)), lambda left: not left, 5)
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
        if self._app is not None:
            self._disconnect()
            self._app.end()
            return
        if self.process.poll() is None:
            left = self.kill()
            for pid in alive(left):
                with suppress(ProcessLookupError):  # it has just ended
                    os.kill(pid, signal.SIGKILL)
        self._disconnect()
        self._log.close()

    def log(self) -> str:
        """Return the standard error output, or the exceptions that the app of this process logged."""
        if self._app is not None:
            return self._app.log()
        return (self.home / "stderr.txt").read_text()

    def address(self) -> str:
        """Return the address of the page, which opens it once."""
        if self._app is not None:
            assert self._address is not None, "it was not started with_page"
            return self._address

        def printed() -> str:
            assert self.is_running, f"conductor ended: {self.log()}"
            path = self.home / "stdout.txt"
            return path.read_text() if path.exists() else ""

        text = wait_for(printed, lambda text: "Open http" in text and text.endswith("\n"))
        return text.split("Open ", 1)[1].split()[0]

    def _disconnect(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            client.close()


@contextmanager
def running_conductor(
    config_text: str | None = "",
    *,
    environment: Mapping[str, str] = NOTHING,
    arguments: Sequence[str] = HEADLESS,
    launcher: Sequence[str] = MODULE,
    home: Path | None = None,
    own_process: bool = False,
    with_page: bool = False,
    as_fork: bool = True,
) -> Generator[RunningConductor]:
    """Run a Conductor for the length of the block; it must end cleanly unless it was ended before.

    It is a thread of this process, unless a test needs another start or a process. That process, or the engine
    of the thread, is a fork of one that has imported it, or a new interpreter without `as_fork`.
    Without a text it runs whatever config its home has. `with_page` opens the page.
    """
    if with_page:
        arguments, launcher = BROWSER, BROWSER_LAUNCHER
    is_plain = with_page or (arguments, launcher) == (HEADLESS, MODULE)
    with nullcontext(home) if home else short_home() as folder:
        running = RunningConductor(
            folder,
            config_text,
            environment=environment,
            arguments=arguments,
            launcher=launcher,
            own_process=own_process or not is_plain,
            with_page=with_page,
            as_fork=as_fork,
        )
        try:
            running.wait_until_running()
            with logs_on_failure(folder / "logs"):
                yield running
            if running.is_running:
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
    home = Path(tempfile.mkdtemp(prefix="cond-", dir=_find_homes()))
    try:
        yield home
    finally:
        shutil.rmtree(home, ignore_errors=True)


@cache
def _find_homes() -> Path:
    """Return the folder for homes: in memory, where there is enough of it.

    Each config, plan and audit entry is synced to disk before the next step. That takes 4 ms on an idle disk,
    and seconds on one that somebody else writes to: enough for time limits to pass.
    """
    memory = Path("/dev/shm")
    has_room = os.access(memory, os.W_OK) and shutil.disk_usage(memory).free > 2 << 30
    return memory if has_room else Path("/tmp")


def conductor_environment(home: Path, more: Mapping[str, str] = NOTHING) -> dict[str, str]:
    """Return the environment of a user whose home for Conductor is `home`."""
    path = os.pathsep.join([str(REPOSITORY), str(REPOSITORY / "backend")])
    tested = {"PYTHONPATH": path, "PYTHONFAULTHANDLER": "1"}
    return {**os.environ, **tested, **more, "CONDUCTOR_HOME": str(home)}


def conductor(
    *arguments: str,
    environment: Mapping[str, str],
    stdin: str | None = None,
    own_process: bool = False,
) -> Finished:
    """Run a command to completion; check that it prints no traceback.

    A running Conductor trusts only a process that is the command, hence `own_process`.
    """
    finished = (_in_own_process if own_process else _in_this_process)(arguments, environment, stdin)
    assert "Traceback" not in finished.stderr, finished.stderr
    return finished


def _in_own_process(
    arguments: Sequence[str], environment: Mapping[str, str], stdin: str | None
) -> Finished:
    return subprocess.run(
        [sys.executable, "-m", "conductor", *arguments],
        env=dict(environment),
        input=stdin or "",
        capture_output=True,
        text=True,
        timeout=60,
    )


def _in_this_process(
    arguments: Sequence[str], environment: Mapping[str, str], stdin: str | None
) -> Finished:
    output, errors, code = io.StringIO(), io.StringIO(), 0
    given = io.TextIOWrapper(io.BytesIO((stdin or "").encode()))
    with (
        swap_environment(environment),
        redirect_stdin(given),
        redirect_stdout(output),
        redirect_stderr(errors),
    ):
        try:
            code = run_command(list(arguments))
        except SystemExit as leaving:
            code = leaving.code if isinstance(leaving.code, int) else int(leaving.code is not None)
    return Finished(arguments, code, output.getvalue(), errors.getvalue())


def wait_for(look: Callable[[], T], wanted: Callable[[T], object], timeout_s: float = WAIT_S) -> T:
    """Look until what is seen is wanted; less often the longer it lasts, so it ends up to an eighth later.

    Raises:
        TimeoutError: it never was; the text is what was seen last.
    """
    pause, started = threading.Event(), now()
    while True:
        seen = look()
        if wanted(seen):
            return seen
        waited_s = now() - started
        if waited_s > timeout_s:
            raise TimeoutError(f"waited {timeout_s:g} s; last seen: {seen}")
        pause.wait(min(max(LOOK_EVERY_S, waited_s / 8), LOOK_AT_LEAST_EVERY_S))
