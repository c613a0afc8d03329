"""Push-to-talk: listens while a control or the chat's button is held, and passes on what was heard.

The microphone is opened by a press and closed by the release; nothing else opens it.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from functools import partial
from typing import NamedTuple, Protocol

from conductor.domain.config import Config
from conductor.domain.page_events import VoiceTopic
from conductor.domain.settings import VoiceSettings
from conductor.domain.spoken_names import (
    SpokenName,
    find_spoken_name,
    format_do_command,
    list_spoken_names,
)
from conductor.domain.wire_rows import PushToTalkRow
from conductor.errors import ConductorError, NotAvailable
from conductor.voice.host import Recognition

log = logging.getLogger(__name__)

ALREADY_LISTENING_MESSAGE = "Conductor is already listening: release the other control first."
NOT_LISTENING_MESSAGE = "Conductor is not listening: hold the microphone button while you speak."
NOTHING_ON_MESSAGE = (
    "Speech is not recognised: switch on the recognition of names, or choose a transcription, in Settings >"
    " Voice."
)
NO_NAME_HEARD_MESSAGE = (
    "No name of a mapping or mode was heard. Say one as it is written in the list of mappings; to say"
    " anything else, choose a transcription in Settings > Voice."
)
NO_WORDS_HEARD_MESSAGE = (
    "No words were heard: speak closer to the microphone, and hold the control until the end."
)


class Utterance(NamedTuple):
    """A recognised utterance, and the message that sends it to the chat."""

    text: str
    message: str
    spoken: SpokenName | None
    """The mapping or mode whose name was said, or None for free speech."""


class Recorder(Protocol):
    """Records and recognises names. Implemented by `voice.host.VoiceHost`."""

    async def listen(self, microphone: str, max_s: float) -> None: ...
    async def finish(
        self, names: list[str], *, wants_sound: bool, is_strict: bool
    ) -> Recognition: ...
    def cancel(self) -> None: ...
    def find_recognizer_problem(self) -> str | None: ...
    async def list_microphones(self) -> list[str]: ...
    async def close(self) -> None: ...


class SpeechToText(Protocol):
    """Turns recordings into text. Implemented by `llm.transcriber.Transcriber`."""

    @property
    def is_wanted(self) -> bool: ...
    async def transcribe(self, wav: bytes) -> str: ...


class ActiveMode(NamedTuple):
    mode: str
    profile: str | None


class Hold:
    """One press of a control or of the chat's button, with the names that could be said when it began."""

    def __init__(
        self, by: str, owner: object, names: tuple[SpokenName, ...], settings: VoiceSettings
    ) -> None:
        self.by = by
        self.owner = owner
        """The page with the button, or None for a control."""
        self.names = names
        self.settings = settings
        self.released = asyncio.Event()
        self.opened = asyncio.get_running_loop().create_future()
        self.task: asyncio.Task[Utterance] | None = None


