"""Builds the knowledge index: reads and splits the sources, embeds new texts, fits the relevance and
writes the database.
"""

import hashlib
import json
import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from conductor import __version__
from conductor.base.resource_paths import DATABASE_FILE, MANIFEST_FILE, read_index_manifest
from conductor.domain.knowledge import Chunk
from conductor.domain.knowledge_domains import Domain
from conductor.errors import ConfigError, NotAvailable
from conductor.knowledge import calibration, database, fitted, lexical, thesaurus
from conductor.knowledge.database import IndexContents
from conductor.knowledge.device_chunks import DeviceProfiles, read_device_profiles
from conductor.knowledge.documents import (
    GUIDE_SOURCE_PREFIX,
    compute_content_hash,
    count_chunks_by_domain,
    read_documents,
)
from conductor.knowledge.embedder import VECTOR_DIMENSION_COUNT, Embedder, OnnxEmbedder, Vectors
from conductor.knowledge.lexical import Lexicon
from conductor.knowledge.questions import add_questions, read_written_questions
from conductor.knowledge.relevance import fit_relevance_curves
from conductor.knowledge.text import split_words
from conductor.knowledge.translation import read_vocabulary
from conductor.knowledge.unknown_models import read_known_models, read_makers

ProgressCallback = Callable[[str, int, int], None]
"""Called during each step with the name of the step, the number of finished items and the total."""
EMBEDDING_BATCH_SIZE = 25
_INPUT_SUFFIXES = (".md", ".toml", ".json", ".npy", ".py")
CALIBRATION_KEY_PREFIX = "calibration_"
"""How the names of fitted values begin in the metadata of an index."""


def ignore_progress(step: str, done: int, total: int) -> None:
    """Ignore the progress of a build, for callers that do not show it."""


@dataclass(frozen=True)
class IndexSources:
    """The documents and device profiles from which an index is built."""

    folder: Path
    guide: Path | None = None
    profiles: tuple[Path, ...] = ()
    """Additional folders of device profiles, whose profiles replace shipped ones with the same id."""
    shipped_fingerprint: str = ""
    """The fingerprint of the shipped index that this index replaces, or an empty text for the shipped
    index itself.
    """


@dataclass(frozen=True)
class BuildReport:
    """What a finished build contains: its numbers of chunks, tokens and vectors, and the warnings for
    authors.
    """

    path: Path
    chunks: int
    tokens: int
    domains: dict[Domain, int]
    vectors: int
    reused_vectors: int
    """How many vectors were copied from earlier indexes instead of being computed."""
    size_bytes: int
    fingerprint: str
    has_model: bool
    warnings: tuple[str, ...]


def build_index(
    sources: IndexSources,
    target_folder: Path,
    embedder: OnnxEmbedder | None,
    progress: ProgressCallback = ignore_progress,
    earlier_indexes: Sequence[Path] = (),
    fitted_index: Path | None = None,
    *,
    threads: int = 1,
    fit_anew: bool = False,
) -> BuildReport:
    """Build the index and write `knowledge.db` with its manifest into a folder.

    Nothing is built if the index in the folder was built from the same files. `threads` is the number of
    threads that embed texts. Use more than one only in a command, because they compete with the engine for
    cores.
    `fitted_index` is an index of nearly the same texts. Its fitted relevance is copied if it was built with the
    same model, because fitting takes ten times as long as the other steps if few texts are new. Otherwise the
    fit in the sources is used, unless `fit_anew`: then the relevance is fitted and written to the sources.

    Raises:
        ConfigError: A source is invalid. The message says which one and why.
        NotAvailable: The embedding model is damaged.
    """
    inputs = compute_inputs_digest(sources, embedder)
    if (
        not fit_anew
        and (report := _read_current_report(target_folder, sources, inputs)) is not None
    ):
        return report
    devices = read_device_profiles([sources.folder / "devices", *sources.profiles])
    chunks = _read_chunks(sources, devices, progress)
    texts = list(_list_texts_to_embed(chunks))
    earlier_vectors = _load_earlier_vectors(
        [*earlier_indexes, target_folder / DATABASE_FILE], embedder, sources.folder
    )
    with ThreadPoolExecutor(1) as background:
        word_index = background.submit(_index_words, chunks)
        vectors = _embed_texts(texts, earlier_vectors, embedder, progress, threads)
        contents = _build_contents(
            sources, chunks, texts, vectors, embedder, devices, word_index.result()
        )
    progress("calibrate", 0, 1)
    contents = _add_relevance(contents, sources, embedder, fitted_index, fit_anew=fit_anew)
    if fit_anew and embedder is not None:
        _write_fitted(contents, sources, embedder)
    progress("write", 0, 1)
    database.write_index(target_folder / DATABASE_FILE, contents)
    reused = sum(text_hash in earlier_vectors for _, text_hash, _ in texts) if embedder else 0
    report = _build_report(target_folder, contents, reused, devices)
    _write_manifest(target_folder / MANIFEST_FILE, report, sources.shipped_fingerprint, inputs)
    return report


