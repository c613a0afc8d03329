"""`conductor test`, `undo`, `history` and `plans approve` report kept examples that broke."""

import json
import sys
from argparse import Namespace
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.support.in_one_call import pin_example

from conductor.base.atomic import hash_bytes
from conductor.cli import plans, test, undo
from conductor.config.parse import load_config_with_notes
from conductor.domain.examples import Example
from conductor.errors import InvalidParams, NotAllowed
from conductor.storage.database import Database
from conductor.storage.examples import Examples
from conductor.storage.history import History

GOOD = """[[modes]]
name = "Default"
[[modes.mappings]]
trigger = { type = "Note", note = 36 }
action = { type = "Keystroke", keys = ["c"] }
"""
BAD = GOOD.replace('"c"', '"d"')
COPY = {
    "name": "copy",
    "gesture": "tap 36",
    "expect": [{"type": "Keystroke", "fields": {"keys": "c"}}],
}
Say = Callable[..., str]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Yield a home folder with a config, its history and one kept example."""
    monkeypatch.setenv("CONDUCTOR_HOME", str(tmp_path))
    database = Database(tmp_path / "conductor.db")
    history = History(database)
    for text, reason in ((GOOD, "start"), (BAD, "Change mapping 0"), (GOOD + "#\n", "mended")):
        history.add(text, hash_bytes(text.encode()), reason)
    Examples(database).add_examples(
        "plan", (pin_example(Example.model_validate(COPY), load_config_with_notes(GOOD).config),)
    )
    database.close()
    (tmp_path / "config.toml").write_text(GOOD + "#\n")
    return tmp_path


def played(**given: Any) -> int:
    return test.run(Namespace(**{"json": False, "bisect": None, **given}))


def test_bisect_names_a_change_that_is_in_the_history(
    home: Path, capsys: pytest.CaptureFixture[str]
):
    assert played(bisect="copy") == 0
    assert capsys.readouterr().out == "`copy` passes\n"
    database = Database(home / "conductor.db")
    number = History(database).add(BAD, hash_bytes(BAD.encode()), "Change it again").id
    database.close()
    (home / "config.toml").write_text(BAD)
    assert played() == 1
    assert "Run `conductor test --bisect`" in capsys.readouterr().out
    assert played(bisect="") == 1
    said = capsys.readouterr().out
    assert f"`copy` was broken by version {number} of " in said
    assert ": Change it again\n  expected Keystroke c, but Keystroke d at 0 ms" in said
    assert '  + action = { type = "Keystroke", keys = ["d"] }' in said


def test_bisect_names_an_edit_that_is_not_in_the_history_yet(
    home: Path, capsys: pytest.CaptureFixture[str]
):
    (home / "config.toml").write_text(BAD + "# mine\n")
    assert played(bisect="copy", json=True) == 1
    [found] = json.loads(capsys.readouterr().out)
    assert found["version"]["reason"] == "edited while Conductor was not running"
    with pytest.raises(InvalidParams, match="no example is called `paste`"):
        played(bisect="paste")


def test_undo_and_history_report_what_broke(home: Path, capsys: pytest.CaptureFixture[str]):
    assert undo.run(Namespace(command="undo")) == 0
    said = capsys.readouterr().out
    assert "This change (undo) broke your example `copy`: expected Keystroke c" in said
    assert "Redo reverts it (`conductor redo`)" in said
    undo.run(Namespace(command="history", json=False, limit=20))
    rows = capsys.readouterr().out.splitlines()
    at = next(number for number, row in enumerate(rows) if "Change mapping 0" in row)
    assert rows[at + 1].strip() == "broke the example `copy`"


class RunningApp:
    """Answers the command line with a plan that breaks an example."""

    plan: dict[str, Any]
    approved: bool

    def call_method(self, name: str, **_params: Any) -> dict[str, Any]:
        if name == "terminal.approve":
            type(self).approved = True
            return {**self.plan, "status": "applied"}
        return self.plan

    def set_timeout(self, _seconds: float) -> None:
        return


@pytest.fixture
def app(monkeypatch: pytest.MonkeyPatch) -> type[RunningApp]:
    RunningApp.approved = False
    RunningApp.plan = {
        "plan_id": "12345678",
        "status": "pending",
        "description": "Change mapping 0",
        "expires_at": "2999-01-01T00:00:00+00:00",
        "requested_by": {"client": "a", "executable": None, "caller": "mcp", "pid": None},
        "changes": [],
        "privileged": False,
        "warnings": ["This breaks your example `copy`: nothing fired"],
        "overlaps": [],
        "replay": None,
        "examples": [],
        "broken_examples": [{"example": COPY, "passed": False}],
        "reason": None,
        "diff_preview": "",
    }
    monkeypatch.setattr(plans, "SocketClient", RunningApp)
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True, raising=False)
    return RunningApp


def approve(**given: Any) -> int:
    wanted = {"plan_id": "1", "yes": True, "break_examples": False, "no_apply": False, **given}
    return plans.run(Namespace(verb="approve", **wanted))


def test_yes_alone_breaks_no_example(app: type[RunningApp], capsys: pytest.CaptureFixture[str]):
    with pytest.raises(NotAllowed, match="breaks your examples `copy`; add --break-examples"):
        approve()
    assert not app.approved
    assert "warning   This breaks your example `copy`" in capsys.readouterr().out
    assert approve(break_examples=True) == 0
    assert "broke the example `copy`" in capsys.readouterr().out


def test_who_is_asked_is_asked_about_the_examples(
    app: type[RunningApp], monkeypatch: pytest.MonkeyPatch
):
    asked: list[str] = []

    def answer(question: str) -> str:
        asked.append(question)
        return "y"

    monkeypatch.setattr("builtins.input", answer)
    assert approve(yes=False) == 0
    assert asked == ["Approve this plan and break 1 of your examples? [y/N] "]
    app.plan["broken_examples"] = []
    assert approve() == 0
