"""Loads the shipped knowledge and skills once for all cases; those of the user are not used."""

from functools import cache
from pathlib import Path

from conductor.knowledge.library import KnowledgeBase as Knowledge
from conductor.skills.library import SkillLibrary as Skills

MISSING_HOME_FOLDER = Path("/nonexistent")


@cache
def load_knowledge() -> Knowledge:
    return Knowledge(MISSING_HOME_FOLDER)


@cache
def load_skills() -> Skills:
    return Skills(MISSING_HOME_FOLDER)
