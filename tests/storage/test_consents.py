"""Consents to servers: kept over a restart, one for each server, and gone when withdrawn."""

from pathlib import Path

from conductor.storage.consents import Consents
from conductor.storage.database import Database


def test_a_consent_is_kept_replaced_and_withdrawn(tmp_path: Path) -> None:
    database = Database(tmp_path / "conductor.db")
    consents = Consents(lambda: database)
    assert consents.all() == {}
    consents.give("time", "sha256:1")
    consents.give("files", "sha256:2")
    consents.give("time", "sha256:3")
    database.close()
    database = Database(tmp_path / "conductor.db")
    assert consents.all() == {"time": "sha256:3", "files": "sha256:2"}
    consents.withdraw("time")
    consents.withdraw("nobody")
    assert consents.all() == {"files": "sha256:2"}
    database.close()
