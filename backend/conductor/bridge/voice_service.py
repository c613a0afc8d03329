"""What commands need of push-to-talk."""

from typing import Protocol

from conductor.domain.page_events import VoiceTopic


class Utterance(Protocol):
    """A recognised utterance. Implemented by `voice.push_to_talk.Utterance`."""

    @property
    def text(self) -> str: ...
    @property
    def message(self) -> str: ...


class Voice(Protocol):
    """Push-to-talk, implemented by `voice.push_to_talk.VoiceController`. Call the methods on the event loop.

    A page must end each `start` with `finish` or `cancel`; when it disconnects, the microphone is closed.
    """

    @property
    def microphone_problem(self) -> str | None:
        """Why the microphone could not be opened last, and what to do, until it opens again."""
        ...

    def find_problem(self) -> str | None:
        """Return why nothing that is said can be recognised, and what to do, or None if it can."""
        ...

    async def list_microphones(self) -> list[str]:
        """Return the names of the connected microphones, the default one first.

        Raises:
            NotAvailable: There is none, or it cannot be found; the message says what to do.
        """
        ...

    async def start(self, owner: object) -> None: ...
    async def finish(self, owner: object) -> tuple[Utterance, VoiceTopic]:
        """Close the microphone, and return what was heard and what became of it.

        Raises:
            NotAvailable: Nothing was recognised; the message says what to do.
        """
        ...

    def cancel(self, owner: object) -> None: ...
