"""Reads the foreground app from GNOME Shell, through Conductor's extension."""

import select
import socket

from jeepney import (
    HeaderFields,
    MatchRule,
    Message,
    MessageType,
    message_bus,
    new_method_call,
)
from jeepney.io.blocking import DBusConnection

from conductor.errors import ActionFailed
from conductor.system.foreground_watch import NO_APP, AppNames, ReportApp, find_executable
from conductor.system.gnome.extension import (
    EXTENSION_ADDRESS,
    SHELL_SERVICE,
    has_gnome_shell,
    read_extension_status,
)
from conductor.system.session_bus import (
    ANSWER_TIMEOUT_S,
    BUS_FAILURES,
    describe_bus_failure,
    find_bus_problem,
    open_session_bus,
    require_successful_reply,
)

_OWNER_CHANGED_SIGNAL = "NameOwnerChanged"


class GnomeSource:
    """Reads the focused window from Conductor's extension of GNOME Shell."""

    name = "GNOME Shell"

    def get_unavailable_reason(self) -> str | None:
        return find_bus_problem(_require_extension)

    def find_remedy(self) -> str | None:
        """Return what is wrong and how to fix it, if GNOME is the desktop of this session."""
        try:
            with open_session_bus() as connection:
                if has_gnome_shell(connection):
                    return read_extension_status(connection).problem or None
        except BUS_FAILURES:
            pass
        return None

    def watch_foreground_app(self, report: ReportApp, wake: socket.socket) -> bool:
        """Report the focused window and each change of it, until stopped or disconnected. Returns True if
        the watcher was stopped, and False if GNOME Shell or the extension has ended.

        Raises:
            ActionFailed: GNOME Shell is not running, or without the extension.
        """
        try:
            connection = open_session_bus()
        except BUS_FAILURES as problem:
            raise ActionFailed(f"no session bus ({describe_bus_failure(problem)})") from problem
        with connection:
            try:
                _require_extension(connection)
                window = _start_watching(connection)
            except BUS_FAILURES as problem:
                raise ActionFailed(
                    f"the extension does not answer ({describe_bus_failure(problem)})"
                ) from problem
            report(window)
            try:
                return _forward_reports(connection, report, wake)
            except OSError:
                return False


def _require_extension(connection: DBusConnection) -> None:
    if not has_gnome_shell(connection):
        raise ActionFailed("not running")
    status = read_extension_status(connection)
    if status.problem:
        raise ActionFailed(status.problem)


def _start_watching(connection: DBusConnection) -> AppNames:
    """Ask the extension to report changes to this connection, and return the current window."""
    rule = MatchRule(type="signal", member=_OWNER_CHANGED_SIGNAL, path=message_bus.object_path)
    rule.add_arg_condition(0, SHELL_SERVICE)
    require_successful_reply(
        connection.send_and_get_reply(
            message_bus.AddMatch(rule.serialise()), timeout=ANSWER_TIMEOUT_S
        )
    )
    # The signals need no rule, because they are sent to this connection only.
    request = new_method_call(EXTENSION_ADDRESS, "Watch")
    return _describe_window(
        require_successful_reply(connection.send_and_get_reply(request, timeout=ANSWER_TIMEOUT_S))
    )


def _forward_reports(connection: DBusConnection, report: ReportApp, wake: socket.socket) -> bool:
    while True:
        try:
            message = connection.receive(timeout=0)
        except TimeoutError:
            if wake in select.select([connection.sock, wake], [], [])[0]:
                return True
            continue
        if message.header.message_type is not MessageType.signal:
            continue
        fields = message.header.fields
        match fields.get(HeaderFields.member):
            case "Changed" if fields.get(HeaderFields.path) == EXTENSION_ADDRESS.object_path:
                report(_describe_window(message))
            case "NameOwnerChanged" | "Ended":
                return False
            case _:
                pass


def _describe_window(message: Message) -> AppNames:
    app_id, title, pid = message.body
    if not app_id and not pid:
        return NO_APP
    return (find_executable(pid) if pid else "") or app_id, app_id, title
