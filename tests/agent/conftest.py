"""What all tests of the assistant share."""

import pytest

from conductor.agent import prepare


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give skills and references the time that a machine under load needs: without them, answers differ."""
    monkeypatch.setattr(prepare, "PREPARATION_TIMEOUT_S", 60.0)
