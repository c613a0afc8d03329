"""A GNOME Shell on a bus of the test's own. Node runs Conductor's extension, with the globals of GNOME Shell."""

import json
import subprocess
import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

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
from jeepney.io.blocking import open_dbus_connection

WAIT_S = 10.0
NAME = "org.gnome.Shell"
ACTIVE, INACTIVE, OUT_OF_DATE = 1.0, 2.0, 4.0
GLOBALS = """
import { register } from "node:module";
import { createInterface } from "node:readline";
import { readFileSync } from "node:fs";
const say = (...words) => console.log(JSON.stringify(words));
const MODULES = {
  "gi://Gio": "export default globalThis.Gio;",
  "gi://GLib": "export default globalThis.GLib;",
  "resource:///org/gnome/shell/extensions/extension.js": "export class Extension {}",
};
const hooks = `const MODULES = ${JSON.stringify(MODULES)};
export function resolve(name, context, next) {
  if (!(name in MODULES)) return next(name, context);
  return { url: "data:text/javascript," + encodeURIComponent(MODULES[name]), shortCircuit: true };
}`;
register("data:text/javascript," + encodeURIComponent(hooks));
function signals() {
  const slots = new Map();
  let last = 0;
  return {
    connect(name, slot) { slots.set(++last, [name, slot]); return last; },
    disconnect(id) { if (!slots.delete(id)) throw new Error("not connected: " + id); },
    emit(name) { for (const [of, slot] of [...slots.values()]) if (of === name) slot(); },
    count: () => slots.size,
  };
}
const watched = new Map();
globalThis.GLib = { Variant: class { constructor(signature, values) { Object.assign(this, { signature, values }); } } };
globalThis.Gio = {
  BusType: { SESSION: 2 },
  DBus: { session: {
    emit_signal: (to, path, name, member, values) => say("signal", to, path, name, member, values?.values ?? []),
  } },
  DBusExportedObject: { wrapJSObject: (xml) => ({
    export: (_bus, path) => say("export", path, xml), flush: () => {}, unexport: () => say("unexport"),
  }) },
  bus_watch_name: (_bus, name, _flags, _appeared, vanished) => { watched.set(name, vanished); return name; },
  bus_unwatch_name: (id) => { if (!watched.delete(id)) throw new Error("not watched: " + id); },
};
globalThis.global = { display: { ...signals(), focus_window: null } };
const code = readFileSync(process.argv[1], "utf8");
const { default: Extension } = await import("data:text/javascript," + encodeURIComponent(code));
const extension = new Extension();
const display = global.display;
let window = null;
createInterface({ input: process.stdin }).on("line", (line) => {
  const [what, ...words] = JSON.parse(line);
  if (what === "enable") extension.enable();
  else if (what === "disable") {
    extension.disable();
    say("left", display.count() + (window?.count() ?? 0) + watched.size);
  } else if (what === "watch") {
    const [serial, sender] = words;
    const reply = (answer) => say("reply", serial, answer.signature, answer.values);
    extension.WatchAsync([], { get_sender: () => sender, return_value: reply });
  } else if (what === "vanish") for (const vanished of [...watched.values()]) vanished();
  else if (what === "title") { window.title = words[0]; window.emit("notify::title"); }
  else {
    const [app, title, pid] = words;
    window = app === null ? null : { ...signals(), title, get_wm_class: () => app, get_pid: () => pid };
    if (window) window.get_title = () => window.title;
    display.focus_window = window;
    display.emit("notify::focus-window");
  }
});
"""


