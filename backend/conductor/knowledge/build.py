"""Builds the index: reads and splits the sources, embeds new texts, fits the relevance, and writes the
database.
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

import numpy as np

from conductor.base.resource_paths import DATABASE, MANIFEST
from conductor.domain.knowledge import Chunk
from conductor.domain.knowledge_domains import Domain
from conductor.errors import ConfigError, NotAvailable
from conductor.knowledge import calibration, database, lexical, thesaurus
from conductor.knowledge.database import Contents
from conductor.knowledge.device_chunks import Devices, read_devices
from conductor.knowledge.documents import content_hash, counts, read_all
from conductor.knowledge.embedder import SIZE, Embedder, OnnxEmbedder, Vectors
from conductor.knowledge.relevance import fit_relevance
from conductor.knowledge.text import plain_words
from conductor.knowledge.unknown_models import read_models

Progress = Callable[[str, int, int], None]
"""A function called for each step with the step's name, the number of finished items and the total."""
STEP = 25
CALIBRATION = "calibration_"
"""The prefix of the names of fitted values in an index."""


def silent(step: str, done: int, of: int) -> None:
    """Ignore the progress of a build."""


@dataclass(frozen=True)
class Sources:
    """The documents and device profiles from which an index is built."""

    folder: Path
    guide: Path | None = None
    profiles: tuple[Path, ...] = ()
    """Further folders of device profiles."""
    base: str = ""
    """The fingerprint of the shipped index that the user's own index replaces."""


@dataclass(frozen=True)
class Report:
    """The counts and warnings of a finished build."""

    path: Path
    chunks: int
    tokens: int
    domains: dict[Domain, int]
    vectors: int
    reused: int
    """The number of vectors reused from earlier indexes."""
    size_bytes: int
    fingerprint: str
    model: bool
    warnings: tuple[str, ...]


def build(
    sources: Sources,
    target: Path,
    embedder: OnnxEmbedder | None,
    progress: Progress = silent,
    reuse: Sequence[Path] = (),
    fitted: Path | None = None,
    *,
    threads: int = 1,
) -> Report:
    """Build the index and write `knowledge.db` and its manifest into a folder.

    `threads` embed texts at the same time. Use more than one only in a command, because they take the engine's
    cores. `fitted` is an index of nearly the same texts. Its fitted relevance is copied if it was built with
    the same model: if few texts are new, fitting takes ten times as long as all the rest.

    Raises:
        ConfigError: a source cannot be used; says which and why.
        NotAvailable: the model is damaged.
    """
    devices = read_devices([sources.folder / "devices", *sources.profiles])
    chunks = _read(sources, devices, progress)
    made_of = list(_list_texts(chunks))
    kept = _load_earlier_vectors([*reuse, target / DATABASE], embedder)
    vectors = _embed(made_of, kept, embedder, progress, threads)
    contents = _build_contents(sources, chunks, made_of, vectors, embedder, devices)
    progress("calibrate", 0, 1)
    contents = _copy_relevance(contents, fitted) or _fit_contents(contents, sources, embedder)
    progress("write", 0, 1)
    database.write(target / DATABASE, contents)
    reused = sum(text_hash in kept for _, text_hash, _ in made_of) if embedder else 0
    return _report(target, contents, reused, sources.base, devices)


def _read(sources: Sources, devices: Devices, progress: Progress) -> list[Chunk]:
    progress("read", 0, 1)
    if not sources.folder.is_dir():
        raise ConfigError(f"{sources.folder} is not a folder; give one that has midi/, osc/ …")
    chunks = sorted(
        [*read_all(sources.folder, sources.guide), *devices.chunks()], key=lambda chunk: chunk.id
    )
    if not chunks:
        raise ConfigError(f"{sources.folder} has no documents; expected midi/*.md, osc/*.md …")
    return chunks


def _list_texts(chunks: Sequence[Chunk]) -> Iterator[tuple[str, str, str]]:
    """Yield the id, hash and text of everything to embed: each chunk with its headings, and the questions of
    each chunk.
    """
    for chunk in chunks:
        whole = f"{' > '.join(chunk.section_path)}\n{chunk.content}"
        for part, text in enumerate([whole, *chunk.ask]):
            key = f"{chunk.id}|{part}" if part else chunk.id
            yield key, hashlib.sha256(text.encode()).hexdigest()[:32], text


def _load_earlier_vectors(paths: Sequence[Path], embedder: Embedder | None) -> dict[str, Vectors]:
    """Return the vectors that the same model made for earlier indexes, by the hash of their text."""
    found: dict[str, Vectors] = {}
    for path in paths if embedder is not None else ():
        try:
            contents = database.read(path)
        except NotAvailable:
            continue
        if embedder is not None and contents.meta.get("embedder") == embedder.id:
            found.update(zip(contents.text_hashes, contents.vectors, strict=True))
    return found


