"""Reads and writes what `conductor knowledge build --fit` computed from the shipped texts in advance.

The relevance curves and the vectors of the texts take long to compute, and change little when a text changes.
They are in `knowledge/fitted`, so that building the index from nothing takes seconds. A text that is not among
them is embedded when the index is built.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from conductor.base.json_types import JsonObject
from conductor.errors import ConfigError
from conductor.knowledge.embedder import VECTOR_DIMENSION_COUNT, Vectors

FITTED_FOLDER = "fitted"
RELEVANCE_FILE, TEXT_VECTORS_FILE, SMALL_TALK_FILE = (
    "relevance.json",
    "text-vectors.npy",
    "small-talk.npy",
)
FITTED_FROM = ("calibration.toml", "offtopic.toml")
"""The files of the knowledge folder from which the relevance is fitted."""
_HASH_BYTES = 16
_ROW = np.dtype(
    [("hash", "u1", _HASH_BYTES), ("scale", "<f4"), ("vector", "i1", VECTOR_DIMENSION_COUNT)]
)
"""A vector with eight bits for each number, which keeps its direction within a thousandth."""
LARGEST_NUMBER = 127


@dataclass(frozen=True)
class RelevanceFit:
    """The fitted curves and the query classifier."""

    curves: Mapping[str, str]
    """The values by their name in the metadata of an index."""
    small_talk: Vectors
    """The vectors of the known small-talk messages."""


def read_relevance_fit(folder: Path, embedder_id: str) -> RelevanceFit | None:
    """Return the fit in a knowledge folder, or None if there is none for this model.

    Raises:
        ConfigError: a file is damaged.
    """
    header = _read_header(folder)
    if header is None or header.get("embedder") != embedder_id:
        return None
    _, small_talk = _read_vectors(folder / FITTED_FOLDER / SMALL_TALK_FILE)
    return RelevanceFit(dict(header["curves"]), small_talk)


def read_text_vectors(folder: Path, embedder_id: str) -> dict[str, Vectors]:
    """Return the vectors that this model made of texts, by the hash of the text.

    Raises:
        ConfigError: a file is damaged.
    """
    header = _read_header(folder)
    if header is None or header.get("embedder") != embedder_id:
        return {}
    hashes, vectors = _read_vectors(folder / FITTED_FOLDER / TEXT_VECTORS_FILE)
    return dict(zip(hashes, vectors, strict=True))


def is_fit_current(folder: Path) -> bool:
    """Return whether the questions and messages from which the relevance is fitted are unchanged."""
    header = _read_header(folder)
    return header is not None and header.get("inputs") == _compute_inputs_digest(folder)


def write_fitted(
    folder: Path, embedder_id: str, fit: RelevanceFit, text_vectors: Mapping[str, Vectors]
) -> None:
    """Write a fit and the vectors of texts into a knowledge folder."""
    target = folder / FITTED_FOLDER
    target.mkdir(exist_ok=True)
    hashes = sorted(text_vectors)
    _write_vectors(target / TEXT_VECTORS_FILE, hashes, [text_vectors[each] for each in hashes])
    no_hash = "00" * _HASH_BYTES
    _write_vectors(target / SMALL_TALK_FILE, [no_hash] * len(fit.small_talk), fit.small_talk)
    header = {
        "embedder": embedder_id,
        "inputs": _compute_inputs_digest(folder),
        "curves": dict(sorted(fit.curves.items())),
    }
    text = json.dumps(header, indent=1, ensure_ascii=False) + "\n"
    (target / RELEVANCE_FILE).write_text(text, encoding="utf-8")


def _read_header(folder: Path) -> JsonObject | None:
    path = folder / FITTED_FOLDER / RELEVANCE_FILE
    if not path.is_file():
        return None
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise ConfigError(f"{path}: {error}") from None


def _compute_inputs_digest(folder: Path) -> str:
    total = hashlib.sha256()
    for name in FITTED_FROM:
        path = folder / name
        total.update(path.read_bytes() if path.is_file() else b"")
    return total.hexdigest()


def _write_vectors(
    path: Path, hashes: Sequence[str], vectors: "Sequence[Vectors] | Vectors"
) -> None:
    rows = np.zeros(len(hashes), _ROW)
    for row, text_hash, vector in zip(rows, hashes, vectors, strict=True):
        scale = float(np.abs(vector).max()) / LARGEST_NUMBER or 1.0
        row["hash"] = np.frombuffer(bytes.fromhex(text_hash), "u1")
        row["scale"] = scale
        row["vector"] = np.round(vector / scale)
    np.save(path, rows, allow_pickle=False)


def _read_vectors(path: Path) -> tuple[list[str], Vectors]:
    try:
        rows = np.load(path, allow_pickle=False)
    except (OSError, ValueError) as error:
        raise ConfigError(f"{path}: {error}") from None
    if rows.dtype != _ROW:
        raise ConfigError(f"{path}: it has other columns; run `conductor knowledge build --fit`")
    vectors = rows["vector"].astype(np.float32) * rows["scale"][:, None]
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return [each.tobytes().hex() for each in rows["hash"]], vectors / np.maximum(lengths, 1e-9)
