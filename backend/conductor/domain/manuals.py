"""Defines the user's own manuals: the files, and the state of their indexing."""

from typing import Literal

from conductor.domain.value import Value

ManualState = Literal["waiting", "indexing", "ready", "failed"]
MANUAL_SOURCE_PREFIX = "manual/"
MANUAL_SUFFIXES = (".pdf", ".txt", ".md", ".markdown", ".html", ".htm")


class Manual(Value):
    """A manual that the user added."""

    id: str
    """The id of the source: `manual/minitaur`."""
    title: str
    file_name: str
    state: ManualState
    problem: str = ""
    """Why the manual cannot be searched, or what is missing; empty if there is no problem."""
    pages: int = 0
    """The number of pages; 0 until the file has been opened."""
    done_pages: int = 0
    """The number of pages that have been indexed."""
    chunks: int = 0
    parameters: int = 0
    """The number of parameters with a controller number that its tables name."""
    size_bytes: int = 0
    added_at: str = ""


class ManualPage(Value):
    """The text of a page of a manual."""

    manual_id: str
    title: str
    page: int
    pages: int
    text: str
    """The text as it stands on the page, with its columns."""
    is_pdf: bool
