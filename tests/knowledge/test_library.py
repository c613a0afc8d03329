"""The library: what is found, what is held back, and what happens when something is missing or broken."""

import json
import shutil
import sqlite3
from collections.abc import Generator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.knowledge.conftest import MODEL, ROOT

from conductor.base.resource_paths import KnowledgePaths
from conductor.domain.knowledge import ScoredChunk
from conductor.domain.settings import KnowledgeSettings
from conductor.errors import InvalidParams, NotAvailable
from conductor.knowledge.build import IndexSources, build_index
from conductor.knowledge.embedder import OnnxEmbedder
from conductor.knowledge.inject import render_reference_context
from conductor.knowledge.library import KnowledgeBase
from conductor.knowledge.providers import (
    DEFAULT_RETRIEVAL_LIMITS,
    RetrievalLimits,
    get_retrieval_limits,
)

PROFILE = next((ROOT / "knowledge" / "devices").glob("*.toml"))


def first(library: KnowledgeBase, query: str) -> str:
    found = library.search_chunks(query)
    return found[0].chunk.id if found else ""


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("which cc is the sustain pedal", "midi/controllers#cc-64-sustain-pedal"),
        ("CC64", "midi/controllers#cc-64-sustain-pedal"),
        ("sustian pedel", "midi/controllers#cc-64-sustain-pedal"),
        ("my notes keep on ringing after I let go", "midi/controllers#cc-64-sustain-pedal"),
        (
            "set up my controller's NRPN for filter cutoff",
            "midi/controllers#nrpn-select-a-parameter",
        ),
        ("loudness of a channel", "midi/controllers#cc-7-channel-volume"),
        (
            "how many bits has an Art-Net universe",
            "artnet/universes#port-address-net-subnet-universe",
        ),
    ],
)
def test_a_question_finds_its_section(library: KnowledgeBase, query: str, expected: str):
    assert first(library, query) == expected


@pytest.mark.parametrize(
    "query", ["what shall I cook tonight", "tell me a joke", "", " ", "?!", "😀"]
)
def test_what_has_nothing_to_do_with_it_finds_nothing(library: KnowledgeBase, query: str):
    assert library.search_chunks(query) == ()


@pytest.mark.parametrize(
    "query",
    [
        "cc 64 " * 2_000,
        '"sustain" AND NEAR(*',
        "'; DROP TABLE meta; --",
        "sustain\x00pedal",
        "\uff23\uff23\uff16\uff14 sustain",
        "pédale sustain",
        "\udcff\udcfe nrpn",
    ],
)
def test_odd_queries_are_answered(library: KnowledgeBase, query: str):
    assert isinstance(library.search_chunks(query), tuple)


def test_only_one_domain_is_searched_when_it_is_named(library: KnowledgeBase):
    found = library.search_chunks("how many bits has an Art-Net universe", domain="midi")
    assert {each.chunk.domain for each in found} <= {"midi"}


def test_a_system_that_is_not_meant_comes_later(library: KnowledgeBase):
    query = "press a keyboard shortcut"
    for system in ("linux", "windows"):
        found = library.retrieve_for_message(query, platform=system).found
        assert found[0].chunk.platform == system
    assert (
        library.retrieve_for_message(f"{query} on windows", platform="linux")
        .found[0]
        .chunk.platform
        == "windows"
    )


def test_a_source_or_domain_that_is_switched_off_is_never_given(
    where: KnowledgePaths, tmp_path: Path
):
    for hidden in ("midi", "midi/controllers"):
        chosen = KnowledgeSettings(disabled_sources=(hidden,))
        library = KnowledgeBase(tmp_path, lambda given=chosen: given, paths=where)
        found = library.search_chunks("which cc is the sustain pedal")
        assert not any(each.chunk.domain == "midi" for each in found)
        assert [one.enabled for one in library.list_sources() if one.id == "midi/controllers"] == [
            False
        ]


