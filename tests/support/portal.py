"""A session bus of the test's own, and a RemoteDesktop portal on it that asks nobody and records everything."""

import os
import subprocess
import threading
from collections.abc import Generator
from contextlib import contextmanager, suppress
from typing import Any

from jeepney import (
    DBusAddress,
    HeaderFields,
    Message,
    MessageType,
    message_bus,
    new_error,
    new_method_return,
    new_signal,
)
from jeepney.io.blocking import DBusConnection, open_dbus_connection

CONFIG = """<busconfig><type>session</type><listen>unix:tmpdir=/tmp</listen>
<policy context="default"><allow send_destination="*"/><allow receive_sender="*"/><allow own="*"/></policy>
</busconfig>"""
WAIT_S = 10.0
NAME = "org.freedesktop.portal.Desktop"
DAMAGED_TOKEN = "not a UUID"


@contextmanager
def session_bus(folder: Any) -> Generator[str]:
    """Run a bus for the length of the block; return its address."""
    config = folder / "bus.conf"
    config.write_text(CONFIG)
    process = subprocess.Popen(
        ["dbus-daemon", f"--config-file={config}", "--nofork", "--print-address=1"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert process.stdout is not None
    try:
        yield process.stdout.readline().strip()
    finally:
        process.terminate()
        process.communicate(timeout=WAIT_S)


class FakePortal:
    """The portal. `answer` is what the user answers when asked: 0 is yes, 1 is no, 2 closes the question."""

    def __init__(self, address: str, answer: int = 0, devices: int = 3) -> None:
        self.answer = answer
        self.devices = devices
        self.questions = 0
        self.events: list[tuple[Any, ...]] = []
        self.tokens: list[str] = []
        """The tokens it has given; only the last one is valid."""
        self.sessions: list[str] = []
        self.changed = threading.Condition()
        self.may_answer = threading.Event()
        self.may_answer.set()
        self.refuses_tokens = False
        """Whether it refuses a session with a token without asking, as after the consent was revoked."""
        self.has_no_version = False
        """Whether it fails before a session is requested."""
        self.properties: dict[str, tuple[str, Any] | None] = {
            "version": ("u", 2),
            "AvailableDeviceTypes": ("u", 7),
        }
        """The properties. It answers with an empty message for None."""
        self.wrong_results: dict[str, dict[str, Any]] = {}
        """Results that replace the right ones, by method."""
        self.answers_empty = False
        """Whether its answer to `Start` is an empty message."""
        self.remembers = True
        """Whether it gives a token with its answer."""
        self._restored = False
        self._token = ""
        self._persistent = False
        self._client = ""
        self._connection: DBusConnection = open_dbus_connection(address)
        reply = self._connection.send_and_get_reply(message_bus.RequestName(NAME))
        assert reply.body == (1,)
        self._thread = threading.Thread(target=self._serve, name="portal", daemon=True)
        self._thread.start()

    def wait_for_events(self, count: int) -> list[tuple[Any, ...]]:
        """Wait until a number of events has arrived, and return and forget them."""
        with self.changed:
            assert self.changed.wait_for(lambda: len(self.events) >= count, WAIT_S), self.events
            events, self.events = self.events, []
            return events

    def wait_for_question(self, count: int) -> None:
        """Wait until the user has been asked a number of times."""
        with self.changed:
            assert self.changed.wait_for(lambda: self.questions >= count, WAIT_S)

    def end_session(self) -> None:
        """End the last session, as the user can in the panel of the desktop."""
        address = DBusAddress(self.sessions[-1], NAME, "org.freedesktop.portal.Session")
        signal = new_signal(address, "Closed")
        signal.header.fields[HeaderFields.destination] = self._client
        self._connection.send(signal)

    def crash(self) -> None:
        """Leave the bus without ending the sessions or answering."""
        with suppress(OSError):
            self._connection.sock.shutdown(2)

    def close(self) -> None:
        self.crash()
        self.may_answer.set()
        self._thread.join(WAIT_S)
        self._connection.close()

    def _serve(self) -> None:
        while True:
            try:
                message = self._connection.receive()
                if message.header.message_type is MessageType.method_call:
                    self._handle_call(message)
            except OSError:
                return

    def _handle_call(self, call: Message) -> None:
        fields = call.header.fields
        member, body = fields[HeaderFields.member], call.body
        self._client = fields[HeaderFields.sender]
        if member == "Get" and self.has_no_version and body[1] == "version":
            self._connection.send(new_error(call, "org.freedesktop.DBus.Error.Failed"))
        elif member == "Get":
            value = self.properties[body[1]]
            self._connection.send(
                new_method_return(call) if value is None else new_method_return(call, "v", (value,))
            )
        elif member == "CreateSession":
            path = self._build_path("session", body[0]["session_handle_token"][1])
            self.sessions.append(path)
            results = {"session_handle": ("s", path)} | self.wrong_results.get(member, {})
            self._respond(call, body[0], 0, results)
        elif member == "SelectDevices":
            options = body[1]
            self._token = options.get("restore_token", ("s", ""))[1]
            self._restored = bool(self.tokens) and self._token == self.tokens[-1]
            self._persistent = options.get("persist_mode") == ("u", 2)
            if self._token == DAMAGED_TOKEN:
                self._connection.send(
                    new_error(call, "org.freedesktop.portal.Error.InvalidArgument")
                )
            else:
                self._respond(call, options, 0, {})
        elif member == "Start":
            self._start(call)
        elif member.startswith("Notify"):
            self._record(member, body)
        else:
            self._connection.send(new_error(call, "org.freedesktop.DBus.Error.UnknownMethod"))

    def _start(self, call: Message) -> None:
        request = self._return_request(call, call.body[2])
        if self._token and self.refuses_tokens:
            self._send_answer(request, self._client, self.answer, persistent=self._persistent)
        elif self._restored:
            self._send_answer(request, self._client, 0, persistent=self._persistent)
        else:
            with self.changed:
                self.questions += 1
                self.changed.notify_all()
            # In another thread, because a portal serves other calls while its dialog is open.
            threading.Thread(
                target=self._ask,
                args=[request, self._client, self._persistent],
                name="portal dialog",
                daemon=True,
            ).start()

    def _ask(self, request: str, client: str, persistent: bool) -> None:
        self.may_answer.wait()
        with suppress(OSError):  # the portal may have crashed
            self._send_answer(request, client, self.answer, persistent=persistent)

    def _send_answer(self, request: str, client: str, status: int, *, persistent: bool) -> None:
        results: dict[str, Any] = {}
        if status == 0:
            results["devices"] = ("u", self.devices)
            if persistent and self.remembers:
                self.tokens.append(f"token-{os.getpid()}-{len(self.tokens)}")
                results["restore_token"] = ("s", self.tokens[-1])
        results |= self.wrong_results.get("Start", {})
        self._send_response(request, client, status, results, is_empty=self.answers_empty)

    def _record(self, member: str, body: tuple[Any, ...]) -> None:
        assert body[0] == self.sessions[-1]
        with self.changed:
            self.events.append((member.removeprefix("Notify"), *body[2:]))
            self.changed.notify_all()

    def _respond(
        self, call: Message, options: dict[str, Any], status: int, results: dict[str, Any]
    ) -> None:
        self._send_response(self._return_request(call, options), self._client, status, results)

    def _return_request(self, call: Message, options: dict[str, Any]) -> str:
        """Answer a call with the path of its request, whose signal follows when the user has decided."""
        path = self._build_path("request", options["handle_token"][1])
        self._connection.send(new_method_return(call, "o", (path,)))
        return path

    def _send_response(
        self,
        path: str,
        client: str,
        status: int,
        results: dict[str, Any],
        *,
        is_empty: bool = False,
    ) -> None:
        request = DBusAddress(path, NAME, "org.freedesktop.portal.Request")
        signal = new_signal(request, "Response", "ua{sv}", (status, results))
        if is_empty:
            signal = new_signal(request, "Response")
        signal.header.fields[HeaderFields.destination] = client
        self._connection.send(signal)

    def _build_path(self, kind: str, token: str) -> str:
        sender = self._client.removeprefix(":").replace(".", "_")
        return f"/org/freedesktop/portal/desktop/{kind}/{sender}/{token}"


@contextmanager
def portal(address: str, answer: int = 0, devices: int = 3) -> Generator[FakePortal]:
    """Serve a portal on the bus for the length of the block."""
    fake = FakePortal(address, answer, devices)
    try:
        yield fake
    finally:
        fake.close()
