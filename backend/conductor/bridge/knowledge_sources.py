"""Computes the list of knowledge sources and domains that the config disables."""

from collections.abc import Sequence

from conductor.domain.knowledge import KnowledgeSource
from conductor.domain.knowledge_domains import DOMAINS
from conductor.errors import InvalidParams

PLATFORM = "platform:"


def switch_source(
    sources: Sequence[KnowledgeSource], hidden: Sequence[str], wanted: str, *, on: bool
) -> tuple[str, ...]:
    """Turn a source, a domain or a platform (`platform:macos`) on or off.

    Returns the new list of disabled sources and domains for the config.

    Raises:
        InvalidParams: No source, domain or platform has this name.
    """
    matching = {source.id for source in sources if _matches(source, wanted)}
    if not matching:
        raise InvalidParams(f"there is no source {wanted!r}; `knowledge.sources` lists them")
    off = {source.id for source in sources if source.id in hidden or source.domain in hidden}
    off = off - matching if on else off | matching
    known = {source.id for source in sources} | set(DOMAINS)
    return (*(name for name in hidden if name not in known), *_shorten_names(sources, off))


def _matches(source: KnowledgeSource, wanted: str) -> bool:
    if wanted.startswith(PLATFORM):
        return source.domain == "platform" and (source.platform or "all") == wanted[len(PLATFORM) :]
    return wanted in (source.id, source.domain)


def _shorten_names(sources: Sequence[KnowledgeSource], off: set[str]) -> list[str]:
    """Return the disabled sources, with the name of a domain in place of all its sources.

    A disabled domain also covers sources that are added to the domain later.
    """
    names: list[str] = []
    for domain in DOMAINS:
        ids = [source.id for source in sources if source.domain == domain]
        if ids and off.issuperset(ids):
            names.append(domain)
        else:
            names += [source_id for source_id in ids if source_id in off]
    return names
