"""Opens apps, files and URLs, and runs programs until they end. No command is ever passed to a shell."""

import logging
import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO

from conductor.base.clock import now
from conductor.base.links import is_url
from conductor.errors import ActionCancelled, ActionFailed
from conductor.system import desktop_entries
from conductor.system.children import ProcessReaper, end_process_group, start_program

_log = logging.getLogger(__name__)

MAX_OUTPUT_CHARS = 4_000
_OPENER_TIMEOUT_S = 3.0
"""Seconds within which an opener such as xdg-open must fail for its failure to be reported."""
_POLL_S = 0.02
_NO_OPENER_CODE = 3
"""The exit code of xdg-open if it found no app that could open its argument."""
_NO_APP_WORDS = ("default application", "no application", "no method available")
"""Parts of what gio, xdg-open and `open` write if no app is set up for a type."""


class SystemPrograms:
    """Launches and runs programs on this computer. Launched programs keep running when Conductor exits."""

    def __init__(self, platform: str = sys.platform) -> None:
        self._platform = platform
        self._reaper = ProcessReaper()

    def launch(self, app: str, args: Sequence[str]) -> None:
        """Open a program, an app by its name, a file or a URL.

        Raises:
            ActionFailed: There is no such program, app, file or URL, or the opener failed.
        """
        if not app.strip():
            raise ActionFailed("no app is given: set `app` to a program, app name, file or URL")
        if self._platform == "win32":
            _launch_on_windows(app, args)
            return
        build = _build_mac_command if self._platform == "darwin" else _build_command
        argv, is_opener = build(app, args)
        errors = subprocess.PIPE if is_opener else subprocess.DEVNULL
        process = start_program(argv, stdout=subprocess.DEVNULL, stderr=errors)
        if is_opener:
            _check_opener(process, app)
        self._reaper.add_process(process)

    def run(self, argv: Sequence[str], timeout_s: float, cancelled: Callable[[], bool]) -> str:
        """Run a program until it ends, and return the first 4,000 characters of its output.

        Raises:
            ActionFailed: The program could not be started, failed, or took longer than `timeout_s`.
            ActionCancelled: `cancelled()` returned True. The program and its descendants were killed.
        """
        if not argv:
            raise ActionFailed("no program is given: set the command")
        process = start_program(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        output = _PipeReader(process.stdout, keep_first=True)
        errors = _PipeReader(process.stderr, keep_first=False)
        _wait_for_exit(process, argv[0], timeout_s, cancelled)
        if process.returncode:
            raise ActionFailed(_describe_failure(argv[0], process.returncode, errors.get_text()))
        return output.get_text()


def _build_command(app: str, args: Sequence[str]) -> tuple[list[str], bool]:
    """Return the command that opens `app` on Linux, and whether that command is an opener such as xdg-open."""
    path = Path(app).expanduser()
    program = shutil.which(str(path))
    if program:
        return [program, *args], False
    entry = desktop_entries.find_app_command(app)
    if entry:
        return [*entry, *args], False
    if not is_url(app) and not path.exists():
        raise ActionFailed(
            f"no program, app, file or URL `{app}`: check the spelling, or give its full path"
        )
    if args:
        raise ActionFailed(
            f"`{app}` is opened by another app, which takes no arguments: remove them"
        )
    for opener in (["xdg-open"], ["gio", "open"]):
        if shutil.which(opener[0]):
            return [*opener, app if is_url(app) else str(path)], True
    raise ActionFailed(f"`{app}` needs an opener: install xdg-utils (xdg-open)")


def _build_mac_command(app: str, args: Sequence[str]) -> tuple[list[str], bool]:
    path = Path(app).expanduser()
    if is_url(app) or (path.exists() and path.suffix != ".app"):
        return ["open", app if is_url(app) else str(path)], True
    return ["open", "-a", str(path), *(["--args", *args] if args else [])], True


# pragma: no cover - the tests run on Linux only
def _launch_on_windows(app: str, args: Sequence[str]) -> None:
    try:
        os.startfile(app, arguments=subprocess.list2cmdline(args))  # type: ignore[attr-defined]  # noqa: S606
    except OSError as problem:
        raise ActionFailed(f"Windows cannot open `{app}`: {problem.strerror}") from problem


def _check_opener(process: subprocess.Popen[bytes], app: str) -> None:
    """Raise `ActionFailed` if the opener fails within `_OPENER_TIMEOUT_S`.

    An opener that keeps running is the app itself.
    """
    errors = _PipeReader(process.stderr, keep_first=False)
    try:
        code = process.wait(_OPENER_TIMEOUT_S)
    except subprocess.TimeoutExpired:
        return
    if code:
        text = errors.get_text().strip()
        _log.info("`%s` could not be opened (code %d): %s", app, code, text)
        raise ActionFailed(_describe_opener_failure(app, code, text))


def _describe_opener_failure(app: str, code: int, errors: str) -> str:
    if code == _NO_OPENER_CODE or any(words in errors.lower() for words in _NO_APP_WORDS):
        if not is_url(app):
            return (
                f"no app is set up to open `{Path(app).name}`: install one, or choose it in the"
                " system settings"
            )
        return (
            f"no app is set up to open `{app.partition(':')[0]}` links: install one, or choose it"
            " in the system settings"
        )
    reason = errors.splitlines()[-1].strip() if errors else f"code {code}"
    return f"`{app}` cannot be opened: {reason}"


def _wait_for_exit(
    process: subprocess.Popen[bytes], name: str, timeout_s: float, cancelled: Callable[[], bool]
) -> None:
    deadline = now() + timeout_s
    while True:
        try:
            process.wait(max(0.0, min(_POLL_S, deadline - now())))
            return
        except subprocess.TimeoutExpired:
            pass
        if cancelled():
            end_process_group(process)
            raise ActionCancelled(f"`{name}` was stopped")
        if now() >= deadline:
            end_process_group(process)
            raise ActionFailed(
                f"`{name}` was stopped after {timeout_s:g} s: increase timeout_s if it needs more time"
            )


def _describe_failure(name: str, code: int, errors: str) -> str:
    if code < 0:
        try:
            return f"`{name}` was killed by {signal.Signals(-code).name}"
        except ValueError:
            return f"`{name}` was killed by signal {-code}"
    lines = errors.strip().splitlines()
    return f"`{name}` failed with exit code {code}" + (f": {lines[-1].strip()}" if lines else "")


class _PipeReader:
    """Reads a pipe in a thread and keeps only its beginning, so that much output neither blocks the
    program nor fills the memory.
    """

    def __init__(self, pipe: IO[bytes] | None, *, keep_first: bool) -> None:
        assert pipe is not None
        self._pipe = pipe
        self._output = b""
        self._keep_first = keep_first
        self._thread = threading.Thread(target=self._drain_pipe, name="pipe reader", daemon=True)
        self._thread.start()

    def get_text(self) -> str:
        """Return the text read so far, without waiting for a child process that keeps the pipe open."""
        self._thread.join(0.2)
        text = self._output.decode(errors="replace")
        return text[:MAX_OUTPUT_CHARS] if self._keep_first else text[-MAX_OUTPUT_CHARS:]

    def _drain_pipe(self) -> None:
        limit = 4 * MAX_OUTPUT_CHARS  # a UTF-8 character has up to four bytes
        with self._pipe:
            while chunk := os.read(self._pipe.fileno(), 65_536):
                output = self._output + chunk
                self._output = output[:limit] if self._keep_first else output[-limit:]
