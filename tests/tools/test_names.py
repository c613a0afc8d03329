"""Names that a tool may give: what looks like another name is refused."""

import pytest
from pydantic import TypeAdapter, ValidationError

from conductor.tools.names import ConfigName

NAME = TypeAdapter[str](ConfigName)


@pytest.mark.parametrize(
    "name",
    [
        "Play",
        "Lautstärke",
        "音量",
        "❤\ufe0f Song",
        "👩\u200d🎤",
        "❤\ufe0f\u200d🔥",
        "1\ufe0f\u20e3",
    ],
)
def test_a_name_with_letters_and_emoji_is_taken_as_it_is(name: str):
    assert NAME.validate_python(name) == name


@pytest.mark.parametrize(
    "name",
    [
        "Pl\u200bay",
        "Play\u3164",
        "Play\ufe0f",
        "Play\u200d",
        "Pl\U000e0101ay",
        "1\ufe0f",
        "❤\ufe0f\ufe0f",
    ],
)
def test_a_name_in_which_something_hides_is_refused(name: str):
    with pytest.raises(ValidationError, match="invisible characters"):
        NAME.validate_python(name)
