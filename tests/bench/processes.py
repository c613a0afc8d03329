"""What /proc says of a process and all it started."""

import os
from pathlib import Path
from typing import NamedTuple

ZYGOTE = "--type=zygote"
TICKS = os.sysconf("SC_CLK_TCK")


class Sample(NamedTuple):
    """One process at one moment."""

    role: str
    cpu_s: float
    rss_mb: float
    """Without JACK's shared memory, which the server owns and every client shows as its own."""
    pss_mb: float
    """The same, and shared libraries divided among those who share them."""
    files: int
    threads: int


def family(root: int) -> dict[int, str]:
    """Return a process and its descendants, by pid, with what each is for."""
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
    rss_kb, pss_kb = _memory(folder)
    return Sample(
        role,
        (int(fields[11]) + int(fields[12])) / TICKS,
        rss_kb * 1024 / 1e6,
        pss_kb * 1024 / 1e6,
        sum(1 for _ in (folder / "fd").iterdir()),
        int(fields[17]),
    )


def _memory(folder: Path) -> tuple[int, int]:
    """Add up what is resident, in kB, but for the mappings of JACK's segments."""
    rss_kb = pss_kb = 0
    counts = True
    for line in (folder / "smaps").read_text().splitlines():
        word, _, rest = line.partition(" ")
        if not word.endswith(":"):
            counts = "/dev/shm/jack" not in rest
        elif counts and word == "Rss:":
            rss_kb += int(rest.split()[0])
        elif counts and word == "Pss:":
            pss_kb += int(rest.split()[0])
    return rss_kb, pss_kb


def _stat(folder: Path) -> list[str]:
    """Return the fields after the command's name, which may hold spaces: state is 0, parent 1."""
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


def _words(pid: int) -> list[str]:
    return Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace").split("\0")


def _role(pid: int, root: int) -> str:
    if pid == root:
        return "app"
    try:
        words = _words(pid)
        parent = _words(int(_stat(Path(f"/proc/{pid}"))[1]))
    except OSError:
        return "gone"
    if ZYGOTE in words and ZYGOTE in parent:  # a copy of the zygote keeps its command line
        return "web renderer"
    for part in ("engine", "port", "window"):
        if any(f"{part}-process" in word.replace("_", "-") for word in words):
            return part
    for word in words:
        if word.startswith("--type="):  # Chromium's own
            return f"web {word.removeprefix('--type=')}"
    return next((Path(word).name for word in words if word and not word.startswith("-")), "?")
