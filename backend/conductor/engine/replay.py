"""What was played lately, under an old and a new config: which actions appear, vanish or move.

Both run through the same engine as live, without a single action being done. Firings are compared by
the event that they answer, so a tap that comes 300 ms later is told from one that is lost.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from conductor.domain.config import Config
from conductor.domain.events import CONTROL_CLASS, Control, ControlClass, InputEvent
from conductor.domain.phrases import action_words, event_words
from conductor.domain.plan import Firing, Replay
from conductor.domain.trace import Candidate, Trace
from conductor.engine.replay_words import Changed, Outcome, summary
from conductor.engine.script import ModeChoice
from conductor.engine.simulate import Simulation
from conductor.engine.state import WallClock, noon_on_monday

EVENTS_REPLAYED = 50_000
"""The newest so many: about a second of work."""
LISTED = 50
SAME_TIME_S = 0.001 + 1e-9
SETTLE_S = 5.0
"""Time for taps and chords to be decided after the last event."""
TIMERS_PLAYED = 200_000
"""So many steps that time alone causes; a repetition that is never let go would have no end."""
SLICES = 1000
PRESSES = ("note_on", "button_down")


class Fired(NamedTuple):
    """A firing, and the event that it answers."""

    time: float
    source: int
    """The index of the event, or -1 when it is older than the recording."""
    action: str
    """The action in a form that can be compared."""
    candidate: Candidate
    event: InputEvent


def replay(
    old: Config,
    new: Config,
    events: Sequence[InputEvent],
    mode: str | None = None,
    wall_clock: WallClock = noon_on_monday,
) -> Replay:
    """Compare what events cause under two configs, from a mode (the start mode when left out) on."""
    played = Played(events)
    if not any(event.kind in CONTROL_CLASS for event in played.events):
        text = "Nothing was played lately, so there is nothing to compare."
        return Replay(events=0, seconds=0, unchanged=0, summary=text)
    before, after = Playback(old, played, mode, wall_clock), Playback(new, played, mode, wall_clock)
    reached = min(before.reached, after.reached)
    outcome = compare(before.fired, after.fired, reached)
    start = played.events[0].time
    seconds = played.events[reached - 1].time - start if reached else 0.0
    return Replay(
        events=reached,
        seconds=round(seconds, 3),
        unchanged=outcome.unchanged,
        appear=tuple(_firing(one, start) for one in outcome.appear[:LISTED]),
        vanish=tuple(_firing(one, start) for one in outcome.vanish[:LISTED]),
        moved=tuple((_firing(a, start), _firing(b, start)) for a, b in outcome.moved[:LISTED]),
        summary=summary(outcome, seconds, listed=LISTED, left_out=played.total - reached),
    )


class Played:
    """The newest events in order of time, and where each control was pressed."""

    def __init__(self, events: Sequence[InputEvent], at_most: int = EVENTS_REPLAYED) -> None:
        told = [event for event in events if event.kind not in ("timer", "completed")]
        self.total = len(told)
        self.events = sorted(told, key=lambda event: event.time)[-at_most:]
        self.index = {id(event): index for index, event in enumerate(self.events)}
        self.presses: dict[Control, list[int]] = {}
        self._times = [event.time for event in self.events]
        for index, event in enumerate(self.events):
            if event.kind in PRESSES:
                control = Control(
                    event.device, event.channel, CONTROL_CLASS[event.kind], event.number
                )
                self.presses.setdefault(control, []).append(index)

    def source(self, trace: Trace, candidate: Candidate) -> int:
        """Find the event that a firing answers: for gestures, the press that began or ended them."""
        trigger = candidate.ref.mapping.trigger
        own = self.index.get(id(trace.event))
        if trigger.gesture in ("change", "release"):
            return -1 if own is None else own
        is_press = own is not None and trace.event.kind in PRESSES
        at_once = trigger.gesture == "double_tap" or str(candidate.reason[0]).startswith("at once")
        if is_press and own is not None and at_once:
            return own
        before = own if is_press and own is not None else self._after(trace.event.time)
        controls: tuple[tuple[ControlClass, int | str], ...] = trigger.controls()
        if trigger.gesture != "chord":
            controls = ((controls[0][0], trace.event.number),)
        device, channel = trace.event.device, trace.event.channel
        return max(
            self._last(Control(device, channel, control_class, number), before)
            for control_class, number in controls
        )

    def _after(self, time: float) -> int:
        return bisect_right(self._times, time)

    def _last(self, control: Control, before: int) -> int:
        presses = self.presses.get(control, [])
        at = bisect_left(presses, before)
        return presses[at - 1] if at else -1


class Playback:
    """One config's firings, and how many events were played until too much came of them."""

    def __init__(
        self, config: Config, played: Played, mode: str | None, wall_clock: WallClock
    ) -> None:
        self.fired: list[Fired] = []
        self._played = played
        self._simulation = Simulation(config, wall_clock)
        self._actions: dict[int, str] = {}
        self._steps = len(played.events) + TIMERS_PLAYED
        now = played.events[0].time
        if mode is not None and config.mode(mode) is not None:
            self._simulation.play((ModeChoice(mode, now),), settle_s=0)
        self.reached = 0
        for event in played.events:
            if not self._pass_time(now, event.time):
                return
            now = event.time
            self._simulation.play((event,), settle_s=0)
            self._collect()
            self.reached += 1
        self._pass_time(now, now + SETTLE_S)

    def _pass_time(self, start: float, end: float) -> bool:
        """Let time pass bit by bit; False when too much happens in it."""
        due = self._simulation.state.due()
        if due is None or due > end:
            return True
        slice_s = max(1.0, (end - start) / SLICES)
        until = start
        while until < end and self._steps > 0:
            until = min(end, until + slice_s)
            self._simulation.play((), settle_s=until)
            self._collect()
        return self._steps > 0

    def _collect(self) -> None:
        traces = self._simulation.traces
        self._steps -= len(traces)
        for trace in traces:
            if trace.fired:
                self.fired += self._firings(trace)
        traces.clear()

    def _firings(self, trace: Trace) -> Iterator[Fired]:
        for candidate in trace.candidates:
            if candidate.outcome == "fired":
                source = self._played.source(trace, candidate)
                event = trace.event if source < 0 else self._played.events[source]
                action = self._action(candidate)
                yield Fired(trace.event.time, source, action, candidate, event)

    def _action(self, candidate: Candidate) -> str:
        action = candidate.ref.mapping.action
        known = self._actions.get(id(action))
        if known is None:
            known = self._actions[id(action)] = repr(action.to_plain())
        return known


