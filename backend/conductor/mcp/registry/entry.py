"""Parses the entry of a server in `mcp.json` or in the settings of another program.

The parser accepts the variants of other programs, and reports errors precisely.
"""

import hashlib
import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NoReturn
from urllib.parse import urlsplit

from conductor.base.invisible_chars import has_hidden
from conductor.base.json_types import JsonObject
from conductor.errors import InvalidParams
from conductor.mcp.client.oauth_client import OAuthClient

Transport = Literal["stdio", "http"]

MAX_SERVER_NAME_LENGTH = 32
MAX_ENTRY_TEXT_LENGTH = 32_000
MIN_TIMEOUT_IN_MILLISECONDS = 1_000
"""Programs differ in the unit of `timeout`.

From this value on it is read in milliseconds, because hardly any call takes 1,000 s. A longer limit must be
written in milliseconds.
"""
MAX_TIMEOUT_S = 3_600.0
MAX_TIMEOUT_VALUE = 10**18
"""The largest `timeout` that is accepted: more than any program writes for "never", and safe to convert to
a float.
"""
_INVALID_NAME_CHARACTERS = re.compile(r"[^A-Za-z0-9_-]+")
_VARIABLE_REFERENCE = re.compile(r"\$\{([^{}]*)\}")
_STDIO_TYPES = ("stdio", "local", "command")
_HTTP_TYPES = ("http", "streamable-http", "streamablehttp", "streamable_http", "remote")
_URL_FIELDS = ("url", "httpUrl", "serverUrl")
_SSE_UNSUPPORTED_MESSAGE = (
    "the SSE transport was replaced in 2025 and is not supported; most such servers also support"
    ' `"type": "http"`, often at an address that ends in /mcp'
)
_AUTO_APPROVAL_FIELDS = ("alwaysAllow", "autoApprove", "trust", "autoApproveTools")
_NOTE_BY_IGNORED_FIELD = {
    "envFile": "`envFile` is not read; write its variables into `env`",
    "headersHelper": "`headersHelper` is not run; write `headers` instead",
    "includeTools": "`includeTools` has no effect; switch single tools off with `disabledTools`",
    "enabled_tools": "`enabled_tools` has no effect; switch single tools off with `disabledTools`",
}
_DISABLED_TOOLS_FIELDS = ("disabledTools", "disabled_tools", "excludeTools")
OAUTH_CLIENT_FIELDS = {
    "oauth": ("clientId", "clientSecret"),
    "auth": ("CLIENT_ID", "CLIENT_SECRET"),
}
"""The tables and fields of a pre-registered OAuth client. Cursor calls the table `auth`."""
_MAX_PORT = 65_535


class InvalidServerEntry(InvalidParams):
    """Raised if the entry of a server cannot be used. `path` leads to the invalid part."""

    def __init__(self, message: str, *path: str) -> None:
        super().__init__(message)
        self.path = path


@dataclass(frozen=True)
class ServerEntry:
    """The parsed entry of a server.

    The values of `env` and `headers` may be secrets and are never displayed.
    """

    transport: Transport
    command: str = ""
    args: tuple[str, ...] = ()
    cwd: str | None = None
    env: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    url: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    oauth: OAuthClient | None = None
    timeout_s: float | None = None
    era: Literal["auto", "legacy", "modern"] = "auto"
    disabled: bool = False
    disabled_tools: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def digest(self) -> str:
        """A digest of everything that the user consents to: the program or address, and its variables.

        The values of variables are included, because some variables make a program run other code. The
        values of headers and the client secret are not.
        """
        consented = [self.transport, self.command, self.args, self.cwd, sorted(self.env.items())]
        consented += [self.url, sorted(self.headers)]
        if (oauth := self.oauth) is not None:
            consented += [oauth.client_id, bool(oauth.client_secret), oauth.scopes, oauth.port]
        return "sha256:" + hashlib.sha256(json.dumps(consented).encode()).hexdigest()


def build_server_name(name: str) -> str:
    """Convert a name to a valid server name: `My Server` becomes `My-Server`.

    Raises:
        InvalidServerEntry: The name has no usable characters.
    """
    label = _INVALID_NAME_CHARACTERS.sub("-", name).strip("-_")[:MAX_SERVER_NAME_LENGTH]
    if not label:
        raise InvalidServerEntry(
            f"a server cannot be called {name[:40]!r}: use letters, digits, - and _"
        )
    return label


