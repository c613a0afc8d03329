"""A key that a control holds down goes up, whatever happens to the device, the config or a process."""

import signal
from collections.abc import Generator

import pytest
from tests.support.jack import JackServer, MidiPeer
from tests.support.processes import alive, descendants
from tests.support.running import RunningConductor, mapped, running_conductor, wait_for
from tests.support.xserver import KeyWindow, XServer

pytestmark = [pytest.mark.jack, pytest.mark.x11]
HOLD = (
    "{ type = 'Note', note = 36, device = 'pads' }",
    "{ type = 'Keystroke', keys = ['h'], hold = 'while_held' }",
)
SECOND_MODE = "[[modes]]\nname = 'Second'\n"


@pytest.fixture
def own_conductor(screen: XServer, pads: MidiPeer) -> Generator[RunningConductor]:
    """Run a Conductor that the test may end as it likes."""
    config = mapped(HOLD, more=SECOND_MODE)
    with running_conductor(
        config, environment={"DISPLAY": screen.display}, own_process=True
    ) as running:
        running.wait_for_device("pads")
        yield running


@pytest.fixture
def holding(conductor: RunningConductor, pads: MidiPeer, window: KeyWindow) -> RunningConductor:
    """Return the module's Conductor with a key held down by a pad."""
    conductor.use(mapped(HOLD, more=SECOND_MODE))
    conductor.wait_for_device("pads")
    press_and_hold(pads, window)
    return conductor


def press_and_hold(pads: MidiPeer, window: KeyWindow) -> None:
    pads.send("90 24 64")
    expect(window, "h", pressed=True)


def expect(window: KeyWindow, name: str, *, pressed: bool) -> None:
    key = window.next_key()
    assert (key.name, key.pressed) == (name, pressed)


def test_the_key_goes_up_when_the_pad_is_released(
    holding: RunningConductor, pads: MidiPeer, window: KeyWindow
):
    assert holding.status()["held_keys"] == ["h"]
    pads.send("80 24 00")
    expect(window, "h", pressed=False)
    holding.wait_status(lambda status: status["held_keys"] == [])


def test_the_key_goes_up_when_the_mode_changes(holding: RunningConductor, window: KeyWindow):
    holding.call("conductor_switch_mode", mode="Second")
    expect(window, "h", pressed=False)
    holding.call("conductor_switch_mode", mode="Default")


def test_the_key_goes_up_when_the_config_is_reloaded(holding: RunningConductor, window: KeyWindow):
    holding.use(mapped())
    expect(window, "h", pressed=False)


def test_the_key_goes_up_when_the_device_is_muted(holding: RunningConductor, window: KeyWindow):
    holding.call("conductor_set_device_enabled", device_id="pads", enabled=False)
    expect(window, "h", pressed=False)
    holding.call("conductor_set_device_enabled", device_id="pads", enabled=True)


def test_the_key_goes_up_at_panic(holding: RunningConductor, window: KeyWindow):
    assert holding.cli("panic").returncode == 0
    expect(window, "h", pressed=False)


def test_the_key_goes_up_when_the_device_is_unplugged_and_works_again_when_it_is_back(
    conductor: RunningConductor, jack: JackServer, window: KeyWindow
):
    trigger, action = HOLD
    conductor.use(mapped((trigger.replace("'pads'", "'keys'"), action)) + KEYS)
    with MidiPeer("Keyboard") as keyboard:
        conductor.wait_for_device("keys")
        press_and_hold(keyboard, window)
        keyboard.unplug()
        expect(window, "h", pressed=False)
        conductor.wait_for_device("keys", connected=False)
    with MidiPeer("Keyboard") as keyboard:
        conductor.wait_for_device("keys")
        press_and_hold(keyboard, window)
        keyboard.send("80 24 00")
        expect(window, "h", pressed=False)


KEYS = """
[[devices]]
alias = "keys"
matchers = [{ type = "NameContains", pattern = "Keyboard" }]
"""


def test_a_killed_app_leaves_no_process_and_no_key_down_and_the_next_one_starts(
    own_conductor: RunningConductor, screen: XServer, pads: MidiPeer, window: KeyWindow
):
    press_and_hold(pads, window)
    family = descendants(own_conductor.process.pid)
    assert len(family) >= 2, "the engine process and at least one port process"

    own_conductor.kill()

    expect(window, "h", pressed=False)
    wait_for(lambda: alive(family), lambda left: not left, 5)
    config, environment = own_conductor.config_path.read_text(), {"DISPLAY": screen.display}
    with running_conductor(config, environment=environment, home=own_conductor.home) as again:
        again.wait_for_device("pads")
        press_and_hold(pads, window)
        pads.send("80 24 00")
        expect(window, "h", pressed=False)


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_a_stop_lets_the_key_go_and_ends_every_process(
    own_conductor: RunningConductor, pads: MidiPeer, window: KeyWindow, how: signal.Signals
):
    press_and_hold(pads, window)
    own_conductor.stop(how)
    expect(window, "h", pressed=False)
