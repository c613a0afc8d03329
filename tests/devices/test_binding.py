"""The binding of RtMidi that this Python has, at a real JACK server."""

import os
import subprocess
import sys
from collections.abc import Generator
from pathlib import Path

import pytest
from tests.support.jack import MidiPeer, jack_server

from conductor.devices.midi.binding import rtmidi

pytestmark = pytest.mark.jack


@pytest.fixture(scope="module", autouse=True)
def _server() -> Generator[None]:
    with jack_server():
        yield


REFUSED_TWICE = """
import sys
from conductor.devices.midi.binding import rtmidi
from conductor.devices.midi.output_process import RTMIDI_ERRORS
client = getattr(rtmidi, sys.argv[1])(rtmidi.API_UNIX_JACK, "Conductor test")
for _ in range(2):
    try:
        client.open_port(999, "test")
    except RTMIDI_ERRORS:
        print("refused")
client.open_port(0, "test")
client.close_port()
client.delete()
print("opened")
"""


@pytest.mark.parametrize("kind", ["MidiIn", "MidiOut"])
def test_a_client_that_could_not_open_a_port_says_so_each_time_and_can_open_another(kind: str):
    # in a process of its own: JACK's library remembers the server of the first client
    with MidiPeer("Keys"):
        command = [sys.executable, "-c", REFUSED_TWICE, kind]
        done = subprocess.run(command, capture_output=True, text=True)
    assert done.stdout.split() == ["refused", "refused", "opened"], done.stderr


def test_the_systems_of_the_binding_are_those_of_this_computer():
    assert set(rtmidi.get_compiled_api()) == {rtmidi.API_LINUX_ALSA, rtmidi.API_UNIX_JACK}
    assert rtmidi.get_api_display_name(rtmidi.API_UNIX_JACK) == "Jack"


WITHOUT = """
import sys
sys.modules["rtmidi"] = sys.modules["supriya_midi"] = None
from conductor.devices.midi.apis import MidiApis
apis = MidiApis("Conductor test")
print(apis.scan_ports(0.0).inputs, apis.find_virtual_port_api(), apis.list_problems())
"""


def test_without_a_binding_there_are_no_ports_and_the_reason_is_given():
    done = subprocess.run([sys.executable, "-c", WITHOUT], capture_output=True, text=True)
    assert done.stdout.startswith("[] None ['MIDI is not available: "), done.stderr


def test_a_binding_whose_system_library_is_missing_is_reported_like_none(tmp_path: Path):
    broken = tmp_path / "rtmidi" / "__init__.py"
    broken.parent.mkdir()
    broken.write_text('raise ImportError("libasound.so.2: cannot open shared object file")')
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT.replace('sys.modules["rtmidi"] = ', "")],
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
    )
    assert done.stdout.startswith("[] None ['MIDI is not available: libasound.so.2"), done.stderr
    assert "install the package libasound2" in done.stdout
