"""The steps of a task: a second way if the first fails, and what is printed if both do."""

import importlib
import sys
from pathlib import Path
from types import ModuleType

import pytest

BUILD = Path(__file__).resolve().parents[2] / "build"


@pytest.fixture
def steps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(BUILD))
    module = importlib.import_module("steps")
    monkeypatch.setattr(module, "ROOT", tmp_path)
    monkeypatch.setattr(module, "STATE", tmp_path / ".setup")
    return module


def python(code: str) -> list[str]:
    return [sys.executable, "-S", "-c", code]


def test_a_command_that_fails_is_replaced_by_the_other_commands(steps: ModuleType, tmp_path: Path):
    made = tmp_path / "made"
    first = [python("raise SystemExit(1)"), python(f"open({str(made)!r}, 'a').write('first ')")]
    other = [python(f"open({str(made)!r}, 'a').write('other ')") for _ in range(2)]
    steps.run_quietly("Packages", *first, advice="", instead=other)
    assert made.read_text() == "other other "


def test_a_step_that_fails_ends_the_task_with_the_end_of_its_output_and_advice(
    steps: ModuleType, capsys: pytest.CaptureFixture[str]
):
    fails = python("print('disk full'); raise SystemExit(1)")
    with pytest.raises(SystemExit):
        steps.run_quietly("Packages", fails, advice="Free some space.", instead=[fails])
    printed = capsys.readouterr().out
    assert printed.count("  | disk full") == 2
    assert "Free some space. Full log: .setup/logs/packages.log" in printed


def test_after_ctrl_c_no_other_way_is_tried(steps: ModuleType, tmp_path: Path):
    made = tmp_path / "made"
    steps.INTERRUPTED.set()
    try:
        with pytest.raises(SystemExit):
            steps.run_quietly(
                "Packages",
                python("raise SystemExit(1)"),
                advice="",
                instead=[python(f"open({str(made)!r}, 'a').close()")],
            )
    finally:
        steps.INTERRUPTED.clear()
    assert not made.exists()
