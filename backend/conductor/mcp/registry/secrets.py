"""What `${...}` in an entry stands for, looked up when the server starts; and secrets, kept in the keychain."""

import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from conductor.base.json_types import JsonObject
from conductor.base.redact import redact
from conductor.errors import ConductorError, NotAvailable
from conductor.mcp.client.oauth_client import OAuthClient
from conductor.mcp.client.values import CALL_WITHIN_S, Server
from conductor.mcp.registry.entry import OAUTH, Entry, is_scope, references, replaced
from conductor.mcp.registry.warnings import in_home, is_secret_name

if TYPE_CHECKING:
    from conductor.storage.keys import Keys

KeyOf = Callable[[str], str | None]
SHORTEST_SECRET = 8
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_SCHEME = re.compile(r"((?:Bearer|Basic|Token)\s+)(\S+)", re.IGNORECASE)


def key_name(server: str, name: str) -> str:
    """Return what a secret is called in the keychain. No server can name another's, or a provider's."""
    return f"mcp:{server}:{name}"


def server_of(
    name: str, entry: Entry, key_of: KeyOf, environment: Mapping[str, str] = os.environ
) -> Server:
    """Return what is started, with everything looked up.

    Raises:
        NotAvailable: something is not there; says what, and what to do.
    """

    def whole(text: str) -> str:
        return replaced(
            text, {one: _value(name, one, key_of, environment) for one in references(text)}
        )

    timeout_s = entry.timeout_s or CALL_WITHIN_S
    if entry.transport == "http":
        headers = {header: _header(header, whole(text)) for header, text in entry.headers.items()}
        return Server(
            name,
            "http",
            url=whole(entry.url or ""),
            headers=headers,
            timeout_s=timeout_s,
            era=entry.era,
            oauth=_oauth(entry.oauth, whole),
        )
    cwd = in_home(whole(entry.cwd or "~"))
    if not Path(cwd).is_dir():
        raise NotAvailable(f"its folder {cwd} is not there")
    argv = (in_home(whole(entry.command)), *(whole(word) for word in entry.args))
    env = {variable: whole(text) for variable, text in entry.env.items()}
    return Server(name, "stdio", argv, cwd, env, timeout_s=timeout_s, era=entry.era)


def _value(server: str, reference: str, key_of: KeyOf, environment: Mapping[str, str]) -> str:
    """Look one up: `NAME`, `env:NAME`, `NAME:-otherwise`, `key:NAME`, `userHome`."""
    kind, _, rest = reference.partition(":")
    if reference == "userHome":
        return str(Path.home())
    if kind == "input":
        raise NotAvailable(
            f"`{rest}` has to be filled in: VS Code would ask for it; edit the server"
        )
    if kind == "key":
        key = key_of(key_name(server, rest))
        if key is None:
            raise NotAvailable(
                f"its secret `{rest}` is not in the keychain, or the keychain is locked: enter it again"
            )
        return key
    name, has_default, default = reference.removeprefix("env:").partition(":-")
    if _NAME.fullmatch(name) is None:
        raise NotAvailable(f"`${{{reference[:60]}}}` means nothing here; write the value instead")
    found = environment.get(name)
    if found is None and not has_default:
        raise NotAvailable(
            f"the environment variable {name} is not set where Conductor was started"
        )
    return found if found else default if has_default else ""


def _header(name: str, text: str) -> str:
    if not text.isprintable() or not text.isascii():
        raise NotAvailable(f"the header {name} holds a character that a header cannot have")
    return text


def _oauth(given: OAuthClient | None, whole: Callable[[str], str]) -> OAuthClient | None:
    if given is None:
        return None
    client, scopes = whole(given.client_id), " ".join(whole(one) for one in given.scopes).split()
    if given.client_id and not client:
        raise NotAvailable("the client id is empty: write the one that the service gave")
    if not all(is_scope(one) for one in scopes):
        raise NotAvailable("`oauth.scopes` holds a character that a scope cannot have")
    return OAuthClient(client, whole(given.client_secret), tuple(scopes), given.port)


def with_secrets_kept(server: str, raw: JsonObject, keys: "Keys") -> tuple[JsonObject, list[str]]:
    """Move what looks like a secret into the keychain, where there is one; gives the entry and words."""
    whole, moved, left = dict(raw), list[str](), list[str]()
    for table in ("env", "headers"):
        items = raw.get(table)
        if isinstance(items, dict):
            whole[table] = {
                name: _kept(server, name, text, keys, moved, left) for name, text in items.items()
            }
    for table, (_, name) in OAUTH.items():
        items = raw.get(table)
        if isinstance(items, dict) and name in items:
            secret = _kept(server, f"{table}.{name}", items[name], keys, moved, left)
            whole[table] = {**items, name: secret}
    notes = [f"{', '.join(moved)} of {server} is kept in the keychain now"] if moved else []
    if left:
        names = ", ".join(left)
        notes.append(
            f"{names} of {server} is kept in mcp.json, which only you can read: no keychain is open"
        )
    return whole, notes


def _kept(
    server: str, name: str, text: object, keys: "Keys", moved: list[str], left: list[str]
) -> object:
    if not isinstance(text, str) or not looks_secret(name, text):
        return text
    scheme = _SCHEME.fullmatch(text)
    before, secret = (scheme[1], scheme[2]) if scheme else ("", text)
    if keys.place == "environment":  # there is no keychain
        left.append(name)
        return text
    try:
        keys.put(key_name(server, name), secret)
    except ConductorError:
        left.append(name)
        return text
    moved.append(name)
    return f"{before}${{key:{name}}}"


def looks_secret(name: str, text: str) -> bool:
    """Return whether a value should not lie around: by what it is called, or by how it looks."""
    if references(text) or len(text) < SHORTEST_SECRET:
        return False
    return is_secret_name(name) or redact(text) != text
