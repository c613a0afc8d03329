"""The whole run of the tests: it fails when what was asked for is in no folder."""

import importlib
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def _no_plugins(monkeypatch: pytest.MonkeyPatch) -> None:
    """Start each pytest without the plugins that are installed, which takes half the time."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")


@pytest.mark.parametrize(("wanted", "code"), [("there_is_no_such_test", 5), ("later", 0)])
def test_a_run_that_finds_no_test_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wanted: str, code: int
):
    monkeypatch.syspath_prepend(str(ROOT / "build"))
    run = importlib.import_module("whole_run")
    for name in ("empty", "full"):
        (tmp_path / "tests" / name).mkdir(parents=True)
    (tmp_path / "tests" / "empty" / "test_a.py").write_text("")
    (tmp_path / "tests" / "full" / "test_b.py").write_text("def test_later(): pass\n")
    monkeypatch.setattr(run, "ROOT", tmp_path)
    assert run.whole_run(Path(sys.executable), ["-k", wanted]) == code


@pytest.mark.parametrize(("page", "code"), [("print('2 passed')", 0), ("raise SystemExit(1)", 1)])
def test_the_tests_of_the_page_count_as_those_of_a_folder_do(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    page: str,
    code: int,
):
    monkeypatch.syspath_prepend(str(ROOT / "build"))
    run = importlib.import_module("whole_run")
    (tmp_path / "tests" / "full").mkdir(parents=True)
    (tmp_path / "tests" / "full" / "test_b.py").write_text("def test_later(): pass\n")
    monkeypatch.setattr(run, "ROOT", tmp_path)
    assert run.whole_run(Path(sys.executable), [], [sys.executable, "-c", page]) == code
    told = capsys.readouterr().out
    assert ("Failed twice: frontend/tests" in told) == (code == 1)
    assert ("2 passed" in told) == (code == 0)


def test_a_part_that_was_cut_off_is_run_again_as_a_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.syspath_prepend(str(ROOT / "build"))
    run = importlib.import_module("whole_run")
    tests = tmp_path / "tests" / "full" / "test_b.py"
    tests.parent.mkdir(parents=True)
    monkeypatch.setattr(run, "ROOT", tmp_path)
    tests.write_text("def test_earlier(): assert False\n")
    assert run.whole_run(Path(sys.executable), []) == 1
    tests.write_text(
        "import os\n"
        "def test_earlier(): pass\n"
        "def test_later(): assert False\n"
        "def test_last(): os._exit(1)\n"
    )
    assert run.whole_run(Path(sys.executable), []) == 1
