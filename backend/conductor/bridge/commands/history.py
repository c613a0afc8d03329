"""Commands about the versions of the config: list, compare and restore them."""

from functools import lru_cache
from typing import Literal

from pydantic import Field

from conductor.bridge.before_after import list_row_changes, list_rows
from conductor.bridge.changing import require_writable
from conductor.bridge.models import Row, RowChange
from conductor.bridge.registry import command, query
from conductor.bridge.restore import build_restore_changes
from conductor.bridge.services import Call
from conductor.config.diff import preview_diff
from conductor.config.parse import load_config_with_notes
from conductor.config.window_settings import keep_window_settings, replace_window_settings
from conductor.domain.config import Config
from conductor.domain.plan import Requester
from conductor.domain.value import Value
from conductor.domain.versions import (
    VersionKind,
    format_mapping_restore_reason,
    format_restore_reason,
    get_version_kind,
)
from conductor.errors import ConfigError, NothingToUndo
from conductor.storage.examples import Examples
from conductor.storage.history import History, Version

MAX_VERSION_SUMMARY_LINES = 6
VersionWay = Literal["undo", "redo", "restore"]


class ListVersionsParams(Value):
    limit: int = Field(default=50, ge=1, le=200)
    before_id: int | None = None


class VersionRow(Value):
    id: int
    made_at: str
    reason: str
    kind: VersionKind
    hash: str
    is_current: bool
    is_undone: bool
    """Whether the version was undone. Redo restores it, until another change is made."""
    way: VersionWay | None
    """What can be done with the version: undo it, if it is the current one; redo it; or restore it, unless
    its config is the current one."""
    summary: tuple[str, ...]
    """The differences between this version and the one before it."""
    author: Requester | None
    """The program or person that made the version, or null if the config file was edited directly."""
    broke: tuple[str, ...] = ()
    """The names of the saved examples that fail since this version."""


class VersionList(Value):
    versions: tuple[VersionRow, ...]


class VersionParams(Value):
    id: int


class GetVersionParams(VersionParams):
    with_id: int | None = None
    """The version to compare it with. Null: the running config."""


class VersionView(Value):
    text: str
    rows: dict[str, tuple[Row, ...]]
    """All mappings of this version, by scope."""
    start_mode: str
    """The mode that replaces the active one if this version is restored and does not have it."""
    changes: tuple[RowChange, ...]
    """The differences between the version that this one was made from and this version."""
    changes_diff: str
    """The same differences as a text."""
    diff: str
    """The diff from the running config, or the other version, to this version."""
    before_after: tuple[RowChange, ...]


class RestoreMappingParams(Value):
    id: int
    scope: str
    index: int = Field(ge=0)


class RestoreResult(Value):
    hash: str
    reason: str


@query("history.list")
def list_versions(params: ListVersionsParams, call: Call) -> VersionList:
    """Return the versions of the config with their changes, newest first."""
    history = History(call.services.config.database())
    found = list(history.list(params.limit, params.before_id))
    current = history.latest()
    current_id = 0 if current is None else current.id
    broke = Examples(call.services.config.database()).read_breaks()
    can_undo, redo_target = history.find_undo_target() is not None, history.find_redo_target()
    redo_id = None if redo_target is None else redo_target.id

    def find_way(version: Version) -> VersionWay | None:
        if version.current:
            return "undo" if can_undo else None
        if version.id == redo_id:
            return "redo"
        is_same = current is not None and set(version.hashes) & set(current.hashes)
        return None if is_same else "restore"

    rows = [
        _build_version_row(
            version,
            history.find_parent(version),
            tuple(name for one in version.hashes for name in broke.get(one, ())),
            current_id,
            find_way(version),
        )
        for version in found
    ]
    return VersionList(versions=tuple(rows))


