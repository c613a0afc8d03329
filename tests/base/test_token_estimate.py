"""The estimate of tokens."""

from hypothesis import given
from hypothesis import strategies as st

from conductor.base.token_estimate import of_text


def test_four_bytes_are_a_token_so_letters_beyond_ascii_count_more():
    assert (of_text(""), of_text("midi" * 10), of_text("\u00e9" * 40)) == (0, 10, 20)


@given(st.text())
def test_any_text_is_counted_even_one_with_half_a_character(text: str):
    assert of_text(text) >= len(text) // 4
    assert of_text(text + "\ud800") >= 0
