"""The manager follows plugged-in devices, on a real JACK server with devices in other processes."""

# pyright: reportPrivateUsage=false

import contextlib
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Generator
from typing import Any, cast

import pytest
from tests.devices.rig import WAIT_S, Rig, contains
from tests.support.jack import JackServer, MidiPeer, jack_environment, jack_server, wait_for_ports

from conductor.base.realtime import request_real_time
from conductor.devices.midi.input import MidiInput
from conductor.devices.midi.output_link import OutputProcess
from conductor.devices.midi.port_start import PortRequest
from conductor.errors import ActionFailed

pytestmark = pytest.mark.jack
NO_LONGER_S = 1.8
"""The JACK server of the tests would hang for 2 s after a kill; tests/bench/kills.py holds it to 1 s."""


class Broken:
    """An output that refuses everything, as after a crash of the MIDI system, which rtmidi cannot simulate."""

    def send_message(self, message: bytes) -> None:
        raise OSError(f"cannot send {message.hex()}")

    def close_port(self) -> None:
        raise OSError("cannot close")


@pytest.fixture(scope="module")
def server() -> Generator[JackServer]:
    with jack_server() as running:
        yield running


@pytest.fixture
def rig(server: JackServer) -> Generator[Rig]:
    made = Rig()
    yield made
    made.close()


def test_events_of_a_plugged_in_device_have_its_alias(rig: Rig):
    rig.manager.configure_ports([contains("pads", "Mikro")])
    with MidiPeer("Mikro") as peer:
        shown = rig.wait_for_input("pads")
        assert (shown.port_name, shown.is_configured, shown.problem) == ("Mikro:out", True, None)
        peer.send("90 24 64")
        assert rig.engine.wait_for("note_on", "pads").number == 36


def test_events_of_a_device_without_an_alias_have_its_port_name(rig: Rig):
    rig.manager.configure_ports([])
    with MidiPeer("Mikro") as peer:
        assert not rig.wait_for_input("raw:Mikro:out").is_configured
        peer.send("90 24 64")
        rig.engine.wait_for("note_on", "raw:Mikro:out")


def test_only_configured_inputs_are_opened_if_so_configured(rig: Rig):
    with MidiPeer("Mikro"), MidiPeer("Other"):
        rig.manager.configure_ports([contains("pads", "Mikro")], open_inputs="configured")
        rig.wait_for_input("pads")
        rig.wait_for_input("raw:Other:out", connected=False)


def test_an_unplugged_device_is_gone_and_works_again_when_plugged_in(rig: Rig):
    rig.manager.configure_ports([contains("pads", "Mikro")])
    with MidiPeer("Mikro"):
        rig.wait_for_input("pads")
    rig.engine.wait_for("device_gone", "pads")
    assert rig.wait_for_input("pads", connected=False).port_name == "Mikro:out"
    assert rig.engine.sources == []
    with MidiPeer("Mikro") as peer:
        rig.engine.wait_for("device_back", "pads")
        peer.send("90 24 64")
        rig.engine.wait_for("note_on", "pads")


def test_two_equal_units_are_distinguished_and_keep_their_names(rig: Rig):
    rig.manager.configure_ports([contains("left", "Mikro"), contains("right", "Mikro")])
    with MidiPeer("Mikro") as first:
        rig.wait_for_input("left")
        with MidiPeer("Mikro") as second:
            rig.wait_for_input("right")
            second.send("90 02 64")
            assert rig.engine.wait_for("note_on", "right").number == 2
            first.send("90 01 64")
            assert rig.engine.wait_for("note_on", "left").number == 1
            first.unplug()
            rig.engine.wait_for("device_gone", "left")
            second.send("90 03 64")
            assert rig.engine.wait_for("note_on", "right").number == 3


def test_a_new_alias_takes_effect_without_reopening_the_port(rig: Rig):
    rig.manager.configure_ports([contains("pads", "Mikro")])
    with MidiPeer("Mikro") as peer:
        rig.wait_for_input("pads")
        [source] = rig.engine.sources
        rig.manager.configure_ports([contains("drums", "Mikro")])
        rig.wait_for_input("drums")
        peer.send("90 24 64")
        rig.engine.wait_for("note_on", "drums")
        assert rig.engine.sources == [source]