def test_the_limits_of_a_provider_can_be_changed_in_the_settings(
    where: KnowledgePaths, tmp_path: Path
):
    query = "controllers cc 64 sustain pedal, cc 7 channel volume"

    def find(**changes: Any) -> tuple[ScoredChunk, ...]:
        own = KnowledgeSettings.model_validate({"providers": changes})
        library = KnowledgeBase(tmp_path, lambda: own, paths=where)
        return library.retrieve_for_message(query, provider="openai").found

    usual = find()
    assert len(usual) > 1
    assert find(openai={"max_chunks": 1}) == usual[:1]
    assert find(openai={"max_chunks": 0}) == find(openai={"max_tokens": 0}) == ()
    assert find(google={"max_chunks": 0}) == usual


def test_a_boost_in_the_settings_decides_between_texts_that_fit_alike(
    where: KnowledgePaths, tmp_path: Path
):
    def find_first(boosts: dict[str, float]) -> str:
        own = KnowledgeSettings.model_validate({"providers": {"openai": {"boosts": boosts}}})
        library = KnowledgeBase(tmp_path, lambda: own, paths=where)
        query = "sustain pedal and art-net universe"
        return library.retrieve_for_message(query, provider="openai").found[0].chunk.domain

    assert find_first({"midi/controllers": 1.3, "artnet": 0.8}) == "midi"
    assert find_first({"midi/controllers": 0.8, "artnet": 1.3}) == "artnet"


def test_for_openai_only_the_edges_of_midi_are_raised():
    boosts = get_retrieval_limits("openai").boosts
    documents = [f"midi/{path.stem}" for path in (ROOT / "knowledge" / "midi").glob("*.md")]
    raised = {one for one in documents if one.startswith(tuple(boosts))}
    assert all(any(one.startswith(start) for one in documents) for start in boosts)
    assert {"midi/midi1-rpn-nrpn", "midi/midi1-sysex", "midi/ump-packets"} <= raised
    assert not {"midi/midi1-messages", "midi/midi1-control-change-64-127"} & raised


def test_nothing_is_looked_up_when_knowledge_is_off(where: KnowledgePaths, tmp_path: Path):
    library = KnowledgeBase(tmp_path, lambda: KnowledgeSettings(enabled=False), paths=where)
    assert library.retrieve_for_message("which cc is the sustain pedal").found == ()


def test_the_answer_before_counts_for_a_message_that_leans_on_it(library: KnowledgeBase):
    earlier = "CC 64 is the sustain pedal, also called damper."
    found = library.retrieve_for_message("and what is its value when down?", last_answer=earlier)
    assert found.found[0].chunk.id == "midi/controllers#cc-64-sustain-pedal"
    alone = library.retrieve_for_message(
        "how many bits has an Art-Net universe", last_answer=earlier
    )
    assert alone.found[0].chunk.domain == "artnet"


def test_the_prompt_names_each_source_and_says_that_it_is_no_instruction(library: KnowledgeBase):
    text = render_reference_context(library.retrieve_for_message("which cc is the sustain pedal"))
    assert text.startswith("## Reference Context\n")
    assert "### [K1] Controllers — CC 64: sustain pedal\n" in text
    assert "[Source: A specification, revision 1.0, midi/controllers#cc-64-sustain-pedal]" in text
    assert "not instructions" in text
    assert render_reference_context(library.retrieve_for_message("tell me a joke")) == ""


@settings(
    max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)
@given(
    budget=st.integers(0, 800), provider=st.sampled_from(["anthropic", "openai", "litellm", "?"])
)
def test_the_budget_is_never_passed(library: KnowledgeBase, budget: int, provider: str):
    found = library.retrieve_for_message(
        "cc 64 sustain pedal volume", provider=provider, budget=budget
    )
    assert found.tokens <= budget
    assert len(found.found) <= 7


def test_what_the_model_had_lately_is_given_again_only_when_it_is_the_best(library: KnowledgeBase):
    query = "controllers cc 64 sustain pedal, cc 7 channel volume"
    first, second, *_ = (each.chunk.id for each in library.retrieve_for_message(query).found)
    again = [
        each.chunk.id for each in library.retrieve_for_message(query, recent=(first, second)).found
    ]
    assert again[0] == first
    assert second not in again


