"""Holds the running config, saves changes to config.toml, and loads the changes that others make to the
file.
"""

import logging
from collections.abc import Callable, Sequence
from pathlib import Path
from threading import RLock
from typing import Any, Literal, NamedTuple

from conductor.base.atomic import hash_bytes, read_regular_file
from conductor.base.guarded_write import MISSING_FILE_HASH
from conductor.config.config_file import copy_broken_file, create_if_missing, overwrite_if_unchanged
from conductor.config.difference import to_comparison_text
from conductor.config.document import edit_document
from conductor.config.lost_changes import RecentChanges, describe_lost_changes
from conductor.config.parse import (
    MAX_CONFIG_BYTES,
    ParsedConfig,
    build_config_error,
    decode_config_bytes,
    load_config_with_notes,
)
from conductor.config.render import convert_config_to_tables
from conductor.config.starter import STARTER_CONFIG
from conductor.config.versions import CommitInfo, History, Version, find_version
from conductor.config.window_settings import (
    differ_only_in_window_settings,
    keep_window_settings,
)
from conductor.domain.change_kinds import Change
from conductor.domain.changes import apply_change
from conductor.domain.config import Config
from conductor.domain.plan import Requester
from conductor.domain.validate import Problem, Report, check_config
from conductor.domain.versions import FILE_CHANGED_REASON, FOUND_AT_START_REASON
from conductor.errors import ConductorError, ConfigError, NotAvailable, NothingToUndo, StaleConfig

log = logging.getLogger(__name__)


class Snapshot(NamedTuple):
    """The running config with the text that it was parsed from, the hash of the file and the validation
    report.
    """

    config: Config
    text: str
    hash: str
    """The hash of the bytes of the file."""
    report: Report
    notes: tuple[str, ...]
    """Notes for the user about migrations from an older format."""


def _do_nothing(*_: Any) -> None:
    return


