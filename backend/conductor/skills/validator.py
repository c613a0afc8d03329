"""Validates skills against the rules of agentskills.io and of Conductor.

An `error` violates the standard or is unsafe, so the skill is not installed. A `warning` is advice.
"""

import posixpath
import re
import unicodedata
from collections.abc import Collection, Iterator
from itertools import islice
from pathlib import Path
from typing import Any, Literal, NamedTuple
from urllib.parse import unquote

from conductor.base.invisible_chars import remove_hidden
from conductor.base.json_types import JsonObject
from conductor.base.token_estimate import approximate_tokens
from conductor.errors import BadSkill
from conductor.skills.format import MARK, Document, decode_text, parse
from conductor.skills.tree import MAIN, MAIN_AT_MOST, Files, read_folder

FIELDS = ("name", "description", "license", "compatibility", "metadata", "allowed-tools")
NAME_AT_MOST, DESCRIPTION_AT_MOST, COMPATIBILITY_AT_MOST = 64, 1024, 500
METADATA_TOKENS, BODY_TOKENS, BODY_LINES = 200, 5_000, 500
NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
TOOL = re.compile(r"\bconductor_[a-z][a-z_]*[a-z]\b")
LINKS_AT_MOST = 1_000
"""The maximum number of links that are checked in a file."""
LINK = re.compile(
    r"\]\(\s{0,9}+<?([^)\s>]{1,300}+)>?[^)]{0,300}+\)"
    r"|`((?:references|assets|scripts)/[^`\s]{1,300}+)`"
)
"""The repetitions are bounded and possessive, so that no text causes backtracking."""
FENCE = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)
SECTIONS = ("Scope", "Safety")
AMBIGUOUS = re.compile(
    r"^[ \t]++[\w-]+:[ \t]++(?!['\"])(\d[\d_.:]*|true|false|yes|no|on|off|null|~)[ \t]*$",
    re.IGNORECASE | re.MULTILINE,
)
"""Matches a value that some YAML parsers treat as text and others as a number."""


class Problem(NamedTuple):
    """A problem found in a skill, and how to fix it."""

    level: Literal["error", "warning"]
    message: str


def validate(folder: Path, tools: Collection[str] = ()) -> list[Problem]:
    """Return the problems of the skill in a folder. If tool names are given, unknown tools in its text are
    problems too.
    """
    try:
        files = read_folder(folder)
    except BadSkill as error:
        return [Problem("error", str(error))]
    return problems(files, folder.resolve().name, tools)


def problems(files: Files, folder: str, tools: Collection[str] = ()) -> list[Problem]:
    """Return the problems of a skill's files, given the name of their folder."""
    try:
        document = parse(files[MAIN])
    except BadSkill as error:
        return [Problem("error", str(error))]
    front = decode_text(files[MAIN]).split(MARK)[1]
    return [
        *_check_standard_fields(document.fields, folder),
        *_check_hidden_characters(front, document.body),
        *_check_links(files),
        *_check_portability(front, document.fields),
        *_check_sizes(front, document.body),
        *_check_tool_use(files, document, tools),
    ]


def _error(message: str) -> Problem:
    return Problem("error", message)


def _warning(message: str) -> Problem:
    return Problem("warning", message)


def _check_standard_fields(fields: JsonObject, folder: str) -> Iterator[Problem]:
    for name in fields:
        if name not in FIELDS:
            known = ", ".join(f"`{field}`" for field in FIELDS)
            yield _error(f"`{name}` is no field of a skill; there are {known}")
    for field in ("name", "description"):
        value = fields.get(field)
        if not isinstance(value, str) or not value.strip():
            yield _error(f"`{field}` is missing, empty or no text")
    yield from _check_name(fields.get("name"), folder)
    limits = {"description": DESCRIPTION_AT_MOST, "compatibility": COMPATIBILITY_AT_MOST}
    for field, at_most in limits.items():
        value = fields.get(field)
        if isinstance(value, str) and len(value) > at_most:
            yield _error(f"`{field}` has {len(value)} characters; at most {at_most}")
    for field in ("compatibility", "license", "allowed-tools"):
        if field in fields and (not isinstance(fields[field], str) or not fields[field].strip()):
            yield _error(f"`{field}` must be a text that is not empty, or be left out")
    yield from _check_metadata(fields.get("metadata", {}))


