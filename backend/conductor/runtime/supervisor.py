"""Keeps an engine process running: starts it, restarts it, and releases held keys if it has died.

The imports here must be light, because the engine process is started before the app imports anything large.
"""

import asyncio
import logging
import threading
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar, cast

from conductor.base.child import ChildProcess, ReplyFuture
from conductor.base.clock import now
from conductor.base.environment import build_keyless_environment
from conductor.base.json_types import JsonObject
from conductor.base.paths import HELD_KEYS_FILE
from conductor.base.realtime import start_in_real_time
from conductor.domain.engine_protocol import (
    Beat,
    FromEngine,
    Ready,
    Request,
    RequestFor,
    Stop,
    ToEngine,
    parse_message_from_engine,
)
from conductor.errors import ConductorError, NotAvailable

log = logging.getLogger(__name__)
_Reply = TypeVar("_Reply")

MAX_HEARTBEAT_SILENCE_S = 3.0
"""Seconds without a heartbeat after which an engine is considered stuck and is killed."""
MAX_STARTUP_SILENCE_S = 20.0
HEARTBEAT_CHECK_INTERVAL_S = 0.5
APP_SUSPENDED_S = 2.0
"""A pause of this many seconds between two checks means that the app itself was suspended, for example by
Ctrl+Z, and could receive no heartbeats."""
STEADY_BEATS = 6
"""The number of heartbeats after which an engine has started up; until then it may be silent for longer.
Opening ports can take long: a JACK server hangs for seconds after one of its clients crashed, and killing
the engine again would restart the wait."""
MAX_STARTUP_FACTOR = 8
"""The largest factor by which the time limit grows during the start, so that a slow machine does not
restart the engine forever."""
QUICK_DEATH_S = 5.0
MAX_QUICK_DEATHS = 5
ANSWER_TIMEOUT_S = 5.0
NO_ANSWER_MESSAGE = "the engine does not answer; it is being restarted, try again"


