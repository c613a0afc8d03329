"""Protocols of the capabilities that built-in skills use. `app.capabilities` creates them on demand."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

from conductor.domain.code import CodeRun, Language
from conductor.domain.notes import Kind, RecallResult
from conductor.domain.plan import ConfigPlan

if TYPE_CHECKING:  # they import what talks HTTP
    from conductor.capabilities.files import FileText
    from conductor.capabilities.pitch import MiddleC
    from conductor.capabilities.web_fetch import Page
    from conductor.capabilities.web_search import Hit
    from conductor.capabilities.words import Answer
    from conductor.storage.notes import Notes
    from conductor.storage.tasks import Tasks


class CodeRunner(Protocol):
    """Runs code in the sandbox of a page that is open."""

    async def run(self, language: Language, code: str) -> CodeRun:
        """Run code until it ends or reaches its time limit.

        Raises:
            NotAvailable: No page is open, or it was closed.
        """
        ...


class FileReader(Protocol):
    """Reads files in the folders that the user granted."""

    async def read(self, path: str, start: int, find: str) -> "FileText":
        """Return a portion of a file, or a folder listing.

        With `find`, return only the lines that contain it.

        Raises:
            NotAllowed: The path is not granted, or is always hidden.
            NotAvailable: The file cannot be read; the message says why.
        """
        ...


class PageReader(Protocol):
    """Reads web pages of the public internet."""

    async def fetch(self, address: str, start: int) -> "Page":
        """Return a portion of the text of the page at an address.

        Raises:
            NotAllowed: The address leads into a private network.
            NotAvailable: The page cannot be read; the message says why.
        """
        ...


class WebSearcher(Protocol):
    """Queries a web search service."""

    async def search(self, query: str, count: int) -> "list[Hit]":
        """Return the best web pages for a query.

        Raises:
            NotAvailable: No service answers; the message says what to do.
        """
        ...


class RecordSearcher(Protocol):
    """Searches past conversations, notes, tasks and plans. Called in worker threads."""

    def __call__(
        self,
        query: str,
        kinds: Sequence[Kind],
        limit: int,
        present: str | None,
        plans: Sequence[ConfigPlan],
    ) -> RecallResult:
        """Return the entries related to a query, best first.

        Skip entries of the conversation `present`.
        """
        ...


class Abilities(Protocol):
    """The capabilities beyond the config that a skill may use."""

    @property
    def code(self) -> CodeRunner: ...

    @property
    def files(self) -> FileReader: ...

    @property
    def web_pages(self) -> PageReader: ...

    @property
    def web_search(self) -> WebSearcher: ...

    @property
    def notes(self) -> "Notes": ...

    @property
    def tasks(self) -> "Tasks": ...

    @property
    def recall(self) -> RecordSearcher: ...

    def calculate(self, asked: str, middle_c: "MiddleC", a4_hz: float) -> "Answer":
        """Evaluate an expression. Relative dates refer to today. Called in worker threads.

        Raises:
            InvalidParams: The expression cannot be evaluated; the message says how to write it.
        """
        ...

    def list_tools(self) -> Sequence[Any]:
        """Return the `Tool` objects that the chat's model may call now."""
        ...
