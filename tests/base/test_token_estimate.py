"""The token estimate."""

from hypothesis import given
from hypothesis import strategies as st

from conductor.base.token_estimate import estimate_token_count


def test_four_bytes_are_a_token_so_letters_beyond_ascii_count_more():
    assert (
        estimate_token_count(""),
        estimate_token_count("midi" * 10),
        estimate_token_count("\u00e9" * 40),
    ) == (
        0,
        10,
        20,
    )


@given(st.text())
def test_any_text_is_counted_even_one_with_half_a_character(text: str):
    assert estimate_token_count(text) >= len(text) // 4
    assert estimate_token_count(text + "\ud800") >= 0
