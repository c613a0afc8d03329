"""Loads the index: the user's own if it is usable and built for this version, otherwise the shipped one."""

import json
from pathlib import Path
from typing import NamedTuple

from conductor.base.resource_paths import (
    DATABASE,
    MANIFEST,
    KnowledgePaths,
    read_manifest,
    read_modified_ns,
)
from conductor.errors import NotAvailable
from conductor.knowledge import database
from conductor.knowledge.embedder import OnnxEmbedder
from conductor.knowledge.search import Index, Query
from conductor.knowledge.thesaurus import Thesaurus

INSTALL, REBUILD = "install Conductor again", "run `conductor knowledge build`"


class Loaded(NamedTuple):
    """A loaded index with its file, its problem, and the modification times of all indexes at that time."""

    searched: Index
    file: Path
    problem: str
    stamp: tuple[int, ...]


class Loader:
    """Loads an index and its embedding model from their folders."""

    def __init__(self, where: KnowledgePaths) -> None:
        self._places = where

    def stamp(self) -> tuple[int, ...]:
        """Return the modification time of each index. It is that of the manifest, which is written last."""
        return tuple(
            read_modified_ns(folder / MANIFEST) for folder in (self._places.own, self._places.index)
        )

    def load(self, problem: str = "") -> Loaded:
        """Load the user's own index if it is usable and built for this version, otherwise the shipped index.

        `problem` describes a problem that is already known.

        Raises:
            NotAvailable: no index is usable; the message says how to build it.
        """
        stamp, used, shipped = self.stamp(), self._current_path(), self._places.index / DATABASE
        try:
            index, lack = self._load_index(used)
        except NotAvailable as error:
            if used == shipped:
                raise
            problem, used = str(error), shipped
            index, lack = self._load_index(shipped)
        return Loaded(index, used, problem or lack, stamp)

    def own_is_stale(self) -> bool:
        """Return whether the user has device profiles but no own index for this version."""
        return self.has_profiles() and not self._is_own_current()

    def _load_index(self, path: Path) -> tuple[Index, str]:
        """Load an index and check that it can be searched. Return the index and its problem, if any."""
        contents = database.read(path)
        try:
            embedder, lack = self._fitting_embedder(contents.meta["embedder"], path)
            index = Index(contents, embedder, Thesaurus(json.loads(contents.meta["thesaurus"])))
            index.rank(Query("ready"))
        except (KeyError, IndexError, TypeError, ValueError, AttributeError) as error:
            why = f"the knowledge index {path} is damaged ({type(error).__name__}: {error})"
            raise NotAvailable(f"{why}; {REBUILD}") from None
        return index, lack

    def has_profiles(self) -> bool:
        """Return whether the user has added device profiles."""
        folder = self._places.profiles
        return folder.is_dir() and any(
            each.suffix in (".toml", ".json") for each in folder.iterdir()
        )

    def _is_own_current(self) -> bool:
        """Return whether the user's own index was built for the shipped index, or no index is shipped."""
        shipped = read_manifest(self._places.index / MANIFEST).get("fingerprint", "")
        own = read_manifest(self._places.own / MANIFEST)
        there = (self._places.own / DATABASE).is_file()
        return there and (not shipped or own.get("base") == shipped)

    def _current_path(self) -> Path:
        return (self._places.own if self._is_own_current() else self._places.index) / DATABASE

    def embedder(self) -> OnnxEmbedder | None:
        """Return the embedding model, or None if its files do not exist."""
        found = OnnxEmbedder(self._places.model)
        return found if found.is_there else None

    def _fitting_embedder(self, wanted: str, path: Path) -> tuple[OnnxEmbedder | None, str]:
        """Return the embedding model if it works and created the vectors of the index, otherwise None and the
        reason.
        """
        found = self.embedder()
        if found is None:
            return None, f"only words are searched: {self._places.model} is missing; {INSTALL}"
        try:
            if found.id == wanted:
                found.embed(["ready"])
                return found, ""
        except NotAvailable as problem:
            return None, f"only words are searched: {problem}"
        shipped = self._shipped_embedder(wanted, path)
        if shipped and found.id != shipped:
            return None, f"only words are searched: {self._places.model} is damaged; {INSTALL}"
        return None, f"only words are searched: the index is of another language model; {REBUILD}"

    def _shipped_embedder(self, wanted: str, path: Path) -> str:
        """Return the id of the embedding model with which the shipped index was built."""
        shipped = self._places.index / DATABASE
        try:
            return wanted if path == shipped else database.read(shipped).meta["embedder"]
        except (NotAvailable, KeyError):
            return ""
