"""The engine process is started before the app imports anything large."""

import subprocess
import sys


def test_nothing_large_is_imported_before_the_engine_is_started():
    large = ("pydantic", "sqlmodel", "sqlalchemy", "mcp", "anyio", "tomlkit")
    program = f"import sys, conductor.app.build; print([n for n in {large} if n in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
