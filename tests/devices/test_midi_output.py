"""MIDI outputs: a port that opens slowly does not delay messages to other ports."""

import threading
from collections.abc import Generator

import pytest

from conductor.devices.midi.apis import PortKey
from conductor.devices.midi.output import MidiOutputs, OutputPort
from conductor.errors import ActionFailed

WAIT_S = 30.0
NOTE_ON, NOTE_OFF = b"\x90\x3c\x64", b"\x80\x3c\x00"


def port(name: str) -> OutputPort:
    return OutputPort(PortKey(1, name), name, f"raw:{name}")


SYNTH, LIGHTS, SLOW = port("Synth"), port("Lights"), port("Slow")


class Opened:
    """An open port that records the sent messages."""

    def __init__(self, name: str, sent: list[tuple[str, bytes | str]]) -> None:
        self._name = name
        self._sent = sent

    def send_message(self, message: bytes) -> None:
        self._sent.append((self._name, message))

    def close_port(self) -> None:
        self._sent.append((self._name, "closed"))

    def abandon_port(self) -> None:
        self._sent.append((self._name, "abandoned"))


class Process:
    """A stand-in for the MIDI output process; opening `Slow` takes until `finish` is set."""

    def __init__(self) -> None:
        self.is_alive = True
        self.sent: list[tuple[str, bytes | str]] = []
        self.opened: list[str] = []
        self.is_opening = threading.Event()
        self.finish = threading.Event()

    def fileno(self) -> int:
        return -1

    def open_port(self, key: PortKey) -> Opened:
        if key.name == "Slow":
            self.is_opening.set()
            assert self.finish.wait(WAIT_S)
        if key.name == "Broken":
            raise OSError("no such port")
        self.opened.append(key.name)
        return Opened(key.name, self.sent)

    def close(self) -> None:
        self.is_alive = False


class Setup:
    """Outputs on a stand-in process."""

    def __init__(self) -> None:
        self.processes: list[Process] = []
        self.outputs = MidiOutputs(start_process=self._start)  # pyright: ignore[reportArgumentType]
        self.thread: threading.Thread | None = None

    @property
    def process(self) -> Process:
        return self.processes[-1]

    def open_slowly(self, *ports: OutputPort) -> None:
        """Add a slow port in another thread; return while that port is being opened."""
        self.outputs.prepare_ports(["Synth", "Slow"])
        self.thread = threading.Thread(target=self.outputs.update_ports, args=([*ports, SLOW],))
        self.thread.start()
        assert self.process.is_opening.wait(WAIT_S)

    def finish(self) -> None:
        self.process.finish.set()
        if self.thread is not None:
            self.thread.join(WAIT_S)
            assert not self.thread.is_alive()

    def _start(self, _name: str) -> Process:
        self.processes.append(Process())
        return self.process


@pytest.fixture
def setup() -> Generator[Setup]:
    setup = Setup()
    setup.outputs.update_ports([SYNTH])
    setup.outputs.prepare_ports(["Synth"])
    yield setup
    setup.finish()


def test_an_open_port_is_sent_to_while_another_is_being_opened(setup: Setup):
    setup.open_slowly(SYNTH)
    setup.outputs.send("Synth", NOTE_ON)
    assert setup.process.sent == [("Synth", NOTE_ON)]


def test_another_name_of_an_open_port_works_while_another_is_being_opened(setup: Setup):
    setup.open_slowly(SYNTH)
    setup.outputs.send("raw:Synth", NOTE_ON)
    assert setup.process.sent == [("Synth", NOTE_ON)]


@pytest.mark.parametrize("name", ["Slow", "Lights"])
def test_a_port_that_is_not_open_fails_while_any_is_being_opened(setup: Setup, name: str):
    setup.open_slowly(SYNTH, LIGHTS)
    with pytest.raises(ActionFailed, match=f"`{name}` is being opened; try again"):
        setup.outputs.send(name, NOTE_ON)
    setup.finish()
    setup.outputs.send(name, NOTE_ON)
    assert setup.process.sent == [(name, NOTE_ON)]


