"""The task runner behind the Makefile. It needs only Python.

    python3 build/dev.py TASK [ARGUMENTS]        (without a task: lists the tasks)

Each task first installs what it needs. A step is skipped if its inputs have not changed since it last
succeeded (`.setup/*.stamp`).
"""

import os
import shutil
import sys

SUPPORTED = ((3, 11), (3, 12), (3, 13), (3, 14))  # as `requires-python` in pyproject.toml


def main() -> int:
    """Run a task, under another Python if this one is too old or too new for Conductor."""
    # Containers often set it, but a run starts hundreds of Pythons: compiling the modules again takes each
    # of them 1.6 s of CPU time, more than the rest of the imports.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    if sys.version_info[:2] in SUPPORTED:
        from tasks import main as run_task

        try:
            return run_task(sys.argv[1:])
        except KeyboardInterrupt:
            print("\nInterrupted; the same command continues where it stopped.")
            return 130
    names = (f"python{major}.{minor}" for major, minor in reversed(SUPPORTED))
    other = next((path for name in names if (path := shutil.which(name))), None)
    if other:
        os.execv(other, [other, *sys.argv])
    version = ".".join(map(str, sys.version_info[:2]))
    print(f"Conductor needs Python 3.11 to 3.14, but python3 is {version}. Install one of them.")
    return 1


if __name__ == "__main__":
    raise SystemExit(main())
