"""The task runner."""

import importlib
import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def test_processes_that_a_task_starts_keep_compiled_modules(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    monkeypatch.setattr("sys.argv", ["build/dev.py"])
    monkeypatch.syspath_prepend(str(ROOT / "build"))
    assert importlib.import_module("dev").main() == 0
    assert "PYTHONDONTWRITEBYTECODE" not in os.environ