def test_a_port_process_that_dies_is_replaced(rig: Rig):
    rig.manager.configure_ports([contains("pads", "Mikro")])
    with MidiPeer("Mikro") as peer:
        rig.wait_for_input("pads")
        [source] = rig.engine.sources
        assert isinstance(source, MidiInput)
        os.kill(source.pid, signal.SIGTERM)
        rig.engine.wait_for("device_gone", "pads")
        rig.engine.wait_for("device_back", "pads")
        peer.send("90 24 64")
        rig.engine.wait_for("note_on", "pads")


def test_a_new_alias_releases_what_was_held_under_the_old_one(rig: Rig):
    rig.manager.configure_ports([contains("pads", "Mikro")])
    with MidiPeer("Mikro") as peer:
        rig.wait_for_input("pads")
        peer.send("90 24 64")
        rig.engine.wait_for("note_on", "pads")
        rig.manager.configure_ports([contains("drums", "Mikro")])
        kinds = [rig.engine.events.get(timeout=WAIT_S)[:2] for _ in range(2)]
        assert kinds == [("device_gone", "pads"), ("device_back", "drums")]


def test_connecting_and_disconnecting_a_device_returns_at_once(server: JackServer):
    held, asked = threading.Event(), threading.Event()

    def slowly(device_id: str, request: PortRequest) -> MidiInput:
        asked.set()
        assert held.wait(WAIT_S)
        return MidiInput(device_id, request)

    with contextlib.closing(Rig(slowly)) as rig, MidiPeer("Mikro"):
        rig.manager.configure_ports([contains("pads", "Mikro")])
        assert asked.wait(WAIT_S)
        rig.manager.set_device_connected("pads", connected=False)
        rig.manager.rescan_ports(0)
        held.set()
        rig.wait_for_input("pads", connected=False)
        rig.manager.set_device_connected("pads", connected=True)
        rig.wait_for_input("pads")


def test_after_starting_a_real_time_process_starts_ordinary_programs(server: JackServer):
    policies: list[int] = []

    def recording(device_id: str, request: PortRequest) -> MidiInput:
        ask = "import os; print(os.sched_getscheduler(0))"
        policies.append(int(subprocess.check_output([sys.executable, "-c", ask])))
        return MidiInput(device_id, request)

    made: list[Rig] = []
    asking = threading.Thread(target=lambda: (request_real_time(), made.append(Rig(recording))))
    asking.start()
    asking.join()
    with contextlib.closing(made[0]) as rig, MidiPeer("Mikro"):
        rig.manager.configure_ports([contains("pads", "Mikro"), contains("late", "Maxi")])
        rig.wait_for_input("pads")
        with MidiPeer("Maxi"):
            rig.wait_for_input("late")
    assert policies[-1] == os.SCHED_OTHER


def test_a_failing_output_does_not_prevent_silencing_and_closing_others(rig: Rig):
    rig.manager.configure_ports([])
    outputs = rig.manager.outputs
    with MidiPeer("Bad"), MidiPeer("Good") as good:
        rig.wait_for_input("raw:Good:out")
        rig.wait_for_input("raw:Bad:out")
        for name in ("Bad", "Good"):
            outputs.send(name, b"\x90\x3c\x64")
        bad = next(out for key, out in outputs._open.items() if "Bad" in key.name)
        bad._port = cast(Any, Broken())
        outputs.silence_notes()
        good.wait_for("80 3c 00")
        outputs.send("Good", b"\x90\x3e\x64")
        outputs.close()
        good.wait_for("80 3e 00")


def test_outputs_that_are_closed_while_the_scan_waits_for_them_do_not_end_it(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
):
    closed = -1  # as a closed socket reports
    with monkeypatch.context() as patched:
        patched.setattr(rig.manager.outputs, "fileno", lambda: closed)
        rig.manager.configure_ports([])
        for _ in range(2):
            rig.manager.rescan_ports()
    with MidiPeer("Mikro"):
        rig.wait_for_input("raw:Mikro:out")


def test_a_prepared_output_opens_when_it_appears(rig: Rig):
    rig.manager.outputs.prepare_ports(["Mikro", "Nothing of this name"])
    rig.manager.configure_ports([])
    with MidiPeer("Mikro"):
        rig.wait_for_input("raw:Mikro:out")
        rig.manager.rescan_ports()
        assert [key.name for key in rig.manager.outputs._open] == ["Mikro In:in"]


