"""`conductor play`: a person at a terminal plays the virtual controller, and nobody else does."""

from collections.abc import Generator
from pathlib import Path

import pytest
from tests.support.running import RunningConductor, mapped, running_conductor
from tests.tools.terminal import at_terminal

from conductor.cli.play import _TracePrinter  # pyright: ignore[reportPrivateUsage]
from conductor.devices.virtual.script import parse_gestures
from conductor.domain import reasons
from conductor.domain.events import InputEvent
from conductor.domain.trace import Trace
from conductor.errors import BadScript, ConductorError

SET = "{ type = 'SetVariable', name = 'x', value = 1 }"
FAILS = "{ type = 'Keystroke', keys = ['a'] }"
CONFIG = mapped(
    ("{ type = 'Note', note = 36 }", SET),
    ("{ type = 'LongPress', note = 36, duration_ms = 200 }", FAILS),
    ("{ type = 'CC', cc = 20, value_min = 64 }", SET),
)


@pytest.fixture(scope="module")
def conductor() -> Generator[RunningConductor]:
    with running_conductor(
        CONFIG, environment={"DISPLAY": "", "JACK_DEFAULT_SERVER": "none"}
    ) as running:
        yield running


def test_gestures_are_read_with_their_times():
    assert parse_gestures("down pad1 90, wait 600, up pad1; knob1 64\npad2") == [
        (0.0, "press", ("pad1", 90)),
        (0.6, "release", ("pad1",)),
        (0.6, "turn", ("knob1", 64)),
        (0.6, "press", ("pad2", 100)),
        (0.62, "release", ("pad2",)),
    ]
    assert parse_gestures("down 36")[0][2] == ("pad1", 100)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "the script plays nothing"),
        ("padd1", "did you mean `pad1`"),
        ("knob1", "a value is missing"),
        ("down knob1 3", "is turned"),
        ("knob1 128", "not a whole number from 0 to 127"),
        ("pad1, wait 60000, wait 9, pad1", "the limit is 60 s"),
        ("hit the pad hard", "write `pad1`"),
        ("cc 20 64", "by name; write `knob1 64`"),
        ("note 36", "by name; write `pad1`"),
        ("cc 7 64", "sends no cc 7; .*knob1-8 are CC 20-27"),
        ("note", "sends no note; pad1-16 are notes 36-51"),
    ],
)
def test_what_cannot_be_played_is_said(text: str, words: str):
    with pytest.raises(ConductorError, match=words):
        parse_gestures(text)


def test_a_mistake_is_a_bad_script():
    with pytest.raises(BadScript):
        parse_gestures("pad1 pad2 pad3")


def test_a_tap_and_a_hold_do_what_is_mapped_and_say_so(conductor: RunningConductor):
    tapped = at_terminal(conductor, "play", "pad1")
    assert tapped.returncode == 0, tapped.stdout
    assert "note 36 (C1) ch 10 velocity 100" in tapped.stdout
    assert "-> Set x" in tapped.stdout
    held = at_terminal(conductor, "play", "down pad1, wait 500, up pad1")
    assert "failed: " in held.stdout


def test_what_does_not_fire_says_why(conductor: RunningConductor):
    shown = at_terminal(conductor, "play", "pad9").stdout
    assert "Pad 9, note 44 (G#1) ch 10 velocity 100" in shown
    assert (
        shown.count("no mapping for this control in mode") == 1
    )  # for the press; its release is no event of its own
    assert "mapping 3 of mode Default: " in at_terminal(conductor, "play", "knob1 10").stdout


def test_controls_left_down_are_released(conductor: RunningConductor):
    assert "pad3 was still held" in at_terminal(conductor, "play", "down pad3").stdout


def test_only_the_command_at_a_terminal_may_play(conductor: RunningConductor):
    done = conductor.cli("play", "pad1") if not _has_terminal() else None
    assert done is None or (done.returncode == 1 and "is for the user" in done.stderr)
    with pytest.raises(ConductorError, match="is for the user"):
        conductor.call("terminal.play", gestures="pad1")


def _has_terminal() -> bool:
    try:
        Path("/dev/tty").open().close()
    except OSError:
        return False
    return True


def test_an_event_that_a_pause_stopped_is_not_called_unmapped(
    capsys: pytest.CaptureFixture[str],
) -> None:
    trace = Trace(1, InputEvent("note_on", "virtual", 10, 36, 100, 1.0), "Default", None)
    trace.note = (reasons.MAPPINGS_PAUSED,)
    _TracePrinter().print_notification("trace", {**trace.to_plain()})
    printed = capsys.readouterr().out
    assert "Conductor is paused" in printed
    assert "no mapping for this control" not in printed
