"""A synchronous JACK server continues at once after a client of Conductor was killed."""

import threading
from collections.abc import Generator

import pytest
from tests.support.jack import JackServer, MidiPeer, jack_environment, jack_server

from conductor.devices.midi import jack_graph
from conductor.devices.midi.jack_graph import Word, release_dead_clients

pytestmark = pytest.mark.jack
PATIENCE_MS = 2_000
"""The server's timeout; without help it blocks for ten times as long."""
NO_LONGER_S = 5.0
LOOKS = 9


@pytest.fixture(scope="module", autouse=True)
def server() -> Generator[JackServer]:
    with jack_server(timeout_ms=PATIENCE_MS) as running:
        yield running


def test_other_clients_continue_after_a_client_was_killed():
    with MidiPeer("Keys") as keys, MidiPeer("Synth") as synth:
        synth.listen_to("Keys:out")
        MidiPeer("Conductor").kill()

        released = release_dead_clients("Conductor") + release_dead_clients("Conductor In")

        keys.send("90 24 64")
        synth.wait_for("90 24 64", NO_LONGER_S)
        assert released == 2


def test_a_superfluous_signal_is_cleared():
    with MidiPeer("Keys"), Word(jack_graph.END_OF_CYCLE) as word:
        word.signal()
        word.drop_spare_signal()
        # Each cycle of the server sets it for microseconds; a superfluous signal is there nearly always.
        assert sum(_samples(word)) <= LOOKS // 2


def test_living_clients_and_clients_of_other_programs_are_not_touched():
    with MidiPeer("Conductor"), MidiPeer("Synth"):
        assert release_dead_clients("Conductor") == 0


def _samples(word: Word) -> list[bool]:
    pause = threading.Event()
    found: list[bool] = []
    for _ in range(LOOKS):
        pause.wait(0.005)
        found.append(word.is_set)
    return found


def test_a_client_of_the_same_name_at_another_server_does_not_hide_a_dead_one(
    server: JackServer,
):
    with MidiPeer("Keys") as keys, MidiPeer("Synth") as synth:
        synth.listen_to("Keys:out")
        victim = MidiPeer("Conductor")
        with jack_server(), MidiPeer("Conductor"):
            victim.kill()
            with jack_environment(server):
                released = release_dead_clients("Conductor") + release_dead_clients("Conductor In")
            assert released == 2
        keys.send("90 24 64")
        synth.wait_for("90 24 64", NO_LONGER_S)