def test_outputs_are_found_by_alias_or_part_of_a_name(rig: Rig):
    rig.manager.configure_ports([contains("pads", "Mikro")])
    with MidiPeer("Mikro") as peer:
        rig.wait_for_input("pads")
        for number, port in enumerate(("pads", "Mikro In:in", "mikro in")):
            rig.manager.outputs.send(port, bytes((0x90, number, 100)))
            peer.wait_for(f"90 0{number} 64")


def test_sending_works_after_the_device_was_plugged_in_again(rig: Rig):
    rig.manager.configure_ports([])
    outputs = rig.manager.outputs
    with MidiPeer("Mikro") as peer:
        rig.wait_for_input("raw:Mikro:out")
        outputs.send("Mikro", b"\xb0\x01\x01")
        peer.wait_for("b0 01 01")
    rig.wait_until(lambda status: status == [])
    with pytest.raises(ActionFailed, match="no MIDI output named `Mikro`; there are no outputs"):
        outputs.send("Mikro", b"\xb0\x01\x02")
    with MidiPeer("Mikro") as peer:
        rig.wait_for_input("raw:Mikro:out")
        outputs.send("Mikro", b"\xb0\x01\x03")
        peer.wait_for("b0 01 03")


def test_an_unknown_output_is_refused_with_the_available_names(rig: Rig):
    rig.manager.configure_ports([])
    with MidiPeer("Mikro"):
        rig.wait_for_input("raw:Mikro:out")
        with pytest.raises(ActionFailed, match="named `Synth`; outputs are `Mikro In:in`"):
            rig.manager.outputs.send("Synth", b"\xb0\x01\x01")


def test_a_message_that_is_not_midi_is_refused(rig: Rig):
    rig.manager.configure_ports([])
    with MidiPeer("Mikro"):
        rig.wait_for_input("raw:Mikro:out")
        for message in (b"", b"\x90\x01\x02\x03"):
            with pytest.raises(ActionFailed, match="could not send"):
                rig.manager.outputs.send("Mikro", message)


def test_silence_sends_the_missing_note_offs(rig: Rig):
    rig.manager.configure_ports([])
    with MidiPeer("Mikro") as peer:
        rig.wait_for_input("raw:Mikro:out")
        for message in ("90 3c 64", "91 3e 64", "90 40 64", "90 40 00", "b0 07 01"):
            rig.manager.outputs.send("Mikro", bytes.fromhex(message))
        rig.manager.outputs.silence_notes()
        rig.manager.outputs.send("Mikro", b"\xb0\x08\x00")
        peer.wait_for("b0 08 00")
        assert peer.received[5:-1] == ["80 3c 00", "81 3e 00"]


def test_virtual_ports_are_created_for_other_programs_and_not_opened_as_devices(rig: Rig):
    rig.manager.configure_ports([], virtual_input="Conductor In", virtual_output="Conductor Out")
    with MidiPeer("Daw") as daw:
        rig.wait_for_input("raw:Conductor In")
        rig.wait_for_input("raw:Daw:out")
        daw.connect_to(_port("Conductor In"))
        daw.listen_to(_port("Conductor Out"))
        daw.send("90 24 64")
        rig.engine.wait_for("note_on", "raw:Conductor In")
        rig.manager.outputs.send("Conductor Out", b"\xb0\x07\x05")
        daw.wait_for("b0 07 05")
        names = {(one.kind, one.port_name) for one in rig.manager.status()}
        assert names == {
            ("midi_input", "Conductor In"),
            ("midi_input", "Daw:out"),
            ("midi_output", "Conductor Out"),
            ("midi_output", "Daw In:in"),
        }


def test_a_virtual_output_is_recreated_after_a_rename_or_switch_off(rig: Rig):
    for name in ("Conductor Out", "", "Other Out", "Conductor Out"):
        rig.manager.configure_ports([], virtual_output=name or None)
        rig.manager.rescan_ports()
        assert [one.port_name for one in rig.manager.status() if one.problem] == []
        expected = [_port(name)] if name else []
        wait_for_ports(
            lambda ports, expected=expected: (
                [one for one in ports if one.endswith(" Out")] == expected
            )
        )


