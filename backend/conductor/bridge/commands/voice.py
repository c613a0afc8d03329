"""Commands of the microphone button, which listens while it is held, and of its settings."""

from typing import Literal

from conductor.bridge.models import Empty
from conductor.bridge.registry import command, query
from conductor.bridge.services import Call
from conductor.domain.value import Value


class VoiceStatus(Value):
    problem: str
    """Why nothing that is said can be recognised, and what to do; empty if it can."""
    microphone_problem: str
    """Why the microphone could not be opened last, and what to do; empty if it opened."""


class Microphones(Value):
    names: tuple[str, ...]
    """The names of the connected microphones, the default one first."""


class SpeechHeard(Value):
    text: str
    message: str
    """What to send to the assistant: the text, or a slash command for the name that was said."""
    outcome: Literal["performed", "send", "draft"]
    """What the page does with the message: nothing, send it, or put it into the message field."""


@query("voice.status")
async def get_voice_status(params: Empty, call: Call) -> VoiceStatus:
    """Return whether anything that is said can be recognised. The microphone stays closed."""
    voice = call.services.voice
    return VoiceStatus(
        problem=voice.find_problem() or "", microphone_problem=voice.microphone_problem or ""
    )


@query("voice.microphones")
async def list_microphones(params: Empty, call: Call) -> Microphones:
    """Return the connected microphones, which stay closed. This starts the voice process."""
    return Microphones(names=tuple(await call.services.voice.list_microphones()))


@command("voice.start")
async def start_listening(params: Empty, call: Call) -> Empty:
    """Open the microphone, and return when it listens."""
    await call.services.voice.start(call.page)
    return Empty()


@command("voice.finish")
async def finish_listening(params: Empty, call: Call) -> SpeechHeard:
    """Close the microphone, and return what was heard."""
    heard, event = await call.services.voice.finish(call.page)
    is_sent = call.services.config.store.current_config.settings.voice.send
    outcome = "performed" if event.outcome == "performed" else "send" if is_sent else "draft"
    return SpeechHeard(text=heard.text, message=heard.message, outcome=outcome)


@command("voice.cancel")
async def cancel_listening(params: Empty, call: Call) -> Empty:
    """Close the microphone and forget the recording."""
    call.services.voice.cancel(call.page)
    return Empty()
