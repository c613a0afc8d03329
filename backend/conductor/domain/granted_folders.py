"""Rejects folders that are too broad for the assistant, such as home, root and system
folders, by their paths.
"""

import posixpath
import re

_FORBIDDEN_TREES_TEXT = """
/etc /proc /sys /dev /boot /private/etc /System c:/windows c:/$recycle.bin c:/programdata/ssh
"""
_FORBIDDEN_FOLDERS_TEXT = """
/ /bin /sbin /lib /lib32 /lib64 /usr /usr/bin /usr/sbin /usr/lib /var /var/lib /var/log
/private /private/var /run /home /Users /Applications /Library
c: c:/users c:/program?files c:/program?files?(x86) c:/programdata
"""
FORBIDDEN_TREES = frozenset(_FORBIDDEN_TREES_TEXT.casefold().split())
FORBIDDEN_FOLDERS = frozenset(
    path.replace("?", " ") for path in _FORBIDDEN_FOLDERS_TEXT.casefold().split()
)
SECRET_KEY_FOLDER_NAMES = frozenset(
    {".ssh", ".gnupg", ".pki", ".aws", ".azure", ".kube", ".docker", ".password-store"}
)
BROAD_FOLDERS = frozenset({"/root", "/tmp", "/mnt", "/media", "/opt", "/volumes"})  # noqa: S108 - looked at only
HOME_PARENT_FOLDERS = frozenset({"/home", "/users", "c:/users"})
BETTER_FOLDER_HINT = "choose a folder of documents, such as ~/Documents/manuals"

SAFER_FOLDER_HINT = "a folder of documents in it is safer"

_DRIVE_PATTERN = re.compile(r"[A-Za-z]:([\\/].*)", re.DOTALL)


def explain_too_broad_folder(folder: str) -> str | None:
    """Return why a folder is too broad to be granted and what to choose instead, or
    None if it may be granted.
    """
    path = _normalize_path(folder)
    parts = path.split("/")
    above = {"/".join(parts[:count]) for count in range(1, len(parts) + 1)}
    if FORBIDDEN_TREES.intersection(above) or path in FORBIDDEN_FOLDERS:
        return f"{folder} belongs to the system; {BETTER_FOLDER_HINT}"
    if SECRET_KEY_FOLDER_NAMES.intersection(parts):
        return f"{folder} is where programs keep keys and passwords; {BETTER_FOLDER_HINT}"
    return None


def warn_about_broad_folder(folder: str, home: str = "~") -> str | None:
    """Return a warning if a folder probably contains more than documents, otherwise None.

    `home` is the user's home folder.
    """
    path = _normalize_path(folder)
    if folder == home or path in ("~", "/root") or posixpath.dirname(path) in HOME_PARENT_FOLDERS:
        return (
            f"{folder} is a whole home folder, with what programs keep there; {SAFER_FOLDER_HINT}"
        )
    if path in BROAD_FOLDERS:
        return f"{folder} holds much more than documents; {SAFER_FOLDER_HINT}"
    return None


def _normalize_path(folder: str) -> str:
    """Return a path in the form in which this module lists folders, without a drive letter and without `..`."""
    drive = _DRIVE_PATTERN.match(folder)
    if drive is None:
        return posixpath.normpath(folder).replace("//", "/").casefold()
    path = posixpath.normpath(drive.group(1).replace("\\", "/"))
    return "c:" + path.rstrip("/").casefold()
