"""Computes the setting that lists the documents and domains excluded from searches."""

from collections.abc import Sequence

from conductor.domain.knowledge import KnowledgeSource
from conductor.domain.knowledge_domains import DOMAINS
from conductor.errors import InvalidParams

PLATFORM_SOURCE_PREFIX = "platform:"


def enable_or_disable_source(
    sources: Sequence[KnowledgeSource], disabled: Sequence[str], name_or_id: str, *, on: bool
) -> tuple[str, ...]:
    """Include or exclude a document, a domain or a platform (`platform:macos`).

    Return the new list of excluded documents and domains for the config.

    Raises:
        InvalidParams: No document, domain or platform has this name.
    """
    matching = {source.id for source in sources if _matches_source_name(source, name_or_id)}
    if not matching:
        raise InvalidParams(f"there is no source {name_or_id!r}; `knowledge.sources` lists them")
    off = {source.id for source in sources if source.id in disabled or source.domain in disabled}
    off = off - matching if on else off | matching
    known = {source.id for source in sources} | set(DOMAINS)
    return (*(name for name in disabled if name not in known), *_group_by_domain(sources, off))


def _matches_source_name(source: KnowledgeSource, name_or_id: str) -> bool:
    if name_or_id.startswith(PLATFORM_SOURCE_PREFIX):
        return (
            source.domain == "platform"
            and (source.platform or "all") == name_or_id[len(PLATFORM_SOURCE_PREFIX) :]
        )
    return name_or_id in (source.id, source.domain)


def _group_by_domain(sources: Sequence[KnowledgeSource], off: set[str]) -> list[str]:
    """Return the excluded documents, with the name of a domain in place of all its documents.

    An excluded domain also covers documents that are added to it later.
    """
    names: list[str] = []
    for domain in DOMAINS:
        ids = [source.id for source in sources if source.domain == domain]
        if ids and off.issuperset(ids):
            names.append(domain)
        else:
            names += [source_id for source_id in ids if source_id in off]
    return names