def _read_chunks(
    sources: IndexSources, devices: DeviceProfiles, progress: ProgressCallback
) -> list[Chunk]:
    progress("read", 0, 1)
    if not sources.folder.is_dir():
        raise ConfigError(
            f"{sources.folder} is not a folder; choose one that contains midi/, osc/ …"
        )
    written = read_written_questions(sources.folder / "questions")
    if sources.guide is None or not sources.guide.is_dir():
        written = written.exclude_chunks(GUIDE_SOURCE_PREFIX)
    chunks = sorted(
        add_questions(
            [*read_documents(sources.folder, sources.guide), *devices.build_chunks()], written
        ),
        key=lambda chunk: chunk.id,
    )
    if not chunks:
        raise ConfigError(f"{sources.folder} has no documents; expected midi/*.md, osc/*.md …")
    return chunks


def _list_texts_to_embed(chunks: Sequence[Chunk]) -> Iterator[tuple[str, str, str]]:
    """Yield the id, the hash and the text of everything to embed: each chunk with its headings, and its
    questions.
    """
    for chunk in chunks:
        whole = f"{' > '.join(chunk.section_path)}\n{chunk.content}"
        for part, text in enumerate([whole, *chunk.ask]):
            key = f"{chunk.id}|{part}" if part else chunk.id
            yield key, hashlib.sha256(text.encode()).hexdigest()[:32], text


def _load_earlier_vectors(
    paths: Sequence[Path], embedder: Embedder | None, folder: Path
) -> dict[str, Vectors]:
    """Return the vectors that the same model made for earlier indexes and for the sources in a folder, by the
    hash of their text.
    """
    found = {} if embedder is None else fitted.read_text_vectors(folder, embedder.id)
    for path in paths if embedder is not None else ():
        try:
            contents = database.read_index(path)
        except NotAvailable:
            continue
        if embedder is not None and contents.meta.get("embedder") == embedder.id:
            found.update(zip(contents.text_hashes, contents.vectors, strict=True))
    return found


def _embed_texts(
    texts_to_embed: Sequence[tuple[str, str, str]],
    earlier_vectors: Mapping[str, Vectors],
    embedder: Embedder | None,
    progress: ProgressCallback,
    threads: int,
) -> dict[str, Vectors]:
    """Return the vector of each text.

    Texts are embedded one by one, so that the number of threads does not change any vector.
    """
    if embedder is None:
        return {}
    vectors_by_id = {
        key: earlier_vectors[text_hash]
        for key, text_hash, _ in texts_to_embed
        if text_hash in earlier_vectors
    }
    new = [
        (key, text) for key, text_hash, text in texts_to_embed if text_hash not in earlier_vectors
    ]
    batches = [
        new[start : start + EMBEDDING_BATCH_SIZE]
        for start in range(0, len(new), EMBEDDING_BATCH_SIZE)
    ]
    texts = [[text for _, text in batch] for batch in batches]
    done = 0
    with ThreadPoolExecutor(threads) as workers:
        # The first text is embedded alone, because this loads the model.
        rows = chain(
            [*map(embedder.embed_texts, texts[:1])], workers.map(embedder.embed_texts, texts[1:])
        )
        for batch, vectors in zip(batches, rows, strict=True):
            vectors_by_id.update(zip((key for key, _ in batch), vectors, strict=True))
            done += len(batch)
            progress("embed", done, len(new))
    return vectors_by_id


def _index_words(chunks: Sequence[Chunk]) -> tuple[Lexicon, dict[str, int]]:
    """Return the inverted index of chunks, and every word with its frequency."""
    return lexical.build_lexicon(chunks), _count_words(chunks)