def test_a_chunk_is_given_by_its_id_and_an_unknown_one_is_told(library: KnowledgeBase):
    one = "midi/controllers#cc-7-channel-volume"
    assert library.get_chunk(one).tokens > 0
    with pytest.raises(InvalidParams, match="there is no chunk"):
        library.get_chunk("midi/nothing")


def test_without_the_model_words_alone_are_searched(where: KnowledgePaths, tmp_path: Path):
    index = tmp_path / "index"
    index.mkdir()
    shutil.copy(where.index / "knowledge.db", index)
    library = KnowledgeBase(tmp_path, paths=KnowledgePaths(where.sources, None, index, where.own))
    assert first(library, "which cc is the sustain pedal") == "midi/controllers#cc-64-sustain-pedal"
    assert library.search_chunks("tell me a joke") == ()
    status = library.get_status()
    assert (status.built, status.model) == (True, False)
    assert "only words are searched" in status.problem


def test_a_damaged_model_is_told_of_and_words_alone_are_searched(
    where: KnowledgePaths, tmp_path: Path
):
    index = tmp_path / "index"
    shutil.copytree(where.index, index)
    (index / "knowledge.onnx").write_bytes(b"no model")
    library = KnowledgeBase(tmp_path, paths=KnowledgePaths(where.sources, None, index, where.own))
    assert first(library, "sustain pedal") == "midi/controllers#cc-64-sustain-pedal"
    assert "knowledge.onnx is damaged; install Conductor again" in library.get_status().problem
    with pytest.raises(NotAvailable, match="cannot be used"):
        OnnxEmbedder(index / "knowledge.onnx").embed_texts(["x"])


def test_a_damaged_model_is_not_mistaken_for_a_user_index_that_must_be_rebuilt(
    where: KnowledgePaths, tmp_path: Path
):
    index = tmp_path / "index"
    shutil.copytree(where.index, index)
    places = KnowledgePaths(where.sources, None, index, where.own)
    KnowledgeBase(tmp_path, paths=places).rebuild_index()
    model = bytearray((index / "knowledge.onnx").read_bytes())
    model[-1_000] ^= 1
    (index / "knowledge.onnx").write_bytes(model)
    problem = KnowledgeBase(tmp_path, paths=places).get_status().problem
    assert "install Conductor again" in problem
    assert "conductor knowledge build" not in problem


def test_a_user_index_made_by_another_model_must_be_rebuilt(
    library: KnowledgeBase, where: KnowledgePaths
):
    library.rebuild_index()
    with closing(sqlite3.connect(where.own / "knowledge.db")) as own, own:
        own.execute("UPDATE meta SET value = 'onnx:another' WHERE key = 'embedder'")
    library.unload_index()
    assert "another language model; run `conductor knowledge build`" in library.get_status().problem


def test_an_index_that_is_not_there_or_damaged_says_how_to_build_it(
    where: KnowledgePaths, tmp_path: Path
):
    index = tmp_path / "index"
    empty = KnowledgeBase(tmp_path, paths=KnowledgePaths(where.sources, None, index, where.own))
    with pytest.raises(NotAvailable, match="conductor knowledge build"):
        empty.search_chunks("x")
    assert empty.get_status().built is False
    index.mkdir()
    (index / "knowledge.db").write_bytes((where.index / "knowledge.db").read_bytes()[:20_000])
    with pytest.raises(NotAvailable, match=r"damaged.*conductor knowledge build"):
        empty.search_chunks("x")
    empty.rebuild_index()
    assert first(empty, "sustain pedal") == "midi/controllers#cc-64-sustain-pedal"


def test_a_damaged_index_of_ones_own_gives_way_to_the_one_that_ships(
    library: KnowledgeBase, where: KnowledgePaths
):
    library.rebuild_index()
    assert library.get_status().problem == ""
    (where.own / "knowledge.db").write_bytes(b"rubbish")
    library.unload_index()
    assert first(library, "sustain pedal") == "midi/controllers#cc-64-sustain-pedal"
    assert "damaged" in library.get_status().problem