def compare(before: list[Fired], after: list[Fired], reached: int) -> Outcome:
    """Match firings of the same action for the same event: first those at the same time."""
    outcome = Outcome()
    waiting: dict[tuple[int, str], list[Fired]] = {}
    for one in after:
        if one.source < reached:
            waiting.setdefault((one.source, one.action), []).append(one)
    elsewhen: list[Fired] = []
    for one in before:
        rivals = waiting.get((one.source, one.action), [])
        same = next((each for each in rivals if abs(each.time - one.time) <= SAME_TIME_S), None)
        if same is not None:
            rivals.remove(same)
            outcome.unchanged += 1
        elif one.source < reached:
            elsewhen.append(one)
    for one in elsewhen:
        rivals = waiting.get((one.source, one.action), [])
        if rivals:
            outcome.moved.append((one, rivals.pop(0)))
        else:
            outcome.vanish.append(one)
    outcome.appear = sorted((one for each in waiting.values() for one in each), key=_order)
    return outcome


def _order(one: Changed) -> tuple[float, int]:
    return one.time, one.source


def _firing(one: Changed, start: float) -> Firing:
    ref = one.candidate.ref
    action = ref.mapping.action.to_plain()
    return Firing(
        time_ms=round((one.time - start) * 1000, 3),
        scope=ref.scope,
        index=ref.index,
        description=ref.mapping.description or action_words(action),
        action=action,
        event=event_words(one.event),
    )
