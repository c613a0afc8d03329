"""What /proc says of a process and all it started."""

import os
from pathlib import Path
from typing import NamedTuple

TICKS = os.sysconf("SC_CLK_TCK")
PAGE = os.sysconf("SC_PAGE_SIZE")


class Sample(NamedTuple):
    """One process at one moment."""

    role: str
    cpu_s: float
    rss_mb: float
    pss_mb: float
    files: int
    threads: int


def family(root: int) -> dict[int, str]:
    """Give a process and its descendants, by pid, with what each is for."""
    parents = _parents()
    found = {root: _role(root, root)}
    growing = True
    while growing:
        new = {pid for pid, parent in parents.items() if parent in found and pid not in found}
        found |= {pid: _role(pid, root) for pid in new}
        growing = bool(new)
    return found


def sample(root: int) -> dict[int, Sample]:
    """Measure a process and its descendants; what ends meanwhile is left out."""
    samples: dict[int, Sample] = {}
    for pid, role in family(root).items():
        try:
            samples[pid] = _sample(pid, role)
        except OSError:
            continue
    return samples


def _sample(pid: int, role: str) -> Sample:
    folder = Path(f"/proc/{pid}")
    fields = _stat(folder)
    pss_kb = next(
        int(line.split()[1])
        for line in (folder / "smaps_rollup").read_text().splitlines()
        if line.startswith("Pss:")
    )
    return Sample(
        role,
        (int(fields[11]) + int(fields[12])) / TICKS,
        int(fields[21]) * PAGE / 1e6,
        pss_kb * 1024 / 1e6,
        sum(1 for _ in (folder / "fd").iterdir()),
        int(fields[17]),
    )


def _stat(folder: Path) -> list[str]:
    """Give the fields after the command's name, which may hold spaces: state is 0, parent 1."""
    return (folder / "stat").read_text().rpartition(")")[2].split()


def _parents() -> dict[int, int]:
    parents: dict[int, int] = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                parents[int(folder.name)] = int(_stat(folder)[1])
            except OSError:
                continue
    return parents


def _role(pid: int, root: int) -> str:
    if pid == root:
        return "app"
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace").split("\0")
    except OSError:
        return "gone"
    for flag, role in (("--engine-process", "engine"), ("--port-process", "port")):
        if flag in words:
            return role
    return next((Path(word).name for word in words if word and not word.startswith("-")), "?")
