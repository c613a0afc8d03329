"""Messages of a person who had never read the texts, with the ids of the chunks that answer them, and how well
they are found by kind and language.
"""

import tomllib
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from conductor.domain.knowledge import Platform, Retrieval
from conductor.knowledge.library import KnowledgeBase
from conductor.knowledge.search import SearchQuery
from conductor.knowledge.unknown_models import NO_PROFILE_SOURCE

EVAL = Path(__file__).parent / "eval"
OPEN, SEALED = "strangers-open", "strangers-sealed"
NAMES = (OPEN, SEALED)
GERMAN, IDLE, MODELS = "german-open", "idle-open", "models-open"
FURTHER_NAMES = (GERMAN, IDLE, MODELS)
"""Further open sets, each about one difficulty."""
IDLE_KINDS = ("app_command", "chitchat", "offtopic")
"""The kinds of messages that nothing may be added to."""
UNKNOWN_KIND = "unknown_model"
MULTI_KIND = "multi"
K = 5


@dataclass(frozen=True)
class Stranger:
    """A message, with the ids of the chunks that answer it."""

    text: str
    kind: str
    lang: str
    targets: tuple[str, ...] = ()
    extra: tuple[str, ...] = ()
    """Further chunks that answer, added by reading them (in the open half only)."""

    @property
    def platform(self) -> Platform | None:
        """The system that the person uses, where only texts about it answer."""
        platforms = {name for name in ("linux", "macos", "windows") if self._is_about(name)}
        return platforms.pop() if len(platforms) == 1 else None  # type: ignore[return-value]

    def _is_about(self, platform: str) -> bool:
        return any(target.startswith(f"platform/{platform}-") for target in self.targets)


@dataclass(frozen=True)
class Found:
    """The shares of one message that were found."""

    first: float
    five: float
    prompt: float
    same_document: float
    """Like `five`, if any section of the right document counts."""


def read_strangers(name: str) -> tuple[Stranger, ...]:
    """Read the messages of a file in `eval`."""
    rows = tomllib.loads((EVAL / f"{name}.toml").read_text(encoding="utf-8"))["query"]
    return tuple(
        Stranger(
            row["text"],
            row["kind"],
            row["lang"],
            tuple(row["targets"]),
            tuple(row.get("extra", ())),
        )
        for row in rows
    )


def measure(library: KnowledgeBase, item: Stranger) -> Found:
    """Return what is found for a message that has an answer."""
    ids = rank_ids(library, item.text)
    in_prompt = [each.chunk.id for each in retrieve(library, item).found]
    documents = [each.partition("#")[0] for each in ids[:K]]
    return Found(
        _share(item, lambda target: target in ids[:1], at_most=1),
        _share(item, lambda target: target in ids[:K]),
        _share(item, lambda target: target in in_prompt),
        _share(item, lambda target: target.partition("#")[0] in documents),
    )


def measure_first_five(library: KnowledgeBase, item: Stranger) -> float:
    """Return the share of a message that is found among the first five chunks."""
    ids = rank_ids(library, item.text)[:K]
    return _share(item, lambda target: target in ids)


def rank_ids(library: KnowledgeBase, text: str) -> list[str]:
    """Return the ids of the chunks for a message, best first."""
    index = library.get_index()
    return [index.chunks[row].id for row in index.rank_chunks(SearchQuery(text)).order]


def _share(item: Stranger, is_found: Callable[[str], bool], at_most: int = 0) -> float:
    """Return the share of the wishes of a message that are found, which is 0 or 1 for a single wish."""
    targets = (*item.targets, *item.extra)
    if item.kind != MULTI_KIND:
        return float(any(map(is_found, targets)))
    return sum(map(is_found, item.targets)) / (at_most or len(item.targets))


def retrieve(library: KnowledgeBase, item: Stranger) -> Retrieval:
    """Return what is added to the prompt for a message."""
    return library.retrieve_for_message(item.text, provider="google", platform=item.platform)


