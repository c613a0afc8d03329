"""What was computed in advance makes a build fast, and is used only where it is right."""

import json
from pathlib import Path

import numpy as np
import pytest
from tests.knowledge.conftest import MODEL, ROOT

from conductor.errors import ConfigError
from conductor.knowledge import build, fitted
from conductor.knowledge.build import IndexSources, build_index
from conductor.knowledge.database import read_index
from conductor.knowledge.embedder import OnnxEmbedder

EMBEDDER = OnnxEmbedder(MODEL)
SOURCES = ROOT / "knowledge"


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts that are embedded."""
    texts: list[str] = []
    embed_texts = OnnxEmbedder.embed_texts

    def embed_counted(self: OnnxEmbedder, new: list[str]) -> np.ndarray:
        texts.extend(new)
        return embed_texts(self, new)

    monkeypatch.setattr(OnnxEmbedder, "embed_texts", embed_counted)
    return texts


def test_a_build_uses_the_fit_and_embeds_only_new_texts_and_questions(
    sources: Path, tmp_path: Path, counted: list[str]
):
    whole = build_index(IndexSources(sources), tmp_path / "a", EMBEDDER, fit_anew=True)
    page = sources / "artnet" / "universes.md"
    page.write_text(page.read_text() + "## Another section\nIt is new.\n", encoding="utf-8")
    counted.clear()
    build_index(IndexSources(sources), tmp_path / "b", EMBEDDER)
    assert [text for text in counted if "\n" in text] == ["Art-Net > Another section\nIt is new."]
    assert len(counted) == 3, "the new text, and the two questions of one text"
    first, second = (read_index(tmp_path / name / "knowledge.db") for name in "ab")
    assert first.meta["calibration_fused"] == second.meta["calibration_fused"]
    assert first.small_talk == pytest.approx(second.small_talk, abs=0.01)
    assert whole.vectors == len(first.vectors)
    rows = [second.vector_ids.index(each) for each in first.vector_ids]
    cosines = (first.vectors * second.vectors[rows]).sum(axis=1)
    assert cosines.min() > 0.999


def test_nothing_is_built_if_nothing_changed(
    sources: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    made = build_index(IndexSources(sources), tmp_path / "index", EMBEDDER)

    def refuse(*_arguments: object) -> None:
        raise AssertionError("it is written again")

    with monkeypatch.context() as patch:
        patch.setattr(build.database, "write_index", refuse)
        again = build_index(IndexSources(sources), tmp_path / "index", EMBEDDER)
    assert (again.fingerprint, again.warnings, again.domains) == (
        made.fingerprint,
        made.warnings,
        made.domains,
    )
    made.path.write_bytes(b"x" + made.path.read_bytes()[1:])
    assert build_index(IndexSources(sources), tmp_path / "index", EMBEDDER).chunks == made.chunks
    assert read_index(made.path).chunks, "a damaged file is built again"


def test_a_fit_of_another_model_is_not_used(sources: Path, tmp_path: Path):
    build_index(IndexSources(sources), tmp_path / "index", EMBEDDER, fit_anew=True)
    header = sources / "fitted" / "relevance.json"
    rows = json.loads(header.read_text(encoding="utf-8"))
    header.write_text(json.dumps({**rows, "embedder": "onnx:another"}), encoding="utf-8")
    assert fitted.read_relevance_fit(sources, EMBEDDER.id) is None
    assert fitted.read_text_vectors(sources, EMBEDDER.id) == {}


def test_a_damaged_fit_is_reported(sources: Path, tmp_path: Path):
    build_index(IndexSources(sources), tmp_path / "index", EMBEDDER, fit_anew=True)
    (sources / "fitted" / "text-vectors.npy").write_bytes(b"rubbish")
    with pytest.raises(ConfigError, match=r"text-vectors\.npy"):
        build_index(IndexSources(sources), tmp_path / "other", EMBEDDER)


def test_the_fit_in_the_tree_is_of_its_model_and_its_messages():
    assert fitted.is_fit_current(SOURCES), "run `conductor knowledge build --fit`"
    assert fitted.read_relevance_fit(SOURCES, EMBEDDER.id) is not None
    vectors = fitted.read_text_vectors(SOURCES, EMBEDDER.id)
    index = read_index(SOURCES / "index" / "knowledge.db")
    hashes = [
        text_hash
        for key, text_hash in zip(index.vector_ids, index.text_hashes, strict=True)
        if "|" not in key
    ]
    known = sum(text_hash in vectors for text_hash in hashes)
    assert known >= 0.8 * len(hashes), "run `conductor knowledge build --fit`"
    size = sum(path.stat().st_size for path in (SOURCES / "fitted").iterdir())
    assert size < 2_000_000
