"""`conductor mcp install`: puts Conductor's entry into the settings file of an agent's client."""

import os
import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args

from conductor.base.atomic import write_atomic
from conductor.errors import NotAvailable
from conductor.mcp.json_text import JsonText, set_member
from conductor.mcp.toml_text import set_table

ClientName = Literal["claude-code", "claude-desktop", "cursor", "vscode", "codex"]
CLIENTS: tuple[ClientName, ...] = get_args(ClientName)
ENTRY = "conductor"
BACKUP = ".before-conductor"
TABLES: dict[ClientName, str] = {"vscode": "servers", "codex": "mcp_servers"}


class Installation(NamedTuple):
    """What is written where."""

    path: Path
    before: str | None
    after: str

    @property
    def changes(self) -> bool:
        return self.before != self.after

    def write(self) -> Path | None:
        """Write the file, and give the backup of what was there before.

        Raises:
            NotAvailable: it cannot be written.
        """
        target = self.path.resolve()
        backup = None if self.before is None else target.with_name(target.name + BACKUP)
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            if backup is not None and self.before is not None:
                write_atomic(backup, self.before.encode())
            write_atomic(target, self.after.encode())
        except OSError as error:
            raise NotAvailable(f"{self.path} cannot be written: {error.strerror}") from error
        return backup


def plan_installation(
    client: ClientName, environment: Mapping[str, str] = os.environ
) -> Installation:
    """Read the client's file and say what it would become.

    Raises:
        NotAvailable: the file is broken, or cannot be read.
    """
    path = settings_file(client, environment)
    try:
        before = path.read_bytes().decode() if path.exists() else None
    except (OSError, ValueError) as error:
        raise NotAvailable(f"{path} cannot be read: {error}") from error
    try:
        after = _with_entry(client, before or "", entry(client, environment))
    except (ValueError, TypeError) as error:
        raise NotAvailable(
            f"{path} is not changed, because it cannot be understood: {error}. Mend it and run this again"
        ) from error
    return Installation(path, before, after)


def _with_entry(client: ClientName, text: str, new: dict[str, Any]) -> str:
    """Set our entry; what the user added to it stays, and so do the ends of the lines."""
    if "\r\n" in text and text.count("\n") == text.count("\r\n"):
        return _with_entry(client, text.replace("\r\n", "\n"), new).replace("\n", "\r\n")
    path = (TABLES.get(client, "mcpServers"), ENTRY)
    if client == "codex":
        return set_table(text, path, {**_present(tomllib.loads(text), path), **new})
    present = _present(JsonText(text).value, path) if text.strip() else {}
    return text if {**present, **new} == present else set_member(text, path, {**present, **new})


def _present(value: Any, path: tuple[str, str]) -> dict[str, Any]:
    for part in path:
        value = value.get(part, {}) if isinstance(value, dict) else {}
    return value if isinstance(value, dict) else {}


def entry(client: ClientName, environment: Mapping[str, str] = os.environ) -> dict[str, Any]:
    """Give the entry: how the client starts the proxy."""
    program, *arguments = command()
    kind = {} if client == "codex" else {"type": "stdio"}
    home = environment.get("CONDUCTOR_HOME")
    variables = {"env": {"CONDUCTOR_HOME": str(Path(home).expanduser().absolute())}} if home else {}
    return {**kind, "command": program, "args": [*arguments, "mcp"], **variables}


def command() -> list[str]:
    """Give how this very Conductor is started, whatever the folder and the PATH."""
    if getattr(sys, "frozen", False):
        return [sys.executable]
    script = Path(sys.executable).with_name("conductor.exe" if os.name == "nt" else "conductor")
    return [str(script)] if script.exists() else [sys.executable, "-m", "conductor"]


def settings_file(client: ClientName, environment: Mapping[str, str] = os.environ) -> Path:
    """Give the file in which a client looks for its servers."""
    home = Path(environment.get("HOME") or Path.home())
    match client:
        case "claude-code":
            return Path(environment.get("CLAUDE_CONFIG_DIR") or home) / ".claude.json"
        case "claude-desktop":
            return _app_data(home, environment) / "Claude" / "claude_desktop_config.json"
        case "cursor":
            return home / ".cursor" / "mcp.json"
        case "vscode":
            return _app_data(home, environment) / "Code" / "User" / "mcp.json"
        case "codex":
            return Path(environment.get("CODEX_HOME") or home / ".codex") / "config.toml"


def _app_data(home: Path, environment: Mapping[str, str]) -> Path:
    if sys.platform == "darwin":
        return home / "Library" / "Application Support"
    if sys.platform == "win32":
        return Path(environment.get("APPDATA") or home / "AppData" / "Roaming")
    return Path(environment.get("XDG_CONFIG_HOME") or home / ".config")
