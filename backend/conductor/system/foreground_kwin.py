"""Reads the foreground app from KWin, the compositor of KDE, through a script that KWin runs and that calls
back.

See https://develop.kde.org/docs/plasma/kwin/api/. KWin keeps the script if Conductor is killed; the next
start of Conductor replaces the script.
"""

import os
import select
import socket
import tempfile
from pathlib import Path

from jeepney import (
    DBusAddress,
    HeaderFields,
    MatchRule,
    Message,
    MessageFlag,
    message_bus,
    new_method_call,
    new_method_return,
)
from jeepney.io.blocking import DBusConnection

from conductor.errors import ActionFailed
from conductor.system.foreground_watch import NO_APP, AppNames, ReportApp, find_executable
from conductor.system.session_bus import (
    ANSWER_TIMEOUT_S,
    BUS_FAILURES,
    describe_bus_failure,
    find_bus_problem,
    open_session_bus,
    require_successful_reply,
)

KWIN_SERVICE = "org.kde.KWin"
_SCRIPTING_ADDRESS = DBusAddress("/Scripting", KWIN_SERVICE, "org.kde.kwin.Scripting")
_SCRIPT_NAME = "conductor-foreground"
_REPORT_METHOD = "ReportWindow"
_OWNER_CHANGED_SIGNAL = "NameOwnerChanged"
_SCRIPT_SOURCE = """
var watched = null;
function report() {
    callDBus("%s", "/", "org.conductor.Foreground", "%s",
        watched ? String(watched.resourceClass) : "",
        watched ? String(watched.caption) : "",
        watched ? String(watched.pid) : "");
}
function follow(window) {
    try {
        if (watched) watched.captionChanged.disconnect(report);
    } catch (error) {}  // the window has been closed
    watched = window || null;
    if (watched) watched.captionChanged.connect(report);
    report();
}
(workspace.windowActivated || workspace.clientActivated).connect(follow);
follow(workspace.activeWindow || workspace.activeClient);
"""
"""The script that runs in KWin. It uses the API of Plasma 6 or, with `client` for `window`, of Plasma 5."""


class KwinSource:
    """Reads the active window from KWin through a script that KWin runs."""

    name = "KWin"

    def get_unavailable_reason(self) -> str | None:
        return find_bus_problem(_require_kwin)

    def watch_foreground_app(self, report: ReportApp, wake: socket.socket) -> bool:
        """Report the active window and each change of it, until stopped or disconnected.

        Returns True if the watcher was stopped, and False if the bus or KWin has ended.

        Raises:
            ActionFailed: KWin is not running, or it does not run the script.
        """
        try:
            connection = open_session_bus()
        except BUS_FAILURES as problem:
            raise ActionFailed(f"no session bus ({describe_bus_failure(problem)})") from problem
        folder = os.environ.get("XDG_RUNTIME_DIR")
        with connection, tempfile.TemporaryDirectory(prefix="conductor-", dir=folder) as script_dir:
            try:
                _require_kwin(connection)
                _load_script(connection, Path(script_dir) / "foreground.js")
            except BUS_FAILURES as problem:
                raise ActionFailed(
                    f"KWin does not run the script ({describe_bus_failure(problem)})"
                ) from problem
            try:
                return _forward_reports(connection, report, wake)
            except OSError:
                return False


def _require_kwin(connection: DBusConnection) -> None:
    request = message_bus.NameHasOwner(KWIN_SERVICE)
    if not connection.send_and_get_reply(request, timeout=ANSWER_TIMEOUT_S).body[0]:
        raise ActionFailed("not running")


def _load_script(connection: DBusConnection, path: Path) -> None:
    rule = MatchRule(type="signal", member=_OWNER_CHANGED_SIGNAL, path=message_bus.object_path)
    rule.add_arg_condition(0, KWIN_SERVICE)
    require_successful_reply(
        connection.send_and_get_reply(
            message_bus.AddMatch(rule.serialise()), timeout=ANSWER_TIMEOUT_S
        )
    )
    path.write_text(_SCRIPT_SOURCE % (connection.unique_name, _REPORT_METHOD))
    for method, args in (
        ("unloadScript", (_SCRIPT_NAME,)),
        ("loadScript", (str(path), _SCRIPT_NAME)),
    ):
        message = new_method_call(_SCRIPTING_ADDRESS, method, "s" * len(args), args)
        require_successful_reply(connection.send_and_get_reply(message, timeout=ANSWER_TIMEOUT_S))
    # Sent without waiting for the reply, because KWin may answer only after the
    # script has reported a window.
    _call_kwin(connection, "start")


def _call_kwin(connection: DBusConnection, method: str, *args: str) -> None:
    message = new_method_call(_SCRIPTING_ADDRESS, method, "s" * len(args) or None, args)
    message.header.flags |= MessageFlag.no_reply_expected
    connection.send(message)


def _forward_reports(connection: DBusConnection, report: ReportApp, wake: socket.socket) -> bool:
    while True:
        try:
            message = connection.receive(timeout=0)
        except TimeoutError:
            if wake in select.select([connection.sock, wake], [], [])[0]:
                _call_kwin(connection, "unloadScript", _SCRIPT_NAME)
                return True
            continue
        member = message.header.fields.get(HeaderFields.member)
        if member == _REPORT_METHOD:
            connection.send(new_method_return(message))
            report(_describe_window(message))
        elif member == _OWNER_CHANGED_SIGNAL:
            return False  # KWin has ended, and its scripts with it


def _describe_window(message: Message) -> AppNames:
    app_id, title, pid = message.body
    if not app_id and not pid:
        return NO_APP
    executable = find_executable(int(pid)) if pid.isdigit() else ""
    return executable or app_id, app_id, title
