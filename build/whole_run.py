"""The whole run of the tests: each folder in a pytest of its own, some side by side, and failures once more.

A folder's processes, servers and browser live in its pytest's process group, so that whatever hangs ends with
it and nothing else does. What failed is played again at the end, alone, in a fresh process (docs/adr/0009).
"""

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from steps import ROOT, say

LIMIT_S = 1200.0
"""How long a folder may take; the slowest takes half of it on two cores that do nothing else."""
AT_ONCE = 3
LONGEST_FIRST = (
    "journeys",
    "sandbox",
    "cli",
    "agent",
    "mcp_host",
    "window",
    "mcp",
    "bridge",
    "e2e",
    "evaluation",
)
"""So that no long folder is left for the end."""
ELSEWHERE = ("package", "litellm")
NOTHING_FAILED, SOMETHING_FAILED, NOTHING_FOUND = 0, 1, 5


@dataclass(frozen=True)
class Folder:
    """One folder under `tests`."""

    name: str
    python: Path
    arguments: tuple[str, ...]

    def play(self, *more: str) -> tuple[int, str]:
        """Run its tests; give the exit code and what was printed."""
        command = [self.python, "-m", "pytest", f"tests/{self.name}", "-m", "not package"]
        command += ["-o", f"cache_dir=.cache/pytest/{self.name}", *self.arguments, *more]
        with subprocess.Popen(
            command,
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            start_new_session=True,
        ) as running:
            try:
                printed, _ = running.communicate(timeout=LIMIT_S)
            except subprocess.TimeoutExpired:
                _end(running)
                printed, _ = running.communicate()
                printed += f"\ntests/{self.name} was ended: it ran longer than {LIMIT_S:.0f} s.\n"
            else:
                _end(running)
        return running.returncode, printed


def _end(running: subprocess.Popen[str]) -> None:
    """End what is left of a process group."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if os.name == "nt":
            running.kill()
        else:
            os.killpg(running.pid, signal.SIGKILL)


def whole_run(python: Path, arguments: Sequence[str]) -> int:
    """Play every folder and give 0, 1 when something failed twice, or 5 when no test was found at all."""
    folders = [Folder(name, python, tuple(arguments)) for name in _names()]
    started = time.monotonic()
    with ThreadPoolExecutor(AT_ONCE) as players:
        codes = list(players.map(_told, folders))
    if all(code == NOTHING_FOUND for code in codes):
        say("No test was found: look at what was asked for.")
        return NOTHING_FOUND
    fine = (NOTHING_FAILED, NOTHING_FOUND)
    failed = [folder for folder, code in zip(folders, codes, strict=True) if code not in fine]
    again = [folder for folder in failed if not _passes_now(folder)]
    say(f"{len(folders)} folders in {time.monotonic() - started:.0f} s.")
    if again:
        say(f"Failed twice: {', '.join(f'tests/{folder.name}' for folder in again)}")
    return 1 if again else 0


def _told(folder: Folder) -> int:
    """Play a folder, say how it went, and give its exit code."""
    started = time.monotonic()
    code, printed = folder.play()
    if code == NOTHING_FOUND:
        return code
    say(f"tests/{folder.name} ({time.monotonic() - started:.0f} s): {_summary(printed)}")
    if code != NOTHING_FAILED:
        say(printed)
    return code


def _passes_now(folder: Folder) -> bool:
    """Play what failed once more."""
    say(f"Once more: what failed in tests/{folder.name}")
    code, printed = folder.play("--last-failed", "--last-failed-no-failures", "all")
    say(printed)
    return code == NOTHING_FAILED


def _summary(printed: str) -> str:
    lines = [line for line in printed.splitlines() if line.strip()]
    return lines[-1].strip("= ") if lines else "nothing was printed"


def _names() -> list[str]:
    folders = {
        file.relative_to(ROOT / "tests").parts[0]
        for file in (ROOT / "tests").glob("*/**/test_*.py")
    }
    names = sorted(folders - set(ELSEWHERE))
    return sorted(
        names, key=lambda name: LONGEST_FIRST.index(name) if name in LONGEST_FIRST else 99
    )


if __name__ == "__main__":
    raise SystemExit(whole_run(Path(sys.executable), sys.argv[1:]))
