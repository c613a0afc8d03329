"""Nothing starts late because of an import that it does not need."""

import os
import subprocess
import sys
from pathlib import Path


def test_nothing_large_is_imported_before_the_engine_is_started():
    large = ("pydantic", "sqlmodel", "sqlalchemy", "mcp", "anyio", "tomlkit")
    program = f"import sys, conductor.app.build; print([n for n in {large} if n in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


def test_a_command_that_only_asks_the_running_conductor_imports_no_pydantic(tmp_path: Path):
    commands = [["status"], ["explain"], ["learn"], ["learn", "--profile"], ["monitor"]]
    program = f"import sys; from conductor.__main__ import main; print({{main(c) for c in {commands}}}, 'pydantic' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "CONDUCTOR_HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == ["{3}", "False"]


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


def test_a_call_is_shown_in_a_terminal_without_importing_the_tools():
    program = """
import sys
import conductor.cli.chat
from conductor.cli.tool_call_text import describe_call
print(describe_call("conductor_get_status", {}), "pydantic" in sys.modules)
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "Check status False"
