"""Commands that talk to a running Conductor whose pads are played over JACK."""

import json
import signal
import subprocess
import sys
import threading
from collections.abc import Generator

import pytest
from tests.support.jack import MidiPeer
from tests.support.running import Finished, RunningConductor, mapped, running_conductor

from conductor.domain.patterns import SHORTEST_DOUBLE_TAP_MS

pytestmark = pytest.mark.jack
SAY = "{ type = 'SendMidi', port = 'pads', message_type = 'ProgramChange', program = 1 }"
CONFIG = mapped(
    ("{ type = 'Note', note = 36, device = 'pads', velocity_min = 50 }", SAY),
    more="[[modes]]\nname = 'Second'\n",
)
HEARD = "c0 01"


@pytest.fixture(scope="module")
def conductor(pads_of_module: MidiPeer) -> Generator[RunningConductor]:
    with running_conductor(CONFIG, environment={"DISPLAY": ""}) as running:
        running.wait_for_device("pads")
        yield running


def play(pads: MidiPeer) -> None:
    """Strike the pad, and wait until its action was done."""
    pads.send("90 24 64")
    pads.wait_for(HEARD)
    pads.send("80 24 00")


def test_status_shows_mode_config_and_devices(conductor: RunningConductor):
    done = conductor.cli("status")
    assert done.returncode == 0
    assert done.stdout.startswith("Running, up for ")
    for expected in ("mode      Default", str(conductor.config_path), "1 mapping", "Pads:out"):
        assert expected in done.stdout
    assert f"conflicts 1; `conductor validate {conductor.config_path}` lists them" in done.stdout
    plain = json.loads(conductor.cli("status", "--json").stdout)
    assert plain["conflicts"] == 1  # nothing leads to the second mode
    assert plain["mode"] == "Default"
    assert plain["device"]["name"] == "Pads:out"


def test_devices_shows_those_of_the_running_conductor(conductor: RunningConductor):
    done = conductor.cli("devices")
    assert done.returncode == 0
    row = next(line for line in done.stdout.splitlines() if "Pads:out" in line)
    assert "pads" in row.split()


def test_explain_says_why_the_last_event_fired_and_why_another_did_not(
    conductor: RunningConductor, pads: MidiPeer
):
    play(pads)
    pads.send("90 24 20")
    conductor.wait_status(lambda s: s["statistics"]["events_processed"] >= 3)
    soft = conductor.cli("explain")
    assert soft.returncode == 0
    assert "velocity 32" in soft.stdout
    assert "did not fire: velocity 32 is below velocity_min 50" in soft.stdout
    sequence = json.loads(conductor.cli("explain", "--json").stdout)["sequence"]
    hard = conductor.cli("explain", str(sequence - 2))
    assert " fired: " in hard.stdout
    unknown = conductor.cli("explain", "999999")
    assert (unknown.returncode, "no such event" in unknown.stderr) == (1, True)
    pads.send("80 24 00")


def test_mode_switches_and_an_unknown_one_is_refused(conductor: RunningConductor):
    done = conductor.cli("mode", "Second")
    assert (done.returncode, done.stdout) == (0, "mode Second (2 of 2)\n")
    conductor.wait_status(lambda status: status["mode"] == "Second")
    unknown = conductor.cli("mode", "Third")
    assert unknown.returncode == 1
    listed = "there is `Default`, `Second`"
    assert f"Invalid mode: 'Third' does not exist; {listed}" in unknown.stderr
    nearly = conductor.cli("mode", "secnd")
    assert nearly.returncode == 1
    assert "did you mean `Second`? Modes are `Default`, `Second`" in nearly.stderr
    assert conductor.cli("mode", "Default").returncode == 0


def test_panic_says_what_it_did(conductor: RunningConductor):
    done = conductor.cli("panic")
    assert done.returncode == 0
    assert "Released the keys and notes" in done.stdout


def test_a_second_conductor_is_refused_and_names_the_first(conductor: RunningConductor):
    done = conductor.cli("run", "--headless", "--quiet")
    assert done.returncode == 1
    assert f"already running here (process {conductor.pid})" in done.stderr
    assert conductor.status()["daemon_running"]