def _port(name: str) -> str:
    return wait_for_ports(
        lambda ports: next((one for one in ports if one.endswith(f":{name}")), "")
    )


def test_close_closes_everything(server: JackServer):
    rig = Rig()
    with MidiPeer("Mikro") as peer:
        rig.manager.configure_ports(
            [], virtual_input="Conductor In", virtual_output="Conductor Out"
        )
        rig.wait_for_input("raw:Mikro:out")
        rig.manager.outputs.send("Mikro", b"\x90\x3c\x64")
        rig.close()
        peer.wait_for("80 3c 00")
        wait_for_ports(lambda ports: ports == ["Mikro:out", "Mikro In:in"])


def test_a_missing_alsa_is_reported_and_jack_is_used(rig: Rig):
    rig.manager.configure_ports([])
    rig.manager.rescan_ports()
    assert any("/dev/snd/seq" in problem for problem in rig.manager.list_problems())
    assert not any("JACK" in problem for problem in rig.manager.list_problems())


def test_a_jack_server_that_starts_later_dies_and_returns_is_used(
    capfd: pytest.CaptureFixture[str],
):
    late = JackServer(f"conductor-late-{os.getpid()}")
    with jack_environment(late), contextlib.closing(Rig()) as rig:
        rig.manager.configure_ports([contains("pads", "Mikro")])
        rig.manager.rescan_ports()
        assert any("No JACK server" in problem for problem in rig.manager.list_problems())
        assert capfd.readouterr().err == ""
        for how in (late.kill, late.stop):
            late.start()
            with MidiPeer("Mikro") as peer:
                rig.wait_for_input("pads")
                peer.send("90 24 64")
                rig.engine.wait_for("note_on", "pads")
                rig.manager.outputs.send("Mikro", b"\xb0\x07\x05")
                peer.wait_for("b0 07 05")
                how()
                rig.engine.wait_for("device_gone", "pads")
                with pytest.raises(ActionFailed):
                    rig.manager.outputs.send("Mikro", b"\xb0\x07\x05")
                peer.kill()


def test_a_dead_output_process_is_replaced_and_its_notes_end(rig: Rig):
    rig.manager.configure_ports([], virtual_output="Conductor Out")
    with MidiPeer("Mikro") as peer:
        rig.wait_for_input("raw:Mikro:out")
        rig.manager.outputs.send("Mikro", b"\x90\x3c\x64")
        peer.wait_for("90 3c 64")
        process = rig.manager.outputs._process
        assert isinstance(process, OutputProcess)
        os.kill(process.pid, signal.SIGKILL)
        peer.wait_for("80 3c 00", NO_LONGER_S)
        rig.manager.rescan_ports()
        rig.manager.outputs.send("Mikro", b"\xb0\x07\x05")
        peer.wait_for("b0 07 05")
        assert _port("Conductor Out")


def test_a_killed_port_process_releases_at_once_and_restarts_within_a_second(rig: Rig):
    rig.manager.configure_ports([contains("pads", "Mikro")])
    with MidiPeer("Mikro") as peer:
        rig.wait_for_input("pads")
        [source] = rig.engine.sources
        assert isinstance(source, MidiInput)
        os.kill(source.pid, signal.SIGKILL)
        rig.engine.wait_for("device_gone", "pads")
        rig.engine.wait_for("device_back", "pads", NO_LONGER_S)
        peer.send("90 24 64")
        rig.engine.wait_for("note_on", "pads", NO_LONGER_S)


def test_a_port_process_that_is_killed_again_and_again_while_it_is_played_restarts_as_fast(
    rig: Rig,
):
    rig.manager.configure_ports([contains("pads", "Mikro")])
    with MidiPeer("Mikro") as peer:
        rig.wait_for_input("pads")
        for _ in range(4):
            peer.send("90 24 64")
            rig.engine.wait_for("note_on", "pads", NO_LONGER_S)
            [source] = rig.engine.sources
            assert isinstance(source, MidiInput)
            os.kill(source.pid, signal.SIGKILL)
            rig.engine.wait_for("device_gone", "pads")
            rig.engine.wait_for("device_back", "pads", NO_LONGER_S)
