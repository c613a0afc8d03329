"""The backup file: the config, the user's device profiles and the preferences of the window as one JSON text.

A backup contains no keys, tokens or signed-in accounts: they are in the keychain or in files that a backup
leaves out, and the config only names the environment variables that hold some of them.
"""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal, NamedTuple

from pydantic import Field, ValidationError

from conductor import __version__
from conductor.base.json_types import JsonObject
from conductor.base.resource_paths import find_knowledge_paths
from conductor.config.parse import load_config_with_notes
from conductor.config.store import ConfigStore
from conductor.domain.config import Config
from conductor.domain.device_profile import DeviceProfile
from conductor.domain.plan import Requester
from conductor.domain.value import Value
from conductor.domain.versions import format_backup_restore_reason
from conductor.errors import InvalidParams, NotAvailable
from conductor.profiles.catalog import load_catalog, read_user_profile_texts, save_user_profile
from conductor.profiles.files import parse_profile
from conductor.storage.prefs import PAUSED_KEY, check_prefs, read_prefs, update_prefs

FORMAT_VERSION = 1
MAX_PROFILES = 500
ProfileState = Literal["new", "changed", "same"]


class Backup(Value):
    """The content of a backup file."""

    conductor_backup: int
    """The version of the format."""
    made_at: datetime
    conductor_version: str
    config: str
    """The text of config.toml."""
    profiles: tuple[str, ...] = ()
    """The texts of the user's device profiles."""
    prefs: JsonObject = Field(default_factory=JsonObject)
    """The preferences of the window."""


class CheckedBackup(NamedTuple):
    """A backup whose parts are all valid."""

    backup: Backup
    config: Config
    notes: tuple[str, ...]
    """Notes about migrations of the config from an older format."""
    profiles: tuple[tuple[DeviceProfile, ProfileState], ...]
    changed_prefs: tuple[str, ...]
    """The names of the preferences that restoring the backup would change."""


def build_backup(home: Path, config_text: str, now: datetime) -> Backup:
    """Return the backup of a home folder whose config has the given text."""
    return Backup(
        conductor_backup=FORMAT_VERSION,
        made_at=now.astimezone(UTC).replace(microsecond=0),
        conductor_version=__version__,
        config=config_text,
        profiles=read_user_profile_texts(find_knowledge_paths(home).profiles_folder),
        prefs=_leave_out_pause(read_prefs(home)),
    )


def render_backup(backup: Backup) -> str:
    """Return the text of a backup file."""
    return json.dumps(backup.model_dump(mode="json"), indent=1, ensure_ascii=False) + "\n"


def check_backup(home: Path, text: str) -> CheckedBackup:
    """Parse the text of a backup file and check all its parts. Nothing is changed.

    Raises:
        InvalidParams: The text is not a backup, or a device profile or the preferences in it are not valid.
        ConfigError: The config in it is not valid; `problems` lists the errors.
    """
    backup = _parse_backup(text)
    reading = load_config_with_notes(backup.config, "the config in the backup")
    catalog = load_catalog(home)
    own = {name: profile for name, profile in catalog.profiles.items() if name in catalog.own}
    profiles = [
        parse_profile(profile, f"profile {number} of the backup")
        for number, profile in enumerate(backup.profiles, 1)
    ]
    check_prefs({**read_prefs(home), **backup.prefs})
    return CheckedBackup(
        backup=backup,
        config=reading.config,
        notes=reading.notes,
        profiles=tuple((profile, _get_state(profile, own)) for profile in profiles),
        changed_prefs=tuple(_list_changed_prefs(read_prefs(home), backup.prefs)),
    )


def restore_backup(
    home: Path, store: ConfigStore, checked: CheckedBackup, base_hash: str, author: Requester
) -> None:
    """Replace the config, save the device profiles, and set the preferences of the window.

    The config is replaced first, because only this step can be refused. The previous config stays in the
    history.

    Raises:
        StaleConfig: The running config no longer has the hash `base_hash`.
        NotAvailable: A device profile could not be written.
    """
    backup = checked.backup
    reason = format_backup_restore_reason(backup.made_at)
    store.replace_text(backup.config, reason, base_hash, author)
    folder = find_knowledge_paths(home).profiles_folder
    try:
        for text, (_, state) in zip(backup.profiles, checked.profiles, strict=True):
            if state != "same":
                save_user_profile(folder, text)
    except OSError as error:
        raise NotAvailable(
            f"the config was restored, but a device profile could not be written to {folder}:"
            f" {error.strerror}; make room or change the permissions, then restore the backup again"
        ) from None
    update_prefs(home, {key: backup.prefs[key] for key in checked.changed_prefs})


def _parse_backup(text: str) -> Backup:
    try:
        raw = json.loads(text)
    except (ValueError, RecursionError):
        raw = None
    if not isinstance(raw, dict) or not isinstance(raw.get("conductor_backup"), int):
        raise InvalidParams(
            "this file is not a backup of Conductor; choose one that *Save a backup* has written,"
            " such as conductor-backup-2026-01-31.json"
        )
    if raw["conductor_backup"] > FORMAT_VERSION:
        raise InvalidParams(
            "this backup was made by a newer version of Conductor; update Conductor, then restore it"
        )
    try:
        backup = Backup.model_validate(raw)
    except ValidationError as error:
        field = ".".join(str(part) for part in error.errors(include_url=False)[0]["loc"])
        raise InvalidParams(
            f"the backup is damaged: `{field[:80]}` is missing or not valid; choose another backup"
        ) from None
    if len(backup.profiles) > MAX_PROFILES:
        raise InvalidParams(
            f"the backup has {len(backup.profiles)} device profiles; at most {MAX_PROFILES} can be"
            " restored, so remove some from the file"
        )
    return backup.model_copy(update={"prefs": _leave_out_pause(backup.prefs)})


def _leave_out_pause(prefs: JsonObject) -> JsonObject:
    """Return the preferences without the pause, which belongs to the computer and not to its user."""
    return {key: value for key, value in prefs.items() if key != PAUSED_KEY}


def _get_state(profile: DeviceProfile, own: dict[str, DeviceProfile]) -> ProfileState:
    if profile.id not in own:
        return "new"
    return "same" if own[profile.id] == profile else "changed"


def _list_changed_prefs(current: JsonObject, restored: JsonObject) -> Iterator[str]:
    yield from (key for key, value in restored.items() if current.get(key) != value)