class FakeGnomeShell:
    """A GNOME Shell that has loaded the extension from a folder, or none. `state` is the state of the extension."""

    def __init__(self, address: str, extension: Path | None) -> None:
        self.state = INACTIVE
        self.left: int | None = None
        """The number of signals and watches that the extension left behind when it was disabled."""
        self._has_extension = extension is not None
        self._path, self._interface, self._types = "", "", {}
        self._calls: dict[int, Message] = {}
        self._changed = threading.Condition()
        self._connection = open_dbus_connection(address)
        assert self._connection.send_and_get_reply(message_bus.RequestName(NAME)).body == (1,)
        self._threads = [threading.Thread(target=self._serve, daemon=True)]
        if extension is not None:
            self._node = subprocess.Popen(
                ["node", "--input-type=module", "-e", GLOBALS, str(extension / "extension.js")],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
            self._threads.append(threading.Thread(target=self._read_node, daemon=True))
        for thread in self._threads:
            thread.start()

    def enable(self) -> None:
        """Enable the extension, and wait until it is on the bus."""
        self._tell_node("enable")
        with self._changed:
            assert self._changed.wait_for(lambda: self._path, WAIT_S)
        self.state = ACTIVE

    def disable(self) -> None:
        self.state = INACTIVE
        self._tell_node("disable")
        with self._changed:
            assert self._changed.wait_for(lambda: self.left is not None, WAIT_S)

    def focus(self, app_id: str | None, title: str = "", pid: int = 0) -> None:
        self._tell_node("focus", app_id, title, pid)

    def set_title(self, title: str) -> None:
        self._tell_node("title", title)

    def close(self) -> None:
        if self._has_extension:
            assert self._node.stdin is not None
            self._node.stdin.close()
            self._node.wait(WAIT_S)
        self._connection.sock.shutdown(2)
        for thread in self._threads:
            thread.join(WAIT_S)
        if self._has_extension:
            assert self._node.stdout is not None
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
        fields = call.header.fields
        path, member = fields[HeaderFields.path], fields[HeaderFields.member]
        if member == "GetExtensionInfo":
            known = {"state": ("d", self.state)} if self._has_extension else {}
            self._connection.send(new_method_return(call, "a{sv}", (known,)))
        elif member == "Get":
            self._connection.send(new_method_return(call, "v", (("s", "51.0"),)))
        elif path == self._path and member == "Watch":
            self._calls[call.header.serial] = call
            self._tell_node("watch", call.header.serial, fields[HeaderFields.sender])
        else:
            self._connection.send(new_error(call, "org.freedesktop.DBus.Error.UnknownMethod"))

    def _read_node(self) -> None:
        assert self._node.stdout is not None
        for line in self._node.stdout:
            with self._changed:
                self._handle_words(*json.loads(line))
                self._changed.notify_all()

    def _handle_words(self, what: str, *words: Any) -> None:
        match what, words:
            case "export", (path, xml):
                interface = ET.fromstring(xml).find("interface")
                assert interface is not None
                self._interface = interface.get("name", "")
                self._types = {
                    part.get("name"): "".join(arg.get("type", "") for arg in part)
                    for part in interface
                }
                self._path = path
            case "unexport", ():
                self._path = ""
            case "reply", (serial, signature, values):
                assert signature == f"({self._types['Watch']})"
                self._connection.send(
                    new_method_return(self._calls.pop(serial), self._types["Watch"], tuple(values))
                )
            case "signal", (to, path, interface, member, values):
                assert (path, interface) == (self._path, self._interface)
                signal = new_signal(
                    DBusAddress(path, NAME, interface),
                    member,
                    self._types[member] or None,
                    tuple(values),
                )
                signal.header.fields[HeaderFields.destination] = to
                self._connection.send(signal)
            case "left", (count,):
                self.left = count
            case _:
                raise AssertionError((what, words))


@contextmanager
def gnome_shell(address: str, extension: Path | None) -> Generator[FakeGnomeShell]:
    """Serve a GNOME Shell on the bus for the length of the block."""
    fake = FakeGnomeShell(address, extension)
    try:
        yield fake
    finally:
        fake.close()


def fake_gsettings(folder: Path) -> Path:
    """Write a `gsettings` into a folder, which keeps the values of GNOME Shell in a file. Return that file."""
    values = folder / "gnome-settings.json"
    values.write_text(
        json.dumps({"enabled-extensions": "@as []", "disabled-extensions": "['a@b']"})
    )
    code = folder / "gsettings.py"
    code.write_text(
        "import json, pathlib, sys\n"
        f"path = pathlib.Path({str(values)!r})\n"
        "values = json.loads(path.read_text())\n"
        "verb, schema, key, *new = sys.argv[1:]\n"
        "assert schema == 'org.gnome.shell'\n"
        "if verb == 'set': values[key] = new[0]; path.write_text(json.dumps(values))\n"
        "else: print(values.get(key, 'false'))\n"
    )
    program = folder / "gsettings"
    # through a shell, because the path of this Python may contain a space
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -IS "{code}" "$@"\n')
    program.chmod(0o755)
    return values
