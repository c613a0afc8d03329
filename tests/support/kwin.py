"""The scripting interface of KWin on a bus of the test's own. Node runs the scripts, with KWin's globals."""

import json
import subprocess
import threading
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

from jeepney import (
    DBusAddress,
    HeaderFields,
    Message,
    MessageFlag,
    MessageType,
    message_bus,
    new_method_call,
    new_method_return,
)
from jeepney.io.blocking import open_dbus_connection

WAIT_S = 10.0
NAME = "org.kde.KWin"
GLOBALS = """
const fs = require("fs"), readline = require("readline");
function Signal() {
    const slots = [];
    return { connect: (f) => slots.push(f), emit: (...a) => slots.slice().forEach((f) => f(...a)),
             disconnect: (f) => { if (slots.indexOf(f) < 0) throw new Error("not connected"); slots.splice(slots.indexOf(f), 1); } };
}
const windows = {};
globalThis.workspace = NAMES === 6 ? { windowActivated: Signal(), activeWindow: null }
                                   : { clientActivated: Signal(), activeClient: null };
globalThis.callDBus = (...args) => console.log(JSON.stringify(args));
readline.createInterface({ input: process.stdin }).on("line", (line) => {
    const [what, name, title, pid] = JSON.parse(line);
    if (what === "run") return (0, eval)(fs.readFileSync(name, "utf8"));
    if (what === "title") { windows[name].caption = title; return windows[name].captionChanged.emit(); }
    const window = name === null ? null : (windows[name] ??= { captionChanged: Signal() });
    if (window) Object.assign(window, { resourceClass: name, caption: title, pid });
    workspace[NAMES === 6 ? "activeWindow" : "activeClient"] = window;
    (workspace.windowActivated || workspace.clientActivated).emit(window);
});
"""


class FakeKwin:
    """A KWin of Plasma 6 or 5 with windows that only its scripts see."""

    def __init__(self, address: str, plasma: int) -> None:
        self.loaded: dict[str, str] = {}
        self._connection = open_dbus_connection(address)
        assert self._connection.send_and_get_reply(message_bus.RequestName(NAME)).body == (1,)
        script = GLOBALS.replace("NAMES", str(plasma))
        self._node = subprocess.Popen(
            ["node", "-e", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self._threads = [
            threading.Thread(target=serve, daemon=True)
            for serve in (self._serve, self._forward_calls)
        ]
        for thread in self._threads:
            thread.start()

    def activate(self, app_id: str | None, title: str = "", pid: int = 0) -> None:
        self._tell_node("activate", app_id, title, pid)

    def set_title(self, app_id: str, title: str) -> None:
        self._tell_node("title", app_id, title)

    def close(self) -> None:
        assert self._node.stdin is not None
        assert self._node.stdout is not None
        self._node.stdin.close()
        self._node.wait(WAIT_S)
        self._connection.sock.shutdown(2)
        for thread in self._threads:
            thread.join(WAIT_S)
        self._node.stdout.close()
        self._connection.close()

    def _tell_node(self, *words: Any) -> None:
        assert self._node.stdin is not None
        self._node.stdin.write(json.dumps(words) + "\n")
        self._node.stdin.flush()

    def _serve(self) -> None:
        while True:
            try:
                message = self._connection.receive()
            except OSError:
                return
            if message.header.message_type is MessageType.method_call:
                self._handle_call(message)

    def _handle_call(self, call: Message) -> None:
        match call.header.fields[HeaderFields.member], call.body:
            case "loadScript", (path, name):
                self.loaded[name] = path
                self._connection.send(new_method_return(call, "i", (0,)))
            case "unloadScript", (name,):
                known = self.loaded.pop(name, None) is not None
                if not call.header.flags & MessageFlag.no_reply_expected:
                    self._connection.send(new_method_return(call, "b", (known,)))
            case "start", _:
                for path in self.loaded.values():
                    self._tell_node("run", path)
            case member, _:
                raise AssertionError(member)

    def _forward_calls(self) -> None:
        assert self._node.stdout is not None
        for line in self._node.stdout:
            service, path, interface, method, *args = json.loads(line)
            address = DBusAddress(path, service, interface)
            self._connection.send(new_method_call(address, method, "s" * len(args), tuple(args)))


@contextmanager
def kwin(address: str, plasma: int = 6) -> Generator[FakeKwin]:
    """Serve a KWin on the bus for the length of the block."""
    fake = FakeKwin(address, plasma)
    try:
        yield fake
    finally:
        fake.close()
