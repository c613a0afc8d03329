"""Reads the files of a skill and checks their paths, sizes and kinds, whatever their source.

A skill is data. Nothing in it is ever run, and no path may lead out of its folder.
"""

import os
import re
import stat
import unicodedata
from pathlib import Path, PurePosixPath

from conductor.base.invisible_chars import has_hidden
from conductor.errors import BadSkill

Files = dict[str, bytes]
"""The content of each file of a skill, by its path relative to the skill's folder, with `/`."""

MAIN = "SKILL.md"
FILES_AT_MOST = 512
BYTES_AT_MOST = 16 * 2**20
MAIN_AT_MOST = 256 * 1024
PATH_AT_MOST = 200
DEPTH_AT_MOST = 6
IGNORED = ("__MACOSX", "__pycache__")
RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)
FORBIDDEN = set('\\:*?"<>|')
MAGIC = {
    ".png": (b"\x89PNG",),
    ".jpg": (b"\xff\xd8\xff",),
    ".jpeg": (b"\xff\xd8\xff",),
    ".gif": (b"GIF8",),
    ".webp": (b"RIFF",),
    ".pdf": (b"%PDF",),
    ".ttf": (b"\0\1\0\0", b"true"),
    ".otf": (b"OTTO",),
    ".woff2": (b"wOF2",),
}
"""The binary formats that are allowed, with the bytes that their files must start with."""


def is_ignored(path: str) -> bool:
    """Return whether a file is ignored because it is hidden or was created by the operating system."""
    return any(part in IGNORED or re.match(r"\.[^.]", part) for part in path.split("/"))


def check_path(path: str) -> None:
    """Check that a path stays inside the skill's folder and is valid on every operating system.

    Raises:
        BadSkill: The path is not allowed.
    """
    parts = path.split("/")
    shown = ascii(path)[:120]
    if path.startswith(("/", "\\", "~")) or ".." in parts or re.match(r"[A-Za-z]:", path):
        raise BadSkill(f"the path {shown} leads out of the skill's folder")
    if len(path.encode(errors="replace")) > PATH_AT_MOST or len(parts) > DEPTH_AT_MOST:
        raise BadSkill(f"the path {shown} is too long or too deep")
    for part in parts:
        if not part or part == "." or part != part.strip() or part.endswith("."):
            raise BadSkill(f"the path {shown} is not a plain one")
        if RESERVED.fullmatch(part) or FORBIDDEN & set(part) or has_hidden(part, ""):
            raise BadSkill(f"the path {shown} cannot be used on every system; rename the file")


def check_files(files: Files) -> None:
    """Check all files of a skill.

    Raises:
        BadSkill: The skill is too large, incomplete, or contains files that are not allowed.
    """
    if MAIN not in files:
        raise BadSkill("there is no SKILL.md; a skill is a folder with that file")
    check_size(len(files), sum(map(len, files.values())))
    if len(files[MAIN]) > MAIN_AT_MOST:
        raise BadSkill(f"SKILL.md is over {MAIN_AT_MOST // 1024} KiB; move details to references/")
    for path, content in files.items():
        check_path(path)
        _check_kind(path, content)
    _check_names(files)


def _check_names(files: Files) -> None:
    """Check that no two paths are equal on a case-insensitive file system."""
    seen: dict[str, str] = {}
    for path in files:
        folders = [f"{parent}/" for parent in PurePosixPath(path).parents[:-1]]
        for name in (path, *folders):
            folded = unicodedata.normalize("NFKC", name).casefold().rstrip("/")
            if seen.setdefault(folded, name) != name:
                raise BadSkill(
                    f"{seen[folded]!a} and {name!a} are called the same but for capital letters "
                    "or because one is a folder; rename one"
                )


def check_size(count: int, size: int) -> None:
    """Check the number of files and their total size.

    Raises:
        BadSkill: There are too many files, or they are too large.
    """
    if count > FILES_AT_MOST:
        raise BadSkill(f"a skill has at most {FILES_AT_MOST} files")
    if size > BYTES_AT_MOST:
        raise BadSkill(f"a skill has at most {BYTES_AT_MOST // 2**20} MiB")


def _check_kind(path: str, content: bytes) -> None:
    begins = MAGIC.get(Path(path).suffix.lower())
    if begins is not None and content.startswith(begins):
        return
    try:
        is_text = "\0" not in content.decode()
    except UnicodeDecodeError:
        is_text = False
    if not is_text:
        raise BadSkill(f"{path!a} is binary; a skill has texts, pictures, fonts and PDFs only")


def read_folder(folder: Path) -> Files:
    """Read and check the skill in a folder.

    Raises:
        BadSkill: There is no skill, or it must not be used.
    """
    files: Files = {}
    _read_into(files, folder, "")
    check_files(files)
    return dict(sorted(files.items()))


def _read_into(files: Files, folder: Path, prefix: str) -> None:
    try:
        entries = sorted(os.scandir(_real_folder(folder)), key=lambda entry: entry.name)
    except OSError as error:
        raise BadSkill(f"{folder} cannot be read: {error.strerror}") from None
    for entry in entries:
        path = prefix + entry.name
        if is_ignored(path):
            continue
        if entry.is_symlink():
            raise BadSkill(f"{path!a} is a symbolic link; a skill has plain files only")
        check_path(path)
        if entry.is_dir(follow_symlinks=False):
            _read_into(files, folder / entry.name, f"{path}/")
        else:
            so_far = sum(map(len, files.values()))
            files[path] = read_file(folder / entry.name, BYTES_AT_MOST - so_far)
            check_size(len(files), so_far)


def _real_folder(folder: Path) -> Path:
    if folder.is_symlink() or not folder.is_dir():
        raise BadSkill(f"{folder} is not a folder")
    return folder


def read_file(path: Path, at_most: int) -> bytes:
    """Read a regular file of at most `at_most` bytes, without following a symbolic link.

    Raises:
        BadSkill: It is a link, a pipe or a device, too long, or unreadable.
    """
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    try:
        with os.fdopen(os.open(path, flags | getattr(os, "O_BINARY", 0)), "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise BadSkill(f"{path.name} is not a plain file")
            content = file.read(at_most + 1)
    except OSError as error:
        raise BadSkill(f"{path.name} cannot be read: {error.strerror}") from None
    if len(content) > at_most:
        raise BadSkill(f"{path.name} is too long: {at_most} bytes are left to it")
    return content
