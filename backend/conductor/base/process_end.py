"""Ends a process without Python's own shutdown.

The shutdown stops daemon threads wherever they are. If a thread is inside a Rust or C++ library (pydantic,
chromadb, tokenizers), that aborts the process: `FATAL: exception not rethrown`. It also frees every object one
by one: half a second for what the app imports.

Imports only the standard library and little of it, because port processes start with it.
"""

import atexit
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import NoReturn


def run_program(main: Callable[[], int]) -> int:
    """Run the main function of this process and return its exit code, with which the caller must exit.

    Call this function before anything else, so that its exit handler runs after the exit handlers of all
    libraries.
    """
    codes = [1]  # the exit code if `main` raises an exception
    atexit.register(lambda: end_process(codes[0]))
    try:
        codes[0] = main()
    except SystemExit as exit_error:
        codes[0] = _read_exit_code(exit_error)
        raise
    return codes[0]


def end_process(code: int) -> NoReturn:
    """Exit the process at once, after flushing its output and closing its log."""
    if "logging" in sys.modules:
        sys.modules["logging"].shutdown()
    for stream in (sys.stdout, sys.stderr):
        with suppress(Exception):  # the process has no such stream, or its reader is gone
            stream.flush()
    os._exit(code)


def _read_exit_code(exit_error: SystemExit) -> int:
    if exit_error.code is None:
        return 0
    return exit_error.code if isinstance(exit_error.code, int) else 1
