"""What the status says of devices when the engine process is not there to be asked."""

import asyncio
import threading
from pathlib import Path

import pytest

from conductor.base.clock import now
from conductor.config.store import ConfigStore
from conductor.domain.devices import DeviceStatus
from conductor.domain.wire_rows import DeviceKind, DeviceRow
from conductor.runtime.status import status_of
from conductor.runtime.supervisor import EngineSupervisor


class StoppedApp:
    """An app whose engine was never started, with these devices."""

    def __init__(self, home: Path, devices: list[DeviceRow]) -> None:
        self.engine = EngineSupervisor(home / "held", _ignore, _ignore, _ignore, _ignore)
        self.store = ConfigStore(home / "config.toml")
        self.devices = devices
        self.devices_known = threading.Event()
        self.notices: list[str] = []
        self.started_at = now()
        self.mode = "Default"
        self.demo = False

    def config_is_active(self) -> bool:
        return False


def _ignore(*_: object) -> None:
    return


def device(name: str, kind: DeviceKind = "midi_input", *, connected: bool = True) -> DeviceRow:
    status = DeviceStatus(device_id=name, port_name=name, kind=kind, connected=connected)
    return status.to_row()


@pytest.mark.parametrize(
    ("devices", "name"),
    [
        ([], None),
        ([device("Conductor In")], None),
        ([device("Midi Through Port-0")], None),
        ([device("Pads", connected=False)], None),
        ([device("Synth", "midi_output")], None),
        ([device("Conductor In"), device("Pads")], "Pads"),
        ([device("Xbox Pad", "gamepad")], "Xbox Pad"),
    ],
)
def test_a_port_that_nothing_plays_is_no_connected_device(
    tmp_path: Path, devices: list[DeviceRow], name: str | None
):
    status = asyncio.run(status_of(StoppedApp(tmp_path, devices)))

    assert status["connected"] is (name is not None)
    assert (status["device"] or {"name": None})["name"] == name
    assert status["lifecycle_state"] == "Degraded"
