"""Reads the files of a skill and checks their paths, sizes and kinds, wherever the skill comes from.

A skill is data. Nothing in it is ever run, and no path may lead out of its folder.
"""

import os
import re
import stat
import unicodedata
from pathlib import Path, PurePosixPath

from conductor.base.invisible_chars import has_hidden
from conductor.errors import BadSkill

SkillFiles = dict[str, bytes]
"""The content of each file of a skill, by its path in the folder of the skill, with `/`."""

SKILL_FILE_NAME = "SKILL.md"
MAX_SKILL_FILES = 512
MAX_SKILL_BYTES = 16 * 2**20
MAX_SKILL_FILE_BYTES = 256 * 1024
MAX_PATH_BYTES = 200
MAX_PATH_DEPTH = 6
IGNORED_FOLDER_NAMES = ("__MACOSX", "__pycache__")
RESERVED_WINDOWS_NAMES = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)
FORBIDDEN_CHARACTERS = set('\\:*?"<>|')
BINARY_SIGNATURES = {
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
"""The binary formats that are allowed, with the bytes with which their files must start."""


def is_ignored_path(path: str) -> bool:
    """Return whether a file is ignored because it is hidden or the operating system created it."""
    return any(
        part in IGNORED_FOLDER_NAMES or re.match(r"\.[^.]", part) for part in path.split("/")
    )


def check_skill_path(path: str) -> None:
    """Check that a path stays in the folder of the skill and is valid on every operating system.

    Raises:
        BadSkill: The path is not allowed. The message says why.
    """
    parts = path.split("/")
    shown = ascii(path)[:120]
    if path.startswith(("/", "\\", "~")) or ".." in parts or re.match(r"[A-Za-z]:", path):
        raise BadSkill(f"the path {shown} leads out of the skill's folder")
    if len(path.encode(errors="replace")) > MAX_PATH_BYTES or len(parts) > MAX_PATH_DEPTH:
        raise BadSkill(f"the path {shown} is too long or too deep")
    for part in parts:
        if not part or part == "." or part != part.strip() or part.endswith("."):
            raise BadSkill(
                f"the path {shown} has an empty part, or a part that begins or ends with a space or a dot"
            )
        if (
            RESERVED_WINDOWS_NAMES.fullmatch(part)
            or FORBIDDEN_CHARACTERS & set(part)
            or has_hidden(part, "")
        ):
            raise BadSkill(f"the path {shown} cannot be used on every system; rename the file")


def check_skill_files(files: SkillFiles) -> None:
    """Check all files of a skill.

    Raises:
        BadSkill: The skill is too large or incomplete, or contains files that are not allowed.
    """
    if SKILL_FILE_NAME not in files:
        raise BadSkill("there is no SKILL.md; a skill is a folder with that file")
    check_skill_size(len(files), sum(map(len, files.values())))
    if len(files[SKILL_FILE_NAME]) > MAX_SKILL_FILE_BYTES:
        raise BadSkill(
            f"SKILL.md is over {MAX_SKILL_FILE_BYTES // 1024} KiB; move details to references/"
        )
    for path, content in files.items():
        check_skill_path(path)
        _check_file_content(path, content)
    _check_names_differ(files)


def _check_names_differ(files: SkillFiles) -> None:
    """Check that no two paths are the same on a file system that ignores case.

    Raises:
        BadSkill: Two paths differ only in capital letters.
    """
    seen: dict[str, str] = {}
    for path in files:
        folders = [f"{parent}/" for parent in PurePosixPath(path).parents[:-1]]
        for name in (path, *folders):
            folded = unicodedata.normalize("NFKC", name).casefold().rstrip("/")
            if seen.setdefault(folded, name) != name:
                raise BadSkill(
                    f"{seen[folded]!a} and {name!a} differ only in capital letters, or one of them is "
                    "a folder; rename one"
                )


def check_skill_size(count: int, size: int) -> None:
    """Check the number of files and their total size in bytes.

    Raises:
        BadSkill: There are too many files, or they are too large.
    """
    if count > MAX_SKILL_FILES:
        raise BadSkill(f"a skill has at most {MAX_SKILL_FILES} files")
    if size > MAX_SKILL_BYTES:
        raise BadSkill(f"a skill has at most {MAX_SKILL_BYTES // 2**20} MiB")


def _check_file_content(path: str, content: bytes) -> None:
    signatures = BINARY_SIGNATURES.get(Path(path).suffix.lower())
    if signatures is not None and content.startswith(signatures):
        return
    try:
        is_text = "\0" not in content.decode()
    except UnicodeDecodeError:
        is_text = False
    if not is_text:
        raise BadSkill(f"{path!a} is binary; a skill may contain only text, images, fonts and PDFs")


def read_skill_folder(folder: Path) -> SkillFiles:
    """Return the files of the skill in a folder, after checking them.

    Raises:
        BadSkill: The folder contains no skill, or one that must not be used.
    """
    files: SkillFiles = {}
    _add_folder_files(files, folder, "")
    check_skill_files(files)
    return dict(sorted(files.items()))


def _add_folder_files(files: SkillFiles, folder: Path, prefix: str) -> None:
    try:
        entries = sorted(os.scandir(_require_folder(folder)), key=lambda entry: entry.name)
    except OSError as error:
        raise BadSkill(f"{folder} cannot be read: {error.strerror}") from None
    for entry in entries:
        path = prefix + entry.name
        if is_ignored_path(path):
            continue
        if entry.is_symlink():
            raise BadSkill(f"{path!a} is a symbolic link; a skill may contain only regular files")
        check_skill_path(path)
        if entry.is_dir(follow_symlinks=False):
            _add_folder_files(files, folder / entry.name, f"{path}/")
        else:
            read_bytes = sum(map(len, files.values()))
            files[path] = read_regular_file(folder / entry.name, MAX_SKILL_BYTES - read_bytes)
            check_skill_size(len(files), read_bytes)


def _require_folder(folder: Path) -> Path:
    if folder.is_symlink() or not folder.is_dir():
        raise BadSkill(f"{folder} is not a folder")
    return folder


def read_regular_file(path: Path, max_bytes: int) -> bytes:
    """Return the content of a regular file of at most `max_bytes` bytes. Symbolic links are not followed.

    Raises:
        BadSkill: The file is a link, a pipe or a device, is too large, or cannot be read.
    """
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    try:
        with os.fdopen(os.open(path, flags | getattr(os, "O_BINARY", 0)), "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise BadSkill(f"{path.name} is not a regular file")
            content = file.read(max_bytes + 1)
    except OSError as error:
        raise BadSkill(f"{path.name} cannot be read: {error.strerror}") from None
    if len(content) > max_bytes:
        raise BadSkill(f"{path.name} is too large: at most {max_bytes} bytes are allowed")
    return content
