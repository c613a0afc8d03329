"""One server as `mcp.json` and the settings of other programs write it: read leniently, told exactly."""

import hashlib
import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NoReturn

from conductor.base.invisible_chars import has_hidden
from conductor.base.json_types import JsonObject
from conductor.errors import InvalidParams
from conductor.mcp.client.oauth_client import OAuthClient

Transport = Literal["stdio", "http"]

LABEL_AT_MOST = 32
LONGEST_TEXT = 32_000
MILLISECONDS_FROM = 1_000
"""Programs differ in the unit of `timeout`; nobody lets a call take a thousand seconds, or half of one."""
LONGEST_TIMEOUT_S = 3_600.0
LARGEST_NUMBER = 10**18
"""More than any program writes for "never"; far more than that does not fit into a float."""
_NOT_IN_LABEL = re.compile(r"[^A-Za-z0-9_-]+")
_REFERENCE = re.compile(r"\$\{([^{}]*)\}")
_STDIO = ("stdio", "local", "command")
_HTTP = ("http", "streamable-http", "streamablehttp", "streamable_http", "remote")
_URLS = ("url", "httpUrl", "serverUrl")
_SSE = (
    "it is of the SSE kind, which was replaced in 2025 and is not spoken here; most such servers answer"
    ' `"type": "http"` too, often at an address that ends in /mcp'
)
_APPROVALS = ("alwaysAllow", "autoApprove", "trust", "autoApproveTools")
_NO_EFFECT = {
    "envFile": "`envFile` is not read; write its variables into `env`",
    "headersHelper": "`headersHelper` is not run; write `headers` instead",
    "includeTools": "`includeTools` has no effect; switch single tools off with `disabledTools`",
    "enabled_tools": "`enabled_tools` has no effect; switch single tools off with `disabledTools`",
}
_OFF = ("disabledTools", "disabled_tools", "excludeTools")
OAUTH = {"oauth": ("clientId", "clientSecret"), "auth": ("CLIENT_ID", "CLIENT_SECRET")}
"""Where programs write what a service gave for signing in; the second is Cursor's."""
_LARGEST_PORT = 65_535


class BadEntry(InvalidParams):
    """An entry cannot be used; `path` leads to what is wrong in it."""

    def __init__(self, message: str, *path: str) -> None:
        super().__init__(message)
        self.path = path


@dataclass(frozen=True)
class Entry:
    """A server as it is written. Values of `env` and `headers` are secret: they are shown to nobody."""

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
        """Name exactly what is agreed to: what is run or spoken to, and with which variables.

        The values of variables count too, since some make a program run other code; those of headers do not,
        nor does the secret of a client id.
        """
        what = [self.transport, self.command, self.args, self.cwd, sorted(self.env.items())]
        what += [self.url, sorted(self.headers)]
        if (oauth := self.oauth) is not None:
            what += [oauth.client_id, bool(oauth.client_secret), oauth.scopes, oauth.port]
        return "sha256:" + hashlib.sha256(json.dumps(what).encode()).hexdigest()


def label_of(name: str) -> str:
    """Return the name that a server has in Conductor: `My Server` becomes `My-Server`.

    Raises:
        BadEntry: nothing is left of it.
    """
    label = _NOT_IN_LABEL.sub("-", name).strip("-_")[:LABEL_AT_MOST]
    if not label:
        raise BadEntry(f"a server cannot be called {name[:40]!r}: use letters, digits, - and _")
    return label


def read_entry(raw: Any) -> Entry:
    """Read an entry.

    Raises:
        BadEntry: says what is wrong in it.
    """
    if not isinstance(raw, dict):
        _wrong('a server is an object, such as { "command": "npx", "args": [...] }')
    transport = _transport(raw)
    timeout = raw.get("timeout", raw.get("tool_timeout_sec"))
    common: JsonObject = {
        "timeout_s": _timeout(timeout),
        "era": _era(raw),
        "disabled": _is_off(raw),
        "disabled_tools": tuple(one for name in _OFF for one in _texts(raw, name)),
        "notes": tuple(_notes(raw)),
    }
    if transport == "http":
        headers = {**_table(raw, "http_headers"), **_table(raw, "headers")}
        return Entry("http", url=_url(raw), headers=headers, oauth=_oauth(raw), **common)
    command, cwd = _text(raw, "command"), _text(raw, "cwd", required=False)
    if not command:
        _wrong("`command` is empty: it is the program to run", "command")
    args = _texts(raw, "args")
    return Entry("stdio", command, args, cwd or None, _table(raw, "env"), **common)


