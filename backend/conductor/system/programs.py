"""Opens apps, files and URLs, and runs programs to completion. Nothing is ever passed to a shell."""

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
from conductor.errors import ActionCancelled, ActionFailed
from conductor.system import desktop_entries
from conductor.system.children import Reaper, end_process_group, start_program

KEPT_CHARS = 4_000
_OPENER_S = 3.0
"""How long to wait for an opener such as xdg-open to fail."""
_POLL_S = 0.02


class SystemPrograms:
    """The programs of this computer. Launched programs continue when Conductor ends."""

    def __init__(self, platform: str = sys.platform) -> None:
        self._platform = platform
        self._reaper = Reaper()

    def launch(self, app: str, args: Sequence[str]) -> None:
        """Open a program, an app by its name, a file or a URL.

        Raises:
            ActionFailed: none of these exists, or the opener failed.
        """
        if not app.strip():
            raise ActionFailed("no app is given: set `app` to a program, app name, file or URL")
        if self._platform == "win32":
            _launch_on_windows(app, args)
            return
        find = _build_mac_command if self._platform == "darwin" else _build_command
        argv, is_opener = find(app, args)
        errors = subprocess.PIPE if is_opener else subprocess.DEVNULL
        process = start_program(argv, stdout=subprocess.DEVNULL, stderr=errors)
        if is_opener:
            _await_opener(process, app)
        self._reaper.adopt(process)

    def run(self, argv: Sequence[str], timeout_s: float, cancelled: Callable[[], bool]) -> str:
        """Run a program, and return the first 4,000 characters of its output.

        Raises:
            ActionFailed: the program could not start, failed, or took longer than `timeout_s`.
            ActionCancelled: `cancelled()` became true; the program and its descendants were killed.
        """
        if not argv:
            raise ActionFailed("no program is given: set the command")
        process = start_program(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        output = _PipeReader(process.stdout, keep_first=True)
        errors = _PipeReader(process.stderr, keep_first=False)
        _await_end(process, argv[0], timeout_s, cancelled)
        if process.returncode:
            raise ActionFailed(_describe_failure(argv[0], process.returncode, errors.text()))
        return output.text()


def _build_command(app: str, args: Sequence[str]) -> tuple[list[str], bool]:
    """Return the command that opens `app` on Linux, and whether it is an opener such as xdg-open."""
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


def _launch_on_windows(app: str, args: Sequence[str]) -> None:  # pragma: no cover - unproven here
    try:
        os.startfile(app, arguments=subprocess.list2cmdline(args))  # type: ignore[attr-defined]  # noqa: S606
    except OSError as problem:
        raise ActionFailed(f"Windows cannot open `{app}`: {problem.strerror}") from problem


def is_url(app: str) -> bool:
    """Return whether a text is a URL such as `https://...` or `mailto:...`."""
    scheme, separator, _ = app.partition(":")
    return bool(separator) and len(scheme) > 1 and scheme[0].isalpha() and "/" not in scheme


def _await_opener(process: subprocess.Popen[bytes], app: str) -> None:
    """Wait briefly for the opener to fail; one that keeps running is the app itself."""
    errors = _PipeReader(process.stderr, keep_first=False)
    try:
        code = process.wait(_OPENER_S)
    except subprocess.TimeoutExpired:
        return
    if code:
        reason = errors.text().strip() or f"code {code}"
        raise ActionFailed(f"`{app}` cannot be opened: {reason}. Is an app installed for it?")


def _await_end(
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
                f"`{name}` was stopped after {timeout_s:g} s: raise timeout_s if it needs longer"
            )


def _describe_failure(name: str, code: int, errors: str) -> str:
    if code < 0:
        try:
            return f"`{name}` was ended by {signal.Signals(-code).name}"
        except ValueError:
            return f"`{name}` was ended by signal {-code}"
    lines = errors.strip().splitlines()
    return f"`{name}` ended with code {code}" + (f": {lines[-1].strip()}" if lines else "")


class _PipeReader:
    """A thread that drains a pipe, so that a program with much output neither blocks nor fills memory."""

    def __init__(self, pipe: IO[bytes] | None, *, keep_first: bool) -> None:
        assert pipe is not None
        self._pipe = pipe
        self._kept = b""
        self._keep_first = keep_first
        self._thread = threading.Thread(target=self._drain_pipe, name="pipe reader", daemon=True)
        self._thread.start()

    def text(self) -> str:
        """Return the text read so far, without waiting for a child that still holds the pipe."""
        self._thread.join(0.2)
        text = self._kept.decode(errors="replace")
        return text[:KEPT_CHARS] if self._keep_first else text[-KEPT_CHARS:]

    def _drain_pipe(self) -> None:
        limit = 4 * KEPT_CHARS  # bytes: a UTF-8 character has up to four
        with self._pipe:
            while chunk := os.read(self._pipe.fileno(), 65_536):
                kept = self._kept + chunk
                self._kept = kept[:limit] if self._keep_first else kept[-limit:]
