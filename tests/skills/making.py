"""Skills made for tests: good ones, bad ones, and archives of them."""

import io
import tarfile
import zipfile
from pathlib import Path

GOOD = """\
---
name: {name}
description: Plans stage lighting cues. Use when the user speaks of light shows.
license: Apache-2.0
metadata:
  version: "1.0"
---

# Lighting

See [cues](references/CUES.md).
"""


def good(name: str = "stage-lighting") -> dict[str, bytes]:
    """Return the files of a skill with nothing wrong."""
    return {"SKILL.md": GOOD.format(name=name).encode(), "references/CUES.md": b"# Cues\n"}


def lay(folder: Path, files: dict[str, bytes]) -> Path:
    """Write files into a folder."""
    for path, content in files.items():
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)
    return folder


def zipped(files: dict[str, bytes]) -> bytes:
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in files.items():
            archive.writestr(path, content)
    return whole.getvalue()


def tarred(files: dict[str, bytes], *odd: tarfile.TarInfo) -> bytes:
    whole = io.BytesIO()
    with tarfile.open(fileobj=whole, mode="w:gz") as archive:
        for path, content in files.items():
            entry = tarfile.TarInfo(path)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
        for entry in odd:
            archive.addfile(entry)
    return whole.getvalue()


def link(path: str, target: str, kind: bytes = tarfile.SYMTYPE) -> tarfile.TarInfo:
    entry = tarfile.TarInfo(path)
    entry.type, entry.linkname = kind, target
    return entry
