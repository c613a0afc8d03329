"""The whole run of the tests: each folder in a pytest of its own, the page beside them, and failures once more.

A part's processes, servers and browser live in its pytest's process group, so that whatever hangs ends with
it and nothing else does. What failed is played again at the end, alone, in a fresh process (docs/adr/0009).
"""

import contextlib
import os
import re
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
"""How long a part may take; the slowest takes half of it on two cores that do nothing else."""
AT_ONCE = 3
LONGEST_FIRST = (
    "journeys",
    "sandbox",
    "cli",
    "agent",
    "mcp_client",
    "window",
    "mcp",
    "bridge",
    "e2e",
    "evaluation",
)
"""So that no long folder is left for the end."""
ELSEWHERE = ("package", "litellm")
NOTHING_FAILED, NOTHING_FOUND = 0, 5
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")


@dataclass(frozen=True)
class Part:
    """What is played by itself: a folder under `tests`, or the tests of the page."""

    name: str
    command: tuple[str | Path, ...]
    failed_only: tuple[str, ...] = ()
    """What is added to the command to play only what failed."""

    def play(self, *more: str) -> tuple[int, str]:
        """Run its tests; give the exit code and what was printed."""
        with subprocess.Popen(
            [*self.command, *more],
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
                printed += f"\n{self.name} was ended: it ran longer than {LIMIT_S:.0f} s.\n"
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


def whole_run(python: Path, arguments: Sequence[str], page: Sequence[str | Path] = ()) -> int:
    """Play every part and give 0, 1 when something failed twice, or 5 when no test was found at all.

    `page` is the command that plays the tests of the page.
    """
    parts = [_folder(name, python, arguments) for name in _names()]
    if page:
        parts.insert(1, Part("frontend/tests", tuple(page)))
    started = time.monotonic()
    with ThreadPoolExecutor(AT_ONCE) as players:
        codes = list(players.map(_told, parts))
    if all(code == NOTHING_FOUND for code in codes):
        say("No test was found: look at what was asked for.")
        return NOTHING_FOUND
    fine = (NOTHING_FAILED, NOTHING_FOUND)
    failed = [part for part, code in zip(parts, codes, strict=True) if code not in fine]
    again = [part for part in failed if not _passes_now(part)]
    say(f"{len(parts)} parts in {time.monotonic() - started:.0f} s.")
    if again:
        say(f"Failed twice: {', '.join(part.name for part in again)}")
    return 1 if again else 0


def _folder(name: str, python: Path, arguments: Sequence[str]) -> Part:
    command = (python, "-m", "pytest", f"tests/{name}", "-m", "not package")
    kept = ("-o", f"cache_dir=.cache/pytest/{name}")
    failed_only = ("--last-failed", "--last-failed-no-failures", "all")
    return Part(f"tests/{name}", (*command, *kept, *arguments), failed_only)


def _told(part: Part) -> int:
    """Play a part, say how it went, and give its exit code."""
    started = time.monotonic()
    code, printed = part.play()
    if code == NOTHING_FOUND:
        return code
    say(f"{part.name} ({time.monotonic() - started:.0f} s): {_summary(printed)}")
    if code != NOTHING_FAILED:
        say(printed)
    return code


def _passes_now(part: Part) -> bool:
    """Play what failed once more."""
    say(f"Once more: what failed in {part.name}")
    code, printed = part.play(*part.failed_only)
    say(printed)
    return code == NOTHING_FAILED


def _summary(printed: str) -> str:
    """Return the last line that counts tests."""
    lines = [line for line in _COLOUR.sub("", printed).splitlines() if line.strip()]
    counts = (line for line in reversed(lines) if re.search(r"\d (passed|failed|error)", line))
    return next(counts, lines[-1] if lines else "nothing was printed").strip("= ")


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
