"""The runner: blocking actions run on workers with a time limit, and each failure is reported once."""

import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Literal

import pytest
from tests.support.simulate import RecordingPorts, RecordingPrograms, action, config

from conductor.base.clock import now
from conductor.domain.actions.base import Fire
from conductor.domain.events import InputEvent
from conductor.domain.settings import EngineSettings
from conductor.domain.trace import Effect, MappingRef
from conductor.engine.runner import (
    CANCELLATION_GRACE_S,
    MAX_QUEUED_JOBS,
    WORKER_COUNT,
    EffectOutcome,
    EffectRunner,
)
from conductor.errors import ActionCancelled, ActionFailed

WAIT_S = 10.0
Kind = Literal["do", "press", "release", "mode", "variable"]


class Gate:
    """Where programs wait until a test lets them go on."""

    def __init__(self) -> None:
        self.entered = threading.Semaphore(0)
        self.open = threading.Event()
        self.threads: list[threading.Thread] = []
        """The threads of the programs that came here."""

    def arrive(self, count: int = 1) -> None:
        for _ in range(count):
            assert self.entered.acquire(timeout=WAIT_S)


class GatedPrograms(RecordingPrograms):
    """Programs that wait at a gate, that notice being cancelled, or that do not (`deaf`)."""

    def __init__(self, said: list[str], gate: Gate) -> None:
        super().__init__(said)
        self.gate = gate

    def run(self, argv: Sequence[str], timeout_s: float, cancelled: Callable[[], bool]) -> str:
        self.gate.threads.append(threading.current_thread())
        self.gate.entered.release()
        match argv[0]:
            case "deaf":
                self.gate.open.wait(WAIT_S)
            case "polite":
                while not cancelled() and not self.gate.open.wait(0.002):
                    pass
                if cancelled():
                    raise ActionCancelled("stopped as asked")
            case "broken":
                raise ZeroDivisionError("oh")
            case "refused":
                raise ActionFailed("no such program: refused; install it")
            case _:
                pass
        return super().run(argv, timeout_s, cancelled)


class Ports(RecordingPorts):
    def __init__(self, gate: Gate) -> None:
        super().__init__()
        self._programs = GatedPrograms(self.said, gate)

    @property
    def programs(self) -> GatedPrograms:
        return self._programs


class Bench:
    """A runner with gated programs, and what it posted and reported."""

    def __init__(self) -> None:
        self.gate = Gate()
        self.ports = Ports(self.gate)
        self.posted: list[InputEvent] = []
        self.failures: list[str] = []
        self._changed = threading.Condition()
        self.runner = EffectRunner(self.ports, self._post, self._fail)
        self.runner.apply_settings(EngineSettings(allow_shell=True))

    def _post(self, event: InputEvent) -> None:
        with self._changed:
            self.posted.append(event)
            self._changed.notify_all()

    def _fail(self, effect: Effect, sequence: int, reason: str) -> None:
        with self._changed:
            self.failures.append(reason)
            self._changed.notify_all()

    def wait_for(self, what: Callable[[], bool]) -> None:
        with self._changed:
            assert self._changed.wait_for(what, WAIT_S), (self.ports.said, self.failures)

    def completions(self) -> dict[int | str, tuple[float, str | None]]:
        return {e.number: (e.value, e.data) for e in self.posted if e.kind == "completed"}

    def perform(self, does: str, run: int = 0, kind: Kind = "do") -> None:
        self.runner.perform_effect(effect(does, run, kind), 1)

    def shell(self, program: str, run: int = 0) -> None:
        self.perform(f'Shell argv=["{program}"]', run)


def effect(does: str, run: int = 0, kind: Kind = "do") -> Effect:
    row = {"trigger": {"type": "Note", "note": 36}, "action": action(does)}
    mapping = config([row]).global_mappings[0]
    ref = MappingRef("global", 0, mapping)
    return Effect(kind, mapping.action, Fire(1.0), ref, run, waits=run > 0)


@pytest.fixture
def bench() -> Iterator[Bench]:
    bench = Bench()
    yield bench
    bench.gate.open.set()
    bench.runner.close()


def test_a_plain_action_is_done_at_once_on_the_caller_s_thread(bench: Bench):
    bench.perform("cmd+c")
    assert bench.ports.said == ["press cmd+c", "release cmd+c"]


def test_a_microphone_that_does_not_open_is_the_failure_of_its_press_once(bench: Bench):
    bench.runner.fail_listening("nobody talks")
    bench.perform("PushToTalk", kind="press")
    assert bench.failures == []
    bench.runner.fail_listening("no sound server responds")
    bench.runner.fail_listening("no sound server responds")
    assert bench.failures == ["no sound server responds"]


