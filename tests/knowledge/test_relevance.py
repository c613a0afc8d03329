"""The gate over all that ships: names find their definition, everyday questions pass, small talk does not."""

from pathlib import Path

import pytest
from tests.knowledge import score

from conductor.base.resource_paths import DATABASE_FILE, KnowledgePaths, find_knowledge_paths
from conductor.knowledge.build import IndexSources, build_index
from conductor.knowledge.embedder import OnnxEmbedder
from conductor.knowledge.library import KnowledgeBase

pytestmark = pytest.mark.timeout(300)
"""Thousands of questions are embedded and ranked."""
SHIPS = find_knowledge_paths(Path("/nowhere"))


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All sources that ship, built with the real model.

    The relevance is that of the index that ships, which `make` fits again when the ranking changes: fitting it to
    two thousand messages takes ten times as long as the other steps.
    """
    index = tmp_path_factory.mktemp("index")
    for file in (SHIPS.model_file, SHIPS.model_file.with_name("tokenizer.json")):
        (index / file.name).symlink_to(file)
    made_of = IndexSources(SHIPS.sources, SHIPS.guide)
    embedder = OnnxEmbedder(index / SHIPS.model_file.name)
    shipped = SHIPS.index / DATABASE_FILE
    build_index(made_of, index, embedder, earlier_indexes=(shipped,), fitted_index=shipped)
    return index


def open_library(index: Path, home: Path) -> KnowledgeBase:
    where = KnowledgePaths(SHIPS.sources, SHIPS.guide, index, home / "knowledge")
    return KnowledgeBase(home, paths=where)


@pytest.fixture(scope="module")
def with_model(whole: Path, tmp_path_factory: pytest.TempPathFactory) -> KnowledgeBase:
    return open_library(whole, tmp_path_factory.mktemp("home"))


@pytest.fixture(scope="module")
def by_words(whole: Path, tmp_path_factory: pytest.TempPathFactory) -> KnowledgeBase:
    index = tmp_path_factory.mktemp("words")
    (index / DATABASE_FILE).symlink_to(whole / DATABASE_FILE)
    return open_library(index, tmp_path_factory.mktemp("home"))


@pytest.fixture(params=["with_model", "by_words"])
def library(request: pytest.FixtureRequest) -> KnowledgeBase:
    return request.getfixturevalue(request.param)


@pytest.mark.parametrize(
    ("name", "titles"),
    [
        ("CC64", ("CC 64",)),
        ("CC 64", ("CC 64",)),
        ("0xB0", ("0xB0",)),
        ("running status", ("Running status",)),
        ("reset all controllers", ("CC 121",)),
        ("what is midi", ("What MIDI is",)),
        ("NRPN", ("NRPN",)),
        ("F8", ("0xF8",)),
        ("E9", ("volume",)),
    ],
)
def test_a_name_finds_its_definition_first(
    library: KnowledgeBase, name: str, titles: tuple[str, ...]
):
    found = library.search_chunks(name)
    assert found
    assert any(one in found[0].chunk.title for one in titles)


@pytest.mark.parametrize(
    "message", ["hello", "thanks a lot", "how long do I boil an egg", "who painted the Mona Lisa"]
)
def test_small_talk_finds_nothing(library: KnowledgeBase, message: str):
    assert library.search_chunks(message) == ()


@pytest.mark.parametrize(
    "question",
    [
        "my fader jumps when I touch it",
        "the pad triggers twice",
        "mute my microphone in a meeting with a button",
        "why do my gamepad's sticks drift",
    ],
)
def test_a_question_in_everyday_words_finds_something(library: KnowledgeBase, question: str):
    assert library.search_chunks(question)


@pytest.mark.parametrize(
    ("name", "first", "five"),
    [
        ("held", 0.80, 0.95),
        ("stranger-facts", 0.80, 0.95),
        ("colloquial", 0.55, 0.85),
        ("stranger-colloquial", 0.75, 0.85),
    ],
)
def test_questions_that_were_set_aside_find_their_facts_past_the_gate(
    with_model: KnowledgeBase, name: str, first: float, five: float
):
    found = score.passed(with_model.get_index(), score.sets()[name])
    assert (found.recall_1 >= first, found.recall_5 >= five) == (True, True), found


def test_of_off_topic_messages_that_were_set_aside_one_in_twenty_at_most_finds_something(
    with_model: KnowledgeBase,
):
    sets = score.sets()
    messages = [*sets["offtopic"], *sets["stranger-offtopic"]]
    rates = score.injected(with_model.get_index(), messages, "google")
    assert rates["off-topic injected"] <= 0.05
