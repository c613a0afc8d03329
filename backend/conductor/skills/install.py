"""Installs skills: reads and checks a whole skill, writes it to a staging folder, and moves that folder
into place.

Nothing in a skill is ever run. Scripts in it are plain files and not executable.
"""

import os
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from conductor.base.paths import find_data_folder
from conductor.errors import BadSkill, NotAllowed, UnknownSkill
from conductor.skills.archives import read_repository_folder, read_skill_archive
from conductor.skills.download import (
    MAX_DOWNLOAD_BYTES,
    download_repository_archive,
    parse_github_source,
)
from conductor.skills.format import parse_skill_document
from conductor.skills.library import SKILLS_FOLDER_NAME, hash_skill_files
from conductor.skills.provenance import delete_provenance, read_provenance, write_provenance
from conductor.skills.tree import SKILL_FILE_NAME, SkillFiles, read_regular_file, read_skill_folder
from conductor.skills.validator import SKILL_NAME_PATTERN, find_skill_problems

SKILL_ARCHIVE_SUFFIXES = (".zip", ".tar.gz", ".tgz", ".tar")
STAGING_FOLDER_PREFIX = ".staging-"
BUNDLED_SOURCE_PREFIX = "bundled"


class CheckedSkill(NamedTuple):
    """A skill that was read and checked, but not written to disk yet."""

    name: str
    source: str
    files: SkillFiles
    advice: tuple[str, ...] = ()

    @property
    def digest(self) -> str:
        return hash_skill_files(self.files)


class SkillWriteResult(NamedTuple):
    """The result of writing a skill to a folder: the folder, its files, and whether anything changed."""

    folder: Path
    files: tuple[str, ...]
    changed: bool
    """False if the same skill was already installed."""


def find_bundled_folder(name: str) -> Path | None:
    """Return the folder of the bundled skill with this name, or None if there is none."""
    if not SKILL_NAME_PATTERN.fullmatch(name):
        return None
    folder = find_data_folder("skills") / name
    return folder if folder.is_dir() else None


def fetch_skill(source: str) -> CheckedSkill:
    """Read and check a skill. The source is the name of a bundled skill, a folder, an archive or a GitHub
    address.

    Raises:
        BadSkill: The skill breaks the rules, or must not be used.
        UnknownSkill: The source does not exist.
        NotAvailable: The skill cannot be downloaded.
    """
    bundled = find_bundled_folder(source)
    if bundled is not None:
        return _check_skill(f"{BUNDLED_SOURCE_PREFIX}:{source}", read_skill_folder(bundled))
    if source.startswith("github:"):
        github_folder = parse_github_source(source)
        return _check_skill(
            source,
            read_repository_folder(download_repository_archive(github_folder), github_folder.path),
        )
    path = Path(source).expanduser()
    if source.strip() and path.is_dir():  # an empty path would be the current folder
        return _check_skill(f"folder:{path.absolute()}", read_skill_folder(path))
    if path.is_file() and path.name.lower().endswith(SKILL_ARCHIVE_SUFFIXES):
        return _check_skill(
            f"archive:{path.absolute()}",
            read_skill_archive(read_regular_file(path, MAX_DOWNLOAD_BYTES)),
        )
    if path.is_file() and path.name == SKILL_FILE_NAME:
        return fetch_skill(str(path.parent))
    raise UnknownSkill(
        f"Skill not found: {ascii(source)[:120]}. Use a name that `conductor skills list` shows, a folder, an"
        f" archive ({', '.join(SKILL_ARCHIVE_SUFFIXES)}) or github:OWNER/REPOSITORY/PATH"
    )


def check_skill_archive(name: str, content: bytes) -> CheckedSkill:
    """Read and check a skill from the bytes of an archive.

    Raises:
        BadSkill: The skill breaks the rules, or must not be used.
    """
    return _check_skill(f"archive:{name}", read_skill_archive(content))


