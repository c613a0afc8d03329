"""Random streams, and an oracle that plays two configs over a stream and returns the differences.

The oracle knows nothing of how an impact is computed: it compares what reaches the outside, and says
which control caused each difference, in which mode and profile.
"""

import json
from collections import Counter
from random import Random
from typing import Any, NamedTuple

from tests.engine.impact_worlds import APPS, PORTS, Changed, mode_names

from conductor.domain.config import Config
from conductor.domain.devices import PortInfo, assign_device_ids
from conductor.domain.events import CONTROL_CLASS, Control, ControlClass, EventKind, InputEvent
from conductor.domain.impact import Impact
from conductor.domain.trace import Effect, Trace
from conductor.engine.effects import resolve_effect
from conductor.engine.play import FLOW_ACTIONS
from conductor.engine.state import EngineState
from conductor.engine.step import feed_event, run_due_deadlines, switch_mode
from conductor.engine.table import compile_table


class Touch(NamedTuple):
    """Something that happens at a port, whatever the port is called in a config."""

    kind: EventKind
    port: str
    channel: int
    number: int | str
    value: float
    time: float
    data: Any = None

    def control(self) -> "Physical":
        return Physical(self.port, self.channel, CONTROL_CLASS[self.kind], self.number)


class Physical(NamedTuple):
    """A control that hands can touch."""

    port: str
    channel: int
    control_class: ControlClass
    number: int | str


def universe() -> list[Physical]:
    """Return every control that streams touch."""
    found: list[Physical] = []
    for port in PORTS:
        for channel in (1, 2):
            found += [Physical(port, channel, "note", note) for note in (36, 37, 38, 39)]
            found += [Physical(port, channel, "cc", cc) for cc in (1, 2, 64)]
            found += [Physical(port, channel, "poly_pressure", note) for note in (36, 37)]
            found += [
                Physical(port, channel, kind, 0) for kind in ("channel_pressure", "pitch_bend")
            ]
            found += [Physical(port, channel, "program_change", n) for n in (4, 5)]
            found.append(Physical(port, channel, "nrpn", 5))
        found += [Physical(port, 0, "button", name) for name in ("south", "east")]
        found += [Physical(port, 0, "axis", "left_x"), Physical(port, 0, "gamepad_trigger", "left")]
        found.append(Physical(port, 0, "sysex", 0))
    return [*found, Physical("", 0, "osc", "/x")]


_VALUES: dict[str, list[float]] = {
    "cc": [0, 1, 30, 63, 64, 65, 80, 127],
    "poly_pressure": [0, 10, 55, 100, 127],
    "channel_pressure": [0, 10, 55, 100, 127],
    "pitch_bend": [0, 8192, 9000, 16383],
    "nrpn": [0, 99, 100, 5000],
    "axis": [-1.0, 0.0, 0.6, 1.0],
    "gamepad_trigger": [0.0, 0.3, 0.6, 1.0],
    "osc": [0.0, 0.4, 0.6],
}
GAPS_MS = (1, 5, 20, 20, 40, 59, 61, 99, 101, 179, 181, 400)


