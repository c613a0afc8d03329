"""A small library on disk: a few documents of each kind, built with the real model or without."""

from collections.abc import Generator
from copy import copy
from pathlib import Path

import pytest

from conductor.base.resource_paths import DATABASE_FILE, KnowledgePaths, find_knowledge_paths
from conductor.knowledge.build import IndexSources, build_index
from conductor.knowledge.embedder import OnnxEmbedder, Vectors
from conductor.knowledge.library import KnowledgeBase
from conductor.knowledge.loading import IndexLoader
from conductor.knowledge.search import KnowledgeIndex

ROOT = Path(__file__).resolve().parents[2]
MODEL = ROOT / "knowledge" / "index" / "knowledge.onnx"
SHIPPED_INDEX = find_knowledge_paths(Path("/nowhere")).index / DATABASE_FILE

HEAD = """---
title: "{title}"
domain: {domain}
source: A specification
revision: "1.0"
licence: Facts in our own words.
---
"""
CONTROLLERS = """# Controllers
## CC 64: sustain pedal
<!-- ask: pedal keeps notes ringing | let notes ring -->
CC 64 (0x40) is the sustain pedal, also called damper. 0-63 is up, 64-127 is down.
## CC 7: channel volume
CC 7 is the channel volume of a MIDI channel, 0 is silent and 127 is full.
## NRPN: select a parameter
An NRPN is chosen with CC 99 (MSB) and CC 98 (LSB), and set with CC 6. Filter cutoff is often one.
"""
UNIVERSES = """# Art-Net
## Port-Address: net, subnet, universe
An Art-Net port address has 15 bits: net 7, sub-net 4, universe 4.
"""
KEYS = {
    "linux": "# Keys on Linux\n## Type a shortcut\nxdotool key ctrl+c presses a shortcut in X11.\n",
    "windows": "# Keys on Windows\n## Type a shortcut\nSendKeys ^c presses a shortcut.\n",
}
CALIBRATION = "\n".join(
    f'[[query]]\ntext = "{text}"\nfacts = [{facts}]'
    for text, facts in (
        ("which cc is the sustain pedal", '"64"'),
        ("channel volume controller", '"7"'),
        ("how is an NRPN selected", '"99"'),
        ("art-net universe bits", '"15"'),
        ("press a shortcut in X11", '"xdotool"'),
        ("what is for dinner", ""),
        ("tell me a joke", ""),
        ("who won the football match", ""),
        ("write a poem about the sea", ""),
    )
)


def write_sources(folder: Path) -> Path:
    """Write the documents, the questions and a thesaurus."""
    for name, domain, text in (
        ("midi/controllers", "midi", CONTROLLERS),
        ("artnet/universes", "artnet", UNIVERSES),
    ):
        _write(folder / f"{name}.md", HEAD.format(title=name, domain=domain) + text)
    for system, text in KEYS.items():
        head = HEAD.format(title=system, domain=f"platform\nplatform: {system}")
        _write(folder / f"platform/{system}.md", head + text)
    _write(folder / "calibration.toml", CALIBRATION)
    _write(folder / "thesaurus.toml", '[[group]]\nwords = ["loudness", "volume"]\n')
    return folder


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


@pytest.fixture(scope="session", autouse=True)
def _models_loaded_once() -> Generator[None]:
    """Load each model file once for all libraries: it takes longer than most tests. A changed file is another one."""
    loaded: dict[tuple[Path, int, Path, int], OnnxEmbedder] = {}
    find_embedder = IndexLoader.find_embedder

    def find_loaded(loader: IndexLoader) -> OnnxEmbedder | None:
        found = find_embedder(loader)
        if found is None:
            return None
        model = loader._paths.model_file  # pyright: ignore[reportPrivateUsage]
        files = model.resolve(), model.with_name("tokenizer.json").resolve()
        key = files[0], files[0].stat().st_mtime_ns, files[1], files[1].stat().st_mtime_ns
        return loaded.setdefault(key, found)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(IndexLoader, "find_embedder", find_loaded)
        yield


@pytest.fixture(scope="session", autouse=True)
def _shipped_index_loaded_once() -> Generator[None]:
    """Load the index that ships once: a dozen libraries search it."""
    loaded: dict[int, tuple[KnowledgeIndex, str]] = {}
    load_file = IndexLoader._load_index_file  # pyright: ignore[reportPrivateUsage]

    def load_once(loader: IndexLoader, path: Path) -> tuple[KnowledgeIndex, str]:
        if path != SHIPPED_INDEX:
            return load_file(loader, path)
        changed_at = path.stat().st_mtime_ns
        if changed_at not in loaded:
            loaded[changed_at] = load_file(loader, path)
        index, problem = loaded[changed_at]
        return copy(index), problem  # each library sets who finds the nearest vectors

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(IndexLoader, "_load_index_file", load_once)
        yield


@pytest.fixture(scope="session", autouse=True)
def _texts_embedded_once() -> Generator[None]:
    """Run each model once for each text: several tests search for the same messages in the same texts."""
    run_model = OnnxEmbedder._embed_token_numbers  # pyright: ignore[reportPrivateUsage]

    def embed_once(embedder: OnnxEmbedder, numbers: list[int]) -> Vectors:
        known: dict[tuple[int, ...], Vectors] = vars(embedder).setdefault("embedded_once", {})
        if (key := tuple(numbers)) not in known:
            known[key] = run_model(embedder, numbers)
        return known[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(OnnxEmbedder, "_embed_token_numbers", embed_once)
        yield


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    return write_sources(tmp_path / "sources")


@pytest.fixture(scope="session")
def shipped(tmp_path_factory: pytest.TempPathFactory) -> KnowledgePaths:
    """What ships, built once with the real model."""
    root = tmp_path_factory.mktemp("shipped")
    folder = write_sources(root / "knowledge")
    index = folder / "index"
    index.mkdir()
    for file in (MODEL, MODEL.with_name("tokenizer.json")):
        (index / file.name).symlink_to(file)
    build_index(IndexSources(folder), index, OnnxEmbedder(index / MODEL.name))
    return KnowledgePaths(folder, None, index, root / "nobody")


@pytest.fixture
def where(shipped: KnowledgePaths, tmp_path: Path) -> KnowledgePaths:
    return KnowledgePaths(shipped.sources, None, shipped.index, tmp_path / "home" / "knowledge")


@pytest.fixture
def library(where: KnowledgePaths, tmp_path: Path) -> KnowledgeBase:
    return KnowledgeBase(tmp_path / "home", paths=where)
