"""An engine process that crashes or hangs is replaced; no key stays down, no note sounds, the user is told."""

import os
import shutil
import signal
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from tests.support.jack import MidiPeer
from tests.support.processes import alive
from tests.support.running import (
    RunningConductor,
    free_udp_port,
    mapped,
    running_conductor,
    send_osc,
    wait_for,
)
from tests.support.xserver import KeyWindow, XServer

from conductor.base.clock import now
from conductor.runtime.supervisor import MAX_HEARTBEAT_SILENCE_S

pytestmark = pytest.mark.x11
BACK_WITHIN_S = 5.0
STEADY_AFTER_S = 3
"""Before that a new engine may be silent for longer."""
HOLD = "{ type = 'Keystroke', keys = ['h'], hold = 'while_held' }"
NOBODY = "nobody.invalid"
ASTRAY = "{ type = 'OscMessage', address = '/astray', value_min = 0.5 }"
SEND_ASTRAY = f"{{ type = 'OscSend', host = '{NOBODY}', port = 9, address = '/x' }}"
WITHOUT_JACK = {"JACK_DEFAULT_SERVER": "none"}


class Rig:
    """A Conductor without MIDI, whose one key is held by an OSC control."""

    def __init__(self, conductor: RunningConductor, osc_port: int) -> None:
        self.conductor = conductor
        self.osc_port = osc_port

    def press(self, window: KeyWindow) -> None:
        send_osc(self.osc_port, "/hold", 1.0)
        expect(window, pressed=True)

    def release(self, window: KeyWindow) -> None:
        send_osc(self.osc_port, "/hold", 0.0)
        expect(window, pressed=False)

    def wait_until_back(self, engine_before: int, timeout_s: float = 30) -> None:
        self.conductor.wait_status(
            lambda s: s["config"]["active"] and s["engine"]["pid"] != engine_before, timeout_s
        )
        self.conductor.wait_for_device("osc", "osc")


def expect(window: KeyWindow, *, pressed: bool) -> None:
    key = window.next_key()
    assert (key.name, key.pressed) == ("h", pressed)


@pytest.fixture(scope="module")
def rig(screen: XServer) -> Generator[Rig]:
    port = free_udp_port()
    trigger = "{ type = 'OscMessage', address = '/hold', value_min = 0.5 }"
    config = mapped((trigger, HOLD), (ASTRAY, SEND_ASTRAY), settings=f"osc_port = {port}")
    environment = {"DISPLAY": screen.display, **WITHOUT_JACK}
    with running_conductor(config, environment=environment, own_process=True) as conductor:
        conductor.wait_for_device("osc", "osc")
        yield Rig(conductor, port)


def test_a_stuck_engine_is_replaced_its_key_goes_up_and_a_status_is_given_meanwhile(
    rig: Rig, window: KeyWindow
):
    rig.conductor.wait_status(lambda status: status["uptime_secs"] >= STEADY_AFTER_S)
    rig.press(window)
    stuck = rig.conductor.engine_pid
    os.kill(stuck, signal.SIGSTOP)

    assert rig.conductor.status()["lifecycle_state"] == "Degraded"
    rig.wait_until_back(stuck)

    expect(window, pressed=False)
    assert alive([stuck]) == []
    rig.press(window)
    rig.release(window)


def test_a_killed_engine_lets_the_key_go_and_is_back_within_seconds(rig: Rig, window: KeyWindow):
    before = rig.conductor.status()["engine"]["restarts"]
    rig.press(window)
    killed, killed_at = rig.conductor.engine_pid, now()
    os.kill(killed, signal.SIGKILL)

    expect(window, pressed=False)
    up_s = now() - killed_at
    rig.wait_until_back(killed, BACK_WITHIN_S)
    back_s = now() - killed_at
    print(f"key up after {up_s:.2f} s, engine back after {back_s:.2f} s")  # noqa: T201

    rig.press(window)
    rig.release(window)
    status = rig.conductor.status()
    assert status["engine"]["restarts"] == before + 1
    assert "restarted" in status["notices"][-1]
    shown = rig.conductor.cli("status").stdout
    assert f"restarts: {before + 1}" in shown
    assert "notice    the engine died" in shown


def test_an_engine_that_dies_again_and_again_is_left_stopped_and_the_user_is_told(
    screen: XServer,
):
    environment = {"DISPLAY": screen.display, **WITHOUT_JACK}
    with running_conductor(environment=environment, own_process=True) as conductor:
        status = conductor.status()
        for _ in range(8):  # on a busy machine the first may have lived too long to count
            killed = status["engine"]["pid"]
            os.kill(killed, signal.SIGKILL)
            status = conductor.wait_status(lambda s, killed=killed: settled_after(s, killed))
            if not status["engine"]["running"]:
                break
        assert "is not restarted" in status["notices"][-1]
        assert status["lifecycle_state"] == "Degraded"


