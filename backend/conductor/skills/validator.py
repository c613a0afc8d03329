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
from conductor.base.token_estimate import estimate_token_count
from conductor.errors import BadSkill
from conductor.skills.format import (
    FRONT_MATTER_DELIMITER,
    SkillDocument,
    decode_skill_text,
    parse_skill_document,
)
from conductor.skills.tree import (
    MAX_SKILL_FILE_BYTES,
    SKILL_FILE_NAME,
    SkillFiles,
    read_skill_folder,
)

STANDARD_FRONT_MATTER_FIELDS = (
    "name",
    "description",
    "license",
    "compatibility",
    "metadata",
    "allowed-tools",
)
MAX_SKILL_NAME_LENGTH, MAX_DESCRIPTION_LENGTH, MAX_COMPATIBILITY_LENGTH = 64, 1024, 500
MAX_METADATA_TOKENS, MAX_BODY_TOKENS, MAX_BODY_LINES = 200, 5_000, 500
SKILL_NAME_PATTERN = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
TOOL_NAME_PATTERN = re.compile(r"\bconductor_[a-z][a-z_]*[a-z]\b")
MAX_CHECKED_LINKS = 1_000
"""The maximum number of links in a file that are checked."""
LINK_PATTERN = re.compile(
    r"\]\(\s{0,9}+<?([^)\s>]{1,300}+)>?[^)]{0,300}+\)"
    r"|`((?:references|assets|scripts)/[^`\s]{1,300}+)`"
)
"""The repetitions are bounded and possessive, so that no text can cause backtracking."""
CODE_FENCE_PATTERN = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)
RECOMMENDED_SECTIONS = ("Scope", "Safety")
AMBIGUOUS_YAML_VALUE = re.compile(
    r"^[ \t]++[\w-]+:[ \t]++(?!['\"])(\d[\d_.:]*|true|false|yes|no|on|off|null|~)[ \t]*$",
    re.IGNORECASE | re.MULTILINE,
)
"""Matches a value that some YAML parsers read as text and others as a number or a boolean."""


class SkillProblem(NamedTuple):
    """An error or a warning about a skill, with a message that says how to fix it."""

    level: Literal["error", "warning"]
    message: str


def validate_skill_folder(folder: Path, tools: Collection[str] = ()) -> list[SkillProblem]:
    """Return the problems of the skill in a folder.

    If `tools` contains names, mentions of other tools are problems too.
    """
    try:
        files = read_skill_folder(folder)
    except BadSkill as error:
        return [SkillProblem("error", str(error))]
    return find_skill_problems(files, folder.resolve().name, tools)


def find_skill_problems(
    files: SkillFiles, folder: str, tools: Collection[str] = ()
) -> list[SkillProblem]:
    """Return the problems of the files of a skill.

    `folder` is the name of their folder, which must be that of the skill.
    """
    try:
        document = parse_skill_document(files[SKILL_FILE_NAME])
    except BadSkill as error:
        return [SkillProblem("error", str(error))]
    front_matter = decode_skill_text(files[SKILL_FILE_NAME]).split(FRONT_MATTER_DELIMITER)[1]
    return [
        *_check_standard_fields(document.fields, folder),
        *_check_hidden_characters(front_matter, document.body),
        *_check_links(files),
        *_check_portability(front_matter, document.fields),
        *_check_text_sizes(front_matter, document.body),
        *_check_tool_use(files, document, tools),
    ]


def _build_error(message: str) -> SkillProblem:
    return SkillProblem("error", message)


def _build_warning(message: str) -> SkillProblem:
    return SkillProblem("warning", message)


def _check_standard_fields(fields: JsonObject, folder: str) -> Iterator[SkillProblem]:
    for name in fields:
        if name not in STANDARD_FRONT_MATTER_FIELDS:
            known = ", ".join(f"`{field}`" for field in STANDARD_FRONT_MATTER_FIELDS)
            yield _build_error(f"`{name}` is not a field of a skill; use one of {known}")
    for field in ("name", "description"):
        value = fields.get(field)
        if not isinstance(value, str) or not value.strip():
            yield _build_error(f"`{field}` is missing, empty or not text")
    yield from _check_skill_name(fields.get("name"), folder)
    limits = {"description": MAX_DESCRIPTION_LENGTH, "compatibility": MAX_COMPATIBILITY_LENGTH}
    for field, limit in limits.items():
        value = fields.get(field)
        if isinstance(value, str) and len(value) > limit:
            yield _build_error(f"`{field}` has {len(value)} characters; at most {limit}")
    for field in ("compatibility", "license", "allowed-tools"):
        if field in fields and (not isinstance(fields[field], str) or not fields[field].strip()):
            yield _build_error(f"`{field}` must be a text that is not empty, or be left out")
    yield from _check_metadata(fields.get("metadata", {}))