def _build_contents(
    sources: IndexSources,
    chunks: Sequence[Chunk],
    texts: Sequence[tuple[str, str, str]],
    vectors: Mapping[str, Vectors],
    embedder: Embedder | None,
    devices: DeviceProfiles,
    word_index: tuple[Lexicon, dict[str, int]],
) -> IndexContents:
    hashes = {key: text_hash for key, text_hash, _ in texts}
    ids = tuple(sorted(vectors))
    matrix = (
        np.stack([vectors[key] for key in ids])
        if ids
        else np.zeros((0, VECTOR_DIMENSION_COUNT), np.float32)
    )
    digest = hashlib.sha256("".join(map(compute_content_hash, chunks)).encode())
    models = json.dumps(read_known_models(sources.folder / "models.toml"), ensure_ascii=False)
    makers = read_makers(sources.folder / "models.toml")
    languages = json.dumps(read_vocabulary(sources.folder / "languages.toml"), ensure_ascii=False)
    digest.update(models.encode() + languages.encode())
    digest.update(
        (embedder.id if embedder else "").encode() + database.INDEX_SCHEMA_VERSION.encode()
    )
    return IndexContents(
        chunks=tuple(chunks),
        lexicon=word_index[0],
        vector_ids=ids,
        vectors=matrix.astype(np.float16).astype(np.float32),
        text_hashes=tuple(hashes[key] for key in ids),
        spelling=word_index[1],
        meta={
            "schema": database.INDEX_SCHEMA_VERSION,
            "chunks": str(len(chunks)),
            "embedder": embedder.id if embedder else "",
            "fingerprint": digest.hexdigest(),
            "devices": json.dumps(devices.list_device_names(), ensure_ascii=False, sort_keys=True),
            "models": models,
            "makers": json.dumps(makers, ensure_ascii=False),
            "languages": languages,
            "thesaurus": json.dumps(
                thesaurus.read_synonym_groups(sources.folder / "thesaurus.toml")
            ),
        },
    )


def _add_relevance(
    contents: IndexContents,
    sources: IndexSources,
    embedder: OnnxEmbedder | None,
    fitted_index: Path | None,
    *,
    fit_anew: bool,
) -> IndexContents:
    """Return the contents with the relevance: from another index, from the sources, or fitted."""
    if not fit_anew:
        if (copied := _copy_relevance_fit(contents, fitted_index)) is not None:
            return copied
        fit = fitted.read_relevance_fit(sources.folder, contents.meta["embedder"])
        if fit is not None:
            meta = {**contents.meta, **fit.curves}
            return replace(contents, meta=meta, small_talk=fit.small_talk)
    return _fit_relevance_of_contents(contents, sources, embedder)


def _write_fitted(contents: IndexContents, sources: IndexSources, embedder: Embedder) -> None:
    """Write the fit and the vectors of the shipped texts, without those of questions, into the sources."""
    curves = {
        name: text
        for name, text in contents.meta.items()
        if name.startswith(CALIBRATION_KEY_PREFIX)
    }
    vectors = {
        text_hash: vector
        for key, text_hash, vector in zip(
            contents.vector_ids, contents.text_hashes, contents.vectors, strict=True
        )
        if "|" not in key
    }
    fit = fitted.RelevanceFit(curves, contents.small_talk)
    fitted.write_fitted(sources.folder, embedder.id, fit, vectors)


def _copy_relevance_fit(contents: IndexContents, fitted_index: Path | None) -> IndexContents | None:
    """Return the contents with the fitted relevance of another index.

    Return None if that index was fitted for another model.
    """
    try:
        other = None if fitted_index is None else database.read_index(fitted_index)
    except NotAvailable:
        return None
    if other is None or other.meta["embedder"] != contents.meta["embedder"]:
        return None
    curves = {
        name: text for name, text in other.meta.items() if name.startswith(CALIBRATION_KEY_PREFIX)
    }
    if not curves:
        return None
    return replace(contents, meta={**contents.meta, **curves}, small_talk=other.small_talk)


def _fit_relevance_of_contents(
    contents: IndexContents, sources: IndexSources, embedder: OnnxEmbedder | None
) -> IndexContents:
    questions = (
        *calibration.read_calibration_questions(sources.folder / "calibration.toml"),
        *calibration.read_small_talk_messages(sources.folder / "offtopic.toml"),
    )
    synonyms = thesaurus.Thesaurus(json.loads(contents.meta["thesaurus"]))
    return fit_relevance_curves(contents, questions, embedder, synonyms)