def test_a_key_that_a_crash_of_everything_left_down_goes_up_at_the_next_start(
    screen: XServer, window: KeyWindow
):
    port = free_udp_port()
    trigger = "{ type = 'OscMessage', address = '/hold', value_min = 0.5 }"
    config = mapped((trigger, HOLD), settings=f"osc_port = {port}")
    environment = {"DISPLAY": screen.display, **WITHOUT_JACK}
    with running_conductor(config, environment=environment, own_process=True) as conductor:
        conductor.wait_for_device("osc", "osc")
        Rig(conductor, port).press(window)
        family = conductor.family()
        for pid in family:  # the app is stopped, so that it cannot notice the engine's death
            os.kill(pid, signal.SIGSTOP)
        for pid in family:
            os.kill(pid, signal.SIGKILL)
        conductor.process.wait()
        with running_conductor(
            None, environment=environment, home=conductor.home, own_process=True
        ):
            expect(window, pressed=False)


def test_an_engine_is_not_killed_because_the_app_itself_stood_still(rig: Rig, window: KeyWindow):
    """As with Ctrl+Z and `fg`: it has heard no beat for longer than it allows an engine."""
    rig.conductor.wait_status(lambda status: status["uptime_secs"] >= STEADY_AFTER_S)
    engine = rig.conductor.status()["engine"]
    os.kill(rig.conductor.process.pid, signal.SIGSTOP)
    stood_still_until = now() + MAX_HEARTBEAT_SILENCE_S + 2
    rig.press(window)
    wait_for(now, lambda time: time > stood_still_until)
    os.kill(rig.conductor.process.pid, signal.SIGCONT)

    rig.release(window)
    assert rig.conductor.status()["engine"] == engine


def test_a_killed_engine_lets_the_key_go_even_when_the_home_folder_was_deleted(
    screen: XServer, window: KeyWindow
):
    port = free_udp_port()
    trigger = "{ type = 'OscMessage', address = '/hold', value_min = 0.5 }"
    config = mapped((trigger, HOLD), settings=f"osc_port = {port}")
    environment = {"DISPLAY": screen.display, **WITHOUT_JACK}
    with running_conductor(config, environment=environment, own_process=True) as conductor:
        rig = Rig(conductor, port)
        conductor.wait_for_device("osc", "osc")
        rig.press(window)
        beaten_s = conductor.status()["uptime_secs"] + STEADY_AFTER_S
        conductor.wait_status(lambda status: status["uptime_secs"] >= beaten_s)
        empty(conductor.home)
        killed = conductor.engine_pid
        os.kill(killed, signal.SIGKILL)

        expect(window, pressed=False)
        rig.wait_until_back(killed)
        rig.press(window)
        rig.release(window)


def test_what_goes_wrong_in_the_engine_is_in_a_log_file_of_its_own(rig: Rig):
    send_osc(rig.osc_port, "/astray", 1.0)
    log = rig.conductor.home / "logs" / "engine.log"
    wait_for(lambda: log.read_text() if log.exists() else "", lambda text: NOBODY in text)
    assert "WARNING conductor.system.osc_out: " in log.read_text()


def empty(home: Path) -> None:
    """Delete all that Conductor keeps, but not what it says here."""
    for path in home.iterdir():
        if path.is_dir():
            shutil.rmtree(path)
        elif path.name != "stderr.txt":
            path.unlink()


def settled_after(status: dict[str, Any], killed: int) -> bool:
    """Return whether a new engine runs, or none is started any more."""
    if status["notices"] and "is not restarted" in status["notices"][-1]:
        return not status["engine"]["running"]
    return status["config"]["active"] and status["engine"]["pid"] != killed


@pytest.mark.jack
def test_notes_that_a_killed_engine_left_sounding_end_when_it_is_back(
    conductor: RunningConductor, pads: MidiPeer
):
    note = "{ type = 'SendMidi', port = 'Pads In', message_type = 'NoteOn', note = 60 }"
    forward = "{ type = 'MidiForward', port = 'Pads In', transpose = 12, channel = 3 }"
    conductor.use(
        mapped(
            ("{ type = 'Note', note = 36, device = 'pads' }", note),
            ("{ type = 'Note', note = 38, device = 'pads' }", forward),
        )
    )
    conductor.wait_for_device("pads")
    pads.send("90 24 64")
    pads.wait_for("90 3c 64")
    pads.send("90 26 50")
    pads.wait_for("92 32 50")
    assert "80 3c 00" not in pads.received
    killed = conductor.engine_pid
    os.kill(killed, signal.SIGKILL)

    pads.wait_for("80 3c 00", 30)
    pads.wait_for("82 32 00", 30)
    conductor.wait_status(lambda s: s["config"]["active"] and s["engine"]["pid"] != killed, 30)


@pytest.mark.jack
def test_midi_works_again_after_the_engine_was_killed(
    conductor: RunningConductor, pads: MidiPeer, window: KeyWindow
):
    conductor.use(mapped(("{ type = 'Note', note = 36, device = 'pads' }", HOLD)))
    conductor.wait_for_device("pads")
    pads.send("90 24 64")
    expect(window, pressed=True)
    before = conductor.status()["engine"]["restarts"]
    killed = conductor.engine_pid
    os.kill(killed, signal.SIGKILL)
    expect(window, pressed=False)

    status = conductor.wait_status(
        lambda s: s["lifecycle_state"] == "Running" and s["engine"]["pid"] != killed, 30
    )
    conductor.wait_for_device("pads")

    assert status["engine"]["restarts"] == before + 1, (
        "the new engine is given time to open its ports"
    )
    pads.send("90 24 64")
    expect(window, pressed=True)
    pads.send("80 24 00")
    expect(window, pressed=False)
