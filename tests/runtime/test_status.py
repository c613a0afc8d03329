"""What the status says of devices when the engine process is not there to be asked."""

import asyncio
from pathlib import Path

import pytest

from conductor.config.store import ConfigStore
from conductor.domain.devices import DeviceStatus
from conductor.domain.wire_rows import DeviceKind, DeviceRow
from conductor.errors import NotAvailable
from conductor.runtime.engine_connection import EngineConnection
from conductor.runtime.notices import Notices
from conductor.runtime.status import StatusReader


def stopped_engine(home: Path, devices: list[DeviceRow]) -> StatusReader:
    """Return the status reader of an engine that was never started, with these devices."""
    engine = EngineConnection(home, home / "config.toml", _ignore, Notices(_ignore))
    engine.state.devices = devices
    return status_reader(home, engine)


def status_reader(home: Path, engine: EngineConnection) -> StatusReader:
    return StatusReader(
        engine,
        ConfigStore(home / "config.toml"),
        list,
        lambda _config: 2,
        describe_window=lambda: "Qt window",
        demo=False,
    )


def _ignore(*_: object) -> None:
    return


def device(name: str, kind: DeviceKind = "midi_input", *, connected: bool = True) -> DeviceRow:
    status = DeviceStatus(device_id=name, port_name=name, kind=kind, connected=connected)
    return status.to_row()


@pytest.mark.parametrize(
    ("devices", "name", "port"),
    [
        ([], None, None),
        ([device("Conductor In")], None, None),
        ([device("Midi Through Port-0")], None, None),
        ([device("Pads", connected=False)], None, None),
        ([device("Synth", "midi_output")], None, None),
        ([device("Synth", "midi_output"), device("Conductor In"), device("Pads")], "Pads", 1),
        ([device("Xbox Pad", "gamepad")], "Xbox Pad", None),
    ],
)
def test_a_port_that_nothing_plays_is_no_connected_device(
    tmp_path: Path, devices: list[DeviceRow], name: str | None, port: int | None
):
    status = asyncio.run(stopped_engine(tmp_path, devices).read_status())

    assert status["connected"] is (name is not None)
    shown = status["device"] or {"name": None, "port": None}
    assert (shown["name"], shown["port"]) == (name, port)
    assert status["lifecycle_state"] == "Degraded"


def test_the_status_names_the_engine_that_was_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    engine = EngineConnection(tmp_path, tmp_path / "config.toml", _ignore, Notices(_ignore))
    engine.process.running.set()

    async def restart_meanwhile(_: object) -> None:
        engine.process.restarts += 1
        raise NotAvailable("the engine does not answer")

    monkeypatch.setattr(engine.process, "send_request_async", restart_meanwhile)
    status = asyncio.run(status_reader(tmp_path, engine).read_status())

    assert (engine.process.restarts, status["engine"]["restarts"]) == (1, 0)
