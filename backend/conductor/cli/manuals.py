"""`conductor knowledge add`, `list` and `remove`: the user's own manuals."""

import argparse
import json
import sys
import threading
from collections.abc import Sequence

from conductor.base.paths import get_home_folder
from conductor.base.resource_paths import find_knowledge_paths
from conductor.cli.text import sanitize_text
from conductor.domain.manuals import Manual
from conductor.errors import ConductorError
from conductor.knowledge.manuals.library import ManualLibrary

FAILED_EXIT_CODE = 1
UNFINISHED_STATES = ("waiting", "indexing")
PROGRESS_WAIT_S = 2.0
"""How long to wait for news of the process, before the states are read again."""


def add_manuals(args: argparse.Namespace) -> int:
    """Add files to the manuals, and wait until they are indexed. Return the exit code."""
    changed = threading.Event()
    library = ManualLibrary(find_knowledge_paths(get_home_folder()), changed.set)
    added: list[str] = []
    failed = False
    try:
        for path in args.files:
            try:
                added.append(library.add_file(path).id)
            except ConductorError as problem:
                failed = True
                print(f"conductor: {sanitize_text(str(problem))}", file=sys.stderr)
        manuals = _wait_until_indexed(library, added, changed)
    finally:
        library.close()
    if args.json:
        print(json.dumps(_to_json(manuals)))
    for manual in manuals:
        if manual.state != "ready":
            failed = True
            text = f"{manual.file_name} cannot be indexed: {manual.problem}"
            if manual.state in UNFINISHED_STATES:
                text = f"{manual.file_name} is added, but not indexed yet. {manual.problem}"
            print(f"conductor: {sanitize_text(text)}", file=sys.stderr)
        elif not args.json:
            print(sanitize_text(_format_manual(manual)))
    return FAILED_EXIT_CODE if failed else 0


def _wait_until_indexed(
    library: ManualLibrary, added: Sequence[str], changed: threading.Event
) -> list[Manual]:
    while True:
        changed.clear()
        is_indexing = library.is_indexing  # read first, because the states may change before it
        manuals = [manual for manual in library.list_manuals() if manual.id in added]
        unfinished = [one for one in manuals if one.state in UNFINISHED_STATES]
        if not unfinished or not is_indexing:
            _print_progress("")
            return manuals
        current = unfinished[0]
        if current.pages:
            _print_progress(f"{current.title}: page {current.done_pages} of {current.pages}")
        changed.wait(PROGRESS_WAIT_S)


def _print_progress(text: str) -> None:
    if sys.stderr.isatty():
        print(f"\r\x1b[K{sanitize_text(text)}", end="", file=sys.stderr, flush=True)


def list_manuals(args: argparse.Namespace) -> int:
    """List the manuals. Return the exit code."""
    library = ManualLibrary(find_knowledge_paths(get_home_folder()))
    manuals = library.list_manuals()
    library.close()
    if args.json:
        print(json.dumps(_to_json(manuals)))
    elif manuals:
        print("\n".join(sanitize_text(_format_manual(manual)) for manual in manuals))
    else:
        print("No manuals. Add one with `conductor knowledge add FILE`.")
    return 0


def remove_manual(args: argparse.Namespace) -> int:
    """Remove a manual. Return the exit code."""
    library = ManualLibrary(find_knowledge_paths(get_home_folder()))
    try:
        manual = library.remove_manual(args.manual)
    finally:
        library.close()
    print(sanitize_text(f"Removed {manual.title}."))
    return 0


def _to_json(manuals: Sequence[Manual]) -> dict[str, list[dict[str, object]]]:
    return {"manuals": [manual.model_dump(mode="json") for manual in manuals]}


def _format_manual(manual: Manual) -> str:
    counts = f"{manual.pages} pages, {manual.chunks} sections, {manual.parameters} parameters"
    state = {
        "waiting": "waiting",
        "indexing": f"indexing, page {manual.done_pages} of {manual.pages}",
        "ready": counts,
        "failed": "cannot be indexed",
    }[manual.state]
    if manual.problem:
        state += f": {manual.problem}"
    return f"{manual.id:<36} {manual.title} ({state})"
