"""The app's side of the voice process: starts it on first use, sends requests and ends it."""

import asyncio
import base64
import logging
import threading
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from typing import NamedTuple

from conductor.base.child import ChildProcess
from conductor.base.json_types import JsonObject
from conductor.errors import NotAvailable
from conductor.voice.requirements import NO_RECOGNIZER_MESSAGE

log = logging.getLogger(__name__)

OPEN_TIMEOUT_S = 15.0
"""The time limit for opening the microphone: the process may have to start, and the system may ask the user."""
FINISH_TIMEOUT_S = 20.0
CRASHED_MESSAGE = (
    "Recording ended unexpectedly. Hold the control again; if this happens again, choose another microphone in"
    " Settings > Voice."
)


class Recognition(NamedTuple):
    """What was recognised in a recording."""

    name: str | None
    """The name of a command, or None if none was said."""
    wav: bytes
    """The recording, if no name was recognised and the caller wants it for a transcription."""
    unrecognized_because: str | None
    """Why names cannot be recognised at all, or None."""


class VoiceHost:
    """Starts the voice process and talks to it. Call the methods on the event loop.

    `on_limit` is called on the event loop when a recording has reached its time limit.
    """

    def __init__(self, on_limit: Callable[[], None] = lambda: None) -> None:
        self._on_limit = on_limit
        self._lock = threading.Lock()
        """Locked while the process is started or ended, so that at most one process runs."""
        self._child: ChildProcess | None = None
        self._recorder: ChildProcess | None = None
        """The process that was asked to record last. Another one that replaced it has recorded nothing."""
        self._is_closed = False
        self._recording = 0
        """The number of the newest recording."""
        self._is_recording = False

    @property
    def pid(self) -> int | None:
        """The id of the process, or None if it does not run."""
        return self._child.pid if self._child is not None and self._child.is_running else None

    async def listen(self, microphone: str, max_s: float) -> None:
        """Open the microphone; return once it delivers sound.

        Raises:
            NotAvailable: The microphone cannot be opened; the message says what to do.
        """
        self._recording += 1
        self._is_recording = True
        fields = {"microphone": microphone, "max_s": max_s, "recording": self._recording}
        self._recorder = await self._get_child()
        await self._send_request(self._recorder, "listen", OPEN_TIMEOUT_S, **fields)

    async def finish(
        self, names: Sequence[str], *, wants_sound: bool, is_strict: bool
    ) -> Recognition:
        """Close the microphone and return what was recognised.

        With `wants_sound`, the recording is returned if no name was recognised.

        Raises:
            NotAvailable: Nothing was said, or the recording failed; the message says what to do.
        """
        self._is_recording = False
        if self._recorder is None:
            raise NotAvailable(CRASHED_MESSAGE)
        fields = {"names": list(names), "wants_sound": wants_sound, "is_strict": is_strict}
        found = await self._send_request(self._recorder, "finish", FINISH_TIMEOUT_S, **fields)
        wav = base64.b64decode(found.get("wav", ""))
        return Recognition(found["name"], wav, found.get("unrecognized_because"))

    def cancel(self) -> None:
        """Close the microphone and forget the recording."""
        self._is_recording = False
        if self._child is not None:
            self._child.send("cancel")

    def find_recognizer_problem(self) -> str | None:
        """Return why names cannot be recognised, and what to do, or None if they can."""
        return NO_RECOGNIZER_MESSAGE if find_spec("pocketsphinx") is None else None

    async def list_microphones(self) -> list[str]:
        """Return the names of the microphones, the default one first.

        Raises:
            NotAvailable: There is none, or the sound system cannot be used; the message says what to do.
        """
        child = await self._get_child()
        return (await self._send_request(child, "microphones", OPEN_TIMEOUT_S))["names"]

    async def close(self) -> None:
        """End the process. It is not started again."""
        await asyncio.to_thread(self._end_child)

    async def _send_request(
        self, child: ChildProcess, op: str, timeout_s: float, **fields: object
    ) -> JsonObject:
        try:
            with child.send_request(op, fields) as reply:
                result = await asyncio.wait_for(asyncio.wrap_future(reply), timeout_s)
        except TimeoutError:
            # A driver that hangs cannot be interrupted; the next request starts another process.
            child.kill()
            raise NotAvailable(CRASHED_MESSAGE) from None
        if "error" in result:
            raise NotAvailable(result["error"])
        return result

    async def _get_child(self) -> ChildProcess:
        loop = asyncio.get_running_loop()
        try:
            return await asyncio.to_thread(self._ensure_child, loop)
        except OSError as error:
            raise NotAvailable(
                f"Recording cannot be started ({error}): close other programs and try again, or restart"
                " Conductor."
            ) from error

    def _ensure_child(self, loop: asyncio.AbstractEventLoop) -> ChildProcess:
        # The thread stores the process, not the task: a task that is cancelled meanwhile would forget it, and
        # nothing would end it.
        with self._lock:
            if self._is_closed:
                raise NotAvailable("Conductor is ending: start it again to record.")
            if self._child is None or not self._child.is_running:
                self._child = self._start_child(loop)
            return self._child

    def _end_child(self) -> None:
        with self._lock:
            self._is_closed = True
            child, self._child = self._child, None
        if child is not None:
            child.stop_and_wait("stop")

    def _start_child(self, loop: asyncio.AbstractEventLoop) -> ChildProcess:
        def on_message(message: JsonObject) -> None:
            if message["op"] == "limit_reached":
                loop.call_soon_threadsafe(self._on_limit_reached, message["recording"])

        def on_end(code: int) -> None:
            if code:
                log.warning("the voice process ended with code %s", code)

        child = ChildProcess(
            "voice",
            ["--voice-process"],
            on_message=on_message,
            on_end=on_end,
            exit_message=CRASHED_MESSAGE,
        )
        child.start_reading()
        return child

    def _on_limit_reached(self, recording: int) -> None:
        # The message may have been on its way while this recording was ended and the next one began.
        if self._is_recording and recording == self._recording:
            self._on_limit()
