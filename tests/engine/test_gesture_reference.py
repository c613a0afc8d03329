"""Tap, hold and another control, with every option of the hold: the engine against an independent implementation.

Presses and gaps lie on and 1 ms either side of every limit. `make prove` plays all 65,856 gestures of the smaller scope.
"""

import random
from collections.abc import Iterator
from itertools import combinations, product
from math import inf
from typing import NamedTuple

from tests.support.prove import proves, scaled
from tests.support.simulate import config

from conductor.domain.events import InputEvent
from conductor.domain.trace import Trace
from conductor.engine.state import EngineState
from conductor.engine.step import feed_event, run_due_deadlines
from conductor.engine.table import MappingTable, compile_table

HOLD, QUICK, IDLE = 100, 150, 101
GAPS = (1, 49, 50, 51, 99, 100, 101)


class Options(NamedTuple):
    on_press: bool
    permissive: bool
    quick_ms: int
    idle_ms: int
    order: bool


class Touch(NamedTuple):
    at: int
    who: str
    is_down: bool


EVERY = [Options(*each) for each in product((False, True), (False, True), (0, QUICK), (0, IDLE), (False, True))]  # fmt: skip


def expect(options: Options, touches: list[Touch]) -> list[tuple[int, str]]:
    """Return what happens when: x is A's tap, y its hold, b the press of B."""
    done: list[tuple[int, int, str]] = []
    blocked: list[tuple[int, int, int]] = []
    last_tap = -inf
    for number, touch in enumerate(touches):
        if touch.who != "A" or not touch.is_down:
            continue
        before = [one.at for one in touches[:number] if one.who == "B" and one.is_down]
        busy = before and touch.at - before[-1] < options.idle_ms
        if busy or touch.at - last_tap < options.quick_ms:
            done.append((touch.at, number, "x"))
            last_tap = touch.at
            continue
        at, kind, by = touch.at + HOLD, "y", inf
        seen = False
        for later, other in enumerate(touches[number + 1 :], number + 1):
            if other.at >= touch.at + HOLD:
                break
            seen_now = seen
            seen = seen or (other.who == "B" and other.is_down)
            is_hold = other.who == "B" and (
                options.on_press if other.is_down else options.permissive and seen_now
            )
            if other.who == "A" or is_hold:
                at, kind, by = other.at, "x" if other.who == "A" else "y", later
                break
        done.append((at, -1, kind))
        if kind == "x":
            last_tap = touch.at
        blocked.append((number, int(min(by, len(touches))), at))
    for number, touch in enumerate(touches):
        if touch.who == "B" and touch.is_down:
            waits = [end for first, by, end in blocked if first < number < by and touch.at < end]
            at = waits[0] if options.order and waits else touch.at
            done.append((at, number, "b"))
    return [(at, kind) for at, _, kind in sorted(done, key=lambda one: (one[0], one[1]))]


def table(options: Options) -> MappingTable:
    flags = (
        f"hold_on_other_press={str(options.on_press).lower()} permissive_hold={str(options.permissive).lower()} "
        f"quick_tap_ms={options.quick_ms} require_prior_idle_ms={options.idle_ms} "
        f"keep_order={str(options.order).lower()}"
    )
    return compile_table(
        config(
            f"Note note=1 -> x\nLongPress note=1 duration_ms={HOLD} {flags} -> y\nNote note=2 -> b"
        )
    )


def happens(
    compiled: MappingTable, touches: list[Touch], wake_ups: random.Random | None = None
) -> list[tuple[int, str]]:
    state = EngineState(compiled)
    traces: list[Trace] = []
    now = 0.0
    for touch in touches:
        if wake_ups is not None:  # the live engine wakes for a deadline, or for nothing
            for wake in sorted(wake_ups.uniform(now, touch.at / 1000) for _ in range(3)):
                traces += run_due_deadlines(state, wake)
        now = touch.at / 1000
        kind, number = "note_on" if touch.is_down else "note_off", 1 if touch.who == "A" else 2
        traces += feed_event(state, InputEvent(kind, "pads", 1, number, 100, now))
    traces += run_due_deadlines(state, now + 10)
    assert state.undecided == {}
    assert state.waiting == {}
    return [
        (round(trace.event.time * 1000), ref.mapping.action.to_plain()["keys"][0])
        for trace in traces
        for ref in trace.fired
    ]


def gestures(presses: tuple[int, int]) -> Iterator[list[Touch]]:
    """Yield every order of so many presses of A and B, with all gaps."""
    length = 2 * sum(presses)
    for places in combinations(range(length), 2 * presses[0]):
        for gaps in product(GAPS, repeat=length - 1):
            at, ups, touches = 1000, {"A": False, "B": False}, list[Touch]()
            for place, gap in enumerate((0, *gaps)):
                at += gap
                who = "A" if place in places else "B"
                ups[who] = not ups[who]
                touches.append(Touch(at, who, ups[who]))
            yield touches


@proves
def test_one_press_of_each_control_is_decided_as_written_down():
    compiled = {options: table(options) for options in EVERY}
    cases = [(options, touches) for touches in gestures((1, 1)) for options in EVERY]
    chosen = random.Random(1).sample(cases, min(len(cases), scaled(1_600)))
    for options, touches in chosen:
        assert happens(compiled[options], touches) == expect(options, touches), (options, touches)


@proves
def test_two_presses_of_each_control_are_decided_as_written_down():
    choose = random.Random(2)
    compiled = {options: table(options) for options in EVERY}
    for _ in range(scaled(800)):
        options, at = choose.choice(EVERY), 1000
        order = choose.choice(list(combinations(range(8), 4)))
        down, touches = {"A": False, "B": False}, list[Touch]()
        for place in range(8):
            at += choose.choice(GAPS)
            who = "A" if place in order else "B"
            down[who] = not down[who]
            touches.append(Touch(at, who, down[who]))
        expected = expect(options, touches)
        assert happens(compiled[options], touches) == expected, (options, touches)
        assert happens(compiled[options], touches, choose) == expected, (options, touches)
