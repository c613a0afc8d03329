"""Takes servers over into `mcp.json`: checked, with their secrets in the keychain where there is one."""

import contextlib
import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

from conductor.base.json_types import JsonObject
from conductor.errors import ConductorError, InvalidParams, NotAvailable
from conductor.mcp.registry.entry import references
from conductor.mcp.registry.file import ServersFile, checked, known
from conductor.mcp.registry.secrets import key_name, with_secrets_kept

if TYPE_CHECKING:
    from conductor.mcp.registry.discovery import Source
    from conductor.storage.keys import Keys


def import_entries(
    file: ServersFile, found: "Source", names: Sequence[str], keys: "Keys", *, replace: bool
) -> tuple[list[str], list[str]]:
    """Import servers; return the names that are in the file now, and notes for the user.

    Raises:
        NotAvailable: the settings could not be read, or the file cannot be written.
        InvalidParams: there is no server of such a name.
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
            notes.append(f"{name} is left as it is: there is one of this name already")
            continue
        notes += [f"{name}: {note}" for note in one.notes]
        if _is_sound(name, one.raw):
            notes += save_entry(file, name, one.raw, keys, is_new=name not in here)
            done.append(name)
    return done, notes


def save_entry(
    file: ServersFile, name: str, raw: JsonObject, keys: "Keys", *, is_new: bool
) -> list[str]:
    """Write an entry with its secrets in the keychain, where there is one; gives words about them.

    Raises:
        InvalidParams: it is not valid, or there is one of this name.
        NotAvailable: the file is broken, or cannot be written.
    """
    label = checked(name, raw)
    if is_new and label in file.read().servers:  # before a key of that one is written over
        raise InvalidParams(f"there is a server called {label} already; remove it first")
    whole, notes = with_secrets_kept(label, raw, keys)
    if is_new:
        file.add(label, whole)
    else:
        file.update(label, whole)
    return notes


def remove_entry(file: ServersFile, name: str, keys: "Keys") -> None:
    """Remove a server from the file, and its secrets from the keychain.

    Raises:
        UnknownServer: there is none of this name.
        NotAvailable: the file is broken, or cannot be written.
    """
    raw = known(file.read(), name).raw
    file.remove(name)
    for one in references(json.dumps(raw)):
        if one.startswith("key:"):
            with contextlib.suppress(ConductorError):  # a locked keychain keeps it
                keys.delete(key_name(name, one.removeprefix("key:")))


def _is_sound(name: str, raw: JsonObject) -> bool:
    try:
        checked(name, raw)
    except InvalidParams:
        return False  # its notes say why
    return True