@query("history.get")
def get_version(params: GetVersionParams, call: Call) -> VersionView:
    """Compare a version of the config with the version it was made from, and with the running config or
    another version.
    """
    version = _find_version(call, params.id)
    parent = History(call.services.config.database()).find_parent(version)
    config, names = _parse_config(version.text), call.services.names.get_names()
    store = call.services.config.store
    other = (
        store.config_text if params.with_id is None else _find_version(call, params.with_id).text
    )
    text = keep_window_settings(version.text, other)
    return VersionView(
        text=version.text,
        rows=list_rows(config, names),
        start_mode=config.get_start_mode(),
        changes=() if parent is None else _list_changes(parent.text, version.text, call),
        changes_diff=""
        if parent is None
        else preview_diff(keep_window_settings(parent.text, version.text), version.text),
        diff=preview_diff(other, text),
        before_after=_list_changes(other, version.text, call),
    )


@command("history.restore", "config_change")
def restore_version(params: VersionParams, call: Call) -> RestoreResult:
    """Restore a version of the config. The running version stays in the history."""
    require_writable(call.services)
    version = _find_version(call, params.id)
    store = call.services.config.store
    reason = format_restore_reason(version.at)
    store.replace_text(store.build_restored_text(version), reason, author=call.requester)
    return RestoreResult(hash=store.config_hash, reason=reason)


@command("history.restore_mapping", "config_change")
def restore_mapping(params: RestoreMappingParams, call: Call) -> RestoreResult:
    """Restore a single mapping from a version of the config."""
    require_writable(call.services)
    version = _find_version(call, params.id)
    store = call.services.config.store
    old = load_config_with_notes(version.text).config
    changes = build_restore_changes(store.current_config, old, params.scope, params.index)
    reason = format_mapping_restore_reason(params.scope)
    store.commit_changes(changes, store.config_hash, reason, call.requester)
    return RestoreResult(hash=store.config_hash, reason=reason)


def _find_version(call: Call, version_id: int) -> Version:
    version = History(call.services.config.database()).get(version_id)
    if version is None:
        raise NothingToUndo(
            f"version {version_id} is no longer in the history; choose another version"
        )
    return version


def _build_version_row(
    version: Version,
    parent: Version | None,
    broke: tuple[str, ...],
    current_id: int,
    way: VersionWay | None,
) -> VersionRow:
    return VersionRow(
        id=version.id,
        made_at=version.at.isoformat(timespec="seconds"),
        reason=version.reason,
        kind=get_version_kind(version.reason, version.author),
        hash=version.hash,
        is_current=version.current,
        is_undone=version.left or version.id > current_id,
        way=way,
        summary=() if parent is None else _summarize_changes(parent.text, version.text),
        author=version.author,
        broke=broke,
    )


def _list_changes(old: str, new: str, call: Call) -> tuple[RowChange, ...]:
    """Return the changes between two texts apart from those of the window, or none if this version of
    Conductor cannot read one of the texts.
    """
    try:
        return list_row_changes(*_parse_configs(old, new), call.services.names.get_names())
    except ConfigError:
        return ()


@lru_cache(maxsize=256)
def _summarize_changes(old: str, new: str) -> tuple[str, ...]:
    try:
        changes = list_row_changes(*_parse_configs(old, new))
    except ConfigError as error:
        return (f"this version of Conductor cannot read the config: {error}"[:300],)
    summary = [f"{change.kind}: {change.text} ({change.scope})" for change in changes]
    if not summary:
        return ("only comments or formatting",)
    left_out = len(summary) - MAX_VERSION_SUMMARY_LINES
    return (
        *summary[:MAX_VERSION_SUMMARY_LINES],
        *((f"and {left_out} more",) if left_out > 0 else ()),
    )


def _parse_configs(old: str, new: str) -> tuple[Config, Config]:
    """Return the configs of two texts, the older one with the window settings of the newer one."""
    config = _parse_config(new)
    return replace_window_settings(_parse_config(old), config.settings.ui), config


@lru_cache(maxsize=64)
def _parse_config(text: str) -> Config:
    return load_config_with_notes(text).config
