"""The volume of a real PulseAudio sink changes, as another client reads it."""

from collections.abc import Generator
from pathlib import Path

import pytest
from tests.support.pulse import PulseServer, pulse_server

from conductor.errors import ActionFailed
from conductor.system.volume import PulseVolume

pytestmark = pytest.mark.pulse


@pytest.fixture
def pulse(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[PulseServer]:
    with pulse_server(tmp_path) as server:
        for name, value in server.environment.items():
            monkeypatch.setenv(name, value)
        yield server


@pytest.fixture
def volume(pulse: PulseServer) -> Generator[PulseVolume]:
    volume = PulseVolume()
    yield volume
    volume.close()


def test_set_up_and_down_stay_between_0_and_100(pulse: PulseServer, volume: PulseVolume) -> None:
    seen: list[list[int]] = []
    steps = [("Set", 40), ("Up", 5), ("Down", 15), ("Up", 90), ("Set", 130), ("Down", 200)]
    for operation, percent in steps:
        volume.change_volume(operation, percent)
        seen.append(pulse.percents())
    assert seen == [[percent, percent] for percent in (40, 45, 30, 100, 100, 0)]


def test_up_works_from_silence(pulse: PulseServer, volume: PulseVolume) -> None:
    volume.change_volume("Set", 0)
    volume.change_volume("Up", 7)
    assert pulse.percents() == [7, 7]


def test_the_balance_is_preserved(pulse: PulseServer, volume: PulseVolume) -> None:
    pulse.set_percents(80, 40)
    volume.change_volume("Down", 40)
    assert pulse.percents() == [40, 20]


def test_up_does_not_change_a_volume_above_100(pulse: PulseServer, volume: PulseVolume) -> None:
    pulse.set_percents(120, 120)
    volume.change_volume("Up", 5)
    assert pulse.percents() == [120, 120]
    volume.change_volume("Down", 5)
    assert pulse.percents() == [115, 115]


def test_mute_unmute_and_toggle(pulse: PulseServer, volume: PulseVolume) -> None:
    seen: list[bool] = []
    for operation in ("Mute", "Mute", "Unmute", "Toggle", "Toggle"):
        volume.change_volume(operation, 0)
        seen.append(pulse.muted())
    assert seen == [True, True, False, True, False]


def test_an_unknown_operation_is_named(volume: PulseVolume) -> None:
    with pytest.raises(ActionFailed, match="`Louder`: use one of Up"):
        volume.change_volume("Louder", 5)


def test_the_server_may_be_restarted(pulse: PulseServer, volume: PulseVolume) -> None:
    volume.change_volume("Set", 30)
    pulse.stop()
    with pytest.raises(ActionFailed, match="no sound server responds: start"):
        volume.change_volume("Set", 50)
    pulse.start()
    volume.change_volume("Set", 60)
    assert pulse.percents() == [60, 60]


def test_without_a_server_the_reason_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PULSE_SERVER", f"unix:{tmp_path}/nothing")
    with pytest.raises(ActionFailed, match="no sound server responds"):
        PulseVolume().change_volume("Up", 5)
