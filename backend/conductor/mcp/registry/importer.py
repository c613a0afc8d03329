"""Imports servers into `mcp.json`, and stores their secrets in the keychain if there is one."""

import contextlib
import json
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from conductor.base.json_types import JsonObject
from conductor.errors import ConductorError, InvalidParams, NotAvailable
from conductor.mcp.registry.entry import find_variable_references
from conductor.mcp.registry.file import ServersFile, require_listed_server, validate_server_entry
from conductor.mcp.registry.secrets import build_keychain_name, move_entry_secrets_to_keychain

if TYPE_CHECKING:
    from conductor.mcp.registry.discovery import SettingsSource
    from conductor.storage.keys import Keys


def import_server_entries(
    file: ServersFile,
    source: "SettingsSource",
    names: Sequence[str],
    keys: "Keys",
    *,
    replace: bool,
) -> tuple[list[str], list[str]]:
    """Import servers from another program. Return the names of the imported servers and notes for the user.

    Raises:
        NotAvailable: The settings could not be read, or the file cannot be written.
        InvalidParams: The settings contain no server with one of the names.
    """
    if source.problem is not None:
        raise NotAvailable(source.problem)
    available = {server.name: server for server in source.servers}
    unknown = [name for name in names if name not in available]
    if unknown:
        raise InvalidParams(f"{source.title} has no server called {unknown[0][:60]}")
    imported, notes, existing = list[str](), list[str](), file.read_servers().servers
    for name in dict.fromkeys(names):
        server = available[name]
        if name in existing and not replace:
            notes.append(f"{name} was not imported: a server with this name already exists")
            continue
        notes += [f"{name}: {note}" for note in server.notes]
        if _is_valid_entry(name, server.raw):
            notes += save_server_entry(file, name, server.raw, keys, is_new=name not in existing)
            imported.append(name)
    return imported, notes


def save_server_entry(
    file: ServersFile,
    name: str,
    raw: JsonObject,
    keys: "Keys",
    *,
    is_new: bool,
    known_secrets: Collection[str] = (),
) -> list[str]:
    """Write the entry of a server to `mcp.json`, and return notes about its secrets.

    Secrets are moved to the keychain if there is one: what looks like one, and the variables and headers in
    `known_secrets`.

    Raises:
        InvalidParams: The entry is invalid, or the name is taken.
        NotAvailable: The file is broken or cannot be written.
    """
    label = validate_server_entry(name, raw)
    if is_new and label in file.read_servers().servers:  # before its keys would be overwritten
        raise InvalidParams(f"a server called {label} already exists; remove it first")
    whole, notes = move_entry_secrets_to_keychain(label, raw, keys, known_secrets)
    if is_new:
        file.add_server(label, whole)
    else:
        file.update_server(label, whole)
    return notes


def remove_server_entry(file: ServersFile, name: str, keys: "Keys") -> None:
    """Remove a server from `mcp.json`, and its secrets from the keychain.

    Raises:
        UnknownServer: There is no such server.
        NotAvailable: The file is broken or cannot be written.
    """
    raw = require_listed_server(file.read_servers(), name).raw
    file.remove_server(name)
    for reference in find_variable_references(json.dumps(raw)):
        if reference.startswith("key:"):
            with contextlib.suppress(ConductorError):  # a locked keychain keeps the key
                keys.delete_key(build_keychain_name(name, reference.removeprefix("key:")))


def _is_valid_entry(name: str, raw: JsonObject) -> bool:
    try:
        validate_server_entry(name, raw)
    except InvalidParams:
        return False  # the notes say why the secret was not stored
    return True
