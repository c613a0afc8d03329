"""Messages that an agent sends to a port that comes back: they must not press the user's mappings."""

# pyright: reportPrivateUsage=false

import asyncio
from collections.abc import Generator
from functools import partial
from types import SimpleNamespace
from typing import Any, cast

import pytest

from conductor.devices import manager
from conductor.devices.manager import MidiManager
from conductor.devices.midi.apis import PortKey, PortScanResult
from conductor.devices.midi.binding import rtmidi
from conductor.devices.midi.output import MidiOutputs
from conductor.domain.devices import DeviceIdentity, NameContains
from conductor.domain.engine_protocol import SendMidi
from conductor.domain.plan import Requester
from conductor.errors import NotAllowed
from conductor.runtime import requests
from conductor.tools.app_contexts import AppHardwareContext, ContextParts
from conductor.tools.catalog.hardware import SendMidiParams, send_midi
from conductor.tools.sysex import SysexApprovalTokens

LOOP = PortKey(rtmidi.API_LINUX_ALSA, "Midi Through:Midi Through Port-0 14:0")
MIKRO = PortKey(rtmidi.API_LINUX_ALSA, "Mikro MK3:Mikro MK3 MIDI 1 20:0")
SYNTH = PortKey(rtmidi.API_LINUX_ALSA, "Synth:Synth MIDI 1 24:0")
ALIAS = DeviceIdentity(alias="echo", matchers=(NameContains(pattern="Midi Through"),))
NOTE = {"type": "note_on", "note": 36}
SENT = bytes((0x90, 36, 100))
NAMES = [
    LOOP.name,
    LOOP.name.removesuffix(" 14:0"),
    "echo",
    "midi through",
    "14:0",
    "Port-0 14",
    "PORT-0 1",
]


class Ports:
    """The MIDI systems of a computer with these ports."""

    own_ports: frozenset[str] = frozenset()

    def __init__(self, inputs: list[PortKey], outputs: list[PortKey]) -> None:
        self._scan = PortScanResult(inputs, outputs)

    def scan_ports(self, _now: float) -> PortScanResult:
        return self._scan

    def list_problems(self) -> list[str]:
        return []

    def find_virtual_port_api(self) -> None:
        return None

    def close(self) -> None:
        pass


class OpenPort:
    def __init__(self, key: PortKey, sent: list[tuple[str, bytes]]) -> None:
        self._key, self._sent = key, sent

    def send_message(self, message: bytes) -> None:
        self._sent.append((self._key.name, message))

    def close_port(self) -> None:
        pass

    def abandon_port(self) -> None:
        pass


class Sending:
    """Keeps what is sent, by the port's whole name."""

    is_alive = True

    def __init__(self) -> None:
        self.sent: list[tuple[str, bytes]] = []

    def fileno(self) -> None:
        return None

    def open_port(self, key: PortKey) -> OpenPort:
        return OpenPort(key, self.sent)

    def kill_if_stuck(self) -> None:
        return

    def close(self) -> None:
        pass


def no_process(*_: object) -> Any:
    raise OSError("the inputs of this test are not opened")


def ignore(*_: object) -> None:
    """Accept calls that this test ignores."""


class Conductor:
    """The tool, the app's part and the engine's part, on ports that a test chooses."""

    def __init__(self, sending: Sending) -> None:
        self.sending = sending
        self.midi = MidiManager(ignore, ignore, ignore, ignore, start_process=no_process)
        engine = SimpleNamespace(process=SimpleNamespace(send_request_async=self._answer))
        parts = cast(ContextParts, SimpleNamespace(engine=engine))
        self.tokens = SysexApprovalTokens()
        self.context = AppHardwareContext(parts, self.tokens, Requester(caller="chat"))

    def plug_in(
        self, inputs: list[PortKey], outputs: list[PortKey], *, only_configured: bool = False
    ) -> None:
        self.midi._apis = cast(Any, Ports(inputs, outputs))
        configured = () if only_configured else (ALIAS,)
        self.midi.configure_ports(configured, "configured" if only_configured else "all")
        self.midi.rescan_ports()

    def send(self, port: str) -> None:
        params = SendMidiParams.model_validate({"port": port, "messages": [NOTE]})
        asyncio.run(self._send(params))

    async def _send(self, params: SendMidiParams) -> None:
        await send_midi(params, self.context)

    async def _answer(self, request: SendMidi) -> dict[str, Any]:
        answers: list[dict[str, Any]] = []

        requests.send_midi(request, self.midi, lambda answer: answers.append({**answer}))
        return answers[0]


@pytest.fixture
def conductor(monkeypatch: pytest.MonkeyPatch) -> Generator[Conductor]:
    sending = Sending()

    def start_process(_name: str) -> Any:
        return sending

    make_outputs = partial(MidiOutputs, start_process=start_process)
    monkeypatch.setattr(manager, "MidiOutputs", make_outputs)
    made = Conductor(sending)
    yield made
    made.midi.close()


@pytest.mark.parametrize("port", NAMES)
def test_a_port_that_comes_back_to_conductor_is_refused_whatever_it_is_called(
    conductor: Conductor, port: str
) -> None:
    conductor.plug_in([LOOP], [LOOP, SYNTH])
    with pytest.raises(NotAllowed, match=r"sends back what it receives.*conductor_preview_action"):
        conductor.send(port)
    assert conductor.sending.sent == []


def test_a_port_that_was_sent_to_before_is_refused_once_conductor_listens_to_it(
    conductor: Conductor,
) -> None:
    conductor.plug_in([LOOP], [LOOP], only_configured=True)
    conductor.send("14:0")
    conductor.plug_in([LOOP], [LOOP])
    with pytest.raises(NotAllowed):
        conductor.send("14:0")
    assert conductor.sending.sent == [(LOOP.name, SENT)]


def test_a_loop_that_nobody_listens_to_is_sent_to(conductor: Conductor) -> None:
    conductor.plug_in([LOOP], [LOOP], only_configured=True)
    conductor.send("14:0")
    assert conductor.sending.sent == [(LOOP.name, SENT)]


def test_a_controller_that_is_an_input_too_is_sent_to(conductor: Conductor) -> None:
    conductor.plug_in([MIKRO, LOOP], [LOOP, MIKRO])
    conductor.send("Mikro")
    assert conductor.sending.sent == [(MIKRO.name, SENT)]


def test_a_part_that_a_loop_shares_is_sent_to_the_port_that_it_means(conductor: Conductor) -> None:
    conductor.plug_in([LOOP], [SYNTH, LOOP])
    conductor.send("midi")
    assert conductor.sending.sent == [(SYNTH.name, SENT)]


def test_sysex_that_the_user_approved_is_sent_to_a_loop(conductor: Conductor) -> None:
    conductor.plug_in([LOOP], [LOOP])
    message = bytes.fromhex("f0 7e 7f 06 01 f7")
    plans = SimpleNamespace(mark_plan_used=ignore)
    cast(Any, conductor.context)._parts.plans = plans
    token = conductor.tokens.create_token("echo", message, "plan_1")
    asyncio.run(conductor.context.send_approved_sysex("echo", message, token))
    assert conductor.sending.sent == [(LOOP.name, message)]