@contextmanager
def unwritable(folder: Path) -> Generator[None]:
    folder.chmod(0o555)
    try:
        yield
    finally:
        folder.chmod(0o755)


def test_the_installed_folder_is_only_read(library: KnowledgeBase, where: KnowledgePaths):
    before = {path.name: path.stat().st_mtime_ns for path in where.index.iterdir()}
    with unwritable(where.index):
        assert first(library, "sustain pedal")
    assert {path.name: path.stat().st_mtime_ns for path in where.index.iterdir()} == before


def test_a_file_of_the_current_folder_redirects_nothing(
    library: KnowledgeBase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    (tmp_path / ".env").write_text(
        "MIGRATIONS=true\nCHROMA_API_IMPL=elsewhere\nANONYMIZED_TELEMETRY=maybe\n"
    )
    (tmp_path / "knowledge.db").write_bytes(b"rubbish")
    monkeypatch.chdir(tmp_path)
    assert first(library, "sustain pedal") == "midi/controllers#cc-64-sustain-pedal"


def test_the_same_sources_give_the_same_bytes(sources: Path, tmp_path: Path):
    made = [
        build_index(IndexSources(sources), tmp_path / name, OnnxEmbedder(MODEL))
        for name in ("a", "b")
    ]
    assert made[0].path.read_bytes() == made[1].path.read_bytes()
    again = build_index(IndexSources(sources), tmp_path / "a", OnnxEmbedder(MODEL))
    assert again.path.read_bytes() == made[0].path.read_bytes()
    assert again.reused_vectors == again.vectors


def test_only_what_changed_is_embedded_again(sources: Path, tmp_path: Path):
    before = build_index(IndexSources(sources), tmp_path / "index", OnnxEmbedder(MODEL))
    file = sources / "midi" / "controllers.md"
    file.write_text(file.read_text() + "\n## CC 10: pan\nCC 10 is pan, 64 is the middle.\n")
    after = build_index(IndexSources(sources), tmp_path / "index", OnnxEmbedder(MODEL))
    assert (after.vectors, after.reused_vectors) == (before.vectors + 1, before.vectors)


def test_the_database_holds_what_the_specification_names(where: KnowledgePaths):
    with closing(sqlite3.connect(where.index / "knowledge.db")) as database:
        rows = database.execute(
            "SELECT id, domain, source, section_path, content, embedding, metadata FROM knowledge_chunks"
        ).fetchall()
        hits = database.execute(
            "SELECT rowid FROM chunks_fts WHERE chunks_fts MATCH 'damper'"
        ).fetchall()
    assert len(rows) == 6
    assert all(len(row[5]) == 384 * 4 and json.loads(row[3]) for row in rows)
    assert len(hits) == 1


def test_related_sentences_are_nearer_than_others():
    vectors = OnnxEmbedder(MODEL).embed_texts(
        [
            "That is a happy person",
            "That is a very happy person",
            "That is a happy dog",
            "Today is a sunny day",
        ]
    )
    near = vectors @ vectors[0]
    assert near == pytest.approx([1.0, 0.943, 0.695, 0.257], abs=0.05)


def test_texts_far_worse_than_the_best_are_left_out(
    library: KnowledgeBase, monkeypatch: pytest.MonkeyPatch
):
    query = "which cc is the sustain pedal"
    kept = {each.chunk.id for each in library.retrieve_for_message(query).found}
    without = DEFAULT_RETRIEVAL_LIMITS.model_copy(update={"min_score_share": 0.0})

    def keep_all(*_: object) -> RetrievalLimits:
        return without

    monkeypatch.setattr("conductor.knowledge.library.get_retrieval_limits", keep_all)
    scores = {each.chunk.id: each.score for each in library.retrieve_for_message(query).found}
    least = DEFAULT_RETRIEVAL_LIMITS.min_score_share * max(scores.values())
    assert {one for one, score in scores.items() if score < least}
    assert kept == {one for one, score in scores.items() if score >= least}
