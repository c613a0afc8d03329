"""Words: spellings of one thing meet, and typing mistakes are mended."""

import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conductor.knowledge.text import estimate_tokens, normalise_text, stem_word, tokenize
from conductor.knowledge.thesaurus import SYNONYM_WEIGHT, Thesaurus
from conductor.knowledge.typos import SpellingCorrector, compute_edit_distance

ENDINGS = ("s", "ing", "ings", "ed", "ation", "ations", "ational", "iveness", "fulness", "ously")


@pytest.mark.parametrize(
    ("one", "other", "shared"),
    [
        ("CC64", "cc 64", {"cc64", "cc", "64"}),
        ("Art-Net", "artnet", {"artnet"}),
        ("NoteOn", "note-on", {"noteon", "note"}),
        ("note on", "note-on", {"noteon", "note"}),
        ("40h", "0x40", {"0x40", "40"}),
        ("0x0C", "0xC", {"0xc"}),
        ("controllers", "controller", {"control"}),
        ("/live/tempo", "live tempo", {"live", "tempo"}),
        ("\uff23\uff23\uff16\uff14", "cc64", {"cc64"}),
        ("café", "cafe", {"cafe"}),
    ],
)
def test_two_spellings_share_their_words(one: str, other: str, shared: set[str]):
    assert shared <= set(tokenize(one)) & set(tokenize(other))


def test_words_without_meaning_are_left_out():
    assert tokenize("what is the") == []


def test_a_search_beside_a_build_stems_every_word_right():
    words = [f"{root}{ending}" for root in ("map", "filter", "activat") for ending in ENDINGS]

    def stem_all(_number: int) -> list[str]:
        return [stem_word.__wrapped__(word) for word in words]

    expected = stem_all(0)
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(4) as threads:
            found = threads.map(stem_all, range(40))
            assert all(stems == expected for stems in found)
    finally:
        sys.setswitchinterval(interval)


@given(st.text(max_size=200))
def test_any_text_has_words_and_tokens(text: str):
    assert all(word == word.lower() and " " not in word for word in tokenize(text))
    assert estimate_tokens(text) >= len(text) / 4
    assert "\x00" not in normalise_text(text)


def test_bytes_in_hex_count_more_than_a_quarter_of_their_characters():
    text = "F0 00 20 29 02 0D 03 F7 " * 10
    assert estimate_tokens(text) > len(text) / 3


@pytest.mark.parametrize(
    ("one", "other", "away"),
    [
        ("sustain", "sustain", 0),
        ("sustian", "sustain", 1),
        ("sustan", "sustain", 1),
        ("abc", "xyz", 2),
    ],
)
def test_the_distance_counts_letters_and_swaps(one: str, other: str, away: int):
    assert compute_edit_distance(one, other, 1) == away


def test_a_mistyped_word_is_mended_and_a_known_one_is_not():
    spelling = SpellingCorrector([("sustain", 3), ("velocity", 5), ("64", 9)])
    assert spelling.find_similar_word("sustian") == "sustain"
    assert spelling.find_similar_word("velocty") == "velocity"
    assert spelling.find_similar_word("velocity") is None
    assert spelling.find_similar_word("lasagna") is None


def test_other_words_for_a_phrase_count_less():
    thesaurus = Thesaurus([("sustain pedal", "damper"), ("loudness", "volume")])
    assert thesaurus.find_synonyms(tokenize("sustain pedal")) == {"damper": SYNONYM_WEIGHT}
    assert thesaurus.find_synonyms(tokenize("pedal")) == {}


def test_a_part_of_a_phrase_is_no_synonym():
    thesaurus = Thesaurus([("start app", "launch app", "run"), ("loudness", "volume")])
    said = {"launch", "app"}
    assert thesaurus.find_complete_synonyms(said, {"start", "run"}) == {"run"}
    assert thesaurus.find_complete_synonyms(said, {"start", "app"}) == {"start", "app"}
    assert thesaurus.find_complete_synonyms({"launch"}, {"start", "app", "run"}) == set()
