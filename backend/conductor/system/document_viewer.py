"""Opens a document in the viewer of the system, at a page if the viewer can be told one."""

import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from conductor.system import desktop_entries
from conductor.system.programs import SystemPrograms

_QUERY_TIMEOUT_S = 3.0
_PAGE_ARGUMENTS: dict[str, tuple[str, ...]] = {
    "evince": ("--page-index={page}",),
    "papers": ("--page-index={page}",),
    "atril": ("--page-index={page}",),
    "xreader": ("--page-index={page}",),
    "okular": ("--page", "{page}"),
    "zathura": ("--page={page}",),
    "sioyek": ("--page", "{page}"),
}
"""The arguments for a page, by the program of a viewer on Linux."""
_SUFFIX_VIEWERS = {"qpdfview": "#{page}"}
"""Viewers that expect the page after the name of the file."""
_ADDRESS_VIEWERS = ("firefox", "chromium", "chrome", "google-chrome", "brave", "microsoft-edge")
"""Browsers, which expect an address with the page."""


def open_document(path: Path, page: int, programs: SystemPrograms | None = None) -> bool:
    """Open a document, and return whether the viewer was told the page.

    Raises:
        ActionFailed: There is no viewer, or it failed.
    """
    programs = programs or SystemPrograms()
    command = find_page_command(path, page) if sys.platform.startswith("linux") else None
    if command is not None:
        programs.launch(command[0], command[1:])
        return True
    programs.launch(str(path), [])
    return False


def find_page_command(path: Path, page: int) -> list[str] | None:
    """Return the command that opens a PDF file at a page in the viewer of a Linux desktop.

    Return None if there is no viewer whose arguments are known.
    """
    entry = _find_default_viewer()
    command = desktop_entries.find_app_command(entry) if entry else None
    if not command:
        return None
    name = Path(command[0]).name
    if name in _PAGE_ARGUMENTS:
        arguments = [part.format(page=page) for part in _PAGE_ARGUMENTS[name]]
        return [command[0], *arguments, str(path)]
    if name in _SUFFIX_VIEWERS:
        return [command[0], f"{path}{_SUFFIX_VIEWERS[name].format(page=page)}"]
    if any(name.startswith(browser) for browser in _ADDRESS_VIEWERS):
        return [command[0], f"{path.absolute().as_uri()}#page={page}"]
    return None


def _find_default_viewer() -> str:
    """Return the file name of the desktop entry that opens PDF files, or an empty text."""
    if not shutil.which("xdg-mime"):
        return ""
    return _run_quietly(["xdg-mime", "query", "default", "application/pdf"])


def _run_quietly(argv: Sequence[str]) -> str:
    try:
        process = subprocess.run(
            argv, capture_output=True, check=False, timeout=_QUERY_TIMEOUT_S, text=True
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return process.stdout.strip()
