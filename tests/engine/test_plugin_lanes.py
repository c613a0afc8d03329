"""Calls of MCP tools: the newest value of a control, every press, one at a time, within the rate."""

import threading
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest
from tests.support.simulate import RecordingPorts, does, play, rows

from conductor.domain.actions.base import Fire
from conductor.domain.config import Mapping
from conductor.domain.events import InputEvent
from conductor.domain.ports import PluginAnswer, WithdrawCall
from conductor.domain.trace import Effect, MappingRef
from conductor.engine import plugin_lanes
from conductor.engine.plugin_lanes import ANSWER_GRACE_S, MAX_QUEUED_CALLS
from conductor.engine.runner import EffectRunner

LEVEL = {"level": {"from": "value", "max": 100}}


class Call(NamedTuple):
    args: dict[str, object]
    by: str
    answer: PluginAnswer


class Server:
    """Plugins of a server whose answers the test controls."""

    def __init__(self) -> None:
        self.calls: list[Call] = []
        self.withdrawn: list[Call] = []
        self.is_broken = False

    def call_tool(
        self,
        server: str,
        tool: str,
        args: dict[str, object],
        timeout_s: float,
        by: str,
        answer: PluginAnswer,
    ) -> WithdrawCall:
        if self.is_broken:
            raise OSError("the line is cut")
        call = Call(args, by, answer)
        self.calls.append(call)
        return lambda: self.withdrawn.append(call)

    def args(self) -> list[Any]:
        return [next(iter(call.args.values()), None) for call in self.calls]


class Ports(RecordingPorts):
    def __init__(self, server: Server) -> None:
        super().__init__()
        self._server = server

    @property
    def plugins(self) -> Server:  # pyright: ignore[reportIncompatibleMethodOverride]
        return self._server