def test_an_unknown_output_is_refused_while_another_is_being_opened(setup: Setup):
    setup.open_slowly(SYNTH)
    with pytest.raises(ActionFailed, match="no MIDI output named `Organ`"):
        setup.outputs.send("Organ", NOTE_ON)


def test_all_notes_can_be_ended_while_a_port_is_being_opened(setup: Setup):
    setup.outputs.send("Synth", NOTE_ON)
    setup.open_slowly(SYNTH)
    setup.outputs.silence_notes()
    assert setup.process.sent[-1] == ("Synth", NOTE_OFF)


def test_a_port_that_was_not_prepared_is_opened_when_it_is_first_sent_to(setup: Setup):
    setup.outputs.update_ports([SYNTH, LIGHTS])
    setup.outputs.send("Lights", NOTE_ON)
    assert setup.process.opened == ["Synth", "Lights"]
    assert setup.process.sent == [("Lights", NOTE_ON)]


def test_a_port_stays_open_while_others_appear_and_disappear(setup: Setup):
    for others in ([LIGHTS], [], [LIGHTS]):
        setup.outputs.update_ports([SYNTH, *others])
        setup.outputs.send("Synth", NOTE_ON)
    assert setup.process.opened == ["Synth"]


def test_a_name_selects_the_better_match_once_available(setup: Setup):
    setup.outputs.send("synt", NOTE_ON)
    setup.outputs.update_ports([SYNTH, port("synt")])
    setup.outputs.send("synt", NOTE_ON)
    assert setup.process.sent == [("Synth", NOTE_ON), ("synt", NOTE_ON)]


def test_a_port_that_disappeared_is_closed_and_reopened_when_it_returns(setup: Setup):
    setup.outputs.update_ports([])
    with pytest.raises(ActionFailed, match="there are no outputs now"):
        setup.outputs.send("Synth", NOTE_ON)
    setup.outputs.update_ports([SYNTH])
    assert setup.process.opened == ["Synth", "Synth"]
    assert setup.process.sent == [("Synth", "closed")]


def test_a_port_of_a_system_that_died_is_abandoned(setup: Setup):
    setup.outputs.abandon_outputs({SYNTH.key.api})
    with pytest.raises(ActionFailed, match="there are no outputs now"):
        setup.outputs.send("Synth", NOTE_ON)
    assert setup.process.sent == [("Synth", "abandoned")]


def test_a_port_that_cannot_be_opened_does_not_prevent_opening_others(setup: Setup):
    setup.outputs.update_ports([SYNTH, port("Broken"), LIGHTS])
    with pytest.raises(ActionFailed, match="`Broken` could not be opened: no such port"):
        setup.outputs.send("Broken", NOTE_ON)
    setup.outputs.send("Lights", NOTE_ON)
    assert setup.process.sent == [("Lights", NOTE_ON)]


def test_notes_left_by_a_dead_process_end_in_the_next(setup: Setup):
    setup.outputs.send("Synth", NOTE_ON)
    setup.process.is_alive = False
    setup.outputs.replace_dead_process()
    setup.outputs.update_ports([SYNTH])
    assert len(setup.processes) == 2
    assert setup.process.sent == [("Synth", NOTE_OFF)]


def test_close_silences_and_closes_everything(setup: Setup):
    setup.outputs.send("Synth", NOTE_ON)
    setup.outputs.close()
    assert setup.process.sent[1:] == [("Synth", NOTE_OFF), ("Synth", "closed")]
    assert not setup.process.is_alive


def test_a_panic_also_ends_notes_that_conductor_does_not_know(setup: Setup):
    setup.outputs.update_ports([SYNTH, LIGHTS])
    setup.outputs.send("Synth", NOTE_ON)
    setup.outputs.silence_everything()
    setup.outputs.send("Lights", NOTE_ON)  # opened only now, so the panic did not reach it
    every = [
        ("Synth", bytes((0xB0 | channel, controller, 0)))
        for channel in range(16)
        for controller in (120, 123)
    ]
    assert setup.process.sent == [
        ("Synth", NOTE_ON),
        ("Synth", NOTE_OFF),
        *every,
        ("Lights", NOTE_ON),
    ]
