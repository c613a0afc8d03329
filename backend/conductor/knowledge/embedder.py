"""Computes embedding vectors of texts with the shipped model. Nothing is downloaded, and no use is reported."""

import hashlib
import os
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from conductor.errors import NotAvailable

VECTOR_DIMENSION_COUNT = 384
Vectors = NDArray[np.float32]


def compute_cosine_similarities(vectors: Vectors, vector: Vectors) -> Vectors:
    """Return the cosine similarity between each of several vectors and one vector.

    The operator `@` would use threads even for this little work, and on busy cores these wait for each
    other.
    """
    return np.einsum("ij,j->i", vectors, vector)


class Embedder(Protocol):
    """A model that converts texts to vectors of length 1."""

    @property
    def id(self) -> str:
        """The id of the model. Vectors of models with different ids cannot be compared."""
        ...

    def embed_texts(self, texts: Sequence[str]) -> Vectors:
        """Return a matrix with the vector of each text in one row."""
        ...

    def is_common_word(self, word: str) -> bool:
        """Return whether a word belongs to the common words in the vocabulary of the model."""
        ...


class OnnxEmbedder:
    """An ONNX model with its tokenizer, both loaded on first use.

    The model includes mean pooling and normalisation.
    """

    def __init__(self, model: Path, tokenizer: Path | None = None, threads: int = 1) -> None:
        self._model_path = model
        self._tokenizer_path = tokenizer or model.with_name("tokenizer.json")
        self._threads = threads

    @property
    def has_model_files(self) -> bool:
        """Whether the files of the model and of its tokenizer exist."""
        return self._model_path.is_file() and self._tokenizer_path.is_file()

    @property
    def id(self) -> str:
        """The id of the model, which is stored in the index; a hash of the files."""
        return self._model_hash

    @cached_property
    def _model_hash(self) -> str:
        try:
            with self._model_path.open("rb") as file:
                total = hashlib.file_digest(file, "sha256")
            total.update(self._tokenizer_path.read_bytes())
        except OSError as error:
            raise self._build_unusable_error(error) from None
        return f"onnx:{total.hexdigest()[:16]}"

    @cached_property
    def _onnx_session(self) -> Any:
        # Without this variable, onnxruntime reports each use to Microsoft, with a persistent id of
        # this computer.
        os.environ["ORT_DISABLE_TELEMETRY"] = "1"
        import onnxruntime

        onnxruntime.disable_telemetry_events()  # for Windows, where some builds ignore the variable
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = self._threads
        options.inter_op_num_threads = 1
        options.log_severity_level = 3
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        try:
            return onnxruntime.InferenceSession(
                self._model_path.read_bytes(), options, providers=["CPUExecutionProvider"]
            )
        except Exception as error:  # noqa: BLE001 - the library raises classes of its own for a damaged file
            raise self._build_unusable_error(error) from None

    @cached_property
    def _tokenizer(self) -> Any:
        from tokenizers import Tokenizer

        try:
            return Tokenizer.from_str(self._tokenizer_path.read_text(encoding="utf-8"))
        except Exception as error:  # noqa: BLE001 - the library raises a plain Exception
            raise self._build_unusable_error(error) from None

    def _build_unusable_error(self, error: Exception) -> NotAvailable:
        reason = str(error).splitlines()[0][:200] if str(error) else type(error).__name__
        return NotAvailable(
            f"the language model {self._model_path} cannot be used ({reason}); install Conductor again"
        )

    def embed_texts(self, texts: Sequence[str]) -> Vectors:
        """Return a matrix with the vector of each text in one row of length 1.

        Raises:
            NotAvailable: The files of the model are missing or damaged.
        """
        rows = np.zeros((len(texts), VECTOR_DIMENSION_COUNT), np.float32)
        for row, text in enumerate(
            texts
            # one by one, because with 8-bit weights the other texts of a batch would change the result
        ):
            rows[row] = self._embed_token_numbers(self._tokenizer.encode(text).ids)
        return rows

    def is_common_word(self, word: str) -> bool:
        """Return whether a word belongs to the common words in the vocabulary of the model."""
        return self._tokenizer.token_to_id(word) is not None

    def _embed_token_numbers(self, numbers: list[int]) -> Vectors:
        ids = np.array([numbers], np.int64)
        given = {"input_ids": ids, "attention_mask": np.ones_like(ids)}
        return self._onnx_session.run(["sentence_embedding"], given)[0][0]