def _check_skill(source: str, files: SkillFiles) -> CheckedSkill:
    name = str(parse_skill_document(files[SKILL_FILE_NAME]).fields.get("name", "")).strip()
    found = find_skill_problems(files, name)
    errors = [problem.message for problem in found if problem.level == "error"]
    if errors:
        raise BadSkill(f"this skill is not installed: {'; '.join(errors[:3])}")
    advice = tuple(problem.message for problem in found)
    return CheckedSkill(name, source, files, advice)


def install_skill(fetched: CheckedSkill, home: Path, *, replace: bool = False) -> SkillWriteResult:
    """Install a skill into the user's folder of skills.

    Raises:
        NotAllowed: A different skill of this name exists, or a bundled skill has this name.
    """
    is_bundled = fetched.source == f"{BUNDLED_SOURCE_PREFIX}:{fetched.name}"
    if find_bundled_folder(fetched.name) is not None and not is_bundled:
        raise NotAllowed(
            f"{fetched.name} is the name of a skill that comes with Conductor; give yours another name"
        )
    skills_folder = home / SKILLS_FOLDER_NAME
    same_source = read_provenance(skills_folder, fetched.name).get("source") == fetched.source
    written = write_skill(
        fetched,
        skills_folder,
        replace=replace
        or (same_source and _is_unmodified_bundled_skill(skills_folder, fetched.name)),
    )
    if written.changed:
        when = datetime.now(UTC).isoformat(timespec="seconds")
        facts = {"source": fetched.source, "digest": fetched.digest, "installed_at": when}
        write_provenance(skills_folder, fetched.name, facts)
    return written


def _is_unmodified_bundled_skill(skills_folder: Path, name: str) -> bool:
    try:
        return hash_skill_files(read_skill_folder(skills_folder / name)) == read_provenance(
            skills_folder, name
        ).get("digest")
    except BadSkill:
        return False


def write_skill(
    fetched: CheckedSkill, skills_folder: Path, *, replace: bool = False
) -> SkillWriteResult:
    """Write a skill into a folder of skills, completely or not at all.

    Raises:
        NotAllowed: A different skill of this name exists and `replace` is false.
    """
    target = skills_folder / fetched.name
    result = SkillWriteResult(target, tuple(fetched.files), changed=True)
    if target.is_symlink() or target.exists():
        if _is_same_skill(target, fetched):
            return result._replace(changed=False)
        if not replace:
            raise NotAllowed(f"a different skill exists at {target}; use --replace to replace it")
    skills_folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=STAGING_FOLDER_PREFIX, dir=skills_folder) as staging:
        fresh = Path(staging) / fetched.name
        _write_skill_files(fresh, fetched.files)
        if target.is_symlink() or target.exists():
            target.rename(Path(staging) / "before")
        fresh.rename(target)
    return result


def _is_same_skill(target: Path, fetched: CheckedSkill) -> bool:
    try:
        return hash_skill_files(read_skill_folder(target)) == fetched.digest
    except BadSkill:
        return False


def _write_skill_files(folder: Path, files: SkillFiles) -> None:
    folder.mkdir(mode=0o700)
    for path, content in files.items():
        place = folder / path
        place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
        with os.fdopen(os.open(place, flags, 0o600), "wb") as file:
            file.write(content)


def remove_skill(name: str, skills_folder: Path) -> Path:
    """Remove a skill from a folder of skills and return its path.

    Raises:
        UnknownSkill: The folder has no skill with this name.
    """
    folder = skills_folder / name
    if not SKILL_NAME_PATTERN.fullmatch(name) or not (folder.is_symlink() or folder.is_dir()):
        reason = (
            "comes with Conductor and cannot be removed"
            if find_bundled_folder(name)
            else "is not installed there"
        )
        raise UnknownSkill(f"{ascii(name)[:80]} {reason} ({skills_folder})")
    if folder.is_symlink():
        folder.unlink()
    else:
        with tempfile.TemporaryDirectory(
            prefix=STAGING_FOLDER_PREFIX, dir=skills_folder
        ) as staging:
            folder.rename(Path(staging) / name)
    delete_provenance(skills_folder, name)
    return folder
