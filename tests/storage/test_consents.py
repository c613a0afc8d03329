"""Consents to servers: stored across restarts, one for each server, and deleted when withdrawn."""

from pathlib import Path

from conductor.storage.consents import Consents
from conductor.storage.database import Database


def test_a_consent_is_recorded_replaced_and_withdrawn(tmp_path: Path) -> None:
    database = Database(tmp_path / "conductor.db")
    consents = Consents(lambda: database)
    assert consents.all() == {}
    consents.record("time", "sha256:1")
    consents.record("files", "sha256:2")
    consents.record("time", "sha256:3")
    database.close()
    database = Database(tmp_path / "conductor.db")
    assert consents.all() == {"time": "sha256:3", "files": "sha256:2"}
    consents.withdraw("time")
    consents.withdraw("nobody")
    assert consents.all() == {"files": "sha256:2"}
    database.close()
