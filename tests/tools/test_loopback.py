"""Messages that an agent sends to a port that comes back: they must not press the user's mappings."""

import asyncio
from collections.abc import Sequence
from typing import Any, cast

import pytest

from conductor.errors import NotAllowed
from conductor.tools.catalog.hardware import SendMidiParams, send_midi
from conductor.tools.context import HardwareContext

LOOP = "Midi Through:Midi Through Port-0"
NOTE = {"type": "note_on", "note": 36}


def device(name: str, kind: str, device_id: str = "", *, connected: bool = True) -> dict[str, Any]:
    return {
        "device_id": device_id or f"raw:{name}",
        "port_name": name,
        "kind": kind,
        "connected": connected,
    }


class Outputs:
    """Keeps what is sent."""

    def __init__(self, *devices: dict[str, Any]) -> None:
        self._devices = list(devices)
        self.sent: list[bytes] = []

    def devices(self) -> list[dict[str, Any]]:
        return self._devices

    async def send_midi(self, port: str, messages: Sequence[bytes]) -> None:
        self.sent += messages


def send(outputs: Outputs, port: str) -> None:
    async def story() -> None:
        params = SendMidiParams.model_validate({"port": port, "messages": [NOTE]})
        await send_midi(params, cast(HardwareContext, outputs))

    asyncio.run(story())


@pytest.mark.parametrize("port", [LOOP, "midi through", "Port-0", "loop"])
def test_a_port_that_comes_back_to_conductor_is_refused_whatever_it_is_called(port: str) -> None:
    outputs = Outputs(
        device(LOOP, "midi_output", "loop"),
        device(LOOP, "midi_input", "loop"),
        device("Synth", "midi_output"),
    )
    with pytest.raises(NotAllowed, match=r"sends back what it is sent.*conductor_preview_action"):
        send(outputs, port)
    assert outputs.sent == []


def test_a_loop_that_nobody_listens_to_is_sent_to() -> None:
    outputs = Outputs(device(LOOP, "midi_output"), device(LOOP, "midi_input", connected=False))
    send(outputs, LOOP)
    assert outputs.sent == [bytes((0x90, 36, 100))]


def test_a_controller_that_is_an_input_too_is_sent_to() -> None:
    outputs = Outputs(device("Mikro MK3", "midi_output"), device("Mikro MK3", "midi_input"))
    send(outputs, "Mikro")
    assert outputs.sent == [bytes((0x90, 36, 100))]
