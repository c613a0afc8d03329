"""A crash at any step of an apply leaves the old config or the new one, and a history that agrees."""

import signal
from collections.abc import Generator
from pathlib import Path

import pytest
from tests.support.fork_server import ForkServer
from tests.tools import dying_apply
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


@pytest.fixture(scope="module")
def fork_server() -> Generator[ForkServer]:
    with ForkServer(dying_apply.__name__) as server:
        yield server


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize(("kind", "step"), CASES)
def test_a_kill_leaves_one_config_or_the_other_whole(
    fork_server: ForkServer, tmp_path: Path, kind: str, step: str, when: str
):
    file = tmp_path / "config.toml"
    file.write_text(OLD)
    errors = tmp_path / "errors"
    script = Path(dying_apply.__file__)
    with (
        errors.open("w") as stderr,
        fork_server.run(script, str(tmp_path), step, when, kind, stderr=stderr) as dying,
    ):
        assert dying.wait() == -signal.SIGKILL, errors.read_text()

    text = file.read_text()
    is_new = NEW in text
    assert text == OLD or (is_new and text.startswith(OLD))

    plans, store, history = plans_of(tmp_path)
    assert not store.problems
    assert store.config_text == text
    current = history.latest()
    assert current is not None
    assert (current.text, current.hash) == (text, hash_bytes(text.encode()))
    plan = plans.list_plans()[0]
    assert plan.status in ("approved", "applied")
    if plan.status == "approved" and kind == "create":
        assert plans.apply_plan(plan.plan_id, USER).status == "applied"
        assert NEW in file.read_text()
    if is_new and kind == "create":
        assert store.undo_change().modes[0].name == "Default"
        assert file.read_text() == OLD
