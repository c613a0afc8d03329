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


def test_the_engine_process_leaves_the_documentation_of_fields_unread():
    program = """
import contextlib
from conductor.__main__ import main
with contextlib.suppress(SystemExit):
    main(["--engine-process", "--help"])
from conductor.domain.settings import EngineSettings
print([name for name, field in EngineSettings.model_fields.items() if field.description])
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[-1] == "[]"
