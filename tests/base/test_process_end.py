"""The end of a process is no crash, wherever its daemon threads are."""

import subprocess
import sys

import pytest

IN_RUST = """
import atexit, sys, threading
from typing import Annotated
from pydantic import AfterValidator, TypeAdapter

begun = threading.Event()

def slow(value):
    begun.set()
    while True:
        pass

def begin():
    checked = TypeAdapter(Annotated[int, AfterValidator(slow)])
    threading.Thread(target=checked.validate_python, args=(1,), daemon=True).start()
    begun.wait()
    atexit.register(print, "the last word")
    print("the work", end=", ")
"""
PROGRAM = (
    IN_RUST
    + """
from conductor.base.process_end import run_program

def main():
    begin()
    {end}

sys.exit(run_program(main))
"""
)
COMMAND = (
    IN_RUST
    + """
from conductor.__main__ import main
begin()
sys.exit(main())
"""
)


def ended(program: str, *arguments: str) -> tuple[int, str, str]:
    """Return the exit code, standard output and the last line of standard error."""
    command = [sys.executable, "-c", program, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=45)
    return done.returncode, done.stdout, done.stderr.strip().rpartition("\n")[2]


@pytest.mark.parametrize(
    ("end", "code", "told"),
    [
        ("return 3", 3, ""),
        ("sys.exit()", 0, ""),
        ("sys.exit(4)", 4, ""),
        ("sys.exit('no such file')", 1, "no such file"),
        ("raise OSError('lost')", 1, "OSError: lost"),
    ],
)
def test_a_thread_inside_a_library_of_rust_does_not_abort_it(
    end: str, code: int, told: str
) -> None:
    assert ended(PROGRAM.format(end=end)) == (code, "the work, the last word\n", told)


def test_every_command_ends_so() -> None:
    code, output, told = ended(COMMAND, "--version")
    assert (code, told) == (0, "")
    assert output.startswith("the work, conductor ")


def test_a_process_without_threads_ends_with_its_code() -> None:
    program = "import sys\nfrom conductor.base.process_end import run_program\n"
    assert ended(program + "sys.exit(run_program(lambda: 5))") == (5, "", "")
