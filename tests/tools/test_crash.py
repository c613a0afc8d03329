"""A crash at any step of an apply leaves the old config or the new one, and a history that agrees."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests.support.running import REPOSITORY
from tests.tools.dying_apply import USER, plans_of

from conductor.base.atomic import hash_bytes

OLD = '# mine\n[[modes]]\nname = "Default" # first\n'
NEW = '[[modes]]\nname = "New"'
COMMIT = [
    "temporary file",
    "fsync",
    "swap",
    "folder sync",
    "write",
    "history",
    "plan",
    "examples",
]
UNDO = ["temporary file", "fsync", "swap", "folder sync", "write", "history step", "plan"]
CASES = [("create", step) for step in COMMIT] + [("undo", step) for step in UNDO]


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize(("kind", "step"), CASES)
def test_a_kill_leaves_one_config_or_the_other_whole(
    tmp_path: Path, kind: str, step: str, when: str
):
    file = tmp_path / "config.toml"
    file.write_text(OLD)
    script = REPOSITORY / "tests" / "tools" / "dying_apply.py"
    path = os.pathsep.join([str(REPOSITORY), str(REPOSITORY / "backend")])
    died = subprocess.run(
        [sys.executable, str(script), str(tmp_path), step, when, kind],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
    )
    assert died.returncode == -signal.SIGKILL, died.stderr

    text = file.read_text()
    is_new = NEW in text
    assert text == OLD or (is_new and text.startswith(OLD))

    plans, store, history = plans_of(tmp_path)
    assert not store.problems
    assert store.text == text
    current = history.latest()
    assert current is not None
    assert (current.text, current.hash) == (text, hash_bytes(text.encode()))
    plan = plans.all()[0]
    assert plan.status in ("approved", "applied")
    if plan.status == "approved" and kind == "create":
        assert plans.apply(plan.plan_id, USER).status == "applied"
        assert NEW in file.read_text()
    if is_new and kind == "create":
        assert store.undo().modes[0].name == "Default"
        assert file.read_text() == OLD
