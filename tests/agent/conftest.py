"""What all tests of the assistant share."""

import pytest

from conductor.agent import prepare


@pytest.fixture(autouse=True)
def long_preparation_timeout(monkeypatch: pytest.MonkeyPatch) -> None:
    """Raise the time limit for skills and references, which a machine under load exceeds."""
    monkeypatch.setattr(prepare, "PREPARATION_TIMEOUT_S", 60.0)
