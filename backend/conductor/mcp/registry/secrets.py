"""Fills in `${...}` references when a server starts, and moves secrets to the keychain."""

import os
import re
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from conductor.base.json_types import JsonObject
from conductor.base.redact import redact_secrets
from conductor.errors import ConductorError, NotAvailable
from conductor.mcp.client.oauth_client import OAuthClient
from conductor.mcp.client.values import TOOL_CALL_TIMEOUT_S, ConsentedServer
from conductor.mcp.registry.entry import (
    OAUTH_CLIENT_FIELDS,
    ServerEntry,
    find_variable_references,
    is_oauth_scope,
    substitute_variable_references,
)
from conductor.mcp.registry.warnings import expand_home, is_secret_name

if TYPE_CHECKING:
    from conductor.storage.keys import Keys

KeyLookup = Callable[[str], str | None]
MIN_DETECTED_SECRET_LENGTH = 8
_VARIABLE_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_AUTH_SCHEME = re.compile(r"((?:Bearer|Basic|Token)\s+)(\S+)", re.IGNORECASE)


def build_keychain_name(server: str, name: str) -> str:
    """Return the name under which a secret of a server is stored in the keychain.

    It contains the name of the server, so that a server cannot use the keys of another server or of a
    provider.
    """
    return f"mcp:{server}:{name}"


def resolve_server_entry(
    name: str, entry: ServerEntry, find_key: KeyLookup, environment: Mapping[str, str] = os.environ
) -> ConsentedServer:
    """Return the server to start, with all `${...}` references in its entry filled in.

    Raises:
        NotAvailable: A value is missing. The message names it and says what to do.
    """

    def substitute(text: str) -> str:
        return substitute_variable_references(
            text,
            {
                one: _resolve_reference(name, one, find_key, environment)
                for one in find_variable_references(text)
            },
        )

    timeout_s = entry.timeout_s or TOOL_CALL_TIMEOUT_S
    if entry.transport == "http":
        headers = {
            header: _require_valid_header(header, substitute(text))
            for header, text in entry.headers.items()
        }
        return ConsentedServer(
            name,
            "http",
            url=substitute(entry.url or ""),
            headers=headers,
            timeout_s=timeout_s,
            era=entry.era,
            oauth=_resolve_oauth(entry.oauth, substitute),
        )
    cwd = expand_home(substitute(entry.cwd or "~"))
    if not Path(cwd).is_dir():
        raise NotAvailable(f"its folder {cwd} does not exist")
    argv = (expand_home(substitute(entry.command)), *(substitute(word) for word in entry.args))
    env = {variable: substitute(text) for variable, text in entry.env.items()}
    return ConsentedServer(name, "stdio", argv, cwd, env, timeout_s=timeout_s, era=entry.era)


def _resolve_reference(
    server: str, reference: str, find_key: KeyLookup, environment: Mapping[str, str]
) -> str:
    """Return the value of a reference: `NAME`, `env:NAME`, `NAME:-default`, `key:NAME` or `userHome`.

    Raises:
        NotAvailable: The value is missing or the form is unknown.
    """
    kind, _, rest = reference.partition(":")
    if reference == "userHome":
        return str(Path.home())
    if kind == "input":
        raise NotAvailable(
            f"`{rest}` must be filled in, because VS Code would ask for it; edit the server"
        )
    if kind == "key":
        key = find_key(build_keychain_name(server, rest))
        if key is None:
            raise NotAvailable(
                f"its secret `{rest}` is not in the keychain, or the keychain is locked: enter it again"
            )
        return key
    name, has_default, default = reference.removeprefix("env:").partition(":-")
    if _VARIABLE_NAME.fullmatch(name) is None:
        raise NotAvailable(f"`${{{reference[:60]}}}` is not supported; write the value instead")
    found = environment.get(name)
    if found is None and not has_default:
        raise NotAvailable(
            f"the environment variable {name} is not set where Conductor was started"
        )
    return found if found else default if has_default else ""


def _require_valid_header(name: str, text: str) -> str:
    if not text.isprintable() or not text.isascii():
        raise NotAvailable(f"the header {name} contains a character that headers cannot have")
    return text


def _resolve_oauth(
    oauth: OAuthClient | None, substitute: Callable[[str], str]
) -> OAuthClient | None:
    if oauth is None:
        return None
    client, scopes = (
        substitute(oauth.client_id),
        " ".join(substitute(one) for one in oauth.scopes).split(),
    )
    if oauth.client_id and not client:
        raise NotAvailable("the client id is empty: enter the one that the service issued")
    if not all(is_oauth_scope(one) for one in scopes):
        raise NotAvailable("`oauth.scopes` contains a character that scopes cannot have")
    return OAuthClient(client, substitute(oauth.client_secret), tuple(scopes), oauth.port)


def move_entry_secrets_to_keychain(
    server: str, raw: JsonObject, keys: "Keys", known_secrets: Collection[str] = ()
) -> tuple[JsonObject, list[str]]:
    """Move the values of an entry that are secrets to the keychain, if there is one.

    These are the variables and headers in `known_secrets`, and all values that look like secrets. Return the
    changed entry and notes for the user.
    """
    whole, moved, not_moved = dict(raw), list[str](), list[str]()
    for table in ("env", "headers"):
        items = raw.get(table)
        if isinstance(items, dict):
            whole[table] = {
                name: _move_secret(
                    server, name, text, keys, moved, not_moved, is_known=name in known_secrets
                )
                for name, text in items.items()
            }
    for table, (_, name) in OAUTH_CLIENT_FIELDS.items():
        items = raw.get(table)
        if isinstance(items, dict) and name in items:
            secret = _move_secret(server, f"{table}.{name}", items[name], keys, moved, not_moved)
            whole[table] = {**items, name: secret}
    notes = [f"{', '.join(moved)} of {server} is now stored in the keychain"] if moved else []
    if not_moved:
        names = ", ".join(not_moved)
        notes.append(
            f"{names} of {server} is stored in mcp.json, which only you can read: there is no open keychain"
        )
    return whole, notes


def _move_secret(
    server: str,
    name: str,
    text: object,
    keys: "Keys",
    moved: list[str],
    not_moved: list[str],
    *,
    is_known: bool = False,
) -> object:
    if not isinstance(text, str) or find_variable_references(text):
        return text
    if not is_known and not looks_like_secret(name, text):
        return text
    scheme = _AUTH_SCHEME.fullmatch(text)
    before, secret = (scheme[1], scheme[2]) if scheme else ("", text)
    if keys.storage_place == "environment":  # no keychain is available
        not_moved.append(name)
        return text
    try:
        keys.store_key(build_keychain_name(server, name), secret)
    except ConductorError:
        not_moved.append(name)
        return text
    moved.append(name)
    return f"{before}${{key:{name}}}"


def looks_like_secret(name: str, text: str) -> bool:
    """Return whether a value is probably a secret, judged by its name and its form."""
    if find_variable_references(text) or len(text) < MIN_DETECTED_SECRET_LENGTH:
        return False
    return is_secret_name(name) or redact_secrets(text) != text