class VoiceController:
    """Runs one hold at a time. Create it on the event loop; `on_push_to_talk` is safe in any thread."""

    def __init__(
        self,
        read_config: Callable[[], Config],
        read_mode: Callable[[], ActiveMode],
        create_recorder: Callable[[Callable[[], None]], Recorder],
        speech_to_text: SpeechToText,
        perform: Callable[[SpokenName], None],
        send_to_chat: Callable[[str], Awaitable[str]],
        publish: Callable[[VoiceTopic], None],
        report_failure: Callable[[str], None] = lambda _reason: None,
    ) -> None:
        """Set the services. `perform` blocks; `send_to_chat` returns the id of the conversation;
        `report_failure` receives why the microphone could not be opened for a held control.
        """
        self._read_config = read_config
        self._read_mode = read_mode
        self._recorder = create_recorder(self._on_limit)
        self._speech_to_text = speech_to_text
        self._perform = perform
        self._send_to_chat = send_to_chat
        self._publish = publish
        self._report_failure = report_failure
        self.microphone_problem: str | None = None
        """Why the microphone could not be opened last, and what to do, until it opens again."""
        self._loop = asyncio.get_running_loop()
        self._hold: Hold | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    def on_push_to_talk(self, row: PushToTalkRow) -> None:
        """Handle the press or the release of a control with a `PushToTalk` action."""
        with_loop = self._press_control if row["held"] else self._release_control
        try:
            self._loop.call_soon_threadsafe(partial(with_loop, row["by"]))
        except RuntimeError:  # the loop is closed because Conductor is ending
            pass

    def find_problem(self) -> str | None:
        """Return why nothing that is said can be recognised, and what to do, or None if it can."""
        if self._speech_to_text.is_wanted:
            return None
        if not self._read_config().settings.voice.names:
            return NOTHING_ON_MESSAGE
        return self._recorder.find_recognizer_problem()

    async def list_microphones(self) -> list[str]:
        """Return the names of the connected microphones, the default one first.

        Raises:
            NotAvailable: There is none, or it cannot be found; the message says what to do.
        """
        return await self._recorder.list_microphones()

    async def start(self, owner: object) -> None:
        """Open the microphone for the button of a page; return once it delivers sound.

        Raises:
            NotAvailable: The microphone cannot be opened, or another control is held.
        """
        if self._hold is not None:
            raise NotAvailable(ALREADY_LISTENING_MESSAGE)
        hold = self._begin("", owner)
        await hold.opened

    async def finish(self, owner: object) -> tuple[Utterance, VoiceTopic]:
        """Close the microphone, and return what was heard and what became of it.

        Raises:
            NotAvailable: Nothing was recognised; the message says what to do.
            ActionFailed: The action whose name was said failed.
        """
        hold = self._hold
        if hold is None or hold.owner is not owner or hold.task is None:
            raise NotAvailable(NOT_LISTENING_MESSAGE)
        hold.released.set()
        heard, event = None, VoiceTopic(state="idle")
        try:
            heard = await hold.task
            event = await self._act(hold, heard)
        except ConductorError as error:
            event = VoiceTopic(state="idle", outcome="failed", message=str(error))
            raise
        finally:
            self._end(hold, event)
        return heard, event

    def cancel(self, owner: object) -> None:
        """Close the microphone and forget the recording, if this page holds its button."""
        hold = self._hold
        if hold is not None and hold.owner is owner:
            self._recorder.cancel()
            if hold.task is not None:
                hold.task.cancel()
            if not hold.opened.done():
                hold.opened.set_exception(NotAvailable(NOT_LISTENING_MESSAGE))
            self._end(hold, VoiceTopic(state="idle", by=hold.by))

    async def close(self) -> None:
        """Close the microphone and end the voice process."""
        if self._hold is not None:
            self.cancel(self._hold.owner)
        for task in self._tasks:
            task.cancel()
        await self._recorder.close()

    def _press_control(self, by: str) -> None:
        if self._hold is not None:
            return  # the button in the chat is held; it ends as its own hold says
        hold = self._begin(by, None)
        task = asyncio.create_task(self._run_control(hold))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _release_control(self, _by: str) -> None:
        if self._hold is not None and self._hold.owner is None:
            self._hold.released.set()

    def _on_limit(self) -> None:
        if self._hold is not None:
            self._hold.released.set()

    async def _run_control(self, hold: Hold) -> None:
        event = VoiceTopic(state="idle", by=hold.by)
        try:
            assert hold.task is not None
            heard = await hold.task
            event = await self._act(hold, heard)
            if event.outcome == "waiting" and hold.settings.send:
                conversation_id = await self._send_to_chat(heard.message)
                event = event.model_copy(
                    update={"outcome": "sent", "conversation_id": conversation_id}
                )
        except ConductorError as error:
            event = VoiceTopic(state="idle", by=hold.by, outcome="failed", message=str(error))
        except Exception as error:
            log.exception("push-to-talk failed")
            message = (
                f"Push-to-talk failed unexpectedly ({error}): try again. If it fails again, report it with the"
                " log."
            )
            event = VoiceTopic(state="idle", by=hold.by, outcome="failed", message=message)
        finally:
            self._end(hold, event)

    def _begin(self, by: str, owner: object) -> Hold:
        config, active = self._read_config(), self._read_mode()
        settings = config.settings.voice
        names = list_spoken_names(config, active.mode, active.profile) if settings.names else ()
        self._hold = hold = Hold(by, owner, names, settings)
        hold.task = asyncio.create_task(self._record_utterance(hold))
        for outcome in (hold.opened, hold.task):  # only one of them is awaited if it fails
            outcome.add_done_callback(lambda done: done.cancelled() or done.exception())
        return hold

    def _end(self, hold: Hold, event: VoiceTopic) -> None:
        if self._hold is hold:
            self._hold = None
            self._publish(event)

    async def _record_utterance(self, hold: Hold) -> Utterance:
        """Record until the control is released, and return the recognised utterance."""
        try:
            await self._open_microphone(hold)
        except ConductorError as error:
            hold.opened.set_exception(error)
            if hold.owner is None:
                self._report_failure(str(error))
            # The page calls neither `finish` nor `cancel` after an error.
            if hold.owner is not None:
                self._end(hold, VoiceTopic(state="idle", outcome="failed", message=str(error)))
            raise
        hold.opened.set_result(None)
        self._publish(VoiceTopic(state="listening", by=hold.by))
        await hold.released.wait()
        self._publish(VoiceTopic(state="recognizing", by=hold.by))
        names = [one.name for one in hold.names]
        has_text = self._speech_to_text.is_wanted
        recognized = await self._recorder.finish(
            names, wants_sound=has_text, is_strict=has_text or hold.settings.act_at_once
        )
        if recognized.name is not None:
            return self._build_utterance(recognized.name, hold)
        if not recognized.wav:
            raise NotAvailable(recognized.unrecognized_because or NO_NAME_HEARD_MESSAGE)
        text = await self._speech_to_text.transcribe(recognized.wav)
        if not text.strip("/ "):
            raise NotAvailable(NO_WORDS_HEARD_MESSAGE)
        return self._build_utterance(text, hold)

    async def _open_microphone(self, hold: Hold) -> None:
        if (problem := self.find_problem()) is not None:
            raise NotAvailable(problem)
        self._publish(VoiceTopic(state="opening", by=hold.by))
        try:
            await self._recorder.listen(hold.settings.microphone, hold.settings.limit_s)
        except ConductorError as error:
            self.microphone_problem = str(error)
            raise
        self.microphone_problem = None

    def _build_utterance(self, text: str, hold: Hold) -> Utterance:
        spoken = find_spoken_name(hold.names, text)
        if spoken is not None:
            return Utterance(spoken.name, format_do_command(self._read_config(), spoken), spoken)
        # A transcription must never be a slash command, some of which act at once.
        return Utterance(text, text.lstrip("/ "), None)

    async def _act(self, hold: Hold, heard: Utterance) -> VoiceTopic:
        """Perform the action whose name was said, if the settings allow it; return what happened."""
        event = VoiceTopic(
            state="idle", by=hold.by, text=heard.text, outcome="waiting", message=heard.message
        )
        if heard.spoken is None or not hold.settings.act_at_once:
            return event
        await asyncio.to_thread(self._perform, heard.spoken)
        return event.model_copy(update={"outcome": "performed"})