def test_a_watch_is_told_how_the_action_ended_or_that_it_takes_longer(bench: Bench):
    ends: list[EffectOutcome] = []
    bench.runner.watch_first_effect(1, now() + 60, ends.append)
    bench.shell("polite")
    bench.gate.arrive()
    assert ends == []
    bench.gate.open.set()
    bench.wait_for(lambda: ends == [EffectOutcome(is_known=True)])

    bench.runner.watch_first_effect(1, now() + 60, ends.append)
    bench.shell("refused")
    bench.wait_for(
        lambda: [end.reason for end in ends[1:]] == ["no such program: refused; install it"]
    )

    bench.runner.watch_first_effect(2, 5.0, ends.append)
    assert bench.runner.get_due_time() == 5.0
    bench.runner.cancel_expired(5.0)
    assert ends[2:] == [EffectOutcome(is_known=False)]
    assert bench.runner.get_due_time() is None


def test_both_ends_of_a_held_key_are_done_apart(bench: Bench):
    bench.perform("shift", kind="press")
    assert bench.ports.said == ["press shift"]
    bench.perform("shift", kind="release")
    assert bench.ports.said == ["press shift", "release shift"]


def test_changes_of_the_engine_s_own_need_nothing_done(bench: Bench):
    bench.perform("ModeChange mode=Default", kind="mode")
    bench.perform("SetVariable name=x", kind="variable")
    assert bench.ports.said == []
    assert bench.runner.done == 0


def test_a_blocking_action_runs_on_a_worker_and_delays_no_other(bench: Bench):
    bench.shell("polite", run=7)
    bench.gate.arrive()
    bench.perform("a")
    assert bench.ports.said == ["press a", "release a"]
    bench.gate.open.set()
    bench.wait_for(lambda: bench.completions() == {7: (1, None)})
    assert bench.ports.said[-1] == "run polite"


def test_as_many_actions_run_side_by_side_as_there_are_workers(bench: Bench):
    for _ in range(WORKER_COUNT):
        bench.shell("polite")
    bench.gate.arrive(WORKER_COUNT)


@pytest.mark.parametrize(
    ("program", "reason"),
    [
        ("refused", "no such program: refused; install it"),
        ("broken", "failed unexpectedly: oh"),
    ],
)
def test_an_action_that_fails_on_a_worker_is_reported_once_and_the_worker_continues(
    bench: Bench, program: str, reason: str
):
    bench.shell(program, run=1)
    bench.wait_for(lambda: 1 in bench.completions())
    bench.shell("fine", run=2)
    bench.wait_for(lambda: 2 in bench.completions())
    assert bench.failures == [reason]
    assert bench.completions() == {1: (0, reason), 2: (1, None)}


class BadMidi:
    def send(self, port: str, message: bytes) -> None:
        raise ActionFailed(f"no output is called `{port}`")


class WithoutMidi(RecordingPorts):
    @property
    def midi(self) -> BadMidi:  # pyright: ignore[reportIncompatibleVariableOverride, reportIncompatibleMethodOverride]
        return BadMidi()


def test_a_plain_action_that_fails_is_reported_once_and_nothing_is_raised():
    failures: list[str] = []
    runner = EffectRunner(
        WithoutMidi(), lambda _event: None, lambda _e, _sequence, reason: failures.append(reason)
    )  # pyright: ignore[reportArgumentType]
    assert not runner.perform_effect(effect("SendMidi port=gone message_type=CC"), 1)
    assert failures == ["no output is called `gone`"]


def test_a_press_and_its_release_that_fail_for_one_reason_are_one_failure():
    failures: list[str] = []
    runner = EffectRunner(
        WithoutMidi(), lambda _event: None, lambda _e, _sequence, reason: failures.append(reason)
    )  # pyright: ignore[reportArgumentType]
    note = "SendMidi port=gone message_type=NoteOn note=60 hold=while_held"
    for kind in ("press", "release", "press"):
        runner.perform_effect(effect(note, kind=kind), 1)
    assert failures == ["no output is called `gone`"] * 2


def test_shell_actions_are_refused_while_they_are_off_with_a_remedy(bench: Bench):
    bench.runner.apply_settings(EngineSettings())
    bench.shell("fine", run=3)
    bench.wait_for(lambda: 3 in bench.completions())
    assert bench.failures == [
        "Shell actions are off; set `settings.engine.allow_shell = true` to let them run"
    ]
    assert bench.ports.said == []


def test_a_dry_run_performs_nothing_but_continues_as_if_it_had(bench: Bench):
    bench.runner.dry_run = True
    bench.perform("a")
    bench.perform("shift", kind="press")
    bench.shell("fine", run=4)
    assert bench.ports.said == []
    assert bench.completions() == {4: (1, None)}
    assert bench.failures == []


