"""Watches the foreground app on Linux through the first source that works, without polling."""

import logging
import select
import socket
import threading
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple, Protocol, TypeGuard

from conductor.base.clock import now
from conductor.errors import ActionFailed

AppNames = tuple[str, str, str]
"""The executable, the bundle id (on Linux: app id or window class) and the title of the foreground app."""
ReportApp = Callable[[AppNames], None]

NO_APP: AppNames = ("", "", "")
APP_NOT_REVEALED_MESSAGE = (
    "this Wayland compositor does not tell Conductor which app is in the foreground"
)
_RETRY_INTERVAL_S = 2.0
"""The shortest time in seconds between two attempts to watch the foreground app."""
_LISTENER = "listener"
_log = logging.getLogger(__name__)


class ForegroundSource(Protocol):
    """A source of the foreground app, such as a compositor or an X11 window manager."""

    @property
    def name(self) -> str: ...

    def get_unavailable_reason(self) -> str | None:
        """Return why this source cannot be used now, or None if it can."""
        ...

    def watch_foreground_app(self, report: ReportApp, wake: socket.socket) -> bool:
        """Report the foreground app and each change of it, until stopped or disconnected.

        Returns True if `wake` became readable, and False if the connection was lost.

        Raises:
            ActionFailed: The source cannot be used now.
        """
        ...


class FixableSource(ForegroundSource, Protocol):
    """A source that the user can make work."""

    def find_remedy(self) -> str | None:
        """Return what is wrong and how to fix it, or None if this is not the desktop of the session."""
        ...


class SourceStatus(NamedTuple):
    """The name of a source of the foreground app, and the reason why it cannot be used or None."""

    name: str
    problem: str | None


def probe_sources(sources: Sequence[ForegroundSource]) -> list[SourceStatus]:
    """Check each source, and return its name and its problem."""
    return [SourceStatus(source.name, _find_problem(source)) for source in sources]


def _find_problem(source: ForegroundSource) -> str | None:
    try:
        return source.get_unavailable_reason()
    except Exception as error:  # noqa: BLE001 - an unexpected answer of one program must not affect the others
        return f"{source.name} gave an unexpected answer ({type(error).__name__}: {error})"


def explain_unavailable_sources(sources: Sequence[ForegroundSource]) -> str | None:
    """Return why none of the sources can be used, or None if at least one can."""
    problems: list[str] = []
    for source in sources:
        problem = _find_problem(source)
        if problem is None:
            return None
        problems.append(problem)
    if len(problems) == 1:
        return problems[0]
    return find_remedy(sources) or f"{APP_NOT_REVEALED_MESSAGE}: run `conductor doctor`"


def find_remedy(sources: Sequence[ForegroundSource]) -> str | None:
    """Return how the user can make one of the sources work, or None if they cannot."""
    fixable = (source for source in sources if _is_fixable(source))
    return next((text for source in fixable if (text := source.find_remedy())), None)


def _is_fixable(source: ForegroundSource) -> TypeGuard[FixableSource]:
    return hasattr(source, "find_remedy")


def find_executable(pid: int) -> str:
    """Return the file name of the executable of a process, or an empty string if it cannot be read."""
    try:
        return Path(f"/proc/{pid}/exe").readlink().name
    except OSError:  # the process has ended, or belongs to another user or machine
        return ""


class _ListenerFailed(Exception):
    """Raised when the listener fails, so that its error is not attributed to the source."""


class SourceWatcher:
    """Watches the foreground app through the first source that works, and calls `on_change` in its own thread.

    `make_sources` returns the sources in the order of preference. When a source is lost, the last app is
    kept until a source reports another, or until no source works any more.
    """

    def __init__(
        self,
        on_change: Callable[[str, str, str], None],
        make_sources: Callable[[], Sequence[ForegroundSource]],
    ) -> None:
        self._on_change = on_change
        self._make_sources = make_sources
        self._last: AppNames | None = None
        """The app that was last reported to the listener; None before the first
        report and after a failed one."""
        self._has_answered = False
        """Whether any source has reported an app since the sources were last tried."""
        self._logged_failures: dict[str, str] = {}
        """The last logged failure of each source; removed when the source works again."""
        self._wake, self._stop = socket.socketpair()
        self._thread = threading.Thread(
            target=self._watch_until_stopped, name="foreground", daemon=True
        )

    def get_unavailable_reason(self) -> str | None:
        """Return why the foreground app cannot be determined, or None if it can."""
        # Probing connects to several programs, so it is skipped if an app is known. No known app may also
        # mean that no window manager runs.
        if self._has_answered and self._last is not None and self._last != NO_APP:
            return None
        return explain_unavailable_sources(self._make_sources())

    def start(self) -> None:
        """Start the thread, unless it is running. If no source works, all sources are tried again every 2 s."""
        if self._thread.ident is None:
            self._thread.start()

    def stop(self) -> None:
        """Stop the thread, if it is running, and wait for it to end."""
        self._stop.close()
        if self._thread.is_alive() and self._thread is not threading.current_thread():
            self._thread.join()
        self._wake.close()

    def _watch_until_stopped(self) -> None:
        while True:
            started_at, self._has_answered = now(), False
            try:
                if self._watch_first_source():
                    return
                if not self._has_answered:
                    self._report_app(NO_APP)
            except _ListenerFailed as failure:
                self._log_failure(_LISTENER, failure.__cause__)
            except Exception:  # noqa: BLE001 - one failure must not end the watcher
                _log.exception("watching the foreground app failed; trying again")
            # A lost source is tried again immediately, so that an outdated app is not kept for too long.
            wait_s = max(0.0, started_at + _RETRY_INTERVAL_S - now())
            if select.select([self._wake], [], [], wait_s)[0]:
                return

    def _watch_first_source(self) -> bool:
        """Watch the first source that works; return True when stopped, and False if no source works."""
        for source in self._make_sources():
            try:
                return source.watch_foreground_app(
                    partial(self._on_report, source.name), self._wake
                )
            except _ListenerFailed:
                raise
            except ActionFailed:
                pass  # try the next source; `conductor doctor` reports the reason
            except Exception as error:  # noqa: BLE001 - an unexpected answer must not hide the other sources
                self._log_failure(source.name, error)
        return False

    def _on_report(self, source: str, app: AppNames) -> None:
        self._has_answered = True
        self._logged_failures.pop(source, None)
        self._report_app(app)

    def _report_app(self, app: AppNames) -> None:
        """Report the app to the listener if it has changed since the last report.

        Raises:
            _ListenerFailed: The listener failed. It receives the next report, even of the same app.
        """
        if app == self._last:
            return
        self._last = app  # set before the call, because the listener may ask why no app is known
        try:
            self._on_change(*app)
        except Exception as error:
            self._last = None
            raise _ListenerFailed from error
        self._logged_failures.pop(_LISTENER, None)

    def _log_failure(self, name: str, error: BaseException | None) -> None:
        """Log a failure of a source or of the listener, unless it has already been
        logged since it last worked.
        """
        reason = f"{type(error).__name__}: {error}"
        if self._logged_failures.get(name) != reason:
            self._logged_failures[name] = reason
            _log.error(
                "watching the foreground app failed (%s); trying again", name, exc_info=error
            )
