"""Finds processes, and describes those that a test did not expect."""

from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path


def descendants(pid: int) -> list[int]:
    """Return the pids of the children of a process, and of theirs."""
    children: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(stat.read_text().rpartition(")")[2].split()[1])
        except (OSError, IndexError):
            continue
        children.setdefault(parent, []).append(int(stat.parent.name))
    found = list(children.get(pid, ()))
    for child in found:
        found += children.get(child, ())
    return found


def processes_of(home: Path) -> list[int]:
    """Return the processes whose environment names this home, whoever started them."""
    pids = (int(folder.name) for folder in Path("/proc").glob("[0-9]*"))
    return [pid for pid in pids if has_home(pid, home)]


def has_home(pid: int, home: Path) -> bool:
    """Return whether the environment of a process names a home."""
    try:
        return f"CONDUCTOR_HOME={home}\0".encode() in Path(f"/proc/{pid}/environ").read_bytes()
    except OSError:
        return False


def alive(pids: Iterable[int]) -> list[int]:
    """Return the pids of processes that are still running."""
    return [pid for pid in pids if _state(pid) not in ("", "Z")]


def describe(pids: Iterable[int]) -> list[str]:
    """Return the state, the kernel function waited in, and the command line of each process."""
    described: list[str] = []
    for pid in pids:
        with suppress(OSError):  # it has just ended
            place = Path(f"/proc/{pid}")
            command = place.joinpath("cmdline").read_bytes().replace(b"\0", b" ").decode()
            waiting = place.joinpath("wchan").read_text()
            described.append(f"{pid} {_state(pid)} {waiting} {command.strip()}")
    return described


def _state(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return ""
