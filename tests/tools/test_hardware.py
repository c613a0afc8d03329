"""Tools that reach devices: messages arrive in another process, and ports close and open again."""

from collections.abc import Generator
from typing import Any

import pytest
from tests.support.jack import MidiPeer
from tests.support.running import PADS, RunningConductor, running_conductor
from tests.tools.terminal import at_terminal

from conductor.errors import ConductorError

pytestmark = pytest.mark.jack
IDENTITY = ["F0", "7E", "7F", "06", "01", "F7"]


@pytest.fixture(scope="module")
def conductor(pads_of_module: MidiPeer) -> Generator[RunningConductor]:
    with running_conductor(PADS, environment={"DISPLAY": ""}) as running:
        running.wait_for_device("pads")
        running.wait_for_device("pads", "midi_output")
        yield running


def test_channel_messages_are_sent_at_once(conductor: RunningConductor, pads: MidiPeer):
    messages = [
        {"type": "note_on", "channel": 10, "note": 60, "velocity": 100},
        {"type": "cc", "channel": 1, "controller": 7, "value": 127},
    ]
    answer = conductor.call("conductor_send_midi", port="pads", messages=messages)
    assert answer == {"success": True, "messages_sent": 2, "port": "pads"}
    pads.wait_for("99 3c 64")
    pads.wait_for("b0 07 7f")


def test_sysex_is_sent_once_the_user_has_approved(conductor: RunningConductor, pads: MidiPeer):
    asked = conductor.call("conductor_send_sysex", port="pads", data=IDENTITY)
    done = at_terminal(conductor, "plans", "approve", asked["plan_id"], "--yes")
    assert "approved" in done.stdout
    sent = conductor.call("conductor_send_sysex", port="pads", data=IDENTITY, token=asked["token"])
    assert sent["status"] == "sent"
    pads.wait_for("f0 7e 7f 06 01 f7")


def test_an_input_is_closed_and_opened_again(conductor: RunningConductor):
    closed = conductor.call("conductor_disconnect_device", device_id="pads")
    assert not closed["connected"]
    conductor.wait_for_device("pads", connected=False)
    conductor.call("conductor_connect_device", device_id="pads")
    conductor.wait_for_device("pads")


def test_an_input_is_closed_without_a_name_and_opened_again_by_its_port_number(
    conductor: RunningConductor,
):
    """As clients do that know one device only."""
    listed = conductor.call("conductor_list_devices")["devices"]
    (port,) = [row["port"] for row in listed if row["device_id"] == "pads" and "port" in row]
    assert all("port" in row for row in listed if row["kind"] == "midi_input")

    closed = conductor.call("conductor_disconnect_device")
    assert (closed["device_id"], closed["connected"]) == ("pads", False)
    conductor.wait_for_device("pads", connected=False)
    with pytest.raises(ConductorError, match=f"no MIDI input is connected; .*: {port} = 'pads'"):
        conductor.call("conductor_disconnect_device")

    opened = conductor.call("conductor_connect_device", port=port)
    assert (opened["device_id"], opened["connected"]) == ("pads", True)
    conductor.wait_for_device("pads")
    assert conductor.call("conductor_get_status")["device"]["port"] == port


@pytest.mark.parametrize(
    ("tool", "arguments", "message"),
    [
        ("connect", {}, "`device_id` or `port` is missing"),
        ("connect", {"port": 40}, "Invalid port: 40 does not exist; MIDI inputs: 0 = "),
        ("disconnect", {"device_id": "elsewhere", "port": 0}, "port 0 is "),
    ],
)
def test_a_port_number_that_names_no_device_is_refused(
    conductor: RunningConductor, tool: str, arguments: dict[str, Any], message: str
):
    with pytest.raises(ConductorError, match=message):
        conductor.call(f"conductor_{tool}_device", **arguments)
