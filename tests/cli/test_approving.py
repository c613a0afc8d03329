"""Who may approve a plan at a terminal, and which plans `conductor chat` may approve."""

import os
import shutil
import subprocess
import sys
from collections.abc import Generator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
from tests.cli.at_the_keys import Keys, at_the_keys, plans_shown
from tests.support.running import RunningConductor, running_conductor

from conductor.base.atomic import hash_bytes
from conductor.domain.chat.events import PartEvent
from conductor.domain.chat.messages import ToolResultPart
from conductor.domain.plan import ConfigPlan, StoredPlan
from conductor.errors import NotAllowed
from conductor.mcp.server.chat_plans import ChatPlans, count_program_actions
from conductor.mcp.server.peer import Peer, find_foreign_code

pytestmark = pytest.mark.timeout(300)
ALONE = {"JACK_DEFAULT_SERVER": "none", "DISPLAY": ""}
CONFIG = """
[[modes]]
name = "Default"
"""


@pytest.fixture(scope="module")
def running() -> Generator[RunningConductor]:
    with running_conductor(CONFIG, environment=ALONE) as running:
        with at_the_keys(running.environment, "chat", "/help") as keys:
            assert keys.ends() == 0
        yield running


@pytest.fixture
def conductor(running: RunningConductor) -> RunningConductor:
    running.use(CONFIG)
    return running


def waiting(conductor: RunningConductor) -> dict[str, Any]:
    with at_the_keys(conductor.environment, "chat", "/map pad 36 to f5") as keys:
        keys.wait_for("Apply? y: yes")
        keys.type("")
        assert keys.ends() == 0
    plan = plans_shown(conductor.environment)[0]
    assert plan["status"] == "pending"
    return plan


def shown_by(command: list[str], environment: dict[str, str]) -> str:
    keys = Keys(command, environment)
    try:
        keys.ends()
    finally:
        keys.close()
    return keys.shown


def imitated(conductor: RunningConductor, environment: dict[str, str], *arguments: str) -> str:
    return shown_by([sys.executable, "-m", "conductor", *arguments], environment)


def test_another_conductor_on_the_path_approves_nothing(
    conductor: RunningConductor, tmp_path: Path
) -> None:
    plan = waiting(conductor)
    package = tmp_path / "conductor"
    shutil.copytree(
        Path(__file__).parents[2] / "backend" / "conductor",
        package,
        ignore=shutil.ignore_patterns("__pycache__", "node_modules"),
    )
    environment = {**conductor.environment, "PYTHONPATH": str(tmp_path)}

    shown = imitated(conductor, environment, "plans", "approve", plan["plan_id"], "--yes")

    assert "PYTHONPATH is set" in shown
    assert plans_shown(conductor.environment)[0]["status"] == "pending"


def test_the_command_by_a_relative_path_lists_shows_and_approves_plans_of_programs(
    conductor: RunningConductor, tmp_path: Path
) -> None:
    plan = conductor.call("conductor_create_mode", name="Typed")
    script = Path(sys.executable).parent / "conductor"
    link = tmp_path / "conductor"
    link.symlink_to(script)
    environment = {**conductor.environment, "PWD": str(Path.cwd())}
    for typed in (os.path.relpath(script), str(link)):
        for words in (["list"], ["show", plan["plan_id"]]):
            assert plan["plan_id"][:8] in shown_by([typed, "plans", *words], environment)
    short = plan["plan_id"][:8]  # as it is printed
    approve = [os.path.relpath(script), "plans", "approve", short, "--yes"]
    assert "applied: " in shown_by(approve, environment)


def test_a_program_is_told_that_plans_of_others_are_not_shown_to_it(
    conductor: RunningConductor, tmp_path: Path
) -> None:
    conductor.call("conductor_create_mode", name="Hidden")
    other = tmp_path / "other.py"
    other.write_text("from conductor.__main__ import main; raise SystemExit(main())")
    shown = shown_by([sys.executable, str(other), "plans", "list"], conductor.environment)
    assert "Plans of other programs are hidden" in shown
    assert "No plans yet" not in shown