def _count_words(chunks: Sequence[Chunk]) -> dict[str, int]:
    texts = (" ".join([*chunk.section_path, *chunk.ask, chunk.content]) for chunk in chunks)
    return dict(Counter(word for text in texts for word in split_words(text) if word.isalpha()))


def compute_inputs_digest(sources: IndexSources, embedder: OnnxEmbedder | None) -> str:
    """Return a hash of what an index depends on: the files of the sources, the model and the code."""
    total = hashlib.sha256(embedder.id.encode() if embedder else b"")
    total.update(f"{__version__} {sources.shipped_fingerprint}".encode())
    folders = [sources.folder, *([sources.guide] if sources.guide else []), *sources.profiles]
    code = Path(__file__).parent
    for folder in (*folders, code, code.parent / "profiles"):
        for path in sorted(folder.rglob("*")) if folder.is_dir() else ():
            if path.suffix in _INPUT_SUFFIXES and path.parent.name != "index":
                total.update(f"{path.relative_to(folder)}\0".encode())
                total.update(path.read_bytes())
    return total.hexdigest()


def _read_current_report(
    target_folder: Path, sources: IndexSources, inputs: str
) -> BuildReport | None:
    """Return the report of an index that was built from the same files, or None."""
    path = target_folder / DATABASE_FILE
    rows: Any = read_index_manifest(target_folder / MANIFEST_FILE)
    is_same = (rows.get("inputs"), rows.get("base")) == (inputs, sources.shipped_fingerprint)
    if not is_same or not path.is_file():
        return None
    if _hash_file(path) != rows.get("database"):
        return None  # it is damaged
    try:
        return BuildReport(
            path=path,
            chunks=rows["chunks"],
            tokens=rows["tokens"],
            domains=rows["domains"],
            vectors=rows["vectors"],
            reused_vectors=rows["vectors"],
            size_bytes=rows["size_bytes"],
            fingerprint=rows["fingerprint"],
            has_model=rows["model"],
            warnings=tuple(rows["warnings"]),
        )
    except (KeyError, TypeError):
        return None


def _hash_file(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _build_report(
    target: Path, contents: IndexContents, reused_vectors: int, devices: DeviceProfiles
) -> BuildReport:
    path = target / DATABASE_FILE
    return BuildReport(
        path=path,
        chunks=len(contents.chunks),
        tokens=sum(chunk.tokens for chunk in contents.chunks),
        domains=count_chunks_by_domain(list(contents.chunks)),
        vectors=len(contents.vector_ids),
        reused_vectors=reused_vectors,
        size_bytes=path.stat().st_size,
        fingerprint=contents.meta["fingerprint"],
        has_model=bool(contents.vector_ids),
        warnings=(*devices.problems, *find_content_warnings(contents)),
    )


def _write_manifest(path: Path, report: BuildReport, shipped_fingerprint: str, inputs: str) -> None:
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    at = datetime.fromtimestamp(int(epoch), UTC) if epoch.isdigit() else datetime.now(UTC)
    rows = {
        "built_at": at.isoformat(timespec="seconds"),
        "chunks": report.chunks,
        "tokens": report.tokens,
        "domains": report.domains,
        "vectors": report.vectors,
        "size_bytes": report.size_bytes,
        "fingerprint": report.fingerprint,
        "base": shipped_fingerprint,
        "model": report.has_model,
        "inputs": inputs,
        "database": _hash_file(report.path),
        "warnings": report.warnings,
    }
    partial = path.with_name(f"{path.name}.{os.getpid()}.part")
    partial.write_text(json.dumps(rows, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    partial.replace(path)


def find_content_warnings(contents: IndexContents) -> Iterator[str]:
    """Yield a warning for each problem that the author of a text should check."""
    seen: dict[str, str] = {}
    for chunk in contents.chunks:
        if not chunk.licence and chunk.domain not in ("conductor", "device"):
            yield f"{chunk.id}: no licence in the front matter"
        if chunk.tokens > 700:
            yield f"{chunk.id}: {chunk.tokens} tokens; aim at 120 to 350"
        if chunk.content in seen:
            yield f"{chunk.id}: the same text as {seen[chunk.content]}"
        seen[chunk.content] = chunk.id
    if "calibration_lexical" not in contents.meta:
        yield "not calibrated: calibration.toml is missing or too short, so no chunk is filtered by relevance"
