"""`conductor learn --profile`: questions at the terminal, pads over JACK, a file that is a profile."""

import signal
import subprocess
import sys
from collections.abc import Generator

import pytest
from tests.support.jack import MidiPeer
from tests.support.running import RunningConductor, running_conductor

from conductor.cli.main import main
from conductor.profiles.files import parse_profile

pytestmark = pytest.mark.jack
CONFIG = "[[modes]]\nname = 'Default'\n"


@pytest.fixture(scope="module")
def conductor(pads_of_module: MidiPeer) -> Generator[RunningConductor]:
    with running_conductor(CONFIG, environment={"DISPLAY": ""}) as running:
        running.wait_for_device("raw:Pads:out")
        yield running


class Learning:
    """`conductor learn --profile` with somebody who answers."""

    def __init__(self, conductor: RunningConductor, *arguments: str) -> None:
        self._conductor = conductor
        self.process = subprocess.Popen(
            [sys.executable, "-u", "-m", "conductor", "learn", "--profile", *arguments],
            env=conductor.environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def wait_for(self, words: str) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            if words in line:
                return
        raise AssertionError(f"it never said {words!r}")

    def answer(self, text: str = "") -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(f"{text}\n")
        self.process.stdin.flush()

    def play(self, pads: MidiPeer, messages: list[str]) -> None:
        before = self._conductor.status()["statistics"]["events_processed"]
        for message in messages:
            pads.send(message)
        self._conductor.wait_status(
            lambda s: s["statistics"]["events_processed"] >= before + len(messages)
        )

    def end(self) -> str:
        out, err = self.process.communicate(timeout=60)
        assert self.process.returncode == 0, err
        return out


def presses(first: int, count: int) -> list[str]:
    return [
        f"{status} {note:02x} {velocity}"
        for note in range(first, first + count)
        for status, velocity in (("99", f"{40 + note:02x}"), ("89", "40"))
    ]


def test_a_guided_minute_becomes_a_profile(conductor: RunningConductor, pads: MidiPeer) -> None:
    learning = Learning(conductor, "--name", "Acme Grid 8")
    learning.wait_for("every pad")
    learning.play(pads, presses(36, 8))
    learning.answer()
    learning.wait_for("every knob")
    turns = [f"b0 {cc:02x} {value}" for cc in (20, 21) for value in ["01"] * 8 + ["7f"] * 8]
    learning.play(pads, turns)
    for asked in ("every fader", "every button", "another bank"):
        learning.answer()
        learning.wait_for(asked)
    learning.answer("y")
    learning.wait_for("same order")
    learning.play(pads, presses(44, 8))
    learning.answer()
    learning.wait_for("another bank")
    learning.answer()
    learning.wait_for("side by side in a row: Pad 1 to 8? [4]")
    learning.answer("2")
    profile = parse_profile(learning.end())
    found = [
        (one.role, one.numbers[0], one.columns, one.bank, one.encoding, one.release)
        for one in profile.variants[0].groups
    ]
    assert found == [
        ("pad", 42, 2, "Bank A", None, "note_off_64"),
        ("encoder", 20, 2, None, "twos_complement", None),
        ("pad", 50, 2, "Bank B", None, "note_off_64"),
    ]
    assert [one.to_plain() for one in profile.matchers] == [
        {"type": "ExactName", "pattern": "Pads:out"}
    ]


def test_an_encoder_that_counts_backwards_is_asked_about(
    conductor: RunningConductor, pads: MidiPeer
) -> None:
    learning = Learning(conductor, "--name", "Acme Wheel")
    learning.wait_for("every pad")
    learning.answer()
    learning.wait_for("every knob")
    learning.play(pads, [f"b0 3c {value}" for value in ["41"] * 8 + ["01"] * 8])
    for asked in ("every fader", "every button", "another bank", "Turn Encoder to the right"):
        learning.answer()
        learning.wait_for(asked)
    learning.play(pads, ["b0 3c 41"] * 3)
    learning.answer()
    (group,) = parse_profile(learning.end()).variants[0].groups
    assert (group.numbers, group.encoding) == ((60,), "sign_magnitude_reversed")


def test_a_slow_answer_moves_no_control_to_another_step(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The capture begins at 100 s and is confirmed at 105 s; the pads are played before Enter at 106 s."""
    pads = [_row("note_on", 36 + number, 5.5 + number / 10) for number in range(4)]
    clock = ScriptedClock()

    class SlowConductor:
        def call_method(self, method: str, **_params: object) -> dict[str, object]:
            match method:
                case "conductor_start_midi_learn":
                    clock.time_s += 5
                    return {}
                case "conductor_stop_midi_learn" | "conductor_get_captured_events":
                    return {"events": pads, "suggestions": [], "started_at": 100.0}
                case _:
                    return {"devices": []}

    monkeypatch.setattr("conductor.cli.learn_profile.SocketClient", SlowConductor)
    monkeypatch.setattr("conductor.cli.learn_profile.now", lambda: clock.time_s)
    monkeypatch.setattr("sys.stdin", clock)
    assert main(["learn", "--profile", "--name", "Acme Slow"]) == 0
    profile = parse_profile(capsys.readouterr().out)
    assert [one.role for one in profile.variants[0].groups] == ["pad"]


class ScriptedClock:
    """A standard input at which each Enter takes a second, and a question is answered with no."""

    def __init__(self) -> None:
        self.time_s = 100.0

    def readline(self) -> str:
        self.time_s += 1
        return "\n"


def _row(kind: str, number: int, time_s: float) -> dict[str, object]:
    return {
        "kind": kind,
        "device": "raw:Pads",
        "channel": 1,
        "number": number,
        "value": 100,
        "time": time_s,
    }


def test_what_was_played_in_one_go_is_kept(conductor: RunningConductor, pads: MidiPeer) -> None:
    learning = Learning(conductor, "--seconds", "30", "--save", "--name", "Acme Kept")
    learning.wait_for("Play every control")
    learning.play(pads, presses(36, 4))
    learning.process.send_signal(signal.SIGINT)
    assert "4 pads" in learning.end()
    kept = conductor.home / "knowledge" / "devices" / "acme-kept.toml"
    assert parse_profile(kept.read_bytes()).variants[0].groups[0].numbers == (36, 37, 38, 39)


def test_nothing_played_says_what_to_do(conductor: RunningConductor) -> None:
    done = conductor.cli("learn", "--profile", "--seconds", "0.1")
    assert done.returncode != 0
    assert "press a pad" in done.stderr


def test_the_options_of_a_profile_alone_are_refused(conductor: RunningConductor) -> None:
    done = conductor.cli("learn", "--save")
    assert done.returncode != 0
    assert "need --profile" in done.stderr
