"""Consents to servers: stored across restarts, one for each server, and deleted when withdrawn."""

from pathlib import Path

from conductor.storage.consents import Consents
from conductor.storage.database import Database


def test_a_consent_is_recorded_replaced_and_withdrawn(tmp_path: Path) -> None:
    database = Database(tmp_path / "conductor.db")
    consents = Consents(lambda: database)
    assert consents.list_digests() == {}
    consents.record_consent("time", "sha256:1")
    consents.record_consent("files", "sha256:2")
    consents.record_consent("time", "sha256:3")
    database.close()
    database = Database(tmp_path / "conductor.db")
    assert consents.list_digests() == {"time": "sha256:3", "files": "sha256:2"}
    consents.withdraw_consent("time")
    consents.withdraw_consent("nobody")
    assert consents.list_digests() == {"files": "sha256:2"}
    database.close()
