"""Installing a skill: fetched, checked as a whole, written beside its place, then moved there in one step.

Nothing of a skill is run, here or later. Scripts in it are files like any other, and not
executable.
"""

import os
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from conductor.base.paths import data_folder
from conductor.errors import BadSkill, NotAllowed, UnknownSkill
from conductor.skills.archives import read_archive, read_folder_of_tar
from conductor.skills.download import DOWNLOAD_AT_MOST, download, place_of
from conductor.skills.format import parse
from conductor.skills.library import FOLDER, digest_of
from conductor.skills.provenance import forget, note, provenance
from conductor.skills.tree import MAIN, Files, read_file, read_folder
from conductor.skills.validator import NAME, problems

ARCHIVES = (".zip", ".tar.gz", ".tgz", ".tar")
STAGING = ".staging-"
BUNDLED = "bundled"


class Fetched(NamedTuple):
    """A skill that was read and checked, and is not yet anywhere."""

    name: str
    source: str
    files: Files
    advice: tuple[str, ...] = ()

    @property
    def digest(self) -> str:
        return digest_of(self.files)


class Written(NamedTuple):
    """What was done."""

    folder: Path
    files: tuple[str, ...]
    changed: bool
    """False: it was there already, the same."""


def bundled_folder(name: str) -> Path | None:
    """Return the folder of a skill that comes with Conductor."""
    if not NAME.fullmatch(name):
        return None
    folder = data_folder("skills") / name
    return folder if folder.is_dir() else None


def fetch(source: str) -> Fetched:
    """Read a skill: one of Conductor's by its name, a folder, an archive, or one on GitHub.

    Raises:
        BadSkill: it breaks the rules, or must not be used.
        UnknownSkill: there is nothing of this name.
        NotAvailable: it cannot be downloaded.
    """
    bundled = bundled_folder(source)
    if bundled is not None:
        return _checked(f"{BUNDLED}:{source}", read_folder(bundled))
    if source.startswith("github:"):
        place = place_of(source)
        return _checked(source, read_folder_of_tar(download(place), place.path))
    path = Path(source).expanduser()
    if path.is_dir():
        return _checked(f"folder:{path.absolute()}", read_folder(path))
    if path.is_file() and path.name.lower().endswith(ARCHIVES):
        return _checked(
            f"archive:{path.absolute()}", read_archive(read_file(path, DOWNLOAD_AT_MOST))
        )
    if path.is_file() and path.name == MAIN:
        return fetch(str(path.parent))
    raise UnknownSkill(
        f"There is no skill {ascii(source)[:120]}: give a name that `conductor skills list` shows, a folder, an"
        f" archive ({', '.join(ARCHIVES)}) or github:OWNER/REPOSITORY/PATH"
    )


def fetch_archive(name: str, content: bytes) -> Fetched:
    """Read a skill out of an archive that was handed over.

    Raises:
        BadSkill: it breaks the rules, or must not be used.
    """
    return _checked(f"archive:{name}", read_archive(content))


def _checked(source: str, files: Files) -> Fetched:
    name = str(parse(files[MAIN]).fields.get("name", "")).strip()
    found = problems(files, name)
    wrong = [one.message for one in found if one.level == "error"]
    if wrong:
        raise BadSkill(f"this skill is not installed: {'; '.join(wrong[:3])}")
    advice = tuple(one.message for one in found)
    return Fetched(name, source, files, advice)


def install(fetched: Fetched, home: Path, *, replace: bool = False) -> Written:
    """Put a skill among the user's own.

    Raises:
        NotAllowed: another one is there, or it takes the name of one of Conductor's.
    """
    is_bundled = fetched.source == f"{BUNDLED}:{fetched.name}"
    if bundled_folder(fetched.name) is not None and not is_bundled:
        raise NotAllowed(
            f"{fetched.name} is the name of a skill that comes with Conductor; give yours another name"
        )
    shelf = home / FOLDER
    same_source = provenance(shelf, fetched.name).get("source") == fetched.source
    written = write(
        fetched, shelf, replace=replace or (same_source and _untouched(shelf, fetched.name))
    )
    if written.changed:
        when = datetime.now(UTC).isoformat(timespec="seconds")
        facts = {"source": fetched.source, "digest": fetched.digest, "installed_at": when}
        note(shelf, fetched.name, facts)
    return written


def _untouched(shelf: Path, name: str) -> bool:
    try:
        return digest_of(read_folder(shelf / name)) == provenance(shelf, name).get("digest")
    except BadSkill:
        return False


def write(fetched: Fetched, shelf: Path, *, replace: bool = False) -> Written:
    """Write a skill's folder into a folder of skills, whole or not at all.

    Raises:
        NotAllowed: another one is there.
    """
    target = shelf / fetched.name
    result = Written(target, tuple(fetched.files), changed=True)
    if target.is_symlink() or target.exists():
        if _is_the_same(target, fetched):
            return result._replace(changed=False)
        if not replace:
            raise NotAllowed(f"{target} is there and differs; --replace puts this one in its place")
    shelf.mkdir(mode=0o700, parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=STAGING, dir=shelf) as staging:
        fresh = Path(staging) / fetched.name
        _write_files(fresh, fetched.files)
        if target.is_symlink() or target.exists():
            target.rename(Path(staging) / "before")
        fresh.rename(target)
    return result


def _is_the_same(target: Path, fetched: Fetched) -> bool:
    try:
        return digest_of(read_folder(target)) == fetched.digest
    except BadSkill:
        return False


def _write_files(folder: Path, files: Files) -> None:
    folder.mkdir(mode=0o700)
    for path, content in files.items():
        place = folder / path
        place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
        with os.fdopen(os.open(place, flags, 0o600), "wb") as file:
            file.write(content)


def remove(name: str, shelf: Path) -> Path:
    """Take a skill out of a folder of skills.

    Raises:
        UnknownSkill: it is not there.
    """
    folder = shelf / name
    if not NAME.fullmatch(name) or not (folder.is_symlink() or folder.is_dir()):
        why = "comes with Conductor and stays" if bundled_folder(name) else "is not installed there"
        raise UnknownSkill(f"{ascii(name)[:80]} {why} ({shelf})")
    if folder.is_symlink():
        folder.unlink()
    else:
        with tempfile.TemporaryDirectory(prefix=STAGING, dir=shelf) as staging:
            folder.rename(Path(staging) / name)
    forget(shelf, name)
    return folder
