"""Pins the versions and hashes of every Python package that the tasks install on Linux.

One list serves all supported versions of Python: a package that only some of them need has a marker.
`make lock` keeps the pinned versions unless pyproject.toml excludes them; `make lock ARGS=--upgrade` takes
newer ones. On other systems pip chooses the versions: the tests that pin them run on Linux.
"""

import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path

from steps import ROOT, run_quietly

REQUIREMENTS = ROOT / "build" / "requirements"
RUNTIME, DEV, MODEL_TOOLS, INSTALLER, NODE = (
    REQUIREMENTS / f"{name}.txt" for name in ("runtime", "dev", "model-tools", "installer", "node")
)
UV_PLACE = ROOT / ".cache" / "uv"
"""Outside the environment, which it fills."""
UV = UV_PLACE / "bin" / ("uv.exe" if os.name == "nt" else "uv")
_PLATFORM = ("--universal", "--python-version", "3.11")
"""Every supported Python from the oldest; the hashes are those of all files of a version."""
_EVERYWHERE = frozenset(
    (
        "python_full_version < '3.15'",
        "platform_python_implementation == 'CPython'",
        "sys_platform == 'linux'",
    )
)
"""What `environments` in pyproject.toml limits the lists to, which uv repeats on every line."""
_MARKER = re.compile(r" ; ([^()\n]+?)(?= \\$)", re.MULTILINE)
_PACKAGE = re.compile(r"^(?=[\w.-]+==)", re.MULTILINE)


def install_uv(python: str | Path) -> list[str | Path]:
    """Return the command that installs uv into the cache, with the pip of this Python."""
    pip = (python, "-m", "pip", "install", "-q", "--upgrade", "--target", UV_PLACE)
    return [*pip, "--require-hashes", "--no-deps", "-r", INSTALLER]


def write_locks(options: Sequence[str]) -> None:
    """Write the lists; `options` are those of `uv pip compile`."""
    sources = (ROOT / "pyproject.toml", REQUIREMENTS / "build-tools.in")
    run_quietly(
        "Locked packages",
        install_uv(sys.executable),
        # First, as uv keeps the versions that its output file has, and only this file has all of them.
        _compile(RUNTIME, *sources, *options),
        _compile(DEV, *sources, "--extra", "dev", "--constraints", RUNTIME, *options),
        _compile(MODEL_TOOLS, REQUIREMENTS / "model-tools.in", "--no-deps", *options),
        _compile(INSTALLER, REQUIREMENTS / "installer.in", "--no-deps", *options),
        _compile(NODE, REQUIREMENTS / "node.in", "--no-deps", *options),
        advice="Check the network connection, and that the requirements do not contradict each other.",
    )
    for path in (RUNTIME, DEV, MODEL_TOOLS, INSTALLER, NODE):
        path.write_text(_MARKER.sub(_shorten, path.read_text()))
    DEV.write_text(_subtract(DEV.read_text(), RUNTIME.read_text()))


def _compile(output: Path, *what: str | Path) -> list[str | Path]:
    hashes = ("--generate-hashes", "--no-annotate", "--quiet", *_PLATFORM)
    header = ("--custom-compile-command", "make lock")
    return [UV, "pip", "compile", *what, *hashes, *header, "-o", output]


def _shorten(marker: re.Match[str]) -> str:
    """Return a marker without the conditions that all packages have."""
    clauses = [each for each in marker[1].split(" and ") if each not in _EVERYWHERE]
    return f" ; {' and '.join(clauses)}" if clauses else ""


def _subtract(longer: str, shorter: str) -> str:
    """Return a list without the packages of another one, which is installed before it."""
    head, *packages = _PACKAGE.split(longer)
    listed = set(_PACKAGE.split(shorter))
    return head + "".join(each for each in packages if each not in listed)
