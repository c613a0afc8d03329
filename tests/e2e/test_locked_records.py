"""What a running Conductor does while its database cannot be written."""

import sqlite3

import pytest
from tests.support.running import Status, running_conductor

from conductor.errors import ConductorError
from conductor.storage import sqlite_file

pytestmark = pytest.mark.timeout(300)
ALONE = {"JACK_DEFAULT_SERVER": "none", "DISPLAY": ""}
CONFIG = """
[[modes]]
name = "Default"

[[modes]]
name = "Other"
"""


def is_told(status: Status) -> bool:
    """Check whether the user is told why programs are refused."""
    return any("cannot be recorded" in notice for notice in status["notices"])


def test_a_program_changes_nothing_while_another_one_holds_the_database(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sqlite_file, "SQLITE_BUSY_TIMEOUT_MS", 100)
    with running_conductor(CONFIG, environment=ALONE) as conductor:
        conductor.call("conductor_list_plans")
        with sqlite3.connect(conductor.home / "conductor.db", isolation_level=None) as held:
            held.execute("BEGIN EXCLUSIVE")
            for tool, arguments in (
                ("conductor_switch_mode", {"mode": "Other"}),
                ("conductor_create_mode", {"name": "Third"}),
            ):
                with pytest.raises(ConductorError, match="could not be recorded"):
                    conductor.call(tool, **arguments)
            assert conductor.status()["mode"] == "Default"
            conductor.wait_status(is_told)
            held.execute("ROLLBACK")
        held.close()
        conductor.call("conductor_switch_mode", mode="Other")
        conductor.wait_status(lambda status: not is_told(status))
