"""The live engine judges events from before a deadline before it runs the deadline."""

import socket
import threading
from collections.abc import Callable, Iterator

import pytest
from tests.engine.test_live import Live
from tests.support.simulate import config

from conductor.domain.config import Config
from conductor.domain.events import InputEvent
from conductor.engine import engine as live_engine
from conductor.engine.state import EngineState

TAP_AND_HOLD = "Note note=36 -> t\nLongPress note=36 duration_ms=500 -> h"
TAP_AND_DOUBLE = "Note note=36 -> t\nDoubleTap note=36 timeout_ms=300 -> d"


class Port:
    """A source like that of a MIDI port: what was written is read once the engine looks."""

    def __init__(self) -> None:
        self._near, self._far = socket.socketpair()
        self._near.setblocking(False)
        self._events: list[InputEvent] = []

    def fileno(self) -> int:
        return self._near.fileno()

    def write(self, kind: str, time: float, note: int = 36) -> None:
        down = kind == "note_on"
        self._events.append(
            InputEvent("note_on" if down else "note_off", "pads", 1, note, 100, time)
        )
        self._far.send(b"!")

    def read_events(self) -> list[InputEvent]:
        count = len(self._near.recv(64))
        arrived, self._events = self._events[:count], self._events[count:]
        return arrived

    def close(self) -> None:
        self._near.close()
        self._far.close()


class Stage:
    """A running engine on a clock that the test moves, with ports to play on."""

    def __init__(self, what: Config, monkeypatch: pytest.MonkeyPatch) -> None:
        self.clock = 100.0
        monkeypatch.setattr(live_engine, "now", lambda: self.clock)
        self.live = Live(what)
        self.ports = (Port(), Port())
        for port in self.ports:
            self.live.engine.add_source(port)

    def press(self, time: float) -> None:
        self.ports[0].write("note_on", time)
        self.live.wait_for(lambda: any(t.event.time == time for t in self.live.traces))

    def while_busy(self, do: Callable[[], None]) -> None:
        """Do something while the engine's thread is kept from looking."""
        entered, go_on = threading.Event(), threading.Event()

        def hold_up(_: EngineState) -> None:
            entered.set()
            go_on.wait(10)

        self.live.engine.call_in_engine_thread(hold_up)
        assert entered.wait(10)
        do()
        go_on.set()

    def end_at(self, time: float) -> list[str]:
        """Return the keys pressed, once everything up to a time was judged."""
        end = InputEvent("transport", "end", 0, 0, 0xFC, time)
        self.clock = max(self.clock, time)
        self.live.engine.post_event(end)
        self.live.wait_for(lambda: bool(self.live.traces) and self.live.traces[-1].event == end)
        return [word[-1] for word in self.live.told() if word.startswith("press")]

    def close(self) -> None:
        self.live.close()
        for port in self.ports:
            port.close()


@pytest.fixture
def stage(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], Stage]]:
    stages: list[Stage] = []

    def start(rows: str) -> Stage:
        stages.append(Stage(config(rows), monkeypatch))
        return stages[-1]

    yield start
    for each in stages:
        each.close()


@pytest.mark.parametrize(("at", "key"), [(100.499, "t"), (100.5, "h"), (100.501, "h")])
def test_a_release_that_arrives_while_the_engine_wakes_for_its_long_press_is_judged_by_its_stamp(
    stage: Callable[[str], Stage], at: float, key: str
):
    playing = stage(TAP_AND_HOLD)
    playing.press(100.0)

    def release_and_let_time_pass() -> None:
        playing.clock = 100.6
        playing.ports[1].write("note_off", at)

    playing.while_busy(release_and_let_time_pass)
    assert playing.end_at(101.0) == [key]


@pytest.mark.parametrize(("at", "keys"), [(100.299, "d"), (100.3, "tt")])
def test_a_second_press_that_arrives_late_is_judged_by_its_stamp(
    stage: Callable[[str], Stage], at: float, keys: str
):
    playing = stage(TAP_AND_DOUBLE)
    playing.press(100.0)

    def strike_again() -> None:
        playing.clock = 100.4
        playing.ports[0].write("note_off", 100.1)
        playing.ports[1].write("note_on", at)

    playing.while_busy(strike_again)
    assert "".join(playing.end_at(102.0)) == keys


def test_an_event_behind_a_later_one_of_another_port_is_judged_first(
    stage: Callable[[str], Stage],
):
    """Reading one port would pass the deadline, so the others are read before."""
    playing = stage(TAP_AND_HOLD)
    playing.press(100.0)

    def both() -> None:
        playing.clock = 100.6
        playing.live.engine.post_event(InputEvent("cc", "pads", 1, 7, 1, 100.55))
        playing.ports[1].write("note_off", 100.499)

    playing.while_busy(both)
    assert playing.end_at(101.0) == ["t"]


def test_an_event_that_was_read_too_late_says_so(stage: Callable[[str], Stage]):
    playing = stage(TAP_AND_HOLD)
    playing.press(100.0)
    playing.while_busy(lambda: setattr(playing, "clock", 100.6))
    playing.live.wait_for(lambda: any(trace.fired for trace in playing.live.traces))
    playing.ports[0].write("note_off", 100.49)
    assert playing.end_at(101.0) == ["h"]
    late = next(t for t in playing.live.traces if t.event.kind == "note_off")
    assert (late.time, late.to_plain().get("late_ms")) == (100.5, 10.0)
    on_time = next(t for t in playing.live.traces if t.event.kind == "note_on")
    assert "late_ms" not in on_time.to_plain()


def test_a_repetition_leaves_the_engine_time_for_what_is_posted(
    stage: Callable[[str], Stage],
):
    row = 'Note note=36 -> Repeat until_release=true delay_ms=10 action={"type":"MouseClick"}'
    playing = stage(row)
    playing.press(100.0)
    playing.clock = 100.2
    assert playing.end_at(100.2) == []
    assert len(playing.live.told()) >= 20
