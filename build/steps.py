"""Runs the steps of a task: timed, logged, and skipped if their inputs have not changed."""

import contextlib
import hashlib
import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Generator, Mapping, Sequence
from pathlib import Path
from typing import NoReturn

ROOT = Path(__file__).resolve().parent.parent
STATE = ROOT / ".setup"
VENV = ROOT / ".venv"
BIN = VENV / ("Scripts" if os.name == "nt" else "bin")
PYTHON = BIN / ("python.exe" if os.name == "nt" else "python")
LAST_LINES = 25
FULL_BYTES = 50_000_000
INTERRUPTED = threading.Event()
"""Set when the user pressed Ctrl+C, which ends the running commands as well."""
_NOTICE_INTERRUPT_WITHIN_S = 0.2


def say(text: str) -> None:
    """Print and flush, so that the output of child processes follows in order."""
    print(text, flush=True)


def stop(problem: str, advice: str) -> NoReturn:
    """Print a problem and advice, and exit."""
    say(f"\n{problem}\n{advice}")
    raise SystemExit(1)


def digest(*parts: str | Path) -> str:
    """Return one hash of texts, files and folders; missing files count as empty."""
    total = hashlib.sha256()
    for part in parts:
        files = _files(part) if isinstance(part, Path) else []
        for file in files:
            total.update(f"\0{file.relative_to(ROOT)}\0".encode() + file.read_bytes())
        total.update(f"\0{part if isinstance(part, str) else ''}".encode())
    return total.hexdigest()


def _files(path: Path) -> list[Path]:
    if path.is_file():
        return [path]
    found = (file for file in path.rglob("*") if "__pycache__" not in file.parts)
    return sorted(file for file in found if file.is_file())


def is_done(step: str, inputs: str) -> bool:
    """Return whether this step has succeeded with the same inputs."""
    stamp = STATE / f"{step}.stamp"
    return stamp.is_file() and stamp.read_text(encoding="utf-8") == inputs


def invalidate(*steps: str) -> None:
    """Delete the stamps of steps, so that they run again."""
    for step in steps:
        (STATE / f"{step}.stamp").unlink(missing_ok=True)


@contextlib.contextmanager
def stamped(step: str, inputs: str) -> Generator[None]:
    """Record a step as done if the body succeeds; a failure leaves no stamp."""
    STATE.mkdir(exist_ok=True)
    invalidate(step)
    yield
    (STATE / f"{step}.stamp").write_text(inputs)


def run_quietly(
    title: str,
    *commands: Sequence[str | Path],
    advice: str,
    env: Mapping[str, str] | None = None,
    instead: Sequence[Sequence[str | Path]] = (),
) -> None:
    """Run commands with output to a log; print the time, or on failure the end of the log and the advice.

    If a command fails, the commands of `instead` run, if there are any. Steps may run at the same time.
    """
    log = STATE / "logs" / f"{title.split(':')[0].replace(' ', '-').lower()}.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    started = time.monotonic()
    say(f"{title} ...")
    with log.open("w") as sink:
        failed = _run_all(commands, sink.fileno(), env)
        if failed is not None and INTERRUPTED.wait(_NOTICE_INTERRUPT_WITHIN_S):
            raise SystemExit(130)
        if failed is not None and instead:
            failed = _run_all(instead, sink.fileno(), env)
    if failed is None:
        say(f"{title}: done in {time.monotonic() - started:.1f} s")
        return
    say(f"{title}: failed after {time.monotonic() - started:.1f} s")
    for line in log.read_text(errors="replace").splitlines()[-LAST_LINES:]:
        say(f"  | {line}")
    command = " ".join(map(str, failed))
    if shutil.disk_usage(ROOT).free < FULL_BYTES:
        advice = f"The disk of {ROOT} is full. Free some space and run the same command again."
    stop(f"Failed: {command}", f"{advice} Full log: {log.relative_to(ROOT)}")


def _run_all(
    commands: Sequence[Sequence[str | Path]], sink: int, env: Mapping[str, str] | None
) -> Sequence[str | Path] | None:
    """Run commands until one fails, and return that one."""
    return next((each for each in commands if not _run_logged(each, sink, env)), None)


def _run_logged(command: Sequence[str | Path], sink: int, env: Mapping[str, str] | None) -> bool:
    try:
        done = subprocess.run(
            command,
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stdout=sink,
            stderr=subprocess.STDOUT,
            env={**os.environ, **(env or {})},
            check=False,
        )
    except OSError as problem:
        os.write(sink, f"{problem}\n".encode())
        return False
    return done.returncode == 0


def run_visibly(command: Sequence[str | Path]) -> int:
    """Run a command with output to the terminal, and return its exit code."""
    return subprocess.run(command, cwd=ROOT, check=False).returncode


def run_captured(command: Sequence[str | Path], *, limit_s: float) -> tuple[int, str]:
    """Run a command, and return its exit code and its output.

    Raises:
        TimeoutExpired: the command was killed because it exceeded the limit.
    """
    done = subprocess.run(
        command,
        cwd=ROOT,
        check=False,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        timeout=limit_s,
    )
    return done.returncode, done.stdout


def become(command: Sequence[str | Path]) -> NoReturn:
    """Replace this process with a command, so that it receives signals and the terminal directly."""
    words = [str(word) for word in command]
    sys.stdout.flush()
    os.chdir(ROOT)
    if os.name == "nt":  # on Windows, `exec` returns the terminal before the program ends
        raise SystemExit(run_visibly(words))
    os.execv(words[0], words)


@contextlib.contextmanager
def exclusive_setup() -> Generator[None]:
    """Prevent two task runners from setting up the same checkout at the same time."""
    STATE.mkdir(exist_ok=True)
    if os.name == "nt":
        yield
        return
    import fcntl

    with (STATE / "lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("Waiting for another setup of this checkout to finish.")
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def remove(*paths: Path) -> None:
    """Delete files and folders, if they exist."""
    for path in paths:
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