def random_stream(
    rnd: Random, changed: Changed, length: int
) -> list[Touch | tuple[str, Any, float]]:
    """Play the controls that the configs listen to, and let the world change around them."""
    listened = _listened(changed)
    controls = [c for c in universe() if (c.control_class, c.number) in listened] or universe()
    favourites = rnd.sample(controls, min(len(controls), rnd.choice([2, 4, 8, 20])))
    places = _changed_places(changed)
    concerned = [c for c in controls if (c.control_class, c.number) in places]
    # a difference begins at what was changed: without touching that there is little to see
    favourites += rnd.sample(concerned, min(len(concerned), 1 + len(favourites) // 3))
    common = [
        m for m in mode_names(changed.old) if changed.modes.get(m, m) in mode_names(changed.new)
    ]
    down: set[Physical] = set()
    items: list[Touch | tuple[str, Any, float]] = []
    now = 1.0
    for _ in range(length):
        now += rnd.choice(GAPS_MS) / 1000
        chance = rnd.random()
        if chance < 0.04 and common:
            items.append(("mode", rnd.choice(common), now))
        elif chance < 0.09:
            items.append(("app", rnd.choice(APPS), now))
        elif chance < 0.10:
            items.append((rnd.choice(["device_gone", "device_back"]), rnd.choice(PORTS), now))
        else:
            items.append(_touch(rnd, rnd.choice(favourites), down, now))
    for control in sorted(down, key=repr):
        now += 0.07
        items.append(_touch(rnd, control, down, now))
    return items


def _listened(changed: Changed) -> set[tuple[str, int | str]]:
    found: set[tuple[str, int | str]] = {("cc", 64), ("note", 36)}
    for config in (changed.old, changed.new):
        for _, _, mapping in config.list_all_mappings():
            for control_class, number in mapping.trigger.list_controls():
                found.add((control_class, number))
                if number == "*":
                    found |= {(control_class, 36), (control_class, 37)}
    return found


def _changed_places(changed: Changed) -> set[tuple[str, int | str]]:
    """Return the controls of mappings that only one of the configs has."""
    old, new = (
        [(scope, mapping) for scope, _, mapping in config.list_all_mappings()]
        for config in (changed.old, changed.new)
    )
    differing = [row for row in old if row not in new] + [row for row in new if row not in old]
    return {place for _, mapping in differing for place in mapping.trigger.list_controls()}


def _touch(rnd: Random, control: Physical, down: set[Physical], now: float) -> Touch:
    port, channel, kind, number = control
    if kind in ("note", "button"):
        is_up = control in down
        (down.discard if is_up else down.add)(control)
        names = ("note_off", "note_on") if kind == "note" else ("button_up", "button_down")
        value = 0 if is_up else (rnd.choice([30, 100]) if kind == "note" else 1)
        return Touch(names[not is_up], port, channel, number, value, now)
    if kind == "program_change":
        return Touch(kind, port, channel, number, int(number), now)
    if kind == "sysex":
        message = rnd.choice([b"\xf0\x7e\x01\xf7", b"\xf0\x01\xf7", b"\xf0\x02\xf7"])
        return Touch(kind, port, 0, 0, len(message), now, message)
    value = rnd.choice(_VALUES[kind])
    return Touch(kind, port, channel, number, value, now, (value,) if kind == "osc" else None)


class Cause(NamedTuple):
    """What an effect answers: a control, and how many items had been played when it was pressed."""

    control: Physical | None
    at: int


class Seen(NamedTuple):
    """An effect as the world sees it."""

    time: float
    what: str
    cause: Cause


class Run:
    """One config played over a stream."""

    def __init__(self, config: Config, renamed: dict[str, str]) -> None:
        self.config = config
        self.state = EngineState(compile_table(config))
        ids = assign_device_ids(config.devices, [PortInfo(name=name) for name in PORTS])
        self.ids = {port: ids[at] for at, port in enumerate(PORTS)} | {"": "osc"}
        self._ports = {(device, port) for port, device in self.ids.items()}
        self.renamed = renamed
        self.effects: list[Seen] = []
        self.places: list[tuple[str, str | None]] = []
        """Mode and profile before each item."""
        self.after: list[tuple[str, dict[str, Any]]] = []
        """Mode and variables after each item."""
        self.pressed: dict[Physical, int] = {}
        self._touched: dict[tuple[str, int, str, Any], Physical] = {}
        self._runs: dict[int, Cause] = {}
        self._started = 0
        self._held: dict[int, Cause] = {}

    def play(self, items: list[Any]) -> "Run":
        for item in items:
            time = item[-1] if not isinstance(item, Touch) else item.time
            self._pass_time(time)
            self.places.append((self._new_name(self.state.mode), self.state.profile))
            if isinstance(item, Touch):
                self._feed(item)
            else:
                self._happen(*item)
            self.after.append((self._new_name(self.state.mode), dict(self.state.variables)))
        self._pass_time(self.state.now + 30)
        self.after.append((self._new_name(self.state.mode), dict(self.state.variables)))
        return self

    def _new_name(self, mode: str) -> str:
        return self.renamed.get(mode, mode)

    def _feed(self, touch: Touch) -> None:
        control = touch.control()
        event = InputEvent(
            touch.kind,
            self.ids[touch.port],
            touch.channel,
            touch.number,
            touch.value,
            touch.time,
            touch.data,
        )  # pyright: ignore
        if touch.kind not in ("note_off", "button_up"):
            self.pressed[control] = len(self.places) - 1
        key = (event.device, touch.channel, control.control_class, touch.number)
        self._touched[key] = control
        self._take(feed_event(self.state, event))

    def _happen(self, what: str, data: Any, time: float) -> None:
        if what == "mode":
            if self.config.find_mode(data) is None:
                data = self.renamed.get(data, data)
            self._take([switch_mode(self.state, data, time)])
        elif what == "app":
            self._take(feed_event(self.state, InputEvent("app", "", 0, 0, 0, time, data)))
        else:
            self._take(feed_event(self.state, InputEvent(what, self.ids[data], 0, 0, 0, time)))  # pyright: ignore

    def _pass_time(self, until: float) -> None:
        due, steps = self.state.get_due_time(), 0
        while due is not None and due <= until and steps < 3000:
            self._take(run_due_deadlines(self.state, due))
            due, steps = self.state.get_due_time(), steps + 1

    def _take(self, traces: list[Trace]) -> None:
        for trace in traces:
            cause = self._cause(trace)
            for ref in trace.fired:
                if isinstance(ref.mapping.action, FLOW_ACTIONS):
                    self._started += 1
                    self._runs[self._started] = cause
            for effect in trace.effects:
                self._see(effect, trace, cause)
            for effect in trace.effects:
                if effect.waits:
                    resolved = resolve_effect(effect, self.config)
                    done = not any(call[0] == "fails" for call in resolved["calls"])
                    event = InputEvent("completed", "", 0, effect.run, int(done), self.state.now)
                    self._take(feed_event(self.state, event))

    def _see(self, effect: Effect, trace: Trace, cause: Cause) -> None:
        if effect.run in self._runs:
            cause = self._runs[effect.run]
        elif trace.event.kind in ("timer", "completed") and trace.event.device == "":
            cause = self._runs.get(int(trace.event.number), cause)
        if effect.kind == "press":
            self._held[id(effect.fire)] = cause
        elif effect.kind == "release":
            cause = self._held.get(id(effect.fire), cause)
        calls = resolve_effect(effect, self.config)["calls"]
        calls = [
            [*call[:2], self._new_name(call[2])] if call[0] == "mode" and call[2] else call
            for call in calls
        ]
        what = json.dumps([effect.kind, calls], sort_keys=True, default=str)
        self.effects.append(Seen(round(trace.event.time, 6), what, cause))

    def _cause(self, trace: Trace) -> Cause:
        """Return the control of a trace's event; what waited is seen as a timer."""
        event = trace.event
        classes: list[str | None] = [CONTROL_CLASS.get(event.kind)]
        if event.kind == "timer":
            refs = [*trace.fired, *(effect.ref for effect in trace.effects)]
            classes = [each for ref in refs[:1] for each, _ in ref.mapping.trigger.list_controls()]
        for control_class in (*classes, "note", "button"):
            key = (event.device, event.channel, str(control_class), event.number)
            control = self._touched.get(key)
            if control is not None:
                return Cause(control, self.pressed.get(control, 0))
        return Cause(None, 0)


class Difference(NamedTuple):
    """An effect that only one config has, with where its control was touched in both."""

    seen: Seen
    control: Physical
    places: tuple[tuple[Control, str, str | None], ...]


class Comparison(NamedTuple):
    differences: list[Difference]
    touched: set[Physical]
    modes: set[str]
    variables: set[str]


def compare(changed: Changed, items: list[Any]) -> Comparison:
    """Play both configs over a stream and return what differs, with its causes."""
    old, new = (
        Run(changed.old, changed.modes).play(items),
        Run(changed.new, changed.modes).play(items),
    )
    count = Counter((s.time, s.what, s.cause.control) for s in old.effects)
    count.subtract(Counter((s.time, s.what, s.cause.control) for s in new.effects))
    differences: list[Difference] = []
    for run in (old, new):
        for seen in run.effects:
            control = seen.cause.control
            if control is not None and count[(seen.time, seen.what, control)]:
                places = tuple(
                    (
                        Control(
                            one.ids[control.port],
                            control.channel,
                            control.control_class,
                            control.number,
                        ),  # pyright: ignore
                        *one.places[seen.cause.at],
                    )
                    for one in (old, new)
                )
                differences.append(Difference(seen, control, places))
    modes: set[str] = set()
    variables: set[str] = set()
    for (mode, values), (other, others) in zip(old.after, new.after, strict=True):
        modes |= {mode, other} if mode != other else set()
        variables |= {n for n in {*values, *others} if values.get(n) != others.get(n)}
    touched = {item.control() for item in items if isinstance(item, Touch)}
    return Comparison(differences, touched, modes, variables)


def covered(found: Impact, changed: Changed) -> set[Physical]:
    """Return the controls of the universe that an impact covers in any mode and profile."""
    runs = [Run(config, changed.modes) for config in (changed.old, changed.new)]
    names = {*mode_names(changed.old), *mode_names(changed.new)}
    profiles = {None, *(p.name for c in (changed.old, changed.new) for p in c.profiles)}
    return {
        physical
        for physical in universe()
        for run in runs
        for mode in names
        for profile in profiles
        if found.covers_control(
            Control(
                run.ids[physical.port], physical.channel, physical.control_class, physical.number
            ),  # pyright: ignore
            mode,
            profile,
        )
    }
