"""MIDI from another process over a real JACK server arrives through a port process."""

import os
import select
import signal
from collections.abc import Generator

import pytest
from tests.support.jack import JackServer, MidiPeer, jack_server, wait_for_ports
from tests.support.midi_peer import numbered_cc

from conductor.base import clock
from conductor.devices.midi.binding import rtmidi
from conductor.devices.midi.input import MidiInput, PortTransport
from conductor.devices.midi.port_start import PortRequest
from conductor.domain.events import InputEvent

pytestmark = pytest.mark.jack
JACK: int = rtmidi.API_UNIX_JACK
WAIT_S = 30.0


@pytest.fixture(scope="module")
def server() -> Generator[JackServer]:
    with jack_server() as running:
        yield running


@pytest.fixture
def pads(server: JackServer) -> Generator[MidiPeer]:
    with MidiPeer("Pads") as peer:
        yield peer


@pytest.fixture(params=["pipe", "socket"])
def source(pads: MidiPeer, request: pytest.FixtureRequest) -> Generator[MidiInput]:
    transport: PortTransport = request.param
    opened = MidiInput("pads", PortRequest(JACK, "Pads:out"), transport)
    assert opened.wait_until_open(WAIT_S), opened.problem
    yield opened
    opened.close()


def read(source: MidiInput, count: int) -> list[InputEvent]:
    events: list[InputEvent] = []
    while len(events) < count and select.select([source], [], [], WAIT_S)[0]:
        events += source.read_events()
    return events


def test_a_note_from_another_process_arrives_as_an_event(pads: MidiPeer, source: MidiInput):
    before = clock.now()
    pads.send("99 24 64")
    [event] = read(source, 1)
    assert event[:5] == ("note_on", "pads", 10, 36, 100)
    assert before < event.time < clock.now()


def test_a_burst_of_five_thousand_arrives_completely_and_in_order(
    pads: MidiPeer, source: MidiInput
):
    pads.burst(5_000)
    events = read(source, 5_000)
    sent = [numbered_cc(number) for number in range(5_000)]
    assert [bytes((0xAF + e.channel, int(e.number), int(e.value))) for e in events] == sent
    assert [e.time for e in events] == sorted(e.time for e in events)


def test_a_long_sysex_arrives_whole(pads: MidiPeer, source: MidiInput):
    message = bytes((0xF0, *range(120), *[5] * 9_000, 0xF7))
    pads.send(message)
    [event] = read(source, 1)
    assert (event.kind, event.value, event.data) == ("sysex", len(message), message)


def test_reading_without_data_returns_nothing_at_once(source: MidiInput):
    assert source.read_events() == []


def test_messages_that_are_not_read_for_a_while_are_kept(pads: MidiPeer, source: MidiInput):
    message = bytes((0xF0, *[5] * 7_000, 0xF7))
    for _ in range(200):  # more than the pipe holds
        pads.send(message)
    pads.burst(1)
    events = read(source, 201)
    assert [event.value for event in events] == [len(message)] * 200 + [0]
    assert source.lost == 0


def test_the_process_ends_and_frees_its_port_when_the_parents_end_closes(source: MidiInput):
    wait_for_ports(lambda ports: "Conductor:in" in ports)
    source.request_stop()
    with pytest.raises(EOFError):
        read(source, 1)
    source.close()
    assert not source.is_alive
    wait_for_ports(lambda ports: "Conductor:in" not in ports)


def test_the_process_ends_while_notes_keep_coming(pads: MidiPeer, source: MidiInput):
    pads.start_burst(3_000)
    assert read(source, 1)
    source.close()
    pads.end_burst()
    wait_for_ports(lambda ports: "Conductor:in" not in ports)


def test_a_process_that_is_killed_ends_the_source(source: MidiInput):
    os.kill(source.pid, signal.SIGTERM)
    with pytest.raises(EOFError, match="Pads:out"):
        read(source, 1)
    assert source.state == "ended"


def test_an_interrupt_of_the_terminal_is_ignored(pads: MidiPeer, source: MidiInput):
    os.kill(source.pid, signal.SIGINT)
    pads.send("90 24 64")
    assert [event.kind for event in read(source, 1)] == ["note_on"]


def test_a_missing_port_is_reported(server: JackServer):
    absent = MidiInput("pads", PortRequest(JACK, "Nothing:out"))
    assert not absent.wait_until_open(WAIT_S)
    assert absent.state == "failed"
    assert "unplugged" in (absent.problem or "")
    absent.close()


def test_other_programs_can_send_to_a_virtual_input(pads: MidiPeer):
    virtual = MidiInput("daw", PortRequest(JACK, "Conductor In", name_index=-1))
    assert virtual.wait_until_open(WAIT_S)
    pads.connect_to("Conductor:Conductor In")
    pads.send("b0 07 01")
    assert [event[:5] for event in read(virtual, 1)] == [("cc", "daw", 1, 7, 1)]
    virtual.close()