def references(text: str) -> list[str]:
    """Return what stands in `${...}`."""
    return _REFERENCE.findall(text)


def replaced(text: str, value_of: "Mapping[str, str]") -> str:
    """Return a text with each `${...}` as it was looked up."""
    return _REFERENCE.sub(lambda found: value_of[found.group(1)], text)


def _transport(raw: JsonObject) -> Transport:
    """Return how it is spoken to; one with an address and no type is meant to be spoken to by HTTP."""
    said = raw.get("type", raw.get("transport"))
    has_url = any(name in raw for name in _URLS)
    if said is None:
        if "command" in raw and has_url:
            _wrong("it has both `command` and `url`; keep one of them, or say which by `type`")
        if "command" not in raw and not has_url:
            _wrong("it has neither `command`, for a program, nor `url`, for an address")
        return "http" if has_url else "stdio"
    kind = said.lower() if isinstance(said, str) else ""
    if kind == "sse":
        _wrong(_SSE, "type")
    if kind in _STDIO:
        return "stdio"
    if kind not in _HTTP:
        _wrong('`type` must be "stdio" or "http"', "type")
    return "http"


def _url(raw: JsonObject) -> str:
    name = next((name for name in _URLS if name in raw), "url")
    url = _text(raw, name)
    scheme = url.lower().split("://")[0] if "://" in url else ""
    if scheme not in ("http", "https") and not url.startswith("${"):
        _wrong(f"`{name}` must begin with https:// or http://", name)
    if has_hidden(url, "") or " " in url:
        _wrong(f"`{name}` holds a blank or a character that is not shown", name)
    return url


def _text(raw: JsonObject, name: str, *, required: bool = True) -> str:
    item = raw.get(name)
    if item is None and not required:
        return ""
    if name not in raw:
        _wrong(f"`{name}` is missing")
    if not isinstance(item, str):
        _wrong(f"`{name}` must be a text", name)
    return _sound(item, name)


def _texts(raw: JsonObject, name: str) -> tuple[str, ...]:
    items = raw.get(name)
    if items is None:
        return ()
    if not isinstance(items, list):
        _wrong(f"`{name}` must be a list of texts", name)
    for index, item in enumerate(items):
        if not isinstance(item, str):
            hint = f'; write "{item}"' if isinstance(item, int | float) else ""
            _wrong(f"`{name}[{index}]` must be a text{hint}", name)
    return tuple(_sound(item, name) for item in items)


def _table(raw: JsonObject, name: str) -> dict[str, str]:
    """Read texts by name. Numbers and yes or no are taken as their text; null means to leave it out."""
    items = raw.get(name)
    if items is None:
        return {}
    if not isinstance(items, dict):
        _wrong(f"`{name}` must be an object of texts", name)
    found: dict[str, str] = {}
    for key, item in items.items():
        if not key or "=" in key or has_hidden(key, "") or " " in key:
            _wrong(f"`{name}` has a name that cannot be one: {key[:40]!r}", name)
        if isinstance(item, bool):
            found[key] = str(item).lower()
        elif isinstance(item, str | int | float) and item not in (math.inf, -math.inf):
            found[key] = _sound(str(item), name)
        elif item is not None:
            _wrong(f"`{name}.{key}` must be a text", name, key)
    return found


def _sound(text: str, name: str) -> str:
    if "\0" in text or len(text) > LONGEST_TEXT:
        _wrong(f"`{name}` holds a zero character, or is longer than {LONGEST_TEXT}", name)
    try:
        text.encode()
    except UnicodeEncodeError:
        _wrong(f"`{name}` holds half of a character", name)
    return text


