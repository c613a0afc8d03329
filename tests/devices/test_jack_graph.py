"""A synchronous JACK server continues at once after a client of Conductor was killed."""

import os
import threading
from collections.abc import Generator
from contextlib import ExitStack

import pytest
from tests.support.jack import JackServer, MidiPeer, jack_environment, jack_server

from conductor.devices.midi import jack_graph
from conductor.devices.midi.jack_graph import ClientFutex, release_dead_clients

pytestmark = pytest.mark.jack
PATIENCE_MS = 1_000
"""The server's timeout; without help it blocks for ten times as long."""
NO_LONGER_S = 9.0
LOOKS = 9


@pytest.fixture(scope="module", autouse=True)
def server() -> Generator[JackServer]:
    with jack_server(timeout_ms=PATIENCE_MS) as running:
        yield running


def test_other_clients_continue_after_a_client_was_killed():
    with MidiPeer("Keys") as keys, MidiPeer("Synth") as synth:
        synth.listen_to("Keys:out")
        MidiPeer("Conductor").kill()

        assert released()

        keys.send("90 24 64")
        synth.wait_for("90 24 64", NO_LONGER_S)
        assert not released()


def test_no_dead_client_is_left_however_many_there_are():
    with MidiPeer("Keys") as keys, MidiPeer("Synth") as synth:
        synth.listen_to("Keys:out")
        victims = [MidiPeer("Conductor"), MidiPeer("Conductor")]
        for victim in victims:
            victim.kill()

        assert release_dead_clients("Conductor") == len(victims)
        assert release_dead_clients("Conductor") == 0

        released()
        keys.send("90 24 64")
        synth.wait_for("90 24 64", NO_LONGER_S)


def test_a_superfluous_signal_is_cleared():
    with MidiPeer("Keys"), ClientFutex(jack_graph.END_OF_CYCLE_CLIENT) as word:
        word.signal_client()
        word.clear_unused_signal()
        # Each cycle of the server sets it for microseconds; a superfluous signal is there nearly always.
        assert sum(_samples(word)) <= LOOKS // 2


def test_living_clients_and_clients_of_other_programs_are_not_touched():
    with MidiPeer("Conductor"), MidiPeer("Synth"):
        assert release_dead_clients("Conductor") == 0


def _samples(word: ClientFutex) -> list[bool]:
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
                assert released()
                assert not released()
        keys.send("90 24 64")
        synth.wait_for("90 24 64", NO_LONGER_S)


def test_a_dead_client_of_the_same_name_at_another_server_makes_no_living_one_dead(
    server: JackServer,
):
    with MidiPeer("Conductor"):
        with jack_server():
            MidiPeer("Conductor").kill()
            with jack_environment(server):
                assert not released()
            assert released()
        with jack_environment(server):
            assert not released()


def test_a_client_that_appears_at_another_server_does_not_hide_a_dead_one(
    monkeypatch: pytest.MonkeyPatch,
):
    """The other client has its socket, and its server has not made its word yet."""
    looks: list[str] = []

    def sockets() -> str:
        looks.append(jack_graph.UNIX_SOCKET_TABLE.read_text(errors="replace"))
        socket = f"0: 00000002 0 0 0001 03 9 /dev/shm/jack_Conductor_{os.getuid()}_99\n"
        return looks[-1] + (socket if len(looks) > 2 else "")

    with MidiPeer("Keys") as keys, MidiPeer("Synth") as synth:
        synth.listen_to("Keys:out")
        MidiPeer("Conductor").kill()
        with monkeypatch.context() as patched:
            patched.setattr("conductor.devices.midi.jack_graph._list_sockets", sockets)
            assert release_dead_clients("Conductor") == 1
        assert release_dead_clients("Conductor") == 0
        released()
        keys.send("90 24 64")
        synth.wait_for("90 24 64", NO_LONGER_S)


def test_a_client_that_has_just_started_at_another_server_makes_no_living_one_dead(
    server: JackServer, monkeypatch: pytest.MonkeyPatch
):
    with MidiPeer("Conductor"), jack_server() as other, ExitStack() as started:

        def sockets() -> str:
            seen = jack_graph.UNIX_SOCKET_TABLE.read_text(errors="replace")
            with jack_environment(other):
                started.enter_context(MidiPeer("Conductor"))
            return seen

        with jack_environment(server), monkeypatch.context() as patched:
            patched.setattr("conductor.devices.midi.jack_graph._list_sockets", sockets)
            assert release_dead_clients("Conductor") == 0


def released() -> int:
    """Release both clients of a peer; freeing one may also free the other."""
    return release_dead_clients("Conductor") + release_dead_clients("Conductor In")