def test_cancelling_stops_what_runs_and_drops_what_waits(bench: Bench):
    for run in range(1, WORKER_COUNT + 3):
        bench.shell("polite", run=run)
    bench.gate.arrive(WORKER_COUNT)
    bench.runner.cancel_all()
    bench.wait_for(lambda: len(bench.completions()) == WORKER_COUNT + 2)
    assert all(value == 0 for value, _ in bench.completions().values())
    assert sorted(bench.failures) == sorted(["stopped as asked"] * WORKER_COUNT + ["cancelled"] * 2)
    assert bench.ports.said == []


def test_more_actions_than_can_wait_are_dropped_with_a_reason(bench: Bench):
    for _ in range(WORKER_COUNT):
        bench.shell("deaf")
    bench.gate.arrive(WORKER_COUNT)
    for _ in range(MAX_QUEUED_JOBS):
        bench.shell("fine")
    assert bench.failures == []
    bench.shell("fine", run=9)
    assert bench.failures == [
        f"{MAX_QUEUED_JOBS} actions are already waiting, so this action was dropped"
    ]
    assert bench.completions()[9][0] == 0


def limit(bench: Bench) -> float:
    """Return the time limit that runs now."""
    due = bench.runner.get_due_time()
    assert due is not None
    return due


def test_a_worker_posts_a_wake_up_so_that_its_time_limit_is_kept(bench: Bench):
    bench.shell("polite")
    bench.gate.arrive()
    bench.wait_for(lambda: any(event.kind == "timer" for event in bench.posted))
    limit_s = max(EngineSettings().action_timeout_s, 10 + CANCELLATION_GRACE_S)
    assert limit(bench) == pytest.approx(now() + limit_s, abs=WAIT_S)


def test_an_action_out_of_time_is_cancelled_and_one_that_listens_ends(bench: Bench):
    bench.shell("polite", run=1)
    bench.gate.arrive()
    bench.runner.cancel_expired(limit(bench) + 0.001)
    bench.wait_for(lambda: 1 in bench.completions())
    assert bench.failures == ["took longer than 30 s and was stopped"]
    assert bench.runner.get_due_time() is None


def test_the_reported_limit_is_that_of_the_action(bench: Bench):
    bench.perform('Shell argv=["polite"] timeout_s=60', run=1)
    bench.gate.arrive()
    bench.runner.cancel_expired(limit(bench) + 0.001)
    bench.wait_for(lambda: 1 in bench.completions())
    assert bench.failures == [f"took longer than {60 + CANCELLATION_GRACE_S:g} s and was stopped"]


def test_an_action_within_its_time_is_left_alone(bench: Bench):
    bench.shell("polite", run=1)
    bench.gate.arrive()
    bench.runner.cancel_expired(limit(bench) - 0.001)
    bench.gate.open.set()
    bench.wait_for(lambda: bench.completions() == {1: (1, None)})


def test_a_worker_that_hears_nothing_is_given_up_and_replaced(bench: Bench):
    for run in range(1, WORKER_COUNT + 1):
        bench.shell("deaf", run=run)
    bench.gate.arrive(WORKER_COUNT)
    while (due := bench.runner.get_due_time()) is not None:
        bench.runner.cancel_expired(due)
    assert sorted(bench.completions()) == list(range(1, WORKER_COUNT + 1))
    assert bench.failures == ["took longer than 30 s and was abandoned"] * WORKER_COUNT
    bench.shell("fine", run=99)
    bench.wait_for(lambda: bench.completions().get(99) == (1, None))


def test_an_action_that_was_given_up_is_not_reported_again_when_it_ends(bench: Bench):
    bench.shell("deaf", run=1)
    bench.gate.arrive()
    while (due := bench.runner.get_due_time()) is not None:
        bench.runner.cancel_expired(due)
    bench.gate.open.set()
    bench.runner.close()
    assert [e.value for e in bench.posted if e.kind == "completed"] == [0]
    assert len(bench.failures) == 1


def test_a_worker_that_was_given_up_does_not_count_after_it_has_ended(bench: Bench):
    for _ in range(WORKER_COUNT):
        bench.shell("deaf")
        bench.gate.arrive()
        while (due := bench.runner.get_due_time()) is not None:
            bench.runner.cancel_expired(due)
    bench.gate.open.set()
    for worker in bench.gate.threads:
        worker.join(WAIT_S)
        assert not worker.is_alive()
    bench.gate.open.clear()
    for _ in range(WORKER_COUNT):
        bench.shell("polite")
    bench.gate.arrive(WORKER_COUNT)
