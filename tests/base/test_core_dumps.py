"""A crash writes no core file, which would contain keys and tokens."""

import subprocess
import sys
from pathlib import Path

from tests.support.running import running_conductor

ALLOWED = """
import resource, runpy
_, hard = resource.getrlimit(resource.RLIMIT_CORE)
resource.setrlimit(resource.RLIMIT_CORE, (hard, hard))
"""
FORBID = """
from conductor.base.core_dumps import disable_core_dumps
disable_core_dumps()
soft, after = resource.getrlimit(resource.RLIMIT_CORE)
print(soft, after == hard)
"""


def test_only_the_limit_that_a_program_may_raise_again_is_lowered() -> None:
    said = subprocess.run([sys.executable, "-c", ALLOWED + FORBID], capture_output=True, text=True)
    assert said.stdout.split() == ["0", "True"]


def test_a_conductor_leaves_no_core_file_where_others_do() -> None:
    launcher = ("-c", f"{ALLOWED}runpy.run_module('conductor', run_name='__main__')")
    with running_conductor("", launcher=launcher) as conductor:
        limits = Path(f"/proc/{conductor.process.pid}/limits").read_text().splitlines()
        (line,) = (one for one in limits if one.startswith("Max core file size"))
        assert line.split()[4] == "0"
