"""Which sources are left out, as the config names them: one by one, or a whole domain by its name. Pure."""

from collections.abc import Sequence

from conductor.domain.knowledge import DOMAINS, KnowledgeSource
from conductor.errors import InvalidParams

PLATFORM = "platform:"


def switch_source(
    sources: Sequence[KnowledgeSource], hidden: Sequence[str], wanted: str, *, on: bool
) -> tuple[str, ...]:
    """Return what is left out once a source, a domain or `platform:macos` is switched.

    Raises:
        InvalidParams: there is no such source.
    """
    meant = {one.id for one in sources if _is(one, wanted)}
    if not meant:
        raise InvalidParams(f"there is no source {wanted!r}; `knowledge.sources` lists them")
    off = {one.id for one in sources if one.id in hidden or one.domain in hidden}
    off = off - meant if on else off | meant
    known = {one.id for one in sources} | set(DOMAINS)
    return (*(name for name in hidden if name not in known), *_shortest(sources, off))


def _is(source: KnowledgeSource, wanted: str) -> bool:
    if wanted.startswith(PLATFORM):
        return source.domain == "platform" and (source.platform or "all") == wanted[len(PLATFORM) :]
    return wanted in (source.id, source.domain)


def _shortest(sources: Sequence[KnowledgeSource], off: set[str]) -> list[str]:
    """Return the name of a domain in place of all its sources: one that comes later is off as well."""
    names: list[str] = []
    for domain in DOMAINS:
        ids = [one.id for one in sources if one.domain == domain]
        if ids and off.issuperset(ids):
            names.append(domain)
        else:
            names += [one for one in ids if one in off]
    return names