def test_another_conductor_in_the_folder_approves_nothing(tmp_path: Path) -> None:
    (tmp_path / "conductor.py").write_text(
        "import sys; print('here', flush=True); sys.stdin.read()"
    )
    command = [sys.executable, "-m", "conductor", "chat"]
    process = subprocess.Popen(
        command, cwd=tmp_path, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env={**os.environ}
    )
    try:
        assert process.stdout is not None
        process.stdout.readline()
        peer = Peer(os.getuid(), process.pid, sys.executable, tuple(command))
        assert find_foreign_code(peer) == "its folder contains another `conductor`"
        assert find_foreign_code(peer._replace(command=("python", "bin/conductor", "chat"))) is None
    finally:
        process.communicate()


def stored(old: str, new: str, caller: str = "chat", **more: Any) -> StoredPlan:
    plan = ConfigPlan.model_validate(
        {
            "plan_id": "p",
            "status": "pending",
            "description": "",
            "changes": (),
            "diff_preview": f"-{old}+{new}",
            "base_state_hash": "",
            "created_at": "2026-01-01T00:00:00Z",
            "expires_at": "2026-01-01T00:05:00Z",
            "touched_files": (),
            "requested_by": {"caller": caller},
            **more,
        }
    )
    return StoredPlan(plan=plan, change_list=(), new_text=new)


LAUNCHES = """
[[modes.mappings]]
trigger = {{ type = "Note", note = {note} }}
action = {{ type = "Sequence", actions = [{{ type = "{kind}", app = "firefox" }}] }}
"""


@pytest.mark.parametrize(
    ("plan", "connection", "shown", "words"),
    [
        (stored(CONFIG, CONFIG), 1, None, ""),
        (stored(CONFIG, CONFIG), 2, None, "did not create the plan"),
        (stored(CONFIG, CONFIG), None, None, "did not create the plan"),
        (stored(CONFIG, CONFIG, "mcp"), 1, None, "did not create the plan"),
        (stored(CONFIG, CONFIG), 1, "another", "the plan is not the one that was shown"),
        (stored(CONFIG, CONFIG, privileged=True), 1, None, "changes what agents are allowed to do"),
        (stored(CONFIG, CONFIG + LAUNCHES.format(note=1, kind="Launch")), 1, None, "a program"),
        (stored(CONFIG, CONFIG + LAUNCHES.format(note=1, kind="Shell")), 1, None, "a program"),
        (stored(CONFIG, CONFIG + LAUNCHES.format(note=1, kind="Plugin")), 1, None, "a program"),
        (stored(CONFIG, CONFIG + LAUNCHES.format(note=1, kind="Text")), 1, None, ""),
    ],
)
def test_a_chat_approves_what_it_made_and_showed_and_starts_no_program(
    plan: StoredPlan, connection: int | None, shown: str | None, words: str
) -> None:
    plans = ChatPlans()
    plans.on_request("m", Peer(0, 7, None, (), connection=1))
    plans.on_request("m", Peer(0, 8, None, (), connection=2))
    result = ToolResultPart(call_id="c", tool="t", ok=True, content="", plan_id="p", duration_ms=0)
    plans.on_chat_event(PartEvent(conversation_id="c", message_id="m", index=0, part=result))
    shown = shown or hash_bytes(plan.plan.diff_preview.encode())

    with pytest.raises(NotAllowed, match=words) if words else nullcontext():
        plans.require_approvable_plan(plan, CONFIG, shown, connection)


def test_another_control_for_what_starts_a_program_counts_too() -> None:
    before, after = (CONFIG + LAUNCHES.format(note=note, kind="Launch") for note in (1, 2))
    assert count_program_actions(after) - count_program_actions(before)
    assert not count_program_actions(after) - count_program_actions(after)


def test_at_a_terminal_a_plan_with_a_program_names_the_window(conductor: RunningConductor) -> None:
    with at_the_keys(conductor.environment, "chat", "/map pad 36 to launch firefox") as keys:
        keys.wait_for("Apply? y: yes")
        keys.type("y")
        keys.ends()

    assert "approve it in the window" in keys.shown
    plan = plans_shown(conductor.environment)[0]
    assert plan["status"] == "pending"
    with at_the_keys(conductor.environment, "plans", "approve", plan["plan_id"], "--yes") as keys:
        assert keys.ends() == 0
    assert "applied: " in keys.shown
