"""Finds the dictionary forms of German words: of inflected, separated and misspelled ones.

A stemmer removes endings, but it does not know the ending of "zeigt", the prefix of "gemacht", nor that
"rechne … um" is one verb.
"""

import re
from collections.abc import Callable, Iterator, Sequence

_PARTICLE_TEXT = """
ab an auf aus auseinander bei dar durch drauf ein fest fort her herum hin hinter hoch los mit nach raus rauf
rein ruber rum runter uber um unter vor weg weiter wieder zu zuruck zusammen
"""
PARTICLES = tuple(sorted(_PARTICLE_TEXT.split(), key=len, reverse=True))
"""Prefixes of verbs that stand apart from them at the end of a clause, without umlauts."""
MIN_BASE_LETTERS = 3
MIN_TAIL_LETTERS = 5
"""The shortest last part of a compound that is translated although the first part is unknown."""
MIN_HEAD_LETTERS = 3
_CLAUSE_END = re.compile(r"[.,;:!?()\u2013]|\b(?:und|oder|aber)\b", re.IGNORECASE)
_DIGRAPHS = (("ae", "a"), ("oe", "o"), ("ue", "u"))
FindMeaning = Callable[[str], str | None]


def find_inflected(word: str, find_meaning: FindMeaning) -> str | None:
    """Return the meaning of a word by a dictionary form of it, or None if no form is known.

    The word must be in lower case and without umlauts.
    """
    for form in _list_forms(word):
        if (meaning := find_meaning(form)) is not None:
            return meaning
    return None


def _list_forms(word: str) -> Iterator[str]:
    """Yield dictionary forms of a word, the most likely first."""
    for spelling in dict.fromkeys((word, replace_digraphs(word))):
        if spelling != word:
            yield spelling
        yield from _list_infinitives(spelling)
        particle = next((each for each in PARTICLES if spelling.startswith(each)), "")
        rest = spelling[len(particle) :]
        if not particle or len(rest) < MIN_BASE_LETTERS:
            continue
        bases = [*_list_infinitives(rest.removeprefix("zu")), *_list_infinitives(rest)]
        yield from (f"{particle}{base}" for base in bases)
        yield from bases  # "reintippen" means about the same as "tippen"


def replace_digraphs(word: str) -> str:
    """Replace the spelling of umlauts on keyboards without them."""
    for digraph, letter in _DIGRAPHS:
        word = word.replace(digraph, letter)
    return word


def _list_infinitives(word: str) -> list[str]:
    """Return the infinitives of which a word may be the third person or the participle."""
    found: list[str] = []
    for base in (word, word[2:] if word.startswith("ge") else ""):
        if len(base) < MIN_BASE_LETTERS:
            continue
        if base is not word:
            found.append(base)
        if base.endswith("t"):
            root = base[:-1].removesuffix("e")
            found += [f"{root}en", f"{root}n"]
        if base.endswith("te"):
            found.append(f"{base[:-2]}en")
        if not base.endswith("n"):
            found += [f"{base.removesuffix('e')}en"]
    return [word, *found]


def find_separated_verbs(
    text: str, spans: Sequence[tuple[int, int]], words: Sequence[str], find_meaning: FindMeaning
) -> dict[int, str]:
    """Return the meanings of verbs whose particle is at the end of their clause, by the index of the word.

    The meaning of the particle itself is then empty. `spans` are the places of the words in the text.
    """
    found: dict[int, str] = {}
    for start, end in _list_clauses(text, spans):
        if end - start < 2 or words[end - 1] not in PARTICLES:
            continue
        for index in range(start, end - 1):
            meaning = _find_with_particle(words[end - 1], words[index], find_meaning)
            if meaning is not None:
                found |= {index: meaning, end - 1: ""}
                break
    return found


def _find_with_particle(particle: str, verb: str, find_meaning: FindMeaning) -> str | None:
    for form in _list_infinitives(verb):
        if (meaning := find_meaning(f"{particle}{form}")) is not None:
            return meaning
    return None


def _list_clauses(text: str, spans: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yield the first and the last word index, exclusive, of each clause of a text."""
    ends = [each.start() for each in _CLAUSE_END.finditer(text)]
    start = 0
    for index in range(len(spans)):
        after = spans[index + 1][0] if index + 1 < len(spans) else len(text) + 1
        if index + 1 == len(spans) or any(spans[index][1] <= end < after for end in ends):
            yield start, index + 1
            start = index + 1


def find_last_part(word: str, find_meaning: FindMeaning) -> str | None:
    """Return the meaning of the last part of a compound whose first part is unknown.

    The last part says what kind of thing it is: a "Nachbarklang" is a "Klang".
    """
    for start in range(MIN_HEAD_LETTERS, len(word) - MIN_TAIL_LETTERS + 1):
        if (meaning := find_meaning(word[start:])) is not None:
            return meaning
    return None
