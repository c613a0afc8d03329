"""The doctor reports what the running Conductor reports."""

from typing import Any

import pytest

from conductor.cli import doctor

PROBLEM = "RemoteDesktop portal: it failed (uinput is used instead)"


class RunningConductor:
    """Stands for the client of a running Conductor with a problem."""

    def call_method(self, tool: str) -> dict[str, Any]:
        assert tool == "conductor_get_status"
        return {"lifecycle_state": "running", "mode": "Default", "problems": [PROBLEM]}


def test_the_problems_of_the_running_conductor_are_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "SocketClient", RunningConductor)
    check = doctor._check_running_conductor()  # pyright: ignore[reportPrivateUsage]
    assert (check.detail, check.notes) == ("running, mode Default", (PROBLEM,))