def _check_skill_name(raw: Any, folder: str) -> Iterator[SkillProblem]:
    if not isinstance(raw, str) or not raw.strip():
        return
    name = unicodedata.normalize("NFKC", raw.strip())
    if len(name) > MAX_SKILL_NAME_LENGTH or not SKILL_NAME_PATTERN.fullmatch(name):
        yield _build_error(
            f"the name {ascii(name)[:80]} must be 1-{MAX_SKILL_NAME_LENGTH} of a-z, 0-9 and single hyphens"
        )
    if name != unicodedata.normalize("NFKC", folder):
        yield _build_error(
            f"the folder {ascii(folder)[:80]} must have the name of the skill: {ascii(name)[:80]}"
        )


def _check_metadata(raw: Any) -> Iterator[SkillProblem]:
    if not isinstance(raw, dict) or not all(isinstance(value, str) for value in raw.values()):
        yield _build_error("`metadata` must be `key: text` lines")


def _check_hidden_characters(front_matter: str, body: str) -> Iterator[SkillProblem]:
    if remove_hidden(front_matter) != front_matter:
        yield _build_error(
            "the front matter has invisible characters that a model would read; remove them"
        )
    if remove_hidden(body) != body:
        yield _build_warning(
            "the text has invisible characters; they are removed before a model reads the text"
        )


def _check_links(files: SkillFiles) -> Iterator[SkillProblem]:
    for path, text in _list_markdown_texts(files):
        found = islice(LINK_PATTERN.finditer(CODE_FENCE_PATTERN.sub("", text)), MAX_CHECKED_LINKS)
        for target in sorted({link[1] or link[2] for link in found}):
            yield from _check_link(path, target, files)


def _list_markdown_texts(files: SkillFiles) -> Iterator[tuple[str, str]]:
    """Yield the path and the text of each Markdown file, cut to the size limit of `SKILL.md`."""
    for path, content in files.items():
        if path.endswith(".md"):
            yield path, content[:MAX_SKILL_FILE_BYTES].decode(errors="replace")


def _check_link(path: str, target: str, files: SkillFiles) -> Iterator[SkillProblem]:
    if re.match(r"[a-z][a-z0-9+.-]*:", target, re.IGNORECASE) or target.startswith("#"):
        if target.lower().startswith("file:"):
            yield _build_error(
                f"{path} links to a file outside of the skill: {ascii(target)[:120]}"
            )
        return
    decoded = unquote(target.partition("#")[0])
    linked_path = posixpath.normpath(posixpath.join(posixpath.dirname(path), decoded))
    if linked_path.startswith(("../", "/", "~")) or linked_path == ".." or "\\" in decoded:
        yield _build_error(f"{path} links out of the skill's folder: {ascii(target)[:120]}")
    elif linked_path not in files and not any(name.startswith(f"{linked_path}/") for name in files):
        yield _build_warning(f"{path} links to {ascii(target)[:120]}, which does not exist")


def _check_portability(front_matter: str, fields: JsonObject) -> Iterator[SkillProblem]:
    for found in AMBIGUOUS_YAML_VALUE.finditer(front_matter):
        yield _build_warning(f"put quotes around `{found[1]}`: some parsers do not read it as text")
    description = fields.get("description")
    if isinstance(description, str) and set("<>") & set(description):
        yield _build_warning("`description` has < or >, which some agents refuse")


def _check_text_sizes(front_matter: str, body: str) -> Iterator[SkillProblem]:
    if (tokens := estimate_token_count(front_matter)) >= MAX_METADATA_TOKENS:
        yield _build_warning(
            f"the front matter takes about {tokens} tokens; aim at under {MAX_METADATA_TOKENS}"
        )
    if (tokens := estimate_token_count(body)) >= MAX_BODY_TOKENS:
        yield _build_warning(
            f"the text takes about {tokens} tokens; aim at under {MAX_BODY_TOKENS}"
        )
    if (lines := body.count("\n") + 1) >= MAX_BODY_LINES:
        yield _build_warning(f"the text has {lines} lines; aim at under {MAX_BODY_LINES}")


def _check_tool_use(
    files: SkillFiles, document: SkillDocument, tools: Collection[str]
) -> Iterator[SkillProblem]:
    mentioned = {
        name for _, text in _list_markdown_texts(files) for name in TOOL_NAME_PATTERN.findall(text)
    }
    for name in sorted(mentioned - set(tools)) if tools else ():
        yield _build_warning(f"there is no tool `{name}`; `conductor tools list` shows the tools")
    for word in RECOMMENDED_SECTIONS if mentioned else ():
        if not re.search(rf"^#+ .*{word}", document.body, re.MULTILINE):
            yield _build_warning(
                f"there is no section with `{word}` in its heading: say what the skill must not do"
            )
