"""A message that asks for several things is split, and the texts for each of them are found."""

from pathlib import Path

import pytest

from conductor.base.resource_paths import KnowledgePaths, find_knowledge_paths
from conductor.knowledge.library import KnowledgeBase
from conductor.knowledge.search import SearchQuery
from conductor.knowledge.wishes import split_wishes

SHIPS = find_knowledge_paths(Path("/nowhere"))


@pytest.mark.parametrize(
    ("text", "wishes"),
    [
        (
            "mute my mic in Zoom, and light the pad when I am muted",
            ["mute my mic in Zoom", "light the pad when I am muted"],
        ),
        (
            "What is running status? And how long is a sysex message?",
            ["What is running status", "And how long is a sysex message"],
        ),
        (
            "turn pads and knobs into a volume control",
            ["turn pads and knobs into a volume control"],
        ),
        ("sustain pedal and expression", ["sustain pedal and expression"]),
        ("port 127.0.0.1 of osc does not answer", ["port 127.0.0.1 of osc does not answer"]),
        ("", [""]),
    ],
)
def test_a_message_is_split_where_both_parts_have_words_of_their_own(text: str, wishes: list[str]):
    assert split_wishes(text) == wishes


def test_the_first_results_answer_both_wishes(tmp_path: Path):
    where = KnowledgePaths(SHIPS.sources, SHIPS.guide, SHIPS.index, tmp_path / "knowledge")
    index = KnowledgeBase(tmp_path, paths=where).get_index()
    text = "mute my mic in Zoom with one pad, and let another one lock the screen"
    found = [index.chunks[row].id for row in index.rank_chunks(SearchQuery(text)).order[:5]]
    assert "platform/all-work-apps#zoom-mute-camera-hand" in found
    assert any("#lock-" in chunk_id for chunk_id in found)
