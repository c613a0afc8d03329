"""The doctor reports what the running Conductor reports."""

from pathlib import Path
from typing import Any

import pytest

from conductor.cli import doctor
from conductor.domain.settings import VoiceSettings
from conductor.errors import NotAvailable

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


@pytest.mark.parametrize(
    ("settings", "names"),
    [("", ["speech", "microphone"]), ("[settings.voice]\nnames = false\n", [])],
)
def test_the_voice_is_checked_unless_it_is_switched_off(
    settings: str, names: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def list_microphones(_host: object) -> list[str]:
        raise NotAvailable("No microphone was found: plug one in.")

    (tmp_path / "config.toml").write_text(settings)
    monkeypatch.setenv("CONDUCTOR_HOME", str(tmp_path))
    monkeypatch.setattr(doctor.VoiceHost, "list_microphones", list_microphones)
    checks = doctor._check_voice()  # pyright: ignore[reportPrivateUsage]
    assert [check.name for check in checks] == names
    assert not checks or checks[1].detail == "No microphone was found: plug one in."


def test_the_server_that_transcribes_is_named() -> None:
    voice = VoiceSettings(names=False, transcription="server", server="http://127.0.0.1:8000/v1")
    check = doctor._check_speech(voice)  # pyright: ignore[reportPrivateUsage]
    assert check.detail == "other speech: http://127.0.0.1:8000/v1"