class ConfigStore:
    """Reads and writes config.toml, as the only code that does so, and records its history.

    Two pieces of state follow the file. `snapshot` is the running config: `_accept_text` sets it for each
    valid text, `_load_last_valid_version` when the file is invalid at the start. `_seen_hash` is the hash of
    the last content read, valid or not: `_reload_data` and `_accept_text` set it, `_read_bytes` resets it
    when the file cannot be read. An invalid edit changes `problems` and `_seen_hash` only.

    `history` is called when it is first needed, so that its imports do not delay the start; `open_history`
    can be called earlier from a background thread. `on_change(config, reason)` and `on_problem(problems)`
    are called in the thread that made the change, `on_notice(text)` when a manual save reverts a recent
    change, and `on_file_edit()` when another program has written a new version.
    """

    def __init__(
        self,
        path: Path,
        history: Callable[[], History] | None = None,
        on_change: Callable[[Config, str], None] = _do_nothing,
        on_problem: Callable[[tuple[Problem, ...]], None] = _do_nothing,
        on_notice: Callable[[str], None] = _do_nothing,
        on_file_edit: Callable[[], None] = _do_nothing,
    ) -> None:
        self.path = path
        self.on_change = on_change
        self.on_problem = on_problem
        self.on_notice = on_notice
        self.on_file_edit = on_file_edit
        self.problems: tuple[Problem, ...] = ()
        """The problems of the file on disk; empty if the file is valid and is the running config."""
        self.fallback = ""
        """A description of the replacement config if the file was invalid at the start, otherwise empty."""
        self.snapshot = Snapshot(Config(), "", hash_bytes(b""), Report(valid=True), ())
        self._seen_hash = MISSING_FILE_HASH
        self._recent = RecentChanges()
        self._make_history = history
        self._history: History | None = None
        self._pending: list[tuple[str, str, CommitInfo]] = []
        self._lock = RLock()

    @property
    def current_config(self) -> Config:
        """The running config. It differs from the file while the file is invalid."""
        return self.snapshot.config

    @property
    def config_text(self) -> str:
        """The TOML text that the running config was parsed from."""
        return self.snapshot.text

    @property
    def config_hash(self) -> str:
        """The hash of the file that the running config was parsed from."""
        return self.snapshot.hash

    def load_file(self) -> Config:
        """Load the config file at the start.

        Create a missing file; if the file is invalid, use the last valid version.
        """
        with self._lock:
            create_if_missing(self.path)
            try:
                data = self._read_bytes()
                self._accept_text(
                    data,
                    load_config_with_notes(
                        decode_config_bytes(data, self.path.name), self.path.name
                    ),
                )
                self._record_version(
                    self.config_text, self.config_hash, CommitInfo(FOUND_AT_START_REASON)
                )
            except ConfigError as error:
                self._load_last_valid_version(error)
            return self.current_config

    def reload_file(self) -> None:
        """Load the config file if its content has changed; if the new content is invalid, the running config
        stays.
        """
        with self._lock:
            try:
                self._reload_data(self._read_bytes())
            except ConfigError as error:
                self._set_problems(_list_problems(error))

    def _reload_data(self, data: bytes) -> None:
        seen, self._seen_hash = self._seen_hash, hash_bytes(data)
        if self._seen_hash == seen:
            return
        if self._seen_hash == self.config_hash:
            self._set_problems(())
            return
        text = decode_config_bytes(data, self.path.name)
        self._reject_empty_text(text)
        reading, before = load_config_with_notes(text, self.path.name), self.current_config
        lost = self._recent.pop_lost_changes(before, reading.config)
        # An undo in another process changes the history before it writes the file, so nothing was lost.
        is_undone = self._is_latest(text)
        self._activate_text(data, reading, CommitInfo(FILE_CHANGED_REASON))
        if not is_undone:
            self.on_file_edit()
        if lost and not is_undone:
            self.on_notice(describe_lost_changes(lost, self.path.name))

    def commit_changes(
        self,
        changes: Sequence[Change],
        expected_hash: str,
        reason: str,
        author: Requester | None = None,
    ) -> Config:
        """Apply changes to the running config, save the file, and return the new config. On an error,
        nothing is changed.

        Raises:
            StaleConfig: the file has changed since the caller read it.
            ConfigError: the result would be invalid; `problems` lists the errors.
        """
        with self._lock:
            self.require_hash(expected_hash)
            new = self.current_config
            for change in changes:
                new = apply_change(new, change)
            report = check_config(new)
            if not report.valid:
                raise build_config_error("the changed config", report.errors)
            text = edit_document(self.config_text, self.current_config, new)
            return self._save_text(text, expected_hash, CommitInfo(reason, author))

    def replace_text(
        self,
        text: str,
        reason: str,
        expected_hash: str | None = None,
        author: Requester | None = None,
    ) -> Config:
        """Save a complete new config text, for example from the editor or an import, and return the new config.

        Raises:
            StaleConfig: the file does not have the expected hash.
            ConfigError: the text is invalid; `problems` lists the errors.
        """
        with self._lock:
            if expected_hash is not None:
                self.require_hash(expected_hash)
            self.reload_file()  # so that a manual edit in the meantime gets into the history
            if self.problems:
                copy_broken_file(self.path)
            return self._save_text(text, expected_hash, CommitInfo(reason, author))

    def find_version(self, which: Literal["undo", "redo"] | int) -> Version:
        """Return the version that undo or redo would restore, or the version whose id is given.

        Raises:
            NothingToUndo: there is no such version.
        """
        with self._lock:
            return find_version(self._get_open_history(), which)

    def build_restored_text(self, version: Version) -> str:
        """Return the text that restores a version: its own, with the current settings of the window."""
        return keep_window_settings(version.text, self.config_text)

    def undo_or_redo(
        self, word: Literal["undo", "redo"], version_text: str, expected_hash: str
    ) -> Config:
        """Undo or redo a change on the condition that the user was shown exactly this change. Both the
        current text and the resulting text must be the expected ones.

        Raises:
            StaleConfig: the file, or the version to restore, has changed.
        """
        with self._lock:
            self.require_hash(expected_hash)
            version = self.find_version(word)
            if self.build_restored_text(version) != version_text:
                raise StaleConfig(f"{word} would now restore another version; ask for it again")
            return self._step_to_version(version, word)

    def undo_change(self) -> Config:
        """Restore the previous version or, if the file on disk is invalid, the running config.

        Raises:
            NothingToUndo: there is no previous version.
        """
        with self._lock:
            self.reload_file()
            if self.problems:
                return self._restore_running_config()
            return self._step_to_version(self.find_version("undo"), "undo")

    def redo_change(self) -> Config:
        """Restore the version that the last undo replaced; only possible if no other change was made since.

        Raises:
            NothingToUndo: there is no such version.
        """
        with self._lock:
            self.reload_file()
            return self._step_to_version(self.find_version("redo"), "redo")

    def open_history(self) -> None:
        """Open the version history, and add the versions that were accepted while it was closed."""
        with self._lock:
            try:
                self._get_open_history()
            except NotAvailable as error:
                log.warning("undo is not available: %s", error)

    def record_current_again(self) -> None:
        """Add the running config to the history again, after the history has lost its data."""
        with self._lock:
            if not self.fallback:
                self._record_version(
                    self.config_text, self.config_hash, CommitInfo(FOUND_AT_START_REASON)
                )

    def _restore_running_config(self) -> Config:
        """Overwrite an invalid config file with the running config, after copying the invalid file to a
        backup.
        """
        copy_broken_file(self.path)
        return self._save_text(self.config_text, None, CommitInfo("restored"), record=False)

    def _step_to_version(self, version: Version, word: str) -> Config:
        history = self._get_open_history()
        here, text = history.latest(), self.build_restored_text(version)
        # recorded before the file is written, so that a process that sees the new file also finds its
        # version
        history.replace_text(version.id, text, hash_bytes(text.encode()))
        history.move_to(version.id)
        try:
            return self._write_text(text, None, CommitInfo(word), record=False)
        except ConductorError:
            if here is not None:
                history.move_to(here.id)
            # A manual edit can only be recorded after the version that it was made from is current again.
            self.reload_file()
            raise

    def require_hash(self, expected_hash: str) -> None:
        """Raise `StaleConfig` unless both the config file and the running config have the hash
        `expected_hash`.
        """
        on_disk = self._hash_file_on_disk()
        if on_disk == expected_hash == self.config_hash:
            return
        self.reload_file()
        if self.problems:
            where = self.problems[0].format()
            raise StaleConfig(
                f"{self.path.name} on disk has a mistake ({where}); fix it or undo it first"
            )
        raise StaleConfig(f"{self.path.name} changed since it was read; read it again and repeat")

    def _save_text(
        self, text: str, expected_hash: str | None, why: CommitInfo, *, record: bool = True
    ) -> Config:
        """Write the config file.

        If an editor has saved the file in the meantime, load the editor's version and raise `StaleConfig`.
        """
        try:
            return self._write_text(text, expected_hash, why, record=record)
        except StaleConfig:
            self.reload_file()
            raise

    def _write_text(
        self, text: str, expected_hash: str | None, why: CommitInfo, *, record: bool = True
    ) -> Config:
        reading = load_config_with_notes(text, self.path.name)
        data = text.encode()
        if expected_hash is not None:
            # Checked again: the file may have changed while the new text was parsed.
            self.require_hash(expected_hash)
        # Only the content read last may be overwritten: it is in the history, or backed up if invalid.
        overwrite_if_unchanged(
            self.path, data, self._seen_hash if expected_hash is None else expected_hash
        )
        before = self.current_config
        self._activate_text(data, reading, why, record=record)
        self._recent.add(why.reason, before, self.current_config)
        self._try_open_history()
        return self.current_config

    def _try_open_history(self) -> None:
        try:
            if self._make_history is not None:
                self._get_open_history()
        except NotAvailable as error:
            log.warning("the change is saved, but undo is not available: %s", error)

    def _activate_text(
        self, data: bytes, reading: ParsedConfig, why: CommitInfo, *, record: bool = True
    ) -> None:
        before = self.current_config
        # Compared as texts too, because 1 and true are equal in Python.
        changed = reading.config != before or (
            to_comparison_text(convert_config_to_tables(reading.config))
            != to_comparison_text(convert_config_to_tables(before))
        )
        self._accept_text(data, reading)
        self._set_problems(())
        # recorded before the listeners run, so that the change can be undone even if a listener fails
        if record:
            self._record_version(self.config_text, self.config_hash, why)
        if changed:
            self.on_change(self.current_config, why.reason)

    def _accept_text(self, data: bytes, reading: ParsedConfig) -> None:
        self.fallback = ""
        text = decode_config_bytes(data, self.path.name)
        self.snapshot = Snapshot(
            reading.config, text, hash_bytes(data), reading.report, reading.notes
        )
        self._seen_hash = self.config_hash

    def _record_version(self, text: str, file_hash: str, why: CommitInfo) -> None:
        self._pending.append((text, file_hash, why))
        if self._history is not None:
            self._record_pending_versions(self._history)

    def _get_open_history(self) -> History:
        if self._history is None:
            if self._make_history is None:
                raise NothingToUndo("there is no history here")
            self._history = self._make_history()
        self._record_pending_versions(self._history)
        return self._history

    def _record_pending_versions(self, history: History) -> None:
        while self._pending:
            try:
                text, file_hash, why = self._pending[0]
                latest = history.latest()
                if latest is not None and differ_only_in_window_settings(latest.text, text):
                    history.replace_text(latest.id, text, file_hash)
                else:
                    history.add(text, file_hash, *why)
            except NotAvailable as error:
                log.warning("cannot record a config version for undo: %s", error)
            self._pending.pop(0)

    def _load_last_valid_version(self, error: ConfigError) -> None:
        """Start with the last valid version from the history, or with an empty config if there is none."""
        text, self.fallback = (
            self._find_last_valid_version() or STARTER_CONFIG,
            "the last good config",
        )
        try:
            reading = load_config_with_notes(text, self.path.name)
        except ConfigError:
            text, reading = STARTER_CONFIG, load_config_with_notes(STARTER_CONFIG)
        if text == STARTER_CONFIG:
            self.fallback = "an empty config"
        file_hash = hash_bytes(text.encode())
        self.snapshot = Snapshot(reading.config, text, file_hash, reading.report, reading.notes)
        self._set_problems(_list_problems(error))

    def _is_latest(self, text: str) -> bool:
        try:
            latest = self._get_open_history().latest()
        except ConductorError:
            return False
        return latest is not None and latest.text == text

    def _find_last_valid_version(self) -> str | None:
        try:
            last = self._get_open_history().latest() if self._make_history else None
        except NotAvailable as error:
            log.warning("cannot look up the last good config: %s", error)
            return None
        return last.text if last else None

    def _set_problems(self, problems: tuple[Problem, ...]) -> None:
        if problems == self.problems:
            return
        self.problems = problems
        for problem in problems:
            log.info("%s: %s", self.path.name, problem.format())
        self.on_problem(problems)

    def _reject_empty_text(self, text: str) -> None:
        """Raise an error for an empty file, because some editors truncate the file before they write the new
        text.
        """
        if not text.strip() and self.config_text.strip():
            message = "the file is empty; the previous config stays active"
            raise build_config_error(self.path.name, [Problem(path="", message=message)])

    def _hash_file_on_disk(self) -> str:
        try:
            return hash_bytes(self._read_bytes())
        except ConfigError:
            return ""

    def _read_bytes(self) -> bytes:
        try:
            return read_regular_file(self.path, MAX_CONFIG_BYTES + 1)
        except OSError as error:
            self._seen_hash = MISSING_FILE_HASH
            message = f"the file cannot be read: {error.strerror}"
            raise build_config_error(self.path.name, [Problem(path="", message=message)]) from None


def _list_problems(error: ConfigError) -> tuple[Problem, ...]:
    return error.problems or (Problem(path="", message=str(error)),)
