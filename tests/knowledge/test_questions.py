"""Questions in the words of strangers are kept in files of their own, by section."""

import tomllib
from pathlib import Path

import pytest
from tests.knowledge.conftest import HEAD, ROOT

from conductor.base.resource_paths import find_knowledge_paths
from conductor.domain.knowledge import Chunk
from conductor.errors import ConfigError
from conductor.knowledge.build import IndexSources, build_index
from conductor.knowledge.device_chunks import read_device_profiles
from conductor.knowledge.documents import read_documents
from conductor.knowledge.library import KnowledgeBase
from conductor.knowledge.questions import WrittenQuestions, add_questions, read_written_questions

KNOWLEDGE = ROOT / "knowledge"
WRITTEN = read_written_questions(KNOWLEDGE / "questions")


def test_every_section_with_questions_exists():
    ids = {chunk.id for chunk in read_documents(KNOWLEDGE, ROOT / "docs" / "guide")}
    assert len(WRITTEN.by_chunk) > 800
    assert sorted(set(WRITTEN.by_chunk) - ids) == []


@pytest.mark.parametrize(
    ("message", "section"),
    [
        ("how do I talk to Conductor", "talk-to-conductor-push-to-talk"),
        ("wie spreche ich mit Conductor", "talk-to-conductor-push-to-talk"),
        ("the mic button is gone from the chat", "voice-does-not-work"),
        ("can it read my synth's manual", "can-it-read-my-synth-s-manual-add-your-own-manuals"),
        ("add a pdf of my keyboard", "can-it-read-my-synth-s-manual-add-your-own-manuals"),
        ("my manual is stuck on waiting", "a-manual-is-not-indexed-or-not-found"),
        ("can another bot give it work over a2a", "let-another-agent-give-conductor-tasks-a2a"),
        ("sign in an agent on my laptop", "agents-on-another-computer-remote-access"),
    ],
)
def test_voice_manuals_and_agents_from_elsewhere_are_explained(message: str, section: str):
    library = KnowledgeBase(Path("/nowhere"), paths=find_knowledge_paths(Path("/nowhere")))
    best = library.retrieve_for_message(message).found[0].chunk
    assert best.id == f"conductor/voice-manuals-and-remote#{section}"


def test_every_device_has_a_nickname():
    assert set(WRITTEN.nicknames) == set(
        read_device_profiles([KNOWLEDGE / "devices"]).list_device_names()
    )


def test_no_question_is_copied_from_a_set_that_measures():
    measured = {
        row["text"].lower().strip(" ?.!")
        for path in (ROOT / "tests/knowledge/eval").glob("*.toml")
        for row in tomllib.loads(path.read_text(encoding="utf-8"))["query"]
    }
    written = {text.lower().strip(" ?.!") for each in WRITTEN.by_chunk.values() for text in each}
    copied = len(written & measured)  # not the texts, some of which are not looked at
    assert copied == 0


def test_questions_are_added_to_their_section_and_nicknames_to_the_sections_of_a_device():
    section = Chunk(
        id="midi/x#a",
        domain="midi",
        source="midi/x",
        source_title="X",
        section_path=("X", "A"),
        content="a",
        ask=("own",),
        tokens=1,
    )
    lights = section.model_copy(
        update={"id": "device/d#lights", "device": "d", "section_path": ("D", "Lights"), "ask": ()}
    )
    written = WrittenQuestions({"midi/x#a": ("other",)}, {"d": ("the red box",)})
    first, second = add_questions([section, lights], written)
    assert first.ask == ("own", "other")
    assert second.ask == ("the red box: light up its buttons and pads, colours",)


def test_a_section_is_found_by_a_question_of_the_file(tmp_path: Path):
    folder = tmp_path / "knowledge"
    (folder / "midi").mkdir(parents=True)
    (folder / "questions").mkdir()
    (folder / "midi/x.md").write_text(
        HEAD.format(title="X", domain="midi") + "# X\n## CC 64\nA pedal.\n## CC 7\nA fader.\n",
        "utf-8",
    )
    (folder / "questions/midi.toml").write_text(
        '["midi/x"]\ncc-7 = "make the trumpet quieter | softer brass"\n', "utf-8"
    )
    build_index(IndexSources(folder), folder / "index", None)
    library = KnowledgeBase(tmp_path, paths=_paths(folder, tmp_path))
    assert library.search_chunks("trumpet quieter")[0].chunk.id == "midi/x#cc-7"


@pytest.mark.parametrize(
    ("table", "unknown"),
    [
        ('["midi/x"]\ncc-70 = "louder"\n', "section 'midi/x#cc-70'"),
        ('[nicknames]\nnobody = "the red box"\n', "device 'nobody'"),
    ],
)
def test_a_build_reports_questions_for_what_does_not_exist(
    tmp_path: Path, table: str, unknown: str
):
    (tmp_path / "midi").mkdir()
    (tmp_path / "questions").mkdir()
    text = HEAD.format(title="X", domain="midi") + "# X\n## CC 7\nA fader.\n"
    (tmp_path / "midi/x.md").write_text(text, "utf-8")
    (tmp_path / "questions/midi.toml").write_text(table, "utf-8")
    with pytest.raises(ConfigError, match=f"there is no {unknown}"):
        build_index(IndexSources(tmp_path), tmp_path / "index", None)


def test_a_build_without_the_guide_ignores_its_questions(tmp_path: Path):
    (tmp_path / "midi").mkdir()
    (tmp_path / "questions").mkdir()
    text = HEAD.format(title="X", domain="midi") + "# X\n## CC 7\nA fader.\n"
    (tmp_path / "midi/x.md").write_text(text, "utf-8")
    (tmp_path / "questions/a.toml").write_text('["conductor/guide/chat"]\na = "b"\n', "utf-8")
    assert build_index(IndexSources(tmp_path), tmp_path / "index", None).chunks == 1


@pytest.mark.parametrize("table", ["midi/x", "nicknames"])
def test_two_files_with_questions_for_the_same_are_reported(tmp_path: Path, table: str):
    for name in ("a", "b"):
        (tmp_path / f"{name}.toml").write_text(f'["{table}"]\nd = "{name}"\n', "utf-8")
    with pytest.raises(ConfigError, match=r"b\.toml: another file has questions for .*d'"):
        read_written_questions(tmp_path)


def test_a_heading_that_only_contains_the_letters_of_a_subject_gets_no_question():
    highlights = Chunk(
        id="device/d#highlights",
        domain="device",
        source="device/d",
        source_title="D",
        section_path=("D", "Highlights"),
        content="a",
        tokens=1,
        device="d",
    )
    assert add_questions([highlights], WrittenQuestions({}, {"d": ("the red box",)})) == [
        highlights
    ]


def _paths(folder: Path, home: Path):
    from conductor.base.resource_paths import KnowledgePaths

    return KnowledgePaths(folder, None, folder / "index", home / "own")


def test_a_file_that_is_not_toml_is_reported(tmp_path: Path):
    (tmp_path / "bad.toml").write_text("[", "utf-8")
    with pytest.raises(ConfigError, match=r"bad\.toml"):
        read_written_questions(tmp_path)
