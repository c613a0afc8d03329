"""Installs the extension of GNOME Shell that reports the foreground app, and reads its state.

GNOME loads a new extension only when the user logs in. Installing needs no privileges: the files are copied
into the user's data folder, and the extension is added to the list of enabled ones (docs/adr/0032).
"""

import ast
import os
import shutil
import subprocess
from pathlib import Path

from jeepney import DBusAddress, Message, MessageType, Properties, message_bus, new_method_call
from jeepney.io.blocking import DBusConnection

from conductor.errors import ActionFailed
from conductor.system.gnome.status import ExtensionStatus
from conductor.system.session_bus import ANSWER_TIMEOUT_S, BUS_FAILURES, open_session_bus

SHELL_SERVICE = "org.gnome.Shell"
EXTENSION_ADDRESS = DBusAddress(
    "/org/gnome/Shell/Extensions/Conductor",
    SHELL_SERVICE,
    "org.gnome.Shell.Extensions.Conductor",
)
_EXTENSIONS_ADDRESS = DBusAddress("/org/gnome/Shell", SHELL_SERVICE, "org.gnome.Shell.Extensions")
_FILES = Path(__file__).with_name("extension_files")
_SETTINGS_SCHEMA, _ENABLED_KEY, _DISABLED_KEY, _ALL_OFF_KEY = (
    "org.gnome.shell",
    "enabled-extensions",
    "disabled-extensions",
    "disable-user-extensions",
)
_SETTINGS_TIMEOUT_S = 10.0
_ENABLED_STATE, _ERROR_STATE, _OUT_OF_DATE_STATE = 1, 3, 4
UUID = "conductor-foreground@app.conductor.desktop"
INSTALL_ADVICE = (
    "install Conductor's extension for GNOME: choose Install in Settings > Input and output, or run"
    " `conductor desktop install-extension`"
)


def read_session_status() -> ExtensionStatus | None:
    """Return the state of the extension in this session, or None if its desktop is not GNOME Shell."""
    try:
        with open_session_bus() as connection:
            return read_extension_status(connection) if has_gnome_shell(connection) else None
    except BUS_FAILURES:
        return None


def has_gnome_shell(connection: DBusConnection) -> bool:
    request = message_bus.NameHasOwner(SHELL_SERVICE)
    return bool(connection.send_and_get_reply(request, timeout=ANSWER_TIMEOUT_S).body[0])


def read_extension_status(connection: DBusConnection) -> ExtensionStatus:
    """Return the state of the extension in a running GNOME Shell."""
    info = _read_extension_info(connection)
    _, state = info.get("state", ("d", 0))
    if state == _ENABLED_STATE:
        return ExtensionStatus("active")
    if state == _ERROR_STATE:
        error = info.get("error", ("s", ""))[1] or "no reason is given"
        return ExtensionStatus("failed", f"Conductor's extension failed in GNOME Shell: {error}")
    if state == _OUT_OF_DATE_STATE:
        version = _read_shell_version(connection)
        return ExtensionStatus(
            "failed",
            f"Conductor's extension is not made for GNOME {version}: update Conductor, then install the"
            " extension again",
        )
    if not is_installed():
        return ExtensionStatus("missing", f"GNOME does not reveal it: {INSTALL_ADVICE}")
    if not info:
        return ExtensionStatus(
            "not_loaded",
            "Conductor's extension is installed: log out and in again, so that GNOME loads it",
        )
    return ExtensionStatus(
        "off",
        "Conductor's extension is off, because extensions are off, the screen is locked or you turned it"
        " off: turn it on in the app Extensions",
    )


def is_installed() -> bool:
    return (_find_extension_folder() / "metadata.json").is_file()


def install_extension() -> str:
    """Install and enable the extension, and return an instruction that tells the user what is left to do.

    Raises:
        ActionFailed: The files cannot be written, or the settings of GNOME cannot be changed.
    """
    folder = _find_extension_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for source in _FILES.iterdir():
            (folder / source.name).write_bytes(source.read_bytes())
    except OSError as error:
        raise ActionFailed(
            f"the extension cannot be installed in {folder} ({error.strerror or error})"
        ) from error
    _change_list(_ENABLED_KEY, present=True)
    _change_list(_DISABLED_KEY, present=False)
    if _run_gsettings("get", _ALL_OFF_KEY).strip() == "true":
        return (
            "The extension is installed, but all extensions are off. Turn them on in the app Extensions,"
            " then log out and in again."
        )
    return "The extension is installed. Log out and in again, so that GNOME loads it."


def remove_extension() -> None:
    """Disable and delete the extension. Does nothing if it is not installed.

    Raises:
        ActionFailed: The files cannot be deleted, or the settings of GNOME cannot be changed.
    """
    _change_list(_ENABLED_KEY, present=False)
    try:
        if is_installed():
            shutil.rmtree(_find_extension_folder())
    except OSError as error:
        raise ActionFailed(
            f"the extension cannot be removed ({error.strerror or error})"
        ) from error


def _find_extension_folder() -> Path:
    data = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(data) / "gnome-shell" / "extensions" / UUID


def _change_list(key: str, *, present: bool) -> None:
    """Add the extension to a list in the settings of GNOME if `present` is true, otherwise remove it."""
    names = _parse_names(_run_gsettings("get", key))
    if (UUID in names) != present:
        changed = [*names, UUID] if present else [name for name in names if name != UUID]
        _run_gsettings("set", key, str(changed))


def _parse_names(text: str) -> list[str]:
    """Parse a list of texts as gsettings prints it. An empty list is printed with its type, as `@as []`."""
    try:
        names = ast.literal_eval(text.strip().removeprefix("@as "))
    except (SyntaxError, ValueError) as error:
        raise ActionFailed(f"the settings of GNOME cannot be read: {text.strip()}") from error
    return [str(name) for name in names]


def _run_gsettings(verb: str, key: str, *values: str) -> str:
    try:
        process = subprocess.run(
            ["gsettings", verb, _SETTINGS_SCHEMA, key, *values],
            capture_output=True,
            text=True,
            timeout=_SETTINGS_TIMEOUT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ActionFailed(f"gsettings cannot be run ({error})") from error
    if process.returncode:
        raise ActionFailed(f"the settings of GNOME cannot be changed: {process.stderr.strip()}")
    return process.stdout


def _read_extension_info(connection: DBusConnection) -> dict[str, tuple[str, object]]:
    request = new_method_call(_EXTENSIONS_ADDRESS, "GetExtensionInfo", "s", (UUID,))
    reply: Message = connection.send_and_get_reply(request, timeout=ANSWER_TIMEOUT_S)
    if reply.header.message_type is MessageType.error:
        return {}
    return reply.body[0]


def _read_shell_version(connection: DBusConnection) -> str:
    request = Properties(_EXTENSIONS_ADDRESS).get("ShellVersion")
    reply = connection.send_and_get_reply(request, timeout=ANSWER_TIMEOUT_S)
    return "" if reply.header.message_type is MessageType.error else str(reply.body[0][1])
