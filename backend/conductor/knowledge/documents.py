"""Reads the documents of the knowledge base and splits them into chunks."""

import hashlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple, get_args

from conductor.domain.knowledge import Chunk, Platform
from conductor.domain.knowledge_domains import DOMAINS, Domain
from conductor.errors import ConfigError
from conductor.knowledge.chunker import split_front_matter, split_into_sections, split_markdown_text
from conductor.knowledge.text import estimate_tokens

DOCUMENT_DOMAINS: tuple[Domain, ...] = ("midi", "osc", "artnet", "hid", "platform", "conductor")
GUIDE_SOURCE_PREFIX = "conductor/guide/"
"""How the ids of chunks from the user guide begin."""
_FRONT_MATTER_KEYS = frozenset(
    ["title", "domain", "source", "revision", "licence", "checked_against", "platform", "also"]
)


class _FrontMatter(NamedTuple):
    """The fields in the front matter of a document."""

    domain: Domain
    title: str
    revision: str
    licence: str
    reference: str
    platform: Platform | None


def read_documents(folder: Path, guide: Path | None) -> list[Chunk]:
    """Return the chunks of all documents in a folder and of the user guide, sorted by id.

    Raises:
        ConfigError: A file is invalid. The message says which one and why.
    """
    chunks: dict[str, Chunk] = {}
    for path, domain, source in _list_document_files(folder, guide):
        for chunk in read_document(path, domain, source):
            chunks[_find_unused_chunk_id(chunk.id, chunks)] = chunk
    return [_replace_chunk_id(chunk, key) for key, chunk in sorted(chunks.items())]


def _replace_chunk_id(chunk: Chunk, key: str) -> Chunk:
    return chunk if chunk.id == key else chunk.model_copy(update={"id": key})


def _find_unused_chunk_id(key: str, taken: dict[str, Chunk]) -> str:
    number = 2
    free = key
    while free in taken:
        free = f"{key}-{number}"
        number += 1
    return free


def _list_document_files(folder: Path, guide: Path | None) -> Iterator[tuple[Path, Domain, str]]:
    for domain in DOCUMENT_DOMAINS:
        for path in sorted((folder / domain).rglob("*.md")):
            name = path.relative_to(folder / domain).with_suffix("").as_posix()
            yield path, domain, f"{domain}/{name}"
    if guide is not None:
        for path in sorted(guide.glob("*.md")):
            yield path, "conductor", f"{GUIDE_SOURCE_PREFIX}{path.stem}"


def read_document(path: Path, domain: Domain, source: str) -> list[Chunk]:
    """Return the chunks of one document.

    Raises:
        ConfigError: The file is invalid. The message says why.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: not UTF-8 ({error.reason}); save it as UTF-8") from None
    front_matter, body = split_front_matter(text)
    return list(
        _build_document_chunks(_parse_front_matter(path, front_matter, domain), body, source)
    )


def _parse_front_matter(path: Path, text: str, domain: Domain) -> _FrontMatter:
    """Return the fields in the front matter of a document.

    Raises:
        ConfigError: The front matter is invalid. The message says why.
    """
    import yaml

    try:
        fields: Any = yaml.safe_load(text) if text.strip() else {}
    except yaml.YAMLError as error:
        raise ConfigError(f"{path}: the front matter is not YAML: {error}") from None
    if not isinstance(fields, dict):
        raise ConfigError(f"{path}: the front matter must be `name: value` lines")
    if unknown := set(fields) - _FRONT_MATTER_KEYS:
        raise ConfigError(f"{path}: `{sorted(unknown)[0]}` is not known in the front matter")
    if fields.get("domain", domain) not in (domain, "conductor"):
        raise ConfigError(
            f"{path}: the front matter says domain {fields['domain']!r}, but the file is in {domain}/"
        )
    platform = fields.get("platform")
    if platform is not None and platform not in get_args(Platform):
        raise ConfigError(f"{path}: platform {platform!r}; use one of {get_args(Platform)}")
    return _FrontMatter(
        domain=domain,
        title=str(fields.get("title", "")),
        revision=str(fields.get("revision", "")),
        licence=str(fields.get("licence", "")),
        reference=str(fields.get("source", "")),
        platform=platform,
    )


def _build_document_chunks(front_matter: _FrontMatter, body: str, source: str) -> Iterator[Chunk]:
    leaf_sections = split_into_sections(body, front_matter.title)
    title = front_matter.title or (
        leaf_sections[0].path[0] if leaf_sections and leaf_sections[0].path else source
    )
    for section in leaf_sections:
        path = tuple(heading for heading in section.path if heading) or (title,)
        contents = split_markdown_text(section.text)
        for number, content in enumerate(contents, 1):
            suffix = f"-part-{number}" if len(contents) > 1 else ""
            yield Chunk(
                id=f"{source}#{build_heading_slug(path[1:] or path)}{suffix}",
                domain=front_matter.domain,
                source=source,
                source_title=title,
                section_path=path,
                content=content,
                revision=front_matter.revision,
                licence=front_matter.licence,
                reference=front_matter.reference,
                ask=tuple(section.questions),
                tokens=estimate_tokens(content),
                platform=front_matter.platform,
            )


def build_heading_slug(path: tuple[str, ...]) -> str:
    """Return a path of headings in the form that the id of a chunk contains."""
    return "/".join(re.sub(r"[^a-z0-9]+", "-", step.lower()).strip("-") or "x" for step in path)


def compute_content_hash(chunk: Chunk) -> str:
    """Return a hash of everything in a chunk that is searched or shown."""
    return hashlib.sha256(chunk.model_dump_json().encode()).hexdigest()


def count_chunks_by_domain(chunks: list[Chunk]) -> dict[Domain, int]:
    """Return how many chunks each domain has, for the report of a build."""
    return {domain: sum(chunk.domain == domain for chunk in chunks) for domain in DOMAINS}