def parse_server_entry(raw: Any) -> ServerEntry:
    """Parse the entry of a server and check each field.

    Raises:
        InvalidServerEntry: The entry is invalid. The message says what is wrong.
    """
    if not isinstance(raw, dict):
        _raise_invalid_entry('a server is an object, such as { "command": "npx", "args": [...] }')
    transport = _read_transport(raw)
    timeout = raw.get("timeout", raw.get("tool_timeout_sec"))
    common: JsonObject = {
        "timeout_s": _read_timeout(timeout),
        "era": _read_protocol_era(raw),
        "disabled": _is_disabled(raw),
        "disabled_tools": tuple(
            one for name in _DISABLED_TOOLS_FIELDS for one in _read_text_list_field(raw, name)
        ),
        "notes": tuple(_list_unused_field_notes(raw)),
    }
    if transport == "http":
        headers = {
            **_read_text_table_field(raw, "http_headers"),
            **_read_text_table_field(raw, "headers"),
        }
        return ServerEntry(
            "http", url=_read_url(raw), headers=headers, oauth=_read_oauth_client(raw), **common
        )
    command, cwd = _read_text_field(raw, "command"), _read_text_field(raw, "cwd", required=False)
    if not command:
        _raise_invalid_entry("`command` is empty: it is the program to run", "command")
    args = _read_text_list_field(raw, "args")
    return ServerEntry(
        "stdio", command, args, cwd or None, _read_text_table_field(raw, "env"), **common
    )


def find_variable_references(text: str) -> list[str]:
    """Return the content of each `${...}` reference in a text."""
    return _VARIABLE_REFERENCE.findall(text)


def substitute_variable_references(text: str, values: "Mapping[str, str]") -> str:
    """Return a text in which each `${...}` reference is replaced by its value."""
    return _VARIABLE_REFERENCE.sub(lambda found: values[found.group(1)], text)


def _read_transport(raw: JsonObject) -> Transport:
    """Return the transport of an entry. Without `type`, an entry with a `url` uses HTTP."""
    said = raw.get("type", raw.get("transport"))
    has_url = any(name in raw for name in _URL_FIELDS)
    if said is None:
        if "command" in raw and has_url:
            _raise_invalid_entry(
                "it has both `command` and `url`; keep one of them, or choose one with `type`"
            )
        if "command" not in raw and not has_url:
            _raise_invalid_entry(
                "it has neither `command`, for a program, nor `url`, for an address"
            )
        return "http" if has_url else "stdio"
    kind = said.lower() if isinstance(said, str) else ""
    if kind == "sse":
        _raise_invalid_entry(_SSE_UNSUPPORTED_MESSAGE, "type")
    if kind in _STDIO_TYPES:
        return "stdio"
    if kind not in _HTTP_TYPES:
        _raise_invalid_entry('`type` must be "stdio" or "http"', "type")
    return "http"


def _read_url(raw: JsonObject) -> str:
    name = next((name for name in _URL_FIELDS if name in raw), "url")
    url = _read_text_field(raw, name)
    scheme = url.lower().split("://")[0] if "://" in url else ""
    if scheme not in ("http", "https") and not url.startswith("${"):
        _raise_invalid_entry(f"`{name}` must begin with https:// or http://", name)
    if has_hidden(url, "") or " " in url:
        _raise_invalid_entry(f"`{name}` contains a space or an invisible character", name)
    if not url.startswith("${"):
        try:
            _ = urlsplit(url).port  # reading the port also checks it
        except ValueError:
            _raise_invalid_entry(f"`{name}` is not a valid address", name)
    return url


def _read_text_field(raw: JsonObject, name: str, *, required: bool = True) -> str:
    item = raw.get(name)
    if item is None and not required:
        return ""
    if name not in raw:
        _raise_invalid_entry(f"`{name}` is missing")
    if not isinstance(item, str):
        _raise_invalid_entry(f"`{name}` must be a text", name)
    return _require_storable(item, name)


def _read_text_list_field(raw: JsonObject, name: str) -> tuple[str, ...]:
    items = raw.get(name)
    if items is None:
        return ()
    if not isinstance(items, list):
        _raise_invalid_entry(f"`{name}` must be a list of texts", name)
    for index, item in enumerate(items):
        if not isinstance(item, str):
            hint = f'; write "{item}"' if isinstance(item, int | float) else ""
            _raise_invalid_entry(f"`{name}[{index}]` must be a text{hint}", name)
    return tuple(_require_storable(item, name) for item in items)


def _read_text_table_field(raw: JsonObject, name: str) -> dict[str, str]:
    """Read a JSON object of texts. Numbers and booleans become texts, and null values are omitted."""
    items = raw.get(name)
    if items is None:
        return {}
    if not isinstance(items, dict):
        _raise_invalid_entry(f"`{name}` must be an object of texts", name)
    found: dict[str, str] = {}
    for key, item in items.items():
        if not key or "=" in key or has_hidden(key, "") or " " in key:
            _raise_invalid_entry(f"`{name}` contains an invalid name: {key[:40]!r}", name)
        if isinstance(item, bool):
            found[key] = str(item).lower()
        elif isinstance(item, str | int | float) and item not in (math.inf, -math.inf):
            found[key] = _require_storable(str(item), name)
        elif item is not None:
            _raise_invalid_entry(f"`{name}.{key}` must be a text", name, key)
    return found


def _require_storable(text: str, name: str) -> str:
    if "\0" in text or len(text) > MAX_ENTRY_TEXT_LENGTH:
        _raise_invalid_entry(
            f"`{name}` contains a null character, or is longer than {MAX_ENTRY_TEXT_LENGTH} characters",
            name,
        )
    try:
        text.encode()
    except UnicodeEncodeError:
        _raise_invalid_entry(f"`{name}` contains an incomplete character", name)
    return text


