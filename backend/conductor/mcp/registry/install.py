"""Adds or removes Conductor's entry in the settings file of a client, for `conductor mcp install` and `remove`.

The clients differ as follows (documentation as of November 2026):

- Gemini CLI: `mcpServers` in `~/.gemini/settings.json` (geminicli.com/docs/tools/mcp-server). An entry that
  starts a program has no `type`: the settings are checked strictly, and `type` may only be `sse` or `http`
  (google-gemini/gemini-cli pull request 15465). `GEMINI_CLI_HOME` replaces the home directory
  (`homedir` in packages/core/src/utils/paths.ts of that repository).
- Windsurf: `mcpServers` in `~/.codeium/windsurf/mcp_config.json`, in the format of Claude Desktop
  (docs.windsurf.com/windsurf/cascade/mcp), whose examples have no `type`.
- Copilot CLI: `mcpServers` in `~/.copilot/mcp-config.json`; `type` is `local` or `stdio`, and `tools` lists
  the tools that may be used
  (docs.github.com/en/copilot/how-tos/copilot-cli/customize-copilot/add-mcp-servers). `COPILOT_HOME`
  replaces `~/.copilot` (docs.github.com/en/copilot/reference/copilot-cli-reference/cli-config-dir-reference).
"""

import os
import sys
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal, NamedTuple

from conductor.base.atomic import write_atomic
from conductor.base.json_types import JsonObject
from conductor.base.program import build_lasting_command
from conductor.errors import NotAvailable
from conductor.mcp.registry.json_text import JsonText, remove_json_member, set_json_member
from conductor.mcp.registry.toml_text import remove_toml_table, set_toml_table

ClientName = Literal[
    "claude-code", "claude-desktop", "cursor", "vscode", "codex", "gemini", "windsurf", "copilot"
]
CONDUCTOR_ENTRY_NAME = "conductor"
SETTINGS_BACKUP_SUFFIX = ".before-conductor"
SERVER_TABLE_BY_CLIENT: dict[ClientName, str] = {"vscode": "servers", "codex": "mcp_servers"}
CLIENTS_WITHOUT_TRANSPORT_TYPE: tuple[ClientName, ...] = ("codex", "gemini", "windsurf")
DEFAULT_ENTRY_FIELDS_BY_CLIENT: dict[ClientName, JsonObject] = {"copilot": {"tools": ["*"]}}
"""Additional fields of a new entry. Values that the user has set take precedence."""


class SettingsEdit(NamedTuple):
    """A planned edit of a client's settings file, which can be shown as a diff before it is written."""

    path: Path
    before: str | None
    after: str

    @property
    def has_changes(self) -> bool:
        return (self.before or "") != self.after

    def write_file(self) -> Path | None:
        """Write the settings file, and return the path of the backup of the previous file.

        Raises:
            NotAvailable: The file cannot be written.
        """
        target = self.path.resolve()
        backup = (
            None if self.before is None else target.with_name(target.name + SETTINGS_BACKUP_SUFFIX)
        )
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
) -> SettingsEdit:
    """Read the settings file of a client, and compute its text with Conductor's entry added.

    Raises:
        NotAvailable: The file is broken or cannot be read.
    """
    new = build_conductor_entry(client, environment)
    return _plan_settings_edit(
        client, environment, lambda text: _add_conductor_entry(client, text, new)
    )


def plan_removal(client: ClientName, environment: Mapping[str, str] = os.environ) -> SettingsEdit:
    """Read the settings file of a client, and compute its text without Conductor's entry.

    Raises:
        NotAvailable: The file is broken or cannot be read.
    """
    return _plan_settings_edit(
        client, environment, lambda text: _remove_conductor_entry(client, text)
    )


def _plan_settings_edit(
    client: ClientName, environment: Mapping[str, str], change: Callable[[str], str]
) -> SettingsEdit:
    path = find_client_settings_file(client, environment)
    try:
        before = path.read_bytes().decode() if path.exists() else None
    except (OSError, ValueError) as error:
        raise NotAvailable(f"{path} cannot be read: {error}") from error
    try:
        after = _edit_preserving_line_ends(before or "", change)
    except (ValueError, TypeError) as error:
        raise NotAvailable(
            f"{path} was not changed, because it cannot be parsed: {error}. Fix it and run this again"
        ) from error
    return SettingsEdit(path, before, after)


