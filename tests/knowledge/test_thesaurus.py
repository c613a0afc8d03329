"""The thesaurus links words that people use to words of the texts, each phrase in one group only."""

from collections import Counter
from pathlib import Path

import pytest

from conductor.knowledge import thesaurus
from conductor.knowledge.text import tokenize
from conductor.knowledge.thesaurus import Thesaurus

ROOT = Path(__file__).resolve().parents[2]
GROUPS = thesaurus.read_synonym_groups(ROOT / "knowledge" / "thesaurus.toml")


@pytest.fixture(scope="module")
def used() -> frozenset[str]:
    """Return the words that the texts use."""
    texts = [
        *(ROOT / "knowledge").glob("*/*.md"),
        *(ROOT / "knowledge/devices").glob("*.toml"),
        *(ROOT / "docs/guide").glob("*.md"),
    ]
    return frozenset(word for path in texts for word in tokenize(path.read_text(encoding="utf-8")))


def test_every_group_links_several_phrases() -> None:
    assert [group for group in GROUPS if len(group) < 2] == []


def test_no_two_phrases_are_compared_as_the_same_words() -> None:
    said = Counter(tuple(tokenize(phrase)) for group in GROUPS for phrase in group)
    assert [phrase for phrase, count in said.items() if count > 1 or not phrase] == []


def test_a_phrase_of_several_words_is_not_compared_by_one_of_them() -> None:
    phrases = [phrase for group in GROUPS for phrase in group if " " in phrase]
    assert [phrase for phrase in phrases if len(tokenize(phrase)) < 2] == []


def test_every_group_has_a_phrase_that_the_texts_use(used: frozenset[str]) -> None:
    assert [
        group for group in GROUPS if not any(used.issuperset(tokenize(one)) for one in group)
    ] == []


def test_a_group_adds_few_words() -> None:
    added = {group: {word for phrase in group for word in tokenize(phrase)} for group in GROUPS}
    assert [group for group, terms in added.items() if len(terms) > 10] == []


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("is the damper pedal reversed", "sustain"),
        ("my thumbstick does nothing", "joystick"),
        ("fly the lichtpult", "desk"),
        ("ptt while I hold a pad", "talk"),
    ],
)
def test_what_people_say_adds_what_the_texts_say(said: str, meant: str) -> None:
    assert meant in Thesaurus(GROUPS).find_synonyms(tokenize(said))
