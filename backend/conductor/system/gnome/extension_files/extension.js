// Reports the focused window to Conductor, because GNOME does not reveal it to programs on Wayland.
// The signals go only to those who called Watch, not to everybody on the bus.
import Gio from "gi://Gio";
import GLib from "gi://GLib";
import { Extension } from "resource:///org/gnome/shell/extensions/extension.js";

const PATH = "/org/gnome/Shell/Extensions/Conductor";
const INTERFACE = "org.gnome.Shell.Extensions.Conductor";
const DESCRIPTION = `<node><interface name="${INTERFACE}">
  <method name="Watch">
    <arg type="s" direction="out" name="app_id"/>
    <arg type="s" direction="out" name="title"/>
    <arg type="u" direction="out" name="pid"/>
  </method>
  <signal name="Changed">
    <arg type="s" name="app_id"/><arg type="s" name="title"/><arg type="u" name="pid"/>
  </signal>
  <signal name="Ended"/>
</interface></node>`;

export default class ConductorForegroundExtension extends Extension {
  enable() {
    this._watchers = new Map();
    this._window = null;
    this._windowSignals = [];
    this._service = Gio.DBusExportedObject.wrapJSObject(DESCRIPTION, this);
    this._service.export(Gio.DBus.session, PATH);
    this._focusSignal = global.display.connect("notify::focus-window", () => this._follow());
    this._follow();
  }

  disable() {
    global.display.disconnect(this._focusSignal);
    this._leaveWindow();
    this._emit("Ended", null);
    for (const watch of this._watchers.values()) Gio.bus_unwatch_name(watch);
    this._watchers.clear();
    this._service.flush();
    this._service.unexport();
    this._service = null;
  }

  WatchAsync(_params, invocation) {
    const sender = invocation.get_sender();
    if (!this._watchers.has(sender)) {
      const onVanished = () => this._removeWatcher(sender);
      const watch = Gio.bus_watch_name(Gio.BusType.SESSION, sender, 0, null, onVanished);
      this._watchers.set(sender, watch);
    }
    invocation.return_value(this._describeWindow());
  }

  _removeWatcher(sender) {
    Gio.bus_unwatch_name(this._watchers.get(sender));
    this._watchers.delete(sender);
  }

  _follow() {
    this._leaveWindow();
    this._window = global.display.focus_window;
    if (this._window) {
      const report = () => this._report();
      // A window of a Wayland program may get its app id after the focus.
      this._windowSignals = ["notify::title", "notify::wm-class"].map((name) =>
        this._window.connect(name, report),
      );
    }
    this._report();
  }

  _leaveWindow() {
    for (const signal of this._windowSignals) this._window.disconnect(signal);
    this._window = null;
    this._windowSignals = [];
  }

  _report() {
    this._emit("Changed", this._describeWindow());
  }

  _describeWindow() {
    const window = this._window;
    const values = window
      ? [window.get_wm_class() ?? "", window.get_title() ?? "", Math.max(window.get_pid(), 0)]
      : ["", "", 0];
    return new GLib.Variant("(ssu)", values);
  }

  _emit(name, values) {
    for (const watcher of this._watchers.keys())
      Gio.DBus.session.emit_signal(watcher, PATH, INTERFACE, name, values);
  }
}
