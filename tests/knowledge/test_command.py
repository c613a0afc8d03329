"""`conductor knowledge` at the terminal, with no Conductor running."""

import json
from contextlib import chdir
from pathlib import Path

import pytest
from tests.knowledge.conftest import MODEL
from tests.support.running import Finished, conductor, conductor_environment


def knowledge(home: Path, *words: str, given: str = "", own_process: bool = False) -> Finished:
    """Run the command in a folder; in this process, where its imports and the model are loaded already."""
    environment = conductor_environment(home)
    with chdir(home):
        return conductor(
            "knowledge", *words, environment=environment, stdin=given, own_process=own_process
        )


def test_a_search_prints_chunks_as_json(tmp_path: Path):
    words = ("search", "which cc is the sustain pedal", "-k", "2", "--json")
    done = knowledge(tmp_path, *words, own_process=True)
    [first, *rest] = json.loads(done.stdout)["chunks"]
    assert {"section_path", "content", "source", "score"} <= set(first)
    assert "64" in first["content"]
    assert len(rest) <= 1
    assert first["score"] > 0.35


def test_words_need_no_quotes_and_each_result_is_two_lines_of_text(tmp_path: Path):
    short = knowledge(tmp_path, "search", "sustain", "pedal", "-k", "2").stdout
    assert "64" in short
    assert all(block.count("\n") <= 3 for block in short.split("\n\n"))
    full = knowledge(tmp_path, "search", "sustain", "pedal", "-k", "2", "--full").stdout
    assert len(full) > len(short)


def test_each_line_of_standard_input_is_answered_by_a_line(tmp_path: Path):
    done = knowledge(tmp_path, "search", "--stdin", given="which cc is sustain\n\ntell me a joke\n")
    answers = [json.loads(line)["chunks"] for line in done.stdout.splitlines()]
    assert [bool(each) for each in answers] == [True, False, False]


def test_a_build_of_other_sources_is_complete_and_says_what_it_made(sources: Path, tmp_path: Path):
    place = tmp_path / "out"
    words = ("--sources", str(sources), "--output", str(place), "--model", str(MODEL), "--json")
    report = json.loads(knowledge(tmp_path, "build", *words).stdout)
    assert (report["chunks"], report["model"]) == (6, True)
    assert (place / "knowledge.db").stat().st_size == report["size_bytes"]


def test_sources_and_check_describe_the_index(tmp_path: Path):
    sources = json.loads(knowledge(tmp_path, "sources", "--json").stdout)["sources"]
    status = json.loads(knowledge(tmp_path, "check", "--json").stdout)
    assert sum(each["chunks"] for each in sources) == status["chunks"] > 500
    assert status["model"] is True


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("search",), "pass either a query"),
        (("search", "x", "-k", "0"), "-k must be at least 1"),
        (("build", "--sources", "nowhere", "--output", "out"), "is not a folder"),
        (("build", "--model", "nowhere.onnx", "--output", "out"), "missing"),
    ],
)
def test_what_cannot_be_done_is_told_in_a_line(tmp_path: Path, words: tuple[str, ...], said: str):
    done = knowledge(tmp_path, *words)
    assert done.returncode == 1
    assert done.stderr.startswith("conductor: ")
    assert said in done.stderr
