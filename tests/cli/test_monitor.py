"""What the live monitor writes for traces and failures, in whatever order they come."""

import io
import threading
from typing import Any

import pytest

from conductor.cli.monitor import MAX_QUEUED_NOTIFICATIONS, MonitorPrinter, MonitorThread
from conductor.domain.actions.base import Fire
from conductor.domain.actions.keystroke import KeystrokeAction
from conductor.domain.actions.shell import ShellAction
from conductor.domain.config import Mapping
from conductor.domain.events import InputEvent
from conductor.domain.trace import Candidate, Effect, MappingRef, Trace
from conductor.domain.triggers.note import NoteTrigger
from conductor.engine.recording.recorder import TraceRecorder

KEY = KeystrokeAction(keys=("a",))
SLOW = ShellAction(argv=("false",))
REASON = "no X display: start Conductor in a desktop session, or set DISPLAY to the one that it is to use"


def effect_of(action: KeystrokeAction | ShellAction) -> Effect:
    mapping = Mapping(trigger=NoteTrigger(note=36), action=action, description="say a")
    ref = MappingRef("mode:Default", 0, mapping)
    return Effect("do", action, Fire(1.0), ref)


def trace(sequence: int, at: float, effect: Effect) -> dict[str, Any]:
    event = InputEvent("note_on", "pads", 1, 36, 100, at)
    made = Trace(sequence, event, "Default", None)
    made.candidates.append(Candidate(effect.ref, "fired", ("pressed",)))
    made.fired.append(effect.ref)
    made.effects.append(effect)
    return {**made.to_plain()}


def failure(sequence: int, at: float, effect: Effect) -> dict[str, Any]:
    return {**TraceRecorder().record_failure(effect, sequence, REASON, at)}


@pytest.fixture
def out() -> io.StringIO:
    return io.StringIO()


def lines(out: io.StringIO) -> list[str]:
    return [line.rstrip() for line in out.getvalue().splitlines()]


def test_a_failure_reported_before_its_event_is_shown_below_it(out: io.StringIO):
    printer, effect = MonitorPrinter(out), effect_of(KEY)
    printer.print_notification("failure", failure(7, 1.001, effect))
    assert lines(out) == []
    printer.print_notification("trace", trace(7, 1.0, effect))
    event, *reason = lines(out)
    assert "note 36" in event
    assert " !! " in event
    assert "->" not in event
    assert event.endswith("#7")
    assert " ".join(line.strip() for line in reason) == f"failed: {REASON}"


def test_an_action_that_worked_is_not_blamed_for_the_next_one(out: io.StringIO):
    printer, effect = MonitorPrinter(out), effect_of(KEY)
    printer.print_notification("trace", trace(1, 1.0, effect))
    printer.print_notification("failure", failure(2, 3.001, effect))
    printer.print_notification("trace", trace(2, 3.0, effect))
    first, second, *_ = lines(out)
    assert " -> " in first
    assert " !! " in second
    assert second.endswith("#2")


def test_an_action_that_fails_late_names_its_event(out: io.StringIO):
    printer, effect = MonitorPrinter(out), effect_of(SLOW)
    printer.print_notification("trace", trace(4, 1.0, effect))
    printer.print_notification("failure", failure(4, 9.0, effect))
    event, late, *_ = lines(out)
    assert " -> " in event
    assert " !! say a" in late
    assert late.endswith("#4")


def test_a_failure_whose_event_was_not_shown_is_shown_with_the_next_one(out: io.StringIO):
    printer, effect = MonitorPrinter(out), effect_of(KEY)
    printer.print_notification("failure", failure(8, 1.0, effect))
    printer.print_notification("trace", trace(9, 5.0, effect))
    assert [line for line in lines(out) if "!! say a" in line]
    assert " -> " in lines(out)[-1]


class StoppedTerminal(io.StringIO):
    """A terminal after Ctrl+S: whoever writes waits for Ctrl+Q."""

    def __init__(self) -> None:
        super().__init__()
        self.continues = threading.Event()
        self.has_caught_up = threading.Event()

    def write(self, text: str, /) -> int:
        self.continues.wait(30)
        if "the last" in text:
            self.has_caught_up.set()
        return super().write(text)


def test_a_terminal_that_is_stopped_holds_nothing_else_up_and_loses_only_counted_lines() -> None:
    terminal = StoppedTerminal()
    monitor = MonitorThread(MonitorPrinter(terminal))
    for number in range(MAX_QUEUED_NOTIFICATIONS + 100):
        monitor.queue_notification("notice", {"text": f"notice {number}"})
    terminal.continues.set()
    while not terminal.has_caught_up.wait(0.01):
        monitor.queue_notification("notice", {"text": "the last"})
    shown = terminal.getvalue()
    assert "notice 0\n" in shown
    assert "events skipped" in shown


class ClosedPipe(io.StringIO):
    """A pipe whose reader has gone."""

    def write(self, text: str, /) -> int:
        raise BrokenPipeError


def test_a_reader_that_has_gone_ends_the_printing_without_a_traceback(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    raised: list[object] = []
    monkeypatch.setattr(threading, "excepthook", raised.append)
    before = set(threading.enumerate())
    monitor = MonitorThread(MonitorPrinter(ClosedPipe()))
    (thread,) = set(threading.enumerate()) - before
    monitor.queue_notification("notice", {"text": "a"})
    thread.join(20)
    monitor.queue_notification("notice", {"text": "b"})
    assert not thread.is_alive()
    assert raised == []
