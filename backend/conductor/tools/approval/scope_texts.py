"""Classifies the texts in tool arguments as web addresses, file paths, plain words or literals."""

import os
import re
from collections.abc import Callable
from pathlib import PurePath
from typing import NamedTuple

from conductor.base.invisible_chars import has_hidden


def _build_word_set(*lines: str) -> frozenset[str]:
    return frozenset(word for line in lines for word in line.split())


MAX_PLAIN_TEXT_LENGTH = 200
MAX_LOCATION_LENGTH = 1_000
DEFAULT_PORT_BY_SCHEME = {"http": 80, "ws": 80, "https": 443, "wss": 443}
_WEB_ADDRESS_PATTERN = re.compile(
    r"(https?|wss?)://([a-z0-9-]+(?:\.[a-z0-9-]+)*|\[[0-9a-f:.]+\])(?::(\d{1,5}))?"
    r"(?:[/?#][A-Za-z0-9/?#:@!$&'()*+,;=%._~\[\]-]*)?",
    re.IGNORECASE,
)
_PLAIN_WORD = r"[^\W_]+(?:['\u2019.:+-][^\W_]+)*[.,:!?%]?"
_PLAIN_TEXT_PATTERN = re.compile(rf"{_PLAIN_WORD}(?: {_PLAIN_WORD})*")
SECRET_NAME_PATTERN = re.compile(
    r"api[_-]?key|token|secret|passw|passphrase|authori[sz]ation|credential|bearer|cookie|private[_-]?key"
    r"|^pin$|^env$|^headers$",
    re.IGNORECASE,
)
_NAME_PARTS_PATTERN = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
FREE_TEXT_FIELD_WORDS = _build_word_set(
    "query queries q search question questions text texts content contents body message title",
    "description summary note notes comment prompt topic topics keyword keywords term terms phrase",
    "subject caption sentence words place city location",
)
"""The last words in the names of fields for free text. In other fields, a text may identify something."""
CODE_FIELD_WORDS = _build_word_set(
    "sql shell command cmd code script exec eval graphql cypher regex pattern template system html js",
    "javascript python bash",
)
IDENTIFYING_NUMBER_WORDS = _build_word_set(
    "id ids uid gid pid port account amount price total cost sum pin code user phone number no nr",
    "chat channel version mode permission permissions flag flags to recipient iban year",
)
"""The last words in the names of fields whose number is an identifier or an amount of money."""
COMMAND_WORDS = _build_word_set(
    "select insert update delete drop create alter truncate with pragma attach grant revoke exec",
    "execute call merge replace begin commit rollback vacuum load copy set use explain show describe",
    "match detach remove unwind rm mv cp sudo su sh bash zsh cmd powershell python node perl ruby",
    "curl wget git npm docker kubectl eval import del format shutdown reboot kill chmod chown dd mkfs",
    "ssh scp ignore system",
)
"""The first words of texts that may be commands."""
SYSTEM_FOLDER_NAMES = _build_word_set(
    "etc proc sys dev boot run bin sbin lib lib64 usr private System Library Windows",
)


class FileSystem(NamedTuple):
    """The functions of the file system that scopes use. Tests replace them."""

    resolve_path: Callable[[str], str] = os.path.realpath
    is_folder: Callable[[str], bool] = os.path.isdir


def get_last_name_word(key: str) -> str:
    """Return the last word of a field name, such as `query` for `search_query` and `searchQuery`."""
    return (_split_words(key) or [""])[-1]


def is_free_text_field(key: str) -> bool:
    """Return whether a field contains free text, judged by its name."""
    return get_last_name_word(key) in FREE_TEXT_FIELD_WORDS and CODE_FIELD_WORDS.isdisjoint(
        _split_words(key)
    )


def _split_words(key: str) -> list[str]:
    return [part.lower() for part in _NAME_PARTS_PATTERN.findall(key)]


def is_plain_text(text: str) -> bool:
    """Return whether a text is a few plain words, and not a command, an option, a path or an address."""
    if len(text) > MAX_PLAIN_TEXT_LENGTH or not _PLAIN_TEXT_PATTERN.fullmatch(text):
        return False
    return text.split(" ")[0].rstrip(".,:!?%").lower() not in COMMAND_WORDS


def parse_web_origin(text: str) -> str | None:
    """Return the scheme, host and port of a web address. Return None for an unusual address or another text."""
    match = _WEB_ADDRESS_PATTERN.fullmatch(text) if len(text) <= MAX_LOCATION_LENGTH else None
    if match is None:
        return None
    scheme, host, port = match[1].lower(), match[2].lower(), match[3]
    number = DEFAULT_PORT_BY_SCHEME[scheme] if port is None else int(port)
    return f"{scheme}://{host}:{number}" if 0 < number < 65_536 else None


def resolve_file_folder(text: str, disk: FileSystem) -> str | None:
    """Return the folder of an ordinary file of the user, without symbolic links.

    Return None if the text is not the path of such a file.
    """
    if len(text) > MAX_LOCATION_LENGTH or has_hidden(text, "") or not PurePath(text).is_absolute():
        return None
    path = PurePath(text)
    if str(path) != text or text.startswith(("//", "\\\\")):
        return None
    try:
        real = PurePath(disk.resolve_path(text))
        if disk.is_folder(str(real)):
            return None
    except (OSError, ValueError):
        return None
    for parts in (path.parts, real.parts):
        is_hidden = any(part.startswith((".", "~")) for part in parts)  # also refuses `..`
        if len(parts) < 3 or is_hidden or parts[1] in SYSTEM_FOLDER_NAMES:
            return None
    return str(real.parent)
