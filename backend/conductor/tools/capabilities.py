"""What skills work with, one property for each kind; `app.capabilities` makes each at its first need."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

from conductor.domain.code import CodeRun, Language
from conductor.domain.notes import Kind, Recalled
from conductor.domain.plan import ConfigPlan

if TYPE_CHECKING:  # they import what talks HTTP
    from conductor.capabilities.files import FileText
    from conductor.capabilities.pitch import MiddleC
    from conductor.capabilities.web_fetch import Page
    from conductor.capabilities.web_search import Hit
    from conductor.capabilities.words import Answer
    from conductor.storage.notes import Notes
    from conductor.storage.tasks import Tasks


class CodeRunning(Protocol):
    """Runs code in the sandbox of an open page."""

    async def run(self, language: Language, code: str) -> CodeRun:
        """Run code to its end, or to the end of its time.

        Raises:
            NotAvailable: no page is open, or it went away.
        """
        ...


class FileReading(Protocol):
    """Reads in the folders that the user granted."""

    async def read(self, path: str, start: int, find: str) -> "FileText":
        """Return a portion of a file, or of the list of a folder; with `find`, of the lines that have it.

        Raises:
            NotAllowed: it is not granted, or never shown.
            NotAvailable: it cannot be read; says why.
        """
        ...


class WebReading(Protocol):
    """Reads pages of the public internet."""

    async def fetch(self, address: str, start: int) -> "Page":
        """Return a portion of the text at an address.

        Raises:
            NotAllowed: it leads into a private network.
            NotAvailable: there is nothing to be read; says why.
        """
        ...


class WebSearching(Protocol):
    """Asks a search service."""

    async def search(self, query: str, count: int) -> "list[Hit]":
        """Return the best pages for a query.

        Raises:
            NotAvailable: nobody answers; says what to do.
        """
        ...


class Recalling(Protocol):
    """Looks into what was said, noted and planned; from worker threads."""

    def __call__(
        self,
        query: str,
        kinds: Sequence[Kind],
        limit: int,
        present: str | None,
        plans: Sequence[ConfigPlan],
    ) -> Recalled:
        """Return what has to do with a query, best first, but nothing of the present conversation."""
        ...


class Abilities(Protocol):
    """Everything beside the config that a skill may reach."""

    @property
    def code(self) -> CodeRunning: ...

    @property
    def files(self) -> FileReading: ...

    @property
    def web_pages(self) -> WebReading: ...

    @property
    def web_search(self) -> WebSearching: ...

    @property
    def notes(self) -> "Notes": ...

    @property
    def tasks(self) -> "Tasks": ...

    @property
    def recall(self) -> Recalling: ...

    def calculate(self, asked: str, middle_c: "MiddleC", a4_hz: float) -> "Answer":
        """Work something out as of today; from worker threads.

        Raises:
            InvalidParams: it cannot be worked out; says how to ask.
        """
        ...

    def tools(self) -> Sequence[Any]:
        """Return the `Tool`s that a chat's model may call now."""
        ...
