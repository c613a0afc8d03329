"""Commands about backups: make one, compare it with the running config, and restore it."""

from datetime import UTC, datetime

from pydantic import Field

from conductor.bridge.backup import (
    Backup,
    ProfileState,
    build_backup,
    check_backup,
    render_backup,
    restore_backup,
)
from conductor.bridge.before_after import list_row_changes
from conductor.bridge.changing import require_writable
from conductor.bridge.models import Empty, RowChange
from conductor.bridge.registry import command, query
from conductor.bridge.services import Call
from conductor.config.diff import preview_diff
from conductor.config.guards import list_guard_warnings
from conductor.domain.value import Value

MAX_BACKUP_CHARS = 7_500_000


class BackupFile(Value):
    name: str
    content: str
    profiles: int
    """The number of device profiles in the backup."""


class BackupParams(Value):
    content: str = Field(max_length=MAX_BACKUP_CHARS)
    """The content of a backup file."""


class BackupProfile(Value):
    title: str
    state: ProfileState
    """Whether restoring the backup adds the profile, replaces it, or leaves it as it is."""


class BackupPreview(Value):
    """What restoring a backup would change."""

    made_at: str
    conductor_version: str
    base_hash: str
    """The hash of the running config, which `backup.restore` expects."""
    before_after: tuple[RowChange, ...]
    diff: str
    warnings: tuple[str, ...]
    """A warning for each new access right, raised limit, or server that would newly receive chats or keys."""
    notes: tuple[str, ...]
    """Notes about a config in an older format."""
    profiles: tuple[BackupProfile, ...]
    prefs: int
    """The number of preferences of the window that would change."""


class RestoreBackupParams(BackupParams):
    base_hash: str
    """The hash of the config that the preview was made with."""


class RestoredBackup(Value):
    hash: str


@query("backup.make")
def make_backup(params: Empty, call: Call) -> BackupFile:
    """Return a backup of the config, the user's device profiles and the preferences of the window."""
    backup = build_backup(
        call.services.app.home, call.services.config.store.config_text, datetime.now(UTC)
    )
    return BackupFile(
        name=_format_file_name(backup),
        content=render_backup(backup),
        profiles=len(backup.profiles),
    )


@query("backup.preview")
def preview_backup(params: BackupParams, call: Call) -> BackupPreview:
    """Check a backup and return what restoring it would change. Nothing is changed."""
    store = call.services.config.store
    current = store.snapshot
    checked = check_backup(call.services.app.home, params.content)
    return BackupPreview(
        made_at=checked.backup.made_at.isoformat(),
        conductor_version=checked.backup.conductor_version,
        base_hash=current.hash,
        before_after=list_row_changes(
            current.config, checked.config, call.services.names.get_names()
        ),
        diff=preview_diff(current.text, checked.backup.config),
        warnings=tuple(list_guard_warnings(current.config, checked.config)),
        notes=checked.notes,
        profiles=tuple(
            BackupProfile(title=f"{profile.maker} {profile.model}", state=state)
            for profile, state in checked.profiles
        ),
        prefs=len(checked.changed_prefs),
    )


@command("backup.restore", "config_change", unlogged_params=("content",))
def restore(params: RestoreBackupParams, call: Call) -> RestoredBackup:
    """Restore a backup. The replaced config stays in the history."""
    require_writable(call.services)
    home, store = call.services.app.home, call.services.config.store
    restore_backup(
        home, store, check_backup(home, params.content), params.base_hash, call.requester
    )
    call.services.names.reload_names()
    return RestoredBackup(hash=store.config_hash)


def _format_file_name(backup: Backup) -> str:
    return f"conductor-backup-{backup.made_at.astimezone():%Y-%m-%d}.json"
