"""Says what a set-up will do, and checks that it can succeed, before the first download."""

import errno
import platform
import shutil
import sys
from typing import NamedTuple

from node import fits_node
from steps import ROOT, STATE, VENV, say, stop

OLDEST_GLIBC = (2, 34)
"""That of PySide6's wheels; Debian 12 has 2.36, Ubuntu 22.04 has 2.35."""


class Part(NamedTuple):
    """A part of the set-up that is not there yet."""

    text: str
    download_mb: int
    disk_mb: int


RUNTIME_PART = Part("Python packages", 440, 1150)
DEV_PART = Part("developer tools", 120, 320)
NODE_PART = Part("Node.js", 60, 210)
PAGE_PART = Part("the page's packages", 230, 810)
MODEL_PART = Part("the model of the knowledge index", 100, 190)
SPARE_MB = 300
"""For the package managers' temporary files."""


def announce(*, dev: bool, system_packages: list[str]) -> None:
    """Print what is about to be installed, how much is downloaded and about how long it takes."""
    parts = _list_parts(dev=dev)
    if not parts and not system_packages:
        return
    names = [part.text for part in parts]
    if system_packages:
        names.append(f"{len(system_packages)} system packages")
    listed = ", ".join(names[:-1]) + (" and " if names[1:] else "") + names[-1]
    megabytes = sum(part.download_mb for part in parts)
    size = f", a download of about {megabytes} MB" if megabytes else ""
    long = " This takes one to five minutes." if megabytes > 100 else ""
    say(f"Setting up Conductor in {ROOT}: {listed}{size}.{long}")
    say("Ctrl+C stops it; the same command continues where it stopped.")


def check(*, dev: bool) -> None:
    """Stop, with the reason, if the set-up cannot succeed here."""
    _check_writable()
    _check_wheels()
    _check_space(sum(part.disk_mb for part in _list_parts(dev=dev)))


def describe_os_error(error: OSError) -> str | None:
    """Return a sentence about a disk or folder that cannot be written to, or None for other errors."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return f"The disk of {ROOT} is full. Free some space and run the same command again."
    if error.errno in (errno.EROFS, errno.EACCES, errno.EPERM):
        place = error.filename or ROOT
        return f"{place} cannot be written to. Copy the checkout to a folder of your own."
    return None


def _list_parts(*, dev: bool) -> list[Part]:
    parts: list[Part] = []
    is_done = [(STATE / f"{step}.stamp").is_file() for step in ("runtime", "dev")]
    if not any(is_done) or not VENV.is_dir():
        parts.append(RUNTIME_PART)
    if dev and not (is_done[1] and VENV.is_dir()):
        parts.append(DEV_PART)
    needs_page = not (STATE / "page.stamp").is_file()
    if (dev or needs_page) and not (STATE / "node.stamp").is_file():
        if not fits_node():
            parts.append(NODE_PART)
        parts.append(PAGE_PART)
    if not (STATE / "knowledge-model.stamp").is_file():
        parts.append(MODEL_PART)
    return parts


def _check_writable() -> None:
    try:
        STATE.mkdir(exist_ok=True)
        probe = STATE / "probe"
        probe.write_text("written to see whether this folder can be written to\n")
        probe.unlink()
    except OSError as error:
        problem = describe_os_error(error)
        if problem is None:
            raise
        stop(problem, "Nothing has been downloaded or changed.")


def _check_wheels() -> None:
    """Stop where the window's packages have no files for this machine."""
    if sys.platform != "linux":
        return
    library, version = platform.libc_ver()
    if library != "glibc":
        stop(
            "This Linux does not use glibc, for which alone the packages of the window are made.",
            "Use Debian 12, Ubuntu 22.04 or later, or another distribution with glibc.",
        )
    if tuple(map(int, version.split(".")[:2])) < OLDEST_GLIBC:
        needed = ".".join(map(str, OLDEST_GLIBC))
        stop(
            f"This Linux has glibc {version}; the packages of the window need {needed} or later.",
            "Debian 12 and Ubuntu 22.04 have it.",
        )


def _check_space(needed_mb: int) -> None:
    free_mb = shutil.disk_usage(ROOT).free // 1_000_000
    if needed_mb and free_mb < needed_mb + SPARE_MB:
        stop(
            f"The disk of {ROOT} has {free_mb} MB free; the set-up needs {needed_mb + SPARE_MB} MB.",
            "Free some space and run the same command again.",
        )