class EngineSupervisor:
    """Starts, monitors and restarts the engine process for the app.

    Callbacks run in the thread that reads the engine's messages.

    `on_message` receives every message of the engine. `on_start` is called after each start, to send the
    config. `on_exit` is called when an engine has ended, before the next one starts. `on_death` receives a
    message for the user. `release_keys` receives the ledger of a dead engine.
    """

    def __init__(
        self,
        home: Path,
        on_message: Callable[[FromEngine], None],
        on_start: Callable[[], None],
        on_exit: Callable[[], None],
        on_death: Callable[[str], None],
        release_keys: Callable[[Path], None],
        environment: Callable[[], Mapping[str, str]] = build_keyless_environment,
    ) -> None:
        self._environment = environment
        self._home = home
        self._ledger = home / HELD_KEYS_FILE
        self._on_message = on_message
        self._on_start = on_start
        self._on_exit = on_exit
        self._on_death = on_death
        self._release_ledger_keys = release_keys
        self._child: ChildProcess | None = None
        self._stopping = threading.Event()
        self._last_beat_at = 0.0
        self._started_at = 0.0
        self._beats = 0
        self._engine_beats = 0
        self._startup_factor = 1
        self._quick_deaths = 0
        self._is_restart_requested = False
        self.restarts = 0
        self.running = threading.Event()
        self._is_restored = threading.Event()
        """Cleared until `on_start` has sent a new engine its state. Requests wait: the mode that is restored
        would otherwise undo a switch of modes."""
        self._is_restored.set()

    @property
    def pid(self) -> int | None:
        return self._child.pid if self._child is not None else None

    def start(self) -> None:
        """Start the engine process and the threads that monitor it.

        Keys that are still down after an earlier crash are released first.
        """
        self._release_keys()
        self._spawn_engine()
        threading.Thread(target=self._watch_heartbeat, name="engine watch", daemon=True).start()

    def send(self, message: ToEngine) -> None:
        """Send a message to the engine.

        The message is dropped while no engine runs, because a new engine receives
        the complete config anyway.
        """
        if self._child is not None:
            self._child.send(message.op, **message._asdict())

    def send_request(self, request: RequestFor[_Reply]) -> _Reply:
        """Send a request to the engine, and block until the answer arrives.

        Raises:
            NotAvailable: The engine was not restored, or did not answer, within 5 seconds.
        """
        self._is_restored.wait(ANSWER_TIMEOUT_S)
        with self._pending_request(request) as answer:
            return cast(_Reply, answer.result(ANSWER_TIMEOUT_S))

    async def send_request_async(self, request: RequestFor[_Reply]) -> _Reply:
        """Send a request to the engine, and await the answer without blocking the event loop.

        Raises:
            NotAvailable: The engine was not restored, or did not answer, within 5 seconds.
        """
        if not self._is_restored.is_set():
            await asyncio.to_thread(self._is_restored.wait, ANSWER_TIMEOUT_S)
        with self._pending_request(request) as answer:
            async with asyncio.timeout(ANSWER_TIMEOUT_S):
                return cast(_Reply, await asyncio.wrap_future(answer))

    @contextmanager
    def _pending_request(self, request: RequestFor[_Reply]) -> Generator[ReplyFuture]:
        if self._child is None or not self._is_restored.is_set():
            raise NotAvailable(NO_ANSWER_MESSAGE)
        try:
            fields = cast(Request, request)._asdict()
            with self._child.send_request(request.op, fields) as answer:
                yield answer
        except TimeoutError:
            raise NotAvailable(NO_ANSWER_MESSAGE) from None

    def restart(self) -> None:
        """Stop the engine cleanly, so that it releases its keys, and start it again."""
        self._is_restart_requested = True
        self.send(Stop())

    def stop(self) -> None:
        """Stop the engine, which releases its keys and closes its ports; kill it if it does not exit."""
        self._stopping.set()
        if self._child is not None and not self._child.stop_and_wait(Stop.op):
            self._release_keys()

    def _spawn_engine(self) -> None:
        self._started_at = self._last_beat_at = now()
        self._beats = self._engine_beats = 0
        self._is_restored.clear()
        try:
            with start_in_real_time():
                self._child = ChildProcess(
                    "engine",
                    ["--engine-process", "--home", str(self._home)],
                    on_message=self._handle_message,
                    on_end=self._on_engine_exit,
                    exit_message=NO_ANSWER_MESSAGE,
                    environment=self._environment(),
                )
            self._child.start_reading()
            self._on_start()
        finally:
            self._is_restored.set()

    def _handle_message(self, plain: JsonObject) -> None:
        message = parse_message_from_engine(plain)
        match message:
            case None:
                log.warning("unknown message %s from the engine", plain.get("op"))
                return
            case Ready():
                self._last_beat_at = now()
                self.running.set()
            case Beat(beats=beats):
                self._on_beat(beats)
            case _:
                pass
        self._on_message(message)

    def _on_beat(self, engine_beats: int) -> None:
        """Count a heartbeat, but only if the engine's own thread has made progress since the one before."""
        if engine_beats != self._engine_beats:
            self._engine_beats = engine_beats
            self._last_beat_at = now()
            self._beats += 1
            if self._beats == STEADY_BEATS:
                self._startup_factor = 1
                self._prepare_release()

    def _prepare_release(self) -> None:
        """Import the modules that release keys in a background thread, so that a later
        release does not have to wait.
        """

        def import_modules() -> None:
            from conductor.runtime.orphaned_keys import import_release_modules

            import_release_modules()

        threading.Thread(target=import_modules, name="release imports", daemon=True).start()

    def _on_engine_exit(self, code: int) -> None:
        self.running.clear()
        self._on_exit()
        if self._stopping.is_set():
            return
        are_keys_released = self._release_keys()
        lifetime_s = now() - self._started_at
        is_requested, self._is_restart_requested = self._is_restart_requested, False
        # An engine that had steady heartbeats started properly: something else ended it.
        is_quick = lifetime_s < QUICK_DEATH_S and self._beats < STEADY_BEATS and not is_requested
        self._quick_deaths = self._quick_deaths + 1 if is_quick else 0
        if self._quick_deaths >= MAX_QUICK_DEATHS:
            self._on_death(
                f"the engine died {MAX_QUICK_DEATHS} times in a row (exit code {code}) and is not restarted:"
                " run `conductor doctor` to find the cause"
            )
            return
        self.restarts += 1
        keys = "held keys were released" if are_keys_released else "keys may still be held down"
        if not is_requested:
            self._on_death(f"the engine died (exit code {code}) and is being restarted; {keys}")
        try:
            self._spawn_engine()
        except OSError as error:
            self._on_death(f"the engine could not be restarted: {error}")

    def _release_keys(self) -> bool:
        try:
            self._release_ledger_keys(self._ledger)
        except ConductorError as error:
            log.warning("keys may still be held down: %s", error)
            return False
        except Exception:  # the engine must be restarted even if the keyboard fails
            log.exception("keys may still be held down")
            return False
        return True

    def _watch_heartbeat(self) -> None:
        """Kill an engine that has stopped sending heartbeats; it is then restarted."""
        checked_at = now()
        while not self._stopping.wait(HEARTBEAT_CHECK_INTERVAL_S):
            previous, checked_at = checked_at, now()
            if checked_at - previous > APP_SUSPENDED_S:
                self._last_beat_at = checked_at
            child, silence_s = self._child, now() - self._last_beat_at
            is_steady = self._beats >= STEADY_BEATS
            limit_s = (
                MAX_HEARTBEAT_SILENCE_S
                if is_steady
                else MAX_STARTUP_SILENCE_S * self._startup_factor
            )
            if silence_s > limit_s and child is not None and child.is_running:
                log.error("the engine did not respond for %.1f s; killing it", silence_s)
                self._last_beat_at = now()
                if not is_steady:
                    self._startup_factor = min(2 * self._startup_factor, MAX_STARTUP_FACTOR)
                child.kill()
