"""The capabilities of the assistant that built-in skills use, as protocols.

`app.abilities` creates the implementations when they are first needed.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

from conductor.domain.code import CodeRun, Language
from conductor.domain.notes import RecallResult, RecordKind
from conductor.domain.plan import ConfigPlan

if TYPE_CHECKING:  # not imported at run time, because these modules import HTTP libraries
    from conductor.capabilities.files import FileText
    from conductor.capabilities.pitch import MiddleC
    from conductor.capabilities.web_fetch import PagePortion
    from conductor.capabilities.web_search import SearchHit
    from conductor.capabilities.words import CalculatorAnswer
    from conductor.storage.notes import Notes
    from conductor.storage.tasks import Tasks


class CodeRunner(Protocol):
    """Runs code of the assistant in the sandbox of an open page."""

    async def run(self, language: Language, code: str) -> CodeRun:
        """Run code until it ends or reaches its time limit, and return its output.

        Raises:
            NotAvailable: No page is open, or the page was closed meanwhile.
        """
        ...


class FileReader(Protocol):
    """Reads files for the assistant, only in the folders that the user granted."""

    async def read(self, path: str, start: int, find: str) -> "FileText":
        """Return the text of a file from the offset `start`, or the list of files in a folder.

        With `find`, return only the lines that contain these words.

        Raises:
            NotAllowed: The user has not granted the path, or files like it are always hidden.
            NotAvailable: The file cannot be read. The message says why.
        """
        ...


class PageReader(Protocol):
    """Reads web pages of the public internet for the assistant."""

    async def fetch(self, address: str, start: int) -> "PagePortion":
        """Return the text of a web page from the offset `start`.

        Raises:
            NotAllowed: The address is in a private network.
            NotAvailable: The page cannot be read. The message says why.
        """
        ...


class WebSearcher(Protocol):
    """Searches the web for the assistant, through a search service."""

    async def search(self, query: str, count: int) -> "list[SearchHit]":
        """Return at most `count` web pages that match a query, best first.

        Raises:
            NotAvailable: No search service answers. The message says what the user can do.
        """
        ...


class RecordSearcher(Protocol):
    """Searches past conversations, notes, tasks and plans. Call it in a worker thread."""

    def __call__(
        self,
        query: str,
        kinds: Sequence[RecordKind],
        limit: int,
        current_conversation: str | None,
        plans: Sequence[ConfigPlan],
    ) -> RecallResult:
        """Return the entries that match a query, best first. The current conversation is not searched."""
        ...


class Abilities(Protocol):
    """The capabilities of the assistant that built-in skills may use."""

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

    def calculate(self, expression: str, middle_c: "MiddleC", a4_hz: float) -> "CalculatorAnswer":
        """Return the value of an expression, in which dates are relative to today. Call this in a worker
        thread.

        Raises:
            InvalidParams: The expression cannot be evaluated. The message says how to write it.
        """
        ...

    def list_tools(self) -> Sequence[Any]:
        """Return the `Tool` objects that the model of the chat may call now."""
        ...