def report_strangers(library: KnowledgeBase, name: str) -> Iterator[str]:
    """Yield the figures of a set by kind and language."""
    groups: dict[str, list[Found]] = defaultdict(list)
    idle: dict[str, list[bool]] = defaultdict(list)
    unknown: list[tuple[bool, bool]] = []
    for item in read_strangers(name):
        if item.kind in IDLE_KINDS:
            has_text = bool(retrieve(library, item).found)
            idle[item.kind].append(has_text)
            idle[f"idle, {item.lang}"].append(has_text)
            idle["all idle"].append(has_text)
        elif item.kind == UNKNOWN_KIND:
            unknown.append(describe_unknown(library, item))
        else:
            found = measure(library, item)
            kind = item.kind if item.kind != item.lang else f"lang {item.lang}"
            for group in (kind, *_list_wider_groups(item), "all"):
                groups[group].append(found)
    yield f"{name}: recall      n     @1     @5  in prompt  same document @5"
    for group, all_found in sorted(groups.items()):
        yield f"  {group:<16} {len(all_found):4d} {_format(all_found)}"
    for group, all_injected in sorted(idle.items()):
        yield f"  {group:<16} {len(all_injected):4d} injected {sum(all_injected) / len(all_injected):.3f}"
    if unknown:
        others, answered = (sum(column) for column in zip(*unknown, strict=True))
        yield f"  unknown models   {len(unknown):4d} other device's numbers {others}, told so {answered}"


def _list_wider_groups(item: Stranger) -> list[str]:
    return [] if item.lang == "en" or item.kind == item.lang else [f"lang {item.lang}"]


def _format(all_found: Sequence[Found]) -> str:
    columns = (
        [each.first for each in all_found],
        [each.five for each in all_found],
        [each.prompt for each in all_found],
        [each.same_document for each in all_found],
    )
    return "  ".join(f"{sum(column) / len(column):6.3f}" for column in columns)


def describe_unknown(library: KnowledgeBase, item: Stranger) -> tuple[bool, bool]:
    """Return whether the numbers of another device are in the prompt or in the results of a search, and whether
    both say that there is no profile, or give those of the device if it has a profile now.
    """
    own = {f"device/{each}" for each in library.get_index().find_mentioned_devices(item.text)}
    found = [
        {each.chunk.source for each in chunks}
        for chunks in (retrieve(library, item).found, library.search_chunks(item.text))
    ]
    allowed = {NO_PROFILE_SOURCE, *own}
    others = any(
        source.startswith("device/") and source not in allowed for each in found for source in each
    )
    return others, all(allowed & each for each in found)


def list_misses(library: KnowledgeBase, name: str) -> Iterator[str]:
    """Yield the messages that are not answered, except for the sealed set."""
    assert name != SEALED, "the sealed messages are not looked at"
    for number, item in enumerate(read_strangers(name)):
        retrieval = retrieve(library, item)
        ids = [each.chunk.id for each in retrieval.found]
        if item.kind in IDLE_KINDS and ids:
            yield f"{number} INJECTED {item.text!r}: {ids[0]} {retrieval.found[0].score}"
        elif item.kind == UNKNOWN_KIND:
            if describe_unknown(library, item) != (False, True):
                yield f"{number} UNKNOWN {item.text!r}: {ids[:2]}"
        elif item.targets:
            yield from _describe_miss(library, number, item, ids)


def _describe_miss(
    library: KnowledgeBase, number: int, item: Stranger, prompt: Sequence[str]
) -> Iterator[str]:
    ids = rank_ids(library, item.text)
    places = [ids.index(each) + 1 if each in ids else 0 for each in (*item.targets, *item.extra)]
    found = measure(library, item)
    if found.five < 1 or found.prompt < 1:
        kind = "MISS" if found.five < 1 else "NOT IN PROMPT"
        yield f"{number} {kind} {item.kind} places {places} {item.text!r} {list(item.targets)}"
        yield from (f"      {each} {'*' if each in prompt else ''}" for each in ids[:4])
