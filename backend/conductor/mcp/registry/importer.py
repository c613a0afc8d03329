"""Imports servers into `mcp.json`, with their secrets in the keychain if there is one."""

import contextlib
import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

from conductor.base.json_types import JsonObject
from conductor.errors import ConductorError, InvalidParams, NotAvailable
from conductor.mcp.registry.entry import find_references
from conductor.mcp.registry.file import ServersFile, require_server, validate_entry
from conductor.mcp.registry.secrets import build_keychain_name, move_secrets_to_keychain

if TYPE_CHECKING:
    from conductor.mcp.registry.discovery import Source
    from conductor.storage.keys import Keys


def import_entries(
    file: ServersFile, found: "Source", names: Sequence[str], keys: "Keys", *, replace: bool
) -> tuple[list[str], list[str]]:
    """Import servers from another program; return the names now in `mcp.json`, and notes for the user.

    Raises:
        NotAvailable: the settings could not be read, or the file cannot be written.
        InvalidParams: a name is not among the servers found.
    """
    if found.problem is not None:
        raise NotAvailable(found.problem)
    there = {one.name: one for one in found.servers}
    unknown = [name for name in names if name not in there]
    if unknown:
        raise InvalidParams(f"{found.title} has no server called {unknown[0][:60]}")
    done, notes, here = list[str](), list[str](), file.read().servers
    for name in dict.fromkeys(names):
        one = there[name]
        if name in here and not replace:
            notes.append(f"{name} was not imported: a server with this name already exists")
            continue
        notes += [f"{name}: {note}" for note in one.notes]
        if _is_valid(name, one.raw):
            notes += save_entry(file, name, one.raw, keys, is_new=name not in here)
            done.append(name)
    return done, notes


def save_entry(
    file: ServersFile, name: str, raw: JsonObject, keys: "Keys", *, is_new: bool
) -> list[str]:
    """Write a server's entry to `mcp.json`, and return notes about its secrets.

    Secrets are moved to the keychain if there is one.

    Raises:
        InvalidParams: the entry is invalid, or the name is taken.
        NotAvailable: the file is broken, or cannot be written.
    """
    label = validate_entry(name, raw)
    if is_new and label in file.read().servers:  # before its keys would be overwritten
        raise InvalidParams(f"a server called {label} already exists; remove it first")
    whole, notes = move_secrets_to_keychain(label, raw, keys)
    if is_new:
        file.add(label, whole)
    else:
        file.update(label, whole)
    return notes


def remove_entry(file: ServersFile, name: str, keys: "Keys") -> None:
    """Remove a server from `mcp.json`, and its secrets from the keychain.

    Raises:
        UnknownServer: there is no such server.
        NotAvailable: the file is broken, or cannot be written.
    """
    raw = require_server(file.read(), name).raw
    file.remove(name)
    for one in find_references(json.dumps(raw)):
        if one.startswith("key:"):
            with contextlib.suppress(ConductorError):  # a locked keychain keeps the key
                keys.delete(build_keychain_name(name, one.removeprefix("key:")))


def _is_valid(name: str, raw: JsonObject) -> bool:
    try:
        validate_entry(name, raw)
    except InvalidParams:
        return False  # the notes say why
    return True