def _check_name(raw: Any, folder: str) -> Iterator[Problem]:
    if not isinstance(raw, str) or not raw.strip():
        return
    name = unicodedata.normalize("NFKC", raw.strip())
    if len(name) > NAME_AT_MOST or not NAME.fullmatch(name):
        yield _error(
            f"the name {ascii(name)[:80]} must be 1-{NAME_AT_MOST} of a-z, 0-9 and single hyphens"
        )
    if name != unicodedata.normalize("NFKC", folder):
        yield _error(
            f"the folder {ascii(folder)[:80]} must be called as the skill: {ascii(name)[:80]}"
        )


def _check_metadata(raw: Any) -> Iterator[Problem]:
    if not isinstance(raw, dict) or not all(isinstance(value, str) for value in raw.values()):
        yield _error("`metadata` must be `key: text` lines")


def _check_hidden_characters(front: str, body: str) -> Iterator[Problem]:
    if remove_hidden(front) != front:
        yield _error(
            "the front matter has characters that nobody sees and a model reads; take them out"
        )
    if remove_hidden(body) != body:
        yield _warning("the text has characters that nobody sees; models are not shown them")


def _check_links(files: Files) -> Iterator[Problem]:
    for path, text in _texts(files):
        found = islice(LINK.finditer(FENCE.sub("", text)), LINKS_AT_MOST)
        for target in sorted({link[1] or link[2] for link in found}):
            yield from _check_link(path, target, files)


def _texts(files: Files) -> Iterator[tuple[str, str]]:
    """Yield the path and text of each Markdown page, cut to the size limit of SKILL.md."""
    for path, content in files.items():
        if path.endswith(".md"):
            yield path, content[:MAIN_AT_MOST].decode(errors="replace")


def _check_link(path: str, target: str, files: Files) -> Iterator[Problem]:
    if re.match(r"[a-z][a-z0-9+.-]*:", target, re.IGNORECASE) or target.startswith("#"):
        if target.lower().startswith("file:"):
            yield _error(f"{path} links to a file outside of the skill: {ascii(target)[:120]}")
        return
    wanted = unquote(target.partition("#")[0])
    place = posixpath.normpath(posixpath.join(posixpath.dirname(path), wanted))
    if place.startswith(("../", "/", "~")) or place == ".." or "\\" in wanted:
        yield _error(f"{path} links out of the skill's folder: {ascii(target)[:120]}")
    elif place not in files and not any(name.startswith(f"{place}/") for name in files):
        yield _warning(f"{path} links to {ascii(target)[:120]}, which is not there")


def _check_portability(front: str, fields: JsonObject) -> Iterator[Problem]:
    for found in AMBIGUOUS.finditer(front):
        yield _warning(f"put quotes around `{found[1]}`: some readers take it for no text")
    description = fields.get("description")
    if isinstance(description, str) and set("<>") & set(description):
        yield _warning("`description` has < or >, which some agents refuse")


def _check_sizes(front: str, body: str) -> Iterator[Problem]:
    if (tokens := approximate_tokens(front)) >= METADATA_TOKENS:
        yield _warning(
            f"the front matter takes about {tokens} tokens; aim at under {METADATA_TOKENS}"
        )
    if (tokens := approximate_tokens(body)) >= BODY_TOKENS:
        yield _warning(f"the text takes about {tokens} tokens; aim at under {BODY_TOKENS}")
    if (lines := body.count("\n") + 1) >= BODY_LINES:
        yield _warning(f"the text has {lines} lines; aim at under {BODY_LINES}")


def _check_tool_use(files: Files, document: Document, tools: Collection[str]) -> Iterator[Problem]:
    mentioned = {name for _, text in _texts(files) for name in TOOL.findall(text)}
    for name in sorted(mentioned - set(tools)) if tools else ():
        yield _warning(f"there is no tool `{name}`; `conductor tools list` shows those there are")
    for word in SECTIONS if mentioned else ():
        if not re.search(rf"^#+ .*{word}", document.body, re.MULTILINE):
            yield _warning(
                f"there is no section with `{word}` in its heading: say what the skill must not do"
            )