def _embed(
    made_of: Sequence[tuple[str, str, str]],
    kept: Mapping[str, Vectors],
    embedder: Embedder | None,
    progress: Progress,
    threads: int,
) -> dict[str, Vectors]:
    """Return the vector of each text. Texts are embedded one by one, so the number of threads changes no
    vector.
    """
    if embedder is None:
        return {}
    found = {key: kept[made] for key, made, _ in made_of if made in kept}
    new = [(key, text) for key, made, text in made_of if made not in kept]
    steps = [new[start : start + STEP] for start in range(0, len(new), STEP)]
    texts = [[text for _, text in step] for step in steps]
    done = 0
    with ThreadPoolExecutor(threads) as workers:
        # The first step alone, because it loads the model.
        rows = chain([*map(embedder.embed, texts[:1])], workers.map(embedder.embed, texts[1:]))
        for step, vectors in zip(steps, rows, strict=True):
            found.update(zip((key for key, _ in step), vectors, strict=True))
            done += len(step)
            progress("embed", done, len(new))
    return found


def _build_contents(
    sources: Sources,
    chunks: Sequence[Chunk],
    made_of: Sequence[tuple[str, str, str]],
    vectors: Mapping[str, Vectors],
    embedder: Embedder | None,
    devices: Devices,
) -> Contents:
    hashes = {key: made for key, made, _ in made_of}
    ids = tuple(sorted(vectors))
    matrix = np.stack([vectors[key] for key in ids]) if ids else np.zeros((0, SIZE), np.float32)
    total = hashlib.sha256("".join(map(content_hash, chunks)).encode())
    models = json.dumps(read_models(sources.folder / "models.toml"), ensure_ascii=False)
    total.update(models.encode())
    total.update((embedder.id if embedder else "").encode() + database.SCHEMA.encode())
    return Contents(
        chunks=tuple(chunks),
        lexicon=lexical.build(chunks),
        vector_ids=ids,
        vectors=matrix.astype(np.float16).astype(np.float32),
        text_hashes=tuple(hashes[key] for key in ids),
        spelling=_spelling(chunks),
        meta={
            "schema": database.SCHEMA,
            "chunks": str(len(chunks)),
            "embedder": embedder.id if embedder else "",
            "fingerprint": total.hexdigest(),
            "devices": json.dumps(devices.names(), ensure_ascii=False, sort_keys=True),
            "models": models,
            "thesaurus": json.dumps(thesaurus.read(sources.folder / "thesaurus.toml")),
        },
    )


def _copy_relevance(contents: Contents, fitted: Path | None) -> Contents | None:
    """Return the contents with the relevance copied from another index, or None if that index has none for this
    model.
    """
    try:
        other = None if fitted is None else database.read(fitted)
    except NotAvailable:
        return None
    if other is None or other.meta["embedder"] != contents.meta["embedder"]:
        return None
    curves = {name: text for name, text in other.meta.items() if name.startswith(CALIBRATION)}
    if not curves:
        return None
    return replace(contents, meta={**contents.meta, **curves}, small_talk=other.small_talk)


def _fit_contents(contents: Contents, sources: Sources, embedder: OnnxEmbedder | None) -> Contents:
    questions = (
        *calibration.read(sources.folder / "calibration.toml"),
        *calibration.messages(sources.folder / "offtopic.toml"),
    )
    words_for = thesaurus.Thesaurus(json.loads(contents.meta["thesaurus"]))
    return fit_relevance(contents, questions, embedder, words_for)


def _spelling(chunks: Sequence[Chunk]) -> dict[str, int]:
    texts = (" ".join([*chunk.section_path, *chunk.ask, chunk.content]) for chunk in chunks)
    return dict(Counter(word for text in texts for word in plain_words(text) if word.isalpha()))


def _report(target: Path, contents: Contents, reused: int, base: str, devices: Devices) -> Report:
    path = target / DATABASE
    report = Report(
        path=path,
        chunks=len(contents.chunks),
        tokens=sum(chunk.tokens for chunk in contents.chunks),
        domains=counts(list(contents.chunks)),
        vectors=len(contents.vector_ids),
        reused=reused,
        size_bytes=path.stat().st_size,
        fingerprint=contents.meta["fingerprint"],
        model=bool(contents.vector_ids),
        warnings=(*devices.problems, *warnings(contents)),
    )
    _write_manifest(target / MANIFEST, report, base)
    return report


def _write_manifest(path: Path, report: Report, base: str) -> None:
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    at = datetime.fromtimestamp(int(epoch), UTC) if epoch.isdigit() else datetime.now(UTC)
    rows = {
        "built_at": at.isoformat(timespec="seconds"),
        "chunks": report.chunks,
        "tokens": report.tokens,
        "domains": report.domains,
        "size_bytes": report.size_bytes,
        "fingerprint": report.fingerprint,
        "base": base,
        "model": report.model,
    }
    half = path.with_name(f"{path.name}.{os.getpid()}.part")
    half.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    half.replace(path)


def warnings(contents: Contents) -> Iterator[str]:
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
        yield "not calibrated: calibration.toml is missing or too short, so nothing is held back"