class Bench:
    """A runner with a controlled clock and a server that answers on request."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.at = 100.0
        monkeypatch.setattr(plugin_lanes, "now", lambda: self.at)
        self.server = Server()
        self.posted: list[InputEvent] = []
        self.failures: list[str] = []
        self.runner = EffectRunner(Ports(self.server), self.posted.append, self._fail)
        self.sequence = 0

    def _fail(self, _effect: Effect, _sequence: int, reason: str) -> None:
        self.failures.append(reason)

    def mapping(self, args: dict[str, Any], **more: Any) -> Callable[..., None]:
        """Return what fires a mapping with such a Plugin action."""
        raw = {"type": "Plugin", "server": "home", "tool": "light", "args": args, **more}
        mapping = Mapping.model_validate(does("Note note=36", raw))
        ref = MappingRef("mode:Default", 3, mapping)

        def fire(value: float = 1.0, steps: int = 0, run: int = 0) -> None:
            self.sequence += 1
            effect = Effect("do", mapping.action, Fire(value, steps), ref, run, waits=run > 0)
            self.runner.perform_effect(effect, self.sequence)

        return fire

    def wait(self, seconds: float) -> None:
        """Advance time as the engine does, from one deadline to the next."""
        end = self.at + seconds
        while (due := self.runner.get_due_time()) is not None and due <= end:
            self.at = max(self.at, due)
            self.runner.cancel_expired(self.at)
        self.at = end

    def answer(self, reason: str | None = None) -> None:
        self.server.calls[-1].answer(reason)

    def completions(self) -> list[tuple[Any, ...]]:
        return [(e.number, e.value, e.data) for e in self.posted if e.kind == "completed"]


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> Bench:
    return Bench(monkeypatch)


def test_a_call_is_made_at_once_in_the_name_of_its_mapping(bench: Bench):
    bench.mapping({"scene": 2})()
    assert [(call.args, call.by) for call in bench.server.calls] == [
        ({"scene": 2}, "Note 36 (C1), mapping 4 of mode Default")
    ]


def test_a_knob_sends_its_newest_value_at_the_rate_and_the_last_one_always(bench: Bench):
    turn = bench.mapping(LEVEL)
    for number in range(500):
        turn(number / 499)
        bench.wait(0.002)
        if bench.server.calls:
            bench.answer()
    bench.wait(1)
    assert 19 <= len(bench.server.calls) <= 21
    assert bench.server.args()[-1] == 100
    assert bench.server.args() == sorted(set(bench.server.args()))
    assert bench.failures == []


def test_the_rate_is_the_action_s_own(bench: Bench):
    turn = bench.mapping(LEVEL, rate_per_s=2)
    for number in range(100):
        turn(number / 99)
        bench.wait(0.01)
        bench.answer()
    bench.wait(1)
    assert len(bench.server.calls) == 3
    assert bench.server.args()[-1] == 100


def test_a_slow_server_has_one_call_at_a_time_and_gets_the_newest_value_next(bench: Bench):
    turn = bench.mapping(LEVEL)
    for value in (0.1, 0.2, 0.3, 0.4):
        turn(value)
        bench.wait(0.5)
    assert bench.server.args() == [10]
    bench.answer()
    bench.wait(0)
    assert bench.server.args() == [10, 40]


def test_the_engine_is_woken_when_an_answer_frees_the_way(bench: Bench):
    turn = bench.mapping(LEVEL)
    turn(0.1)
    turn(0.2)
    assert bench.posted == []
    bench.answer()
    assert [event.kind for event in bench.posted] == ["timer"]


def test_the_way_that_an_encoder_turns_adds_up(bench: Bench):
    turn = bench.mapping({"by": {"from": "steps"}})
    for steps in (1, 1, 2, -1, 3):
        turn(0.5, steps)
    bench.answer()
    bench.wait(1)
    assert bench.server.args() == [1, 5]


def test_every_press_counts_in_order(bench: Bench):
    press = bench.mapping({"scene": 2}, rate_per_s=100)
    for _ in range(5):
        press()
    for _ in range(5):
        bench.answer()
        bench.wait(0.01)
    assert len(bench.server.calls) == 5
    assert bench.runner.get_due_time() is None


def test_presses_past_the_limit_fail_and_say_so(bench: Bench):
    press = bench.mapping({"scene": 2})
    for _ in range(MAX_QUEUED_CALLS + 3):
        press()
    assert (
        bench.failures
        == [f"{MAX_QUEUED_CALLS} calls of `light` are already waiting, so this call was dropped"]
        * 2
    )


def test_mappings_do_not_wait_for_each_other(bench: Bench):
    bench.mapping(LEVEL)(0.1)
    bench.mapping(LEVEL)(0.2)
    assert bench.server.args() == [10, 20]


def test_a_failure_is_reported_once_with_its_reason(bench: Bench):
    bench.mapping({})()
    bench.answer("the MCP server `home` is off")
    bench.answer("again")
    assert bench.failures == ["the MCP server `home` is off"]


def test_a_knob_on_a_failing_server_reports_it_about_once_a_second(bench: Bench):
    turn = bench.mapping(LEVEL)
    for number in range(1_000):
        turn(number / 999)
        bench.wait(0.005)
        if len(bench.failures) < len(bench.server.calls):
            bench.answer("no")
    bench.wait(2)
    assert 5 <= len(bench.failures) <= 7
    assert bench.server.args()[-1] == 100


def test_a_call_that_is_never_answered_is_withdrawn_and_the_next_goes_out(bench: Bench):
    press = bench.mapping({"scene": 2}, timeout_s=3)
    press()
    press()
    bench.wait(3 + ANSWER_GRACE_S)
    assert bench.failures == ["took longer than 3 s and was abandoned"]
    assert bench.server.withdrawn == bench.server.calls[:1]
    assert len(bench.server.calls) == 2
    bench.server.calls[0].answer("late")
    assert len(bench.failures) == 1


def test_an_answer_that_comes_while_its_call_is_given_up_counts(bench: Bench):
    class Meanwhile(float):
        """A time; the answer comes while a deadline is held against it."""

        def __ge__(self, deadline: float) -> bool:
            bench.answer()
            return super().__ge__(deadline)

    press = bench.mapping({"scene": 2}, timeout_s=3)
    press()
    press()
    bench.at += 3 + ANSWER_GRACE_S
    bench.runner.cancel_expired(Meanwhile(bench.at))
    assert bench.failures == []
    assert len(bench.server.calls) == 2


def test_a_panic_withdraws_what_is_under_way_and_drops_what_waits(bench: Bench):
    press = bench.mapping({"scene": 2})
    press()
    press()
    bench.runner.cancel_all()
    assert bench.server.withdrawn == bench.server.calls
    assert bench.failures == ["cancelled", "cancelled"]
    bench.wait(60)
    assert len(bench.server.calls) == 1
    press()
    assert len(bench.server.calls) == 2


def test_a_sequence_continues_when_the_tool_has_answered_and_ends_when_it_failed(bench: Bench):
    press = bench.mapping({"scene": 2})
    press(run=1)
    assert bench.completions() == []
    bench.answer()
    assert bench.completions() == [(1, 1, None)]
    bench.wait(1)
    press(run=2)
    bench.answer("no such scene")
    assert bench.completions()[-1] == (2, 0, "no such scene")


def test_a_sequence_whose_value_was_replaced_continues(bench: Bench):
    turn = bench.mapping(LEVEL)
    turn(0.1, run=1)
    turn(0.2, run=2)
    turn(0.3, run=3)
    assert bench.completions() == [(2, 1, None)]


def test_a_dry_run_calls_no_tool(bench: Bench):
    bench.runner.dry_run = True
    bench.mapping(LEVEL)(0.1, run=1)
    assert bench.server.calls == []
    assert bench.completions() == [(1, 1, None)]


def test_a_call_that_cannot_be_made_at_all_is_a_failure_and_not_the_end(bench: Bench):
    bench.server.is_broken = True
    bench.mapping({})()
    assert bench.failures == ["failed unexpectedly: the line is cut"]
    bench.server.is_broken = False
    bench.mapping({})()
    assert len(bench.server.calls) == 1


def test_answers_of_another_thread_meet_no_half_made_state(bench: Bench):
    turn = bench.mapping(LEVEL, rate_per_s=100)
    stop = threading.Event()

    def answer() -> None:
        while not stop.is_set():
            for call in list(bench.server.calls):
                call.answer(None)

    thread = threading.Thread(target=answer)
    thread.start()
    for number in range(2_000):
        turn(number / 1_999)
        bench.wait(0.001)
    stop.set()
    thread.join()
    bench.answer()
    bench.wait(1)
    assert bench.server.args()[-1] == 100
    assert bench.failures == []


def test_a_simulation_shows_the_call_and_makes_none():
    row = does("Note note=36", {
        "type": "Sequence",
        "actions": [
            {"type": "Plugin", "server": "obs", "tool": "scene", "args": {"n": 2}},
            {"type": "Delay", "duration_ms": 100},
            {"type": "Plugin", "server": "obs", "tool": "record"},
        ],
    })  # fmt: skip
    _, traces = play(rows([row]), "down 36")
    effects = [effect.action.to_plain() for trace in traces for effect in trace.effects]
    assert [(one["type"], one["tool"]) for one in effects] == [
        ("Plugin", "scene"),
        ("Plugin", "record"),
    ]