def _read_oauth_client(raw: JsonObject) -> OAuthClient | None:
    """Read the pre-registered OAuth client from `oauth`, or from `auth` as Cursor writes it.

    An `auth` that is not an object is ignored, because it has other meanings in other programs.
    """
    own, auth = raw.get("oauth"), raw.get("auth")
    table, items = ("oauth", own) if own is not None else ("auth", auth)
    if own is not None and not isinstance(own, dict):
        _raise_invalid_entry('`oauth` must be an object, such as { "clientId": "..." }', "oauth")
    if not isinstance(items, dict):
        return None
    client, secret = (_read_oauth_field(items, table, name) for name in OAUTH_CLIENT_FIELDS[table])
    if secret and not client:
        id_field, secret_field = OAUTH_CLIENT_FIELDS[table]
        _raise_invalid_entry(
            f"`{table}.{secret_field}` also needs the client id, `{id_field}`", table, secret_field
        )
    found = OAuthClient(
        client, secret, _read_oauth_scopes(items, table), _read_redirect_port(items, table)
    )
    return None if found == OAuthClient() else found


def _read_oauth_field(items: JsonObject, table: str, name: str) -> str:
    item = items.get(name)
    if item is None:
        return ""
    if not isinstance(item, str):
        _raise_invalid_entry(f"`{table}.{name}` must be a text", table, name)
    if has_hidden(item, "") or " " in item:
        _raise_invalid_entry(
            f"`{table}.{name}` contains a space or an invisible character", table, name
        )
    return _require_storable(item, f"{table}.{name}")


def _read_oauth_scopes(items: JsonObject, table: str) -> tuple[str, ...]:
    """Read OAuth scopes from a list, or from a text separated by spaces as Claude Code writes it."""
    given = items.get("scopes")
    words = given.split() if isinstance(given, str) else [] if given is None else given
    if not isinstance(words, list) or not all(isinstance(one, str) for one in words):
        _raise_invalid_entry(f"`{table}.scopes` must be a list of texts", table, "scopes")
    for one in words:
        if not is_oauth_scope(one):
            _raise_invalid_entry(
                f"`{table}.scopes` contains an invalid scope: {one[:40]!r}", table, "scopes"
            )
    return tuple(words)


def is_oauth_scope(text: str) -> bool:
    """Return whether a text is a valid OAuth scope."""
    return re.fullmatch(r"[!#-\[\]-~]+", text) is not None


def _read_redirect_port(items: JsonObject, table: str) -> int:
    port = items.get("callbackPort")
    if port is None:
        return 0
    if not isinstance(port, int) or isinstance(port, bool) or not 0 < port <= _MAX_PORT:
        words = f"`{table}.callbackPort` must be a number from 1 to {_MAX_PORT}"
        _raise_invalid_entry(words, table, "callbackPort")
    return port


def _read_timeout(given: Any) -> float | None:
    if given is None:
        return None
    if isinstance(given, bool) or not isinstance(given, int | float) or not given > 0:
        _raise_invalid_entry(
            "`timeout` must be a number of seconds, or of milliseconds from 1000 on", "timeout"
        )
    if given > MAX_TIMEOUT_VALUE:
        _raise_invalid_entry(
            f"`timeout` is too large; the limit is {MAX_TIMEOUT_S:g} seconds", "timeout"
        )
    seconds = given / 1000 if given >= MIN_TIMEOUT_IN_MILLISECONDS else given
    return min(float(seconds), MAX_TIMEOUT_S)


def _read_protocol_era(raw: JsonObject) -> Literal["auto", "legacy", "modern"]:
    said = raw.get("protocolEra", "auto")
    if said not in ("auto", "legacy", "modern"):
        _raise_invalid_entry('`protocolEra` must be "auto", "legacy" or "modern"', "protocolEra")
    return said


def _is_disabled(raw: JsonObject) -> bool:
    disabled, enabled = raw.get("disabled", False), raw.get("enabled", True)
    if not isinstance(disabled, bool) or not isinstance(enabled, bool):
        name = "enabled" if isinstance(disabled, bool) else "disabled"
        _raise_invalid_entry(f"`{name}` must be true or false", name)
    return disabled or not enabled


def _list_unused_field_notes(raw: JsonObject) -> list[str]:
    """Return notes about fields that have no effect. Unknown fields are kept without a note."""
    given = [name for name in _AUTO_APPROVAL_FIELDS if raw.get(name)]
    notes = [f"`{name}` has no effect: Conductor asks you before a tool is used" for name in given]
    has_url = any(name in raw for name in _URL_FIELDS)
    ignored = [
        name
        for name in OAUTH_CLIENT_FIELDS
        if raw.get(name) and not (has_url and isinstance(raw[name], dict))
    ]
    notes += [
        f"`{name}` has no effect: a server that requires a sign-in names the address itself"
        for name in ignored
    ]
    return notes + [words for name, words in _NOTE_BY_IGNORED_FIELD.items() if raw.get(name)]


def _raise_invalid_entry(message: str, *path: str) -> NoReturn:
    raise InvalidServerEntry(message, *path)
