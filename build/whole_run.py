"""Runs all tests: each folder in its own pytest processes, in parallel with the page's tests.

The processes, servers and browsers of a part are in the process group of its pytest, so that a part that
hangs can be killed as a whole. Failed tests run once more at the end, alone, in a new process
(docs/adr/0009).
"""

import contextlib
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree as ET

from steps import ROOT, say

CUT_OFF = -1
"""A part that ended before its last test: which tests would have failed is not known."""
LAST_LINES = 6
"""Lines at the end of the output among which the counts are; vitest writes its times after them."""
_COUNTS = re.compile(r"\d (passed|failed|errors?)\b.* in [\d.]+s|Tests +.*\d (passed|failed)")
LIMIT_S = 1200.0
"""The time limit of a part; the slowest part takes half of it on two idle cores."""
AT_ONCE = 6
"""Parts that run at once: two cores are then 96 % busy, as about a third of the time of a part is waiting."""
SPLIT = {"journeys": 3}
"""Folders that run in several parts, since each would otherwise end long after the others."""
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
"""Started first, so that no long folder runs alone at the end."""
ELSEWHERE = ("package", "litellm", "native")
"""Folders with a command of their own; the tests in `native` need macOS or Windows."""
SLOWEST = 10
"""Slow tests that are named at the end."""
NOTHING_FAILED, NOTHING_FOUND = 0, 5
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")


@dataclass(frozen=True)
class Part:
    """A separate test run: a folder under `tests`, some of its files, or the tests of the page."""

    name: str
    command: tuple[str | Path, ...]
    failed_only: tuple[str, ...] = ()
    """Options that run only the failed tests."""
    report: Path | None = None
    """The file with the duration of each test, in JUnit's format."""

    def durations(self) -> Iterator[tuple[float, str]]:
        """Yield the duration of each test in seconds, with its name."""
        if self.report is None or not self.report.exists():
            return
        with contextlib.suppress(ET.ParseError):  # the run was cut off
            for case in ET.parse(self.report).iter("testcase"):
                file = case.get("classname", "").replace(".", "/")
                yield float(case.get("time", 0)), f"{file}.py::{case.get('name')}"

    def run(self, *more: str) -> tuple[int, str]:
        """Run the tests, and return the exit code and the output."""
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
                output, _ = running.communicate(timeout=LIMIT_S)
            except subprocess.TimeoutExpired:
                _end(running)
                output, _ = running.communicate()
                output += f"\n{self.name} was killed after {LIMIT_S:.0f} s.\n"
            else:
                _end(running)
        return running.returncode, output


def _end(running: subprocess.Popen[str]) -> None:
    """Kill the remaining processes of a process group."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if os.name == "nt":
            running.kill()
        else:
            os.killpg(running.pid, signal.SIGKILL)


def whole_run(python: Path, arguments: Sequence[str], page: Sequence[str | Path] = ()) -> int:
    """Run every part; return 0, 1 if a part failed twice, or 5 if no tests were found.

    `page` is the command that runs the tests of the page.
    """
    parts = [part for name in _names() for part in _split_folder(name, python, arguments)]
    if page:
        parts.insert(1, Part("frontend/tests", tuple(page)))
    started = time.monotonic()
    with ThreadPoolExecutor(AT_ONCE) as runners:
        codes = list(runners.map(_run_part, parts))
    if all(code == NOTHING_FOUND for code in codes):
        say("No tests found; check the arguments.")
        return NOTHING_FOUND
    passing = (NOTHING_FAILED, NOTHING_FOUND)
    failed = [part for part, code in zip(parts, codes, strict=True) if code not in passing]
    cut_off = [part for part, code in zip(parts, codes, strict=True) if code == CUT_OFF]
    still_failing = [part for part in failed if not _rerun(part, whole=part in cut_off)]
    say(f"{len(parts)} parts in {time.monotonic() - started:.0f} s.")
    _print_slowest(parts)
    if still_failing:
        say(f"Failed twice: {', '.join(part.name for part in still_failing)}")
    return 1 if still_failing else 0


def _split_folder(folder: str, python: Path, arguments: Sequence[str]) -> list[Part]:
    """Return the parts in which the tests of a folder run."""
    count = SPLIT.get(folder, 1)
    if count == 1:
        return [_build_part(folder, [f"tests/{folder}"], python, arguments)]
    files = sorted(
        str(path.relative_to(ROOT)) for path in (ROOT / "tests" / folder).rglob("test_*.py")
    )
    return [
        _build_part(f"{folder}-{number + 1}", files[number::count], python, arguments)
        for number in range(count)
    ]


def _build_part(name: str, tests: list[str], python: Path, arguments: Sequence[str]) -> Part:
    report = ROOT / ".cache" / "tests" / f"{name}.xml"
    report.unlink(missing_ok=True)
    command = (python, "-m", "pytest", *tests, "-m", "not package")
    files = (
        f"--junitxml={report}",
        "-o",
        "junit_family=xunit1",
        "-o",
        f"cache_dir=.cache/pytest/{name}",
    )
    failed_only = ("--last-failed", "--last-failed-no-failures", "all")
    return Part(f"tests/{name}", (*command, *files, *arguments), failed_only, report)


def _run_part(part: Part) -> int:
    """Run a part, print its result, and return its exit code."""
    started = time.monotonic()
    code, output = part.run()
    if code == NOTHING_FOUND:
        return code
    say(f"{part.name} ({time.monotonic() - started:.0f} s): {_summary(output)}")
    if code == NOTHING_FAILED:
        return code
    say(output)
    return code if _counts_tests(output) else CUT_OFF


def _print_slowest(parts: Sequence[Part]) -> None:
    """Print the tests that took longest, with the set-up that each was the first to need."""
    slowest = sorted((each for part in parts for each in part.durations()), reverse=True)[:SLOWEST]
    if slowest:
        say("Slowest tests:")
    for duration_s, name in slowest:
        say(f"{duration_s:6.1f} s  {name}")


def _rerun(part: Part, *, whole: bool) -> bool:
    """Run the failed tests of a part once more, or all of them if `whole`; return whether they pass."""
    say(f"Running {'all' if whole else 'the failed'} tests of {part.name} again")
    code, output = part.run(*(() if whole else part.failed_only))
    say(output)
    return code == NOTHING_FAILED


def _counts_tests(output: str) -> bool:
    """Return whether the output ends with the counts of pytest or vitest; a run that was cut off has none."""
    lines = [line for line in _COLOUR.sub("", output).splitlines() if line.strip()]
    return any(_COUNTS.search(line) for line in lines[-LAST_LINES:])


def _summary(output: str) -> str:
    """Return the last line of the output that counts tests."""
    lines = [line for line in _COLOUR.sub("", output).splitlines() if line.strip()]
    counts = (line for line in reversed(lines) if re.search(r"\d (passed|failed|error)", line))
    cpu = next((f"; {line}" for line in lines if line.startswith("CPU time:")), "")
    return next(counts, lines[-1] if lines else "no output").strip("= ") + cpu


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