def _edit_preserving_line_ends(text: str, change: Callable[[str], str]) -> str:
    if "\r\n" in text and text.count("\n") == text.count("\r\n"):
        return change(text.replace("\r\n", "\n")).replace("\n", "\r\n")
    return change(text)


def _add_conductor_entry(client: ClientName, text: str, new: JsonObject) -> str:
    """Return the text with Conductor's entry added or updated. Fields that the user added to the entry stay."""
    path = (SERVER_TABLE_BY_CLIENT.get(client, "mcpServers"), CONDUCTOR_ENTRY_NAME)
    if client == "codex":
        return set_toml_table(text, path, {**_find_current_entry(tomllib.loads(text), path), **new})
    present = _find_current_entry(JsonText(text).value, path) if text.strip() else {}
    merged = {**DEFAULT_ENTRY_FIELDS_BY_CLIENT.get(client, {}), **present, **new}
    return text if merged == present else set_json_member(text, path, merged)


def _remove_conductor_entry(client: ClientName, text: str) -> str:
    path = (SERVER_TABLE_BY_CLIENT.get(client, "mcpServers"), CONDUCTOR_ENTRY_NAME)
    if not text.strip():
        return text
    if client == "codex":
        return remove_toml_table(text, path)
    return remove_json_member(text, path) if path in JsonText(text).members else text


def _find_current_entry(value: Any, path: tuple[str, str]) -> JsonObject:
    for part in path:
        value = value.get(part, {}) if isinstance(value, dict) else {}
    return value if isinstance(value, dict) else {}


def build_conductor_entry(
    client: ClientName, environment: Mapping[str, str] = os.environ
) -> JsonObject:
    """Return Conductor's entry, which contains the command that starts the stdio proxy."""
    program, *arguments = build_conductor_command()
    kind = {} if client in CLIENTS_WITHOUT_TRANSPORT_TYPE else {"type": "stdio"}
    home = environment.get("CONDUCTOR_HOME")
    variables = {"env": {"CONDUCTOR_HOME": str(Path(home).expanduser().absolute())}} if home else {}
    return {**kind, "command": program, "args": [*arguments, "mcp"], **variables}


def build_conductor_command() -> list[str]:
    """Return the command that starts this installation of Conductor from any folder and with any PATH."""
    if getattr(sys, "frozen", False):
        return build_lasting_command()
    script = Path(sys.executable).with_name("conductor.exe" if os.name == "nt" else "conductor")
    return [str(script)] if script.exists() else [sys.executable, "-m", "conductor"]


def find_client_settings_file(
    client: ClientName, environment: Mapping[str, str] = os.environ
) -> Path:
    """Return the path of the settings file of a client."""
    home = Path(environment.get("HOME") or Path.home())
    match client:
        case "claude-code":
            return Path(environment.get("CLAUDE_CONFIG_DIR") or home) / ".claude.json"
        case "claude-desktop":
            return (
                _find_app_data_folder(home, environment) / "Claude" / "claude_desktop_config.json"
            )
        case "cursor":
            return home / ".cursor" / "mcp.json"
        case "vscode":
            return _find_app_data_folder(home, environment) / "Code" / "User" / "mcp.json"
        case "codex":
            return Path(environment.get("CODEX_HOME") or home / ".codex") / "config.toml"
        case "gemini":
            return Path(environment.get("GEMINI_CLI_HOME") or home) / ".gemini" / "settings.json"
        case "windsurf":
            return home / ".codeium" / "windsurf" / "mcp_config.json"
        case "copilot":
            return Path(environment.get("COPILOT_HOME") or home / ".copilot") / "mcp-config.json"


def _find_app_data_folder(home: Path, environment: Mapping[str, str]) -> Path:
    if sys.platform == "darwin":
        return home / "Library" / "Application Support"
    if sys.platform == "win32":
        return Path(environment.get("APPDATA") or home / "AppData" / "Roaming")
    return Path(environment.get("XDG_CONFIG_HOME") or home / ".config")
