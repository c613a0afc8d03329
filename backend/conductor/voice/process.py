"""The process that records and recognises speech: it answers the app's requests, one line of JSON each.

The sound system and PocketSphinx are native code, which harms nothing else if it crashes here. The microphone
is open only between `listen` and `finish` or `cancel`, and never longer than the app allows. If the app
ends, this process ends, too.
"""

import base64
import logging
import os
import signal
import threading
from collections.abc import Sequence

from conductor.base.json_types import JsonObject
from conductor.base.link import Link
from conductor.base.logs import log_to_stderr
from conductor.errors import NotAvailable
from conductor.voice.microphone import list_microphones, record_samples
from conductor.voice.recognizer import NameRecognizer
from conductor.voice.sound import MIN_SPEECH_S, encode_wav, measure_peak_db, measure_seconds

log = logging.getLogger(__name__)

CLOSE_TIMEOUT_S = 2.0
SILENCE_DB = -60.0
"""A recording that is never louder than this contains no speech."""
TOO_SHORT_MESSAGE = "Nothing was said: hold the control while you speak, and release it afterwards."
SILENT_MESSAGE = (
    "The microphone recorded only silence: check that it is switched on, not muted, and chosen in the sound"
    " settings, and that Conductor may use it (macOS: Privacy & Security > Microphone)."
)
STUCK_MESSAGE = (
    "The microphone does not respond: unplug it and plug it in again, or restart the sound server."
)


class Recording:
    """One recording, made on a thread of its own so that a microphone that hangs can be given up."""

    def __init__(self, link: Link, request: JsonObject) -> None:
        self._link = link
        self._id: int = request["id"]
        self._number: int = request["recording"]
        self._microphone: str = request["microphone"]
        self._max_s: float = request["max_s"]
        self._stop = threading.Event()
        self._has_replied = False
        self.samples = b""
        self.problem: str | None = None
        self._thread = threading.Thread(target=self._record, name="recording", daemon=True)
        self._thread.start()

    def end(self) -> None:
        """Close the microphone. `samples` and `problem` then have the result."""
        self._stop.set()
        self._thread.join(CLOSE_TIMEOUT_S)
        if self._thread.is_alive():
            self.problem = STUCK_MESSAGE

    def _record(self) -> None:
        try:
            self.samples = record_samples(
                self._microphone, self._stop, self._max_s, lambda: self._reply({})
            )
        except NotAvailable as error:
            self.problem = str(error)
        except Exception as error:
            log.exception("cannot record")
            self.problem = f"Recording failed: {error}. Check the microphone in the sound settings."
        self._reply({"error": self.problem} if self.problem else {})
        if not self._stop.is_set() and self.problem is None:
            self._link.send("limit_reached", recording=self._number)

    def _reply(self, result: JsonObject) -> None:
        """Answer the request `listen`, once."""
        if not self._has_replied:
            self._has_replied = True
            self._link.send("reply", id=self._id, result=result)


class VoiceProcess:
    """Answers `listen`, `finish`, `cancel` and `microphones`."""

    def __init__(self, link: Link) -> None:
        self._link = link
        self._recording: Recording | None = None
        self._recognizer: NameRecognizer | None = None

    def run(self) -> None:
        for request in self._link.receive_messages():
            match request.get("op"):
                case "listen":
                    self._end_recording()
                    self._recording = Recording(self._link, request)
                case "finish":
                    self._reply(request, self._finish(request))
                case "cancel":
                    self._end_recording()
                case "microphones":
                    self._reply(request, _list_microphones())
                case "stop":
                    break
                case _:
                    log.warning("skipped an unknown request")
        self._end_recording()
        self._link.close()

    def _reply(self, request: JsonObject, result: JsonObject) -> None:
        self._link.send("reply", id=request["id"], result=result)

    def _end_recording(self) -> Recording | None:
        ended, self._recording = self._recording, None
        if ended is not None:
            ended.end()
        return ended

    def _finish(self, request: JsonObject) -> JsonObject:
        recording = self._end_recording()
        if recording is None:
            return {"error": TOO_SHORT_MESSAGE}
        problem = recording.problem or _find_problem(recording.samples)
        if problem is not None:
            return {"error": problem}
        names: list[str] = request["names"]
        result: JsonObject = {"name": None}
        if names:
            try:
                result["name"] = self._load_recognizer().recognize_name(
                    recording.samples, names, is_strict=request["is_strict"]
                )
            except NotAvailable as error:
                result["unrecognized_because"] = str(error)
        if request["wants_sound"] and result["name"] is None:
            result["wav"] = base64.b64encode(encode_wav(recording.samples)).decode()
        return result

    def _load_recognizer(self) -> NameRecognizer:
        if self._recognizer is None:
            self._recognizer = NameRecognizer()
        return self._recognizer


def _find_problem(samples: bytes) -> str | None:
    if measure_seconds(samples) < MIN_SPEECH_S:
        return TOO_SHORT_MESSAGE
    return SILENT_MESSAGE if measure_peak_db(samples) < SILENCE_DB else None


def _list_microphones() -> JsonObject:
    try:
        return {"names": list_microphones()}
    except NotAvailable as error:
        return {"error": str(error)}


def main(_arguments: Sequence[str]) -> int:
    """Answer requests until standard input ends, and return the exit code."""
    log_to_stderr()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    reader, writer = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # text that a library prints must not be mistaken for a reply
    VoiceProcess(Link(reader, writer)).run()
    return 0
