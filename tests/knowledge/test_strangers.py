"""What is found for messages of a person who never read the texts. The limits are below the measured figures by
about one message of the smallest group.
"""

from pathlib import Path

import pytest
from tests.knowledge import strangers

from conductor.base.resource_paths import KnowledgePaths, find_knowledge_paths
from conductor.knowledge.library import KnowledgeBase

SHIPS = find_knowledge_paths(Path("/nowhere"))
pytestmark = pytest.mark.timeout(300)
"""Hundreds of messages are ranked."""


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> KnowledgeBase:
    """The index that ships."""
    home = tmp_path_factory.mktemp("home")
    where = KnowledgePaths(SHIPS.sources, SHIPS.guide, SHIPS.index, home / "knowledge")
    return KnowledgeBase(home, paths=where)


SETS_AND_AIMS = [
    *(
        (name, group, five)
        for name in strangers.NAMES
        for group, five in (
            ("facts", 0.95),
            ("colloquial", 0.83),
            ("de", 0.85),
            ("fr", 0.90),
            ("es", 0.80),
            ("multi", 0.75),
        )
    ),
    (strangers.GERMAN, "de", 0.91),
    (strangers.IDLE, "near", 0.90),
]


@pytest.mark.parametrize(("name", "group", "five"), SETS_AND_AIMS)
def test_the_answer_is_among_the_first_five(
    library: KnowledgeBase, name: str, group: str, five: float
):
    found = [
        strangers.measure_first_five(library, item)
        for item in strangers.read_strangers(name)
        if item.targets and group in (item.kind, item.lang)
    ]
    assert sum(found) / len(found) >= five


@pytest.mark.parametrize("name", [*strangers.NAMES, strangers.IDLE])
def test_commands_small_talk_and_other_subjects_get_no_text(library: KnowledgeBase, name: str):
    items = [item for item in strangers.read_strangers(name) if item.kind in strangers.IDLE_KINDS]
    injected = [bool(strangers.retrieve(library, item).found) for item in items]
    assert sum(injected) / len(items) <= 0.04


@pytest.mark.parametrize("name", [*strangers.NAMES, strangers.MODELS])
def test_unknown_models_get_no_numbers_of_another_device(library: KnowledgeBase, name: str):
    found = [
        strangers.describe_unknown(library, item)
        for item in strangers.read_strangers(name)
        if item.kind == strangers.UNKNOWN_KIND
    ]
    others, told = (sum(column) for column in zip(*found, strict=True))
    assert others == 0
    assert told / len(found) >= 0.9