class Command:
    """A command that goes on until it is stopped, and what it prints meanwhile."""

    def __init__(self, conductor: RunningConductor, *arguments: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-u", "-m", "conductor", *arguments],
            env=conductor.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def line(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline()

    def complaint(self) -> str:
        """Return the next line of standard error."""
        assert self.process.stderr is not None
        return self.process.stderr.readline()

    def stop(self, how: signal.Signals = signal.SIGINT) -> Finished:
        """Press Ctrl+C, and give what was printed since."""
        self.process.send_signal(how)
        out, err = self.process.communicate(timeout=20)
        assert "Traceback" not in err, err
        return Finished(self.process.args, self.process.returncode, out, err)


def learned(conductor: RunningConductor, pads: MidiPeer, *messages: str) -> str:
    """Play while `conductor learn` listens, and give what it prints."""
    command = Command(conductor, "learn", "--seconds", "30")
    assert "Touch a control" in command.line()
    before = conductor.status()["statistics"]["events_processed"]
    for message in messages:
        pads.send(message)
    conductor.wait_status(lambda s: s["statistics"]["events_processed"] >= before + len(messages))
    done = command.stop()
    assert done.returncode == 0
    return done.stdout


def test_learn_suggests_the_note_that_was_played(conductor: RunningConductor, pads: MidiPeer):
    printed = learned(conductor, pads, "99 28 64", "89 28 00")
    assert "note 40" in printed
    assert 'type = "Note"' in printed
    assert "note = 40" in printed


def test_learn_suggests_a_double_tap(conductor: RunningConductor, pads: MidiPeer):
    conductor.use(CONFIG + "\n[settings.learn]\ndouble_tap_ms = 2000\n")
    conductor.wait_for_device("pads")
    command = Command(conductor, "learn", "--seconds", "30")
    assert "Touch a control" in command.line()
    tap = ("90 28 64", "80 28 00")
    for message in tap:
        play_one(conductor, pads, message)
    threading.Event().wait(SHORTEST_DOUBLE_TAP_MS / 1000)
    for message in tap:
        play_one(conductor, pads, message)
    assert 'type = "DoubleTap"' in command.stop().stdout
    conductor.use(CONFIG)


def test_learn_suggests_a_chord(conductor: RunningConductor, pads: MidiPeer):
    notes = ("90 3c 64", "90 40 64", "90 43 64", "80 3c 00", "80 40 00", "80 43 00")
    printed = learned(conductor, pads, *notes)
    assert 'type = "NoteChord"' in printed
    assert "notes = [60, 64, 67]" in printed


def test_learn_suggests_an_encoder(conductor: RunningConductor, pads: MidiPeer):
    turns = ["b0 15 01"] * 4 + ["b0 15 7f"] * 4
    printed = learned(conductor, pads, *turns)
    assert 'type = "EncoderTurn"' in printed
    assert "cc = 21" in printed


def test_learn_suggests_a_long_press(conductor: RunningConductor, pads: MidiPeer):
    held = ("{ type = 'LongPress', note = 40, duration_ms = 200 }", SAY)
    conductor.use(mapped(held) + "\n[settings.learn]\nlong_press_ms = 100\n")
    conductor.wait_for_device("pads")
    command = Command(conductor, "learn", "--seconds", "30")
    assert "Touch a control" in command.line()
    pads.send("90 28 64")
    pads.wait_for(HEARD)
    play_one(conductor, pads, "80 28 00")
    printed = command.stop().stdout
    assert 'type = "LongPress"' in printed
    conductor.use(CONFIG)


def play_one(conductor: RunningConductor, pads: MidiPeer, message: str) -> None:
    before = conductor.status()["statistics"]["events_processed"]
    pads.send(message)
    conductor.wait_status(lambda s: s["statistics"]["events_processed"] > before)


def test_learn_of_nothing_says_so(conductor: RunningConductor):
    done = conductor.cli("learn", "--seconds", "0.1")
    assert done.returncode == 0
    assert "No events received" in done.stdout


def test_monitor_shows_a_line_for_a_played_note(conductor: RunningConductor, pads: MidiPeer):
    command = Command(conductor, "monitor", "--seconds", "30")
    assert "Watching" in command.complaint()
    play(pads)
    line = command.line()
    assert "note 36" in line
    assert "-> " in line
    assert "MIDI ProgramChange to pads" in line
    assert command.stop().returncode in (0, 130)


def test_monitor_prints_json_lines_when_asked(conductor: RunningConductor, pads: MidiPeer):
    command = Command(conductor, "monitor", "--json", "--seconds", "30")
    assert "Watching" in command.complaint()
    play(pads)
    while (row := json.loads(command.line()))["kind"] != "trace":
        pass
    assert row["event"]["number"] == 36
    assert row["outcome"] == "fired"
    command.stop()


def test_monitor_ends_when_conductor_does(pads: MidiPeer):
    with running_conductor(CONFIG, environment={"DISPLAY": ""}) as short_lived:
        command = Command(short_lived, "monitor")
        assert "Watching" in command.complaint()
        short_lived.stop()
        assert command.process.wait(20) == 0
        command.stop()
