"""The binding of RtMidi that this Python has, at a real JACK server."""

import subprocess
import sys
from collections.abc import Generator

import pytest
from tests.support.jack import MidiPeer, jack_server

from conductor.devices.midi.binding import rtmidi
from conductor.devices.midi.output_process import REFUSALS

pytestmark = pytest.mark.jack
NO_SUCH_PORT = 999


@pytest.fixture(scope="module", autouse=True)
def _server() -> Generator[None]:
    with jack_server():
        yield


@pytest.mark.parametrize("kind", [rtmidi.MidiIn, rtmidi.MidiOut], ids=["input", "output"])
def test_a_client_that_could_not_open_a_port_says_so_each_time_and_can_open_another(kind: type):
    with MidiPeer("Keys"):
        client = kind(rtmidi.API_UNIX_JACK, "Conductor test")
        try:
            for _ in range(2):
                with pytest.raises(REFUSALS):
                    client.open_port(NO_SUCH_PORT, "test")
            client.open_port(0, "test")
            client.close_port()
        finally:
            client.delete()


def test_the_systems_of_the_binding_are_those_of_this_computer():
    assert set(rtmidi.get_compiled_api()) == {rtmidi.API_LINUX_ALSA, rtmidi.API_UNIX_JACK}
    assert rtmidi.get_api_display_name(rtmidi.API_UNIX_JACK) == "Jack"


WITHOUT = """
import sys
sys.modules["rtmidi"] = sys.modules["supriya_midi"] = None
from conductor.devices.midi.apis import MidiApis
apis = MidiApis("Conductor test")
print(apis.scan(0.0).inputs, apis.virtual_api(), apis.problems())
"""


def test_without_a_binding_there_are_no_ports_and_the_reason_is_given():
    done = subprocess.run([sys.executable, "-c", WITHOUT], capture_output=True, text=True)
    assert done.stdout.startswith("[] None ['MIDI is not available: "), done.stderr