def _oauth(raw: JsonObject) -> OAuthClient | None:
    """Read what a service gave for signing in; Cursor's `auth` means something else in other programs."""
    own, cursors = raw.get("oauth"), raw.get("auth")
    table, items = ("oauth", own) if own is not None else ("auth", cursors)
    if own is not None and not isinstance(own, dict):
        _wrong('`oauth` must be an object, such as { "clientId": "..." }', "oauth")
    if not isinstance(items, dict):
        return None
    client, secret = (_of_oauth(items, table, name) for name in OAUTH[table])
    if secret and not client:
        words = f"`{table}.{OAUTH[table][1]}` needs the client id beside it: `{OAUTH[table][0]}`"
        _wrong(words, table, OAUTH[table][1])
    found = OAuthClient(client, secret, _scopes(items, table), _port(items, table))
    return None if found == OAuthClient() else found


def _of_oauth(items: JsonObject, table: str, name: str) -> str:
    item = items.get(name)
    if item is None:
        return ""
    if not isinstance(item, str):
        _wrong(f"`{table}.{name}` must be a text", table, name)
    if has_hidden(item, "") or " " in item:
        _wrong(f"`{table}.{name}` holds a blank or a character that is not shown", table, name)
    return _sound(item, f"{table}.{name}")


def _scopes(items: JsonObject, table: str) -> tuple[str, ...]:
    """Read a list, or the words of one text as Claude Code has them."""
    given = items.get("scopes")
    words = given.split() if isinstance(given, str) else [] if given is None else given
    if not isinstance(words, list) or not all(isinstance(one, str) for one in words):
        _wrong(f"`{table}.scopes` must be a list of texts", table, "scopes")
    for one in words:
        if not is_scope(one):
            _wrong(f"`{table}.scopes` holds what cannot be one: {one[:40]!r}", table, "scopes")
    return tuple(words)


def is_scope(text: str) -> bool:
    """Return whether a text can be a scope, by the standard."""
    return re.fullmatch(r"[!#-\[\]-~]+", text) is not None


def _port(items: JsonObject, table: str) -> int:
    port = items.get("callbackPort")
    if port is None:
        return 0
    if not isinstance(port, int) or isinstance(port, bool) or not 0 < port <= _LARGEST_PORT:
        words = f"`{table}.callbackPort` must be a number from 1 to {_LARGEST_PORT}"
        _wrong(words, table, "callbackPort")
    return port


def _timeout(given: Any) -> float | None:
    if given is None:
        return None
    if isinstance(given, bool) or not isinstance(given, int | float) or not given > 0:
        _wrong("`timeout` must be a number of seconds, or of milliseconds from 1000 on", "timeout")
    if given > LARGEST_NUMBER:
        _wrong(f"`timeout` is too large; {LONGEST_TIMEOUT_S:g} seconds are the most", "timeout")
    seconds = given / 1000 if given >= MILLISECONDS_FROM else given
    return min(float(seconds), LONGEST_TIMEOUT_S)


def _era(raw: JsonObject) -> Literal["auto", "legacy", "modern"]:
    said = raw.get("protocolEra", "auto")
    if said not in ("auto", "legacy", "modern"):
        _wrong('`protocolEra` must be "auto", "legacy" or "modern"', "protocolEra")
    return said


def _is_off(raw: JsonObject) -> bool:
    disabled, enabled = raw.get("disabled", False), raw.get("enabled", True)
    if not isinstance(disabled, bool) or not isinstance(enabled, bool):
        name = "enabled" if isinstance(disabled, bool) else "disabled"
        _wrong(f"`{name}` must be true or false", name)
    return disabled or not enabled


def _notes(raw: JsonObject) -> list[str]:
    """Return what has no effect here; keys that nobody knows are kept and not spoken of."""
    given = [name for name in _APPROVALS if raw.get(name)]
    notes = [f"`{name}` has no effect: Conductor asks you before a tool is used" for name in given]
    is_far = any(name in raw for name in _URLS)
    unread = [
        name for name in OAUTH if raw.get(name) and not (is_far and isinstance(raw[name], dict))
    ]
    notes += [
        f"`{name}` has no effect: a server that wants a sign-in says itself where"
        for name in unread
    ]
    return notes + [words for name, words in _NO_EFFECT.items() if raw.get(name)]


def _wrong(message: str, *path: str) -> NoReturn:
    raise BadEntry(message, *path)
