"""Loads the index: the user's own if it is usable and was built for this version, otherwise the shipped one."""

import json
from pathlib import Path
from typing import NamedTuple

from conductor.base.resource_paths import (
    DATABASE_FILE,
    MANIFEST_FILE,
    KnowledgePaths,
    read_index_manifest,
    read_modified_ns,
)
from conductor.errors import NotAvailable
from conductor.knowledge import database
from conductor.knowledge.embedder import OnnxEmbedder
from conductor.knowledge.search import KnowledgeIndex, SearchQuery
from conductor.knowledge.thesaurus import Thesaurus

REINSTALL_HINT, REBUILD_HINT = "install Conductor again", "run `conductor knowledge build`"


class LoadedIndex(NamedTuple):
    """A loaded index with its file and its problem, and the modification times of all indexes when it was
    loaded.
    """

    search_index: KnowledgeIndex
    file: Path
    problem: str
    modification_times: tuple[int, ...]


class IndexLoader:
    """Finds and loads an index with its embedding model."""

    def __init__(self, paths: KnowledgePaths) -> None:
        self._paths = paths

    def read_modification_times(self) -> tuple[int, ...]:
        """Return the modification time of each index.

        The manifest of an index is written last, so its modification time is used.
        """
        return tuple(
            read_modified_ns(folder / MANIFEST_FILE)
            for folder in (self._paths.own, self._paths.index)
        )

    def load_index(self, problem: str = "") -> LoadedIndex:
        """Load the user's own index if it is usable and was built for this version, otherwise the shipped
        index.

        `problem` describes a problem that is already known.

        Raises:
            NotAvailable: No index is usable. The message says how to build it.
        """
        times, file, shipped = (
            self.read_modification_times(),
            self._choose_index_file(),
            self._paths.index / DATABASE_FILE,
        )
        try:
            index, new_problem = self._load_index_file(file)
        except NotAvailable as error:
            if file == shipped:
                raise
            problem, file = str(error), shipped
            index, new_problem = self._load_index_file(shipped)
        return LoadedIndex(index, file, problem or new_problem, times)

    def is_own_index_stale(self) -> bool:
        """Return whether the user has device profiles but no own index for this version."""
        return self.has_own_profiles() and not self._is_own_index_current()

    def _load_index_file(self, path: Path) -> tuple[KnowledgeIndex, str]:
        """Load an index and check that it can be searched.

        Return the index and a description of its problem, or an empty text.
        """
        contents = database.read_index(path)
        try:
            embedder, problem = self._load_matching_embedder(contents.meta["embedder"], path)
            index = KnowledgeIndex(
                contents, embedder, Thesaurus(json.loads(contents.meta["thesaurus"]))
            )
            index.rank_chunks(SearchQuery("ready"))
        except (KeyError, IndexError, TypeError, ValueError, AttributeError) as error:
            message = f"the knowledge index {path} is damaged ({type(error).__name__}: {error})"
            raise NotAvailable(f"{message}; {REBUILD_HINT}") from None
        return index, problem

    def has_own_profiles(self) -> bool:
        """Return whether the user has added device profiles, which only an own index contains."""
        folder = self._paths.profiles_folder
        return folder.is_dir() and any(
            each.suffix in (".toml", ".json") for each in folder.iterdir()
        )

    def _is_own_index_current(self) -> bool:
        """Return whether the user's own index was built for the shipped index, or no index is shipped."""
        shipped = read_index_manifest(self._paths.index / MANIFEST_FILE).get("fingerprint", "")
        own = read_index_manifest(self._paths.own / MANIFEST_FILE)
        exists = (self._paths.own / DATABASE_FILE).is_file()
        return exists and (not shipped or own.get("base") == shipped)

    def _choose_index_file(self) -> Path:
        return (
            self._paths.own if self._is_own_index_current() else self._paths.index
        ) / DATABASE_FILE

    def find_embedder(self) -> OnnxEmbedder | None:
        """Return the embedding model, or None if its files do not exist."""
        found = OnnxEmbedder(self._paths.model_file)
        return found if found.has_model_files else None

    def _load_matching_embedder(
        self, embedder_id: str, path: Path
    ) -> tuple[OnnxEmbedder | None, str]:
        """Return the embedding model that computed the vectors of the index, or None and the reason why it
        cannot be used.
        """
        embedder = self.find_embedder()
        if embedder is None:
            return (
                None,
                f"only words are searched: {self._paths.model_file} is missing; {REINSTALL_HINT}",
            )
        try:
            if embedder.id == embedder_id:
                embedder.embed_texts(["ready"])
                return embedder, ""
        except NotAvailable as problem:
            return None, f"only words are searched: {problem}"
        shipped_id = self._read_shipped_embedder_id(embedder_id, path)
        if shipped_id and embedder.id != shipped_id:
            return (
                None,
                f"only words are searched: {self._paths.model_file} is damaged; {REINSTALL_HINT}",
            )
        return (
            None,
            f"only words are searched: the index is of another language model; {REBUILD_HINT}",
        )

    def _read_shipped_embedder_id(self, embedder_id: str, path: Path) -> str:
        """Return the id of the embedding model with which the shipped index was built."""
        shipped = self._paths.index / DATABASE_FILE
        try:
            return embedder_id if path == shipped else database.read_index(shipped).meta["embedder"]
        except (NotAvailable, KeyError):
            return ""
