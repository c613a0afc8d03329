"""`make test ARGS=--changed` finds the tests that import what changed."""

import importlib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(
    ("changed", "found"),
    [
        ("backend/conductor/base/clock.py", ["test_a.py", "test_b.py"]),
        ("backend/conductor/base/__init__.py", ["test_b.py"]),
        ("tests/support/rig.py", ["test_c.py"]),
        ("tests/base/test_c.py", ["test_c.py"]),
        ("tests/base/test_deleted.py", []),
        ("README.md", []),
    ],
)
def test_the_tests_that_import_a_changed_module_are_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, changed: str, found: list[str]
):
    monkeypatch.syspath_prepend(str(ROOT / "build"))
    changed_tests = importlib.import_module("changed_tests")
    folder = tmp_path / "tests" / "base"
    folder.mkdir(parents=True)
    (folder / "test_a.py").write_text("from conductor.base.clock import now\n")
    (folder / "test_b.py").write_text("from conductor.base import clock, link\n")
    (folder / "test_c.py").write_text("from tests.support.rig import Rig\n")
    if "deleted" not in changed:
        (tmp_path / changed).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / changed).touch()
    tests = changed_tests.find_tests(tmp_path, [Path(changed)])
    assert [test.name for test in tests] == found
