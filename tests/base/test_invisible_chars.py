"""Invisible characters: shown where a user decides, removed for a model, kept in ordinary text."""

import sys
import unicodedata

import pytest

from conductor.base.invisible_chars import (
    ORDINARY_CHARACTERS,
    RARE_SPACES,
    has_hidden,
    is_hidden,
    remove_hidden,
    reveal_hidden,
)

UNSEEN = [
    "\x00", "\x1b", "\r", "\x7f", "\x9b", "\u00ad", "\u034f", "\u061c", "\u115f", "\u1160", "\u180e",
    "\u200b", "\u200d", "\u2028", "\u202e", "\u2066", "\u2800", "\u3164", "\ud83d", "\ue000", "\ufe00",
    "\ufe0f", "\ufeff", "\uffa0", "\ufff0", "\uffff", "\U000e0041", "\U000e0100", "\U000e0fff", "\U0010fffd",
]  # fmt: skip


@pytest.mark.parametrize("char", UNSEEN, ids=ascii)
def test_what_nobody_sees_is_shown_by_its_number_and_taken_out(char: str):
    assert is_hidden(char)
    assert has_hidden(f"a{char}b")
    assert reveal_hidden(f"a{char}b").startswith("a\\")
    assert reveal_hidden(f"a{char}b").isascii()
    left = "\n" if char == "\u2028" else char if char == "\ufe0f" else ""
    assert remove_hidden(f"a{char}b") == f"a{left}b"


def test_all_that_unicode_calls_control_format_and_private_is_hidden():
    kinds = ("Cc", "Cf", "Cs", "Co", "Zl", "Zp")
    every = map(chr, range(sys.maxunicode + 1))
    assert not [
        char for char in every if unicodedata.category(char) in kinds and not is_hidden(char)
    ]


def test_every_space_but_the_plain_one_is_an_odd_one():
    every = map(chr, range(sys.maxunicode + 1))
    assert (
        "".join(char for char in every if unicodedata.category(char) == "Zs") == f" {RARE_SPACES}"
    )


def test_a_text_is_shown_as_it_is_when_nothing_hides_in_it():
    text = "Übung: 日本語, عربى, नमस्ते, emoji 🎹👍🏽, c\u0327"
    assert reveal_hidden(text) == text == remove_hidden(text)
    assert not has_hidden(f"{text}\n\t")


def test_a_space_that_is_another_character_is_shown_and_stays():
    assert reveal_hidden("rm\u00a0-rf\u3000x") == "rm\\u00a0-rf\\u3000x"
    assert remove_hidden("10\u00a0%") == "10\u00a0%"
    assert not is_hidden("\u00a0")


def test_ends_of_lines_are_shown_unless_they_are_to_be_kept():
    assert reveal_hidden("a\nb\tc") == "a\\u000ab\\u0009c"
    assert reveal_hidden("a\nb\tc\u202e", keep="\n\t") == "a\nb\tc\\u202e"


def test_an_emoji_keeps_its_colour_where_nobody_decides_and_hides_nothing_more():
    assert remove_hidden("\u2764\ufe0f 1\ufe0f\u20e3") == "\u2764\ufe0f 1\ufe0f\u20e3"
    assert remove_hidden("\ufe0fa\ufe0f\ufe0f\ufe0f\n\ufe0fb\u200b\ufe0f") == "a\ufe0f\nb"
    assert reveal_hidden("\u2764\ufe0f", keep=ORDINARY_CHARACTERS) == "\u2764\ufe0f"
    assert reveal_hidden("\u2764\ufe0f") == "\u2764\\ufe0f"
