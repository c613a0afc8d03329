"""Choosing skills for a message: about twenty messages for each of Conductor's own, and what others cannot do."""

from pathlib import Path

import pytest
from tests.skills.queries import NEVER, SHOULD

from conductor.skills.activation import choose_skills
from conductor.skills.library import SkillLibrary

CATALOGUE = {one.name: one.description for one in SkillLibrary(Path("/nowhere")).list_skills()}


@pytest.mark.parametrize(
    ("name", "message"), [(name, text) for name, texts in SHOULD.items() for text in texts]
)
def test_a_message_of_its_kind_chooses_the_skill_first(name: str, message: str):
    assert choose_skills(message, CATALOGUE)[:1] == (name,)


@pytest.mark.parametrize(
    ("name", "message"), [(name, text) for name, texts in NEVER.items() for text in texts]
)
def test_a_message_that_only_sounds_like_it_does_not_choose_the_skill(name: str, message: str):
    assert name not in choose_skills(message, CATALOGUE)


def test_a_skill_that_is_named_is_chosen_before_all_others():
    assert (
        choose_skills("use conductor-midi-learn to map pad 36", CATALOGUE)[0]
        == "conductor-midi-learn"
    )


def test_another_skill_is_chosen_by_the_words_of_its_description():
    skills = CATALOGUE | {"stage-lighting": "Plan stage lighting cues with DMX fixtures"}
    assert choose_skills("plan the lighting for the stage", skills) == ("stage-lighting",)
    assert choose_skills("make pad 36 copy", skills) == ("conductor-midi-mapping",)


def test_at_most_two_are_chosen_and_always_the_same():
    skills = {f"copy-{n}": "Copy pad words to paper" for n in range(9)}
    chosen = choose_skills("copy the words of this pad to paper", skills)
    assert len(chosen) == 2
    assert chosen == choose_skills(
        "copy the words of this pad to paper", dict(reversed(skills.items()))
    )


def test_those_in_force_already_are_not_chosen_again():
    library = SkillLibrary(Path("/nowhere"))
    assert library.choose_for_message("make pad 36 copy") == ("conductor-midi-mapping",)
    assert library.choose_for_message("make pad 36 copy", active={"conductor-midi-mapping"}) == ()
