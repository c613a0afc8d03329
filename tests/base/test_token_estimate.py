"""The token estimate."""

from hypothesis import given
from hypothesis import strategies as st

from conductor.base.token_estimate import approximate_tokens


def test_four_bytes_are_a_token_so_letters_beyond_ascii_count_more():
    assert (
        approximate_tokens(""),
        approximate_tokens("midi" * 10),
        approximate_tokens("\u00e9" * 40),
    ) == (
        0,
        10,
        20,
    )


@given(st.text())
def test_any_text_is_counted_even_one_with_half_a_character(text: str):
    assert approximate_tokens(text) >= len(text) // 4
    assert approximate_tokens(text + "\ud800") >= 0
