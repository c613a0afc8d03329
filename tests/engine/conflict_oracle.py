"""An oracle of conflicts: it plays long random streams with and without each of two mappings.

It knows nothing of how conflicts are found: it draws values and times of its own, near what the triggers ask
for and anywhere, in circumstances of its own, and compares what each mapping does in the real engine.
"""

from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import Any, NamedTuple

from tests.engine.conflict_cases import DEVICES, MODES, Pair

from conductor.domain.config import Config, Mapping
from conductor.domain.events import CONTROL_CLASS, CONTROL_CLASSES_WITH_CHANNEL, InputEvent
from conductor.engine.state import EngineState
from conductor.engine.step import feed_event, run_due_deadlines, switch_mode
from conductor.engine.table import MappingTable, compile_table

APPS = (
    ("", "", ""),
    ("firefox", "", "News"),
    ("code", "", "main.py"),
)
RARE_APPS = (*APPS, ("firefox", "", "code on the web"))
"""With one whose title names the other: a rare thing that is not counted as missed."""
OTHER = ("note", 77)
"""A pad without a mapping, which options of gestures look at."""
HELD = ("note_on", 90), ("cc", 64)
VARIABLES: tuple[Any, ...] = (None, True, False, -1, 1, 2, 3, 5)
CLOCKS = ((1, 600), (1, 1200), (6, 600), (7, 30))
START_S = 100.0


class Hands:
    """Plays random bursts on the controls of two triggers."""

    def __init__(self, pair: Pair, random: Random) -> None:
        self._random = random
        self._triggers = [mapping.trigger for mapping in pair.mappings]
        self._controls = sorted(
            {control for trigger in self._triggers for control in trigger.list_controls()}, key=str
        )
        asked = [d for t in self._triggers for d in (t.device,) if d]
        self._devices = [*asked, *asked, *DEVICES]
        asked_channels = [c for t in self._triggers for c in (t.channel,) if c]
        self._channels = [*asked_channels, *asked_channels, 1, 2, 3]
        limits = [
            float(limit) for trigger in self._triggers for limit in trigger.list_time_limits_ms()
        ]
        self._gaps: list[Callable[[], float]] = [
            lambda: random.uniform(1, 10),
            lambda: random.uniform(1, 40),
            lambda: random.uniform(1, 800),
            lambda: random.choice(limits or [20.0]) * random.choice([0.2, 0.45, 0.7, 0.95]),
            lambda: random.choice(limits or [20.0]) + random.choice([-1.0, 0.0, 1.0, 30.0]),
        ]
        self._near = [
            float(value)
            for trigger in self._triggers
            for name, value in trigger.to_plain().items()
            if isinstance(value, int | float)
            and name not in ("note", "cc", "channel")
            and not name.endswith("_ms")
        ]

    def burst(self, start: float) -> Iterator[InputEvent]:
        """Yield events of one device and channel mostly, until everything is up again."""
        random, now = self._random, start
        device, channel = random.choice(self._devices), random.choice(self._channels)
        quick = random.random() < 0.5
        down: set[tuple[str, Any]] = set()
        for _ in range(random.randint(2, 11)):
            controls = [*self._controls, OTHER] if random.random() < 0.2 else self._controls
            control_class, number = random.choice(controls)
            number = 36 if number == "*" else number
            place = (control_class, number)
            if control_class in ("note", "button"):
                press = place not in down
                (down.add if press else down.discard)(place)
                yield self._event(self._strike(control_class, press), device, channel, number, now)
            else:
                yield self._event(self._change(control_class), device, channel, number, now)
            gap = self._gaps[0]() if quick else random.choice(self._gaps)()
            now += max(0.5, gap) / 1000
        for control_class, number in sorted(down, key=str):
            yield self._event(self._strike(control_class, False), device, channel, number, now)
            now += 0.01

    def _strike(self, control_class: str, press: bool) -> tuple[str, Any, Any]:
        if control_class == "button":
            return ("button_down", 1, None) if press else ("button_up", 0, None)
        near = [value for value in self._near if 1 <= value <= 127]
        velocity = int(self._value(near, 1, 127))
        return ("note_on", velocity, None) if press else ("note_off", 0, None)

    def _value(self, near: Sequence[float], low: int, high: int) -> float:
        if near and self._random.random() < 0.5:
            beside = self._random.choice(near) + self._random.choice([-1, 0, 0, 1])
            return min(high, max(low, beside))
        return self._random.choice([low, high, self._random.randint(low, high)])

    def _change(self, control_class: str) -> tuple[str, Any, Any]:
        random = self._random
        match control_class:
            case "cc":
                small = random.choice([1, 2, 3, 63, 62, 64, 65, 66, 67, 125, 126, 127, 0])
                return "cc", random.choice([small, int(self._value(self._near, 0, 127))]), None
            case "poly_pressure" | "channel_pressure":
                return control_class, int(self._value(self._near, 0, 127)), None
            case "nrpn" | "rpn" | "pitch_bend":
                near = [*self._near, 8192, 8192 + 300, 8192 - 300]
                return control_class, int(self._value(near, 0, 16383)), None
            case "axis":
                near = random.choice([*self._near, 0.0, 0.1]) + random.choice([-0.02, 0, 0.02])
                far = random.uniform(-1, 1)
                return "axis", random.choice([near, -near, far, 1.0, -1.0, 0.0]), None
            case "gamepad_trigger":
                near = random.choice([*self._near, 0.0]) + random.choice([-0.02, 0, 0.02])
                return "gamepad_trigger", min(1.0, max(0.0, random.choice([near, random.random()]))), None  # fmt: skip
            case "osc":
                near = random.choice([*self._near, 0.0]) + random.choice([-0.01, 0, 0.01])
                value = random.choice([near, random.uniform(-1, 2)])
                return "osc", value, (value,)
            case "program_change":
                return "program_change", 5, None
            case _:
                message = bytes.fromhex(random.choice(
                    ["F07E0106F7", "F07E0206F7", "F0410106F7", "F0410099F7", "F07EF7", "F07E9AF7"]))  # fmt: skip
                message = bytes(b if b in (0xF0, 0xF7) else b & 0x7F for b in message)
                return "sysex", len(message), message

    def _event(
        self, said: tuple[str, Any, Any], device: str, channel: int, number: Any, time: float
    ) -> InputEvent:
        kind, value, data = said
        if self._random.random() < 0.03:
            device, channel = self._random.choice(DEVICES), self._random.choice([1, 2])
        channel = channel if CONTROL_CLASS[kind] in CONTROL_CLASSES_WITH_CHANNEL else 0
        return InputEvent(kind, device, channel, number, value, time, data)  # pyright: ignore[reportArgumentType]


class Around(NamedTuple):
    """The circumstances of one burst."""

    mode: str
    app: tuple[str, str, str]
    variables: dict[str, Any]
    held: tuple[InputEvent, ...]
    clock: tuple[int, int]


class Engine:
    """Plays one config and records the effects of each mapping."""

    def __init__(self, table: MappingTable) -> None:
        self.clock = CLOCKS[0]
        self.state = EngineState(table, lambda _now: self.clock)
        self.done: dict[int, list[tuple[float, str, float]]] = {}

    def enter(self, around: Around, now: float) -> None:
        self.clock = around.clock
        feed_event(self.state, InputEvent("app", "", 0, 0, 0, now, around.app))
        switch_mode(self.state, around.mode, now)
        self.state.variables = dict(around.variables)
        for event in around.held:
            feed_event(self.state, event._replace(time=now))

    def play(self, events: Sequence[InputEvent], end: float) -> None:
        for event in events:
            self._take(feed_event(self.state, event))
        self._take(run_due_deadlines(self.state, end))

    def _take(self, traces: Sequence[Any]) -> None:
        for trace in traces:
            for effect in trace.effects:
                key = (round(trace.event.time, 6), effect.kind, effect.fire.value)
                self.done.setdefault(id(effect.ref.mapping), []).append(key)


def without(config: Config, place: tuple[str, int]) -> Config:
    """Return a config without one of its mappings; the others are the same objects."""

    def rest(scope: str, mappings: tuple[Mapping, ...]) -> tuple[Mapping, ...]:
        return tuple(m for index, m in enumerate(mappings) if (scope, index) != place)

    return config.model_copy(
        update={
            "global_mappings": rest("global", config.global_mappings),
            "modes": tuple(
                m.model_copy(update={"mappings": rest(f"mode:{m.name}", m.mappings)})
                for m in config.modes
            ),
            "profiles": tuple(
                p.model_copy(update={"mappings": rest(f"profile:{p.name}", p.mappings)})
                for p in config.profiles
            ),
        }
    )


def interfere(
    pair: Pair, random: Random, bursts: int, apps: Sequence[tuple[str, str, str]] = APPS
) -> bool:
    """Check with random bursts whether one of two mappings affects the other."""
    both = compile_table(pair.config)
    alone = [compile_table(without(pair.config, place)) for place in reversed(pair.places)]
    hands = Hands(pair, random)
    for _ in range(bursts):
        around = _circumstances(pair, random, both, apps)
        engines = [Engine(both), *(Engine(table) for table in alone)]
        events = list(hands.burst(START_S))
        for engine in engines:
            engine.enter(around, 0.0)
            engine.play(events, events[-1].time + 10)
        for engine, mapping in zip(engines[1:], pair.mappings, strict=True):
            if engine.done.get(id(mapping)) != engines[0].done.get(id(mapping)):
                return True
    return False


def _circumstances(
    pair: Pair, random: Random, table: MappingTable, apps: Sequence[tuple[str, str, str]]
) -> Around:
    """Return random circumstances, mostly such in which both mappings are in force."""
    around = _anything(random, apps)
    for _ in range(40):
        if random.random() < 0.1 or _in_force(pair, around, table):
            break
        around = _anything(random, apps)
    return around


def _anything(random: Random, apps: Sequence[tuple[str, str, str]]) -> Around:
    return Around(
        random.choice(MODES),
        random.choice(apps),
        {n: v for n in "xy" if (v := random.choice(VARIABLES)) is not None},
        tuple(
            InputEvent(kind, "left", 1, number, 127, 0.0)  # pyright: ignore[reportArgumentType]
            for kind, number in HELD
            if random.random() < 0.5
        ),
        random.choice(CLOCKS),
    )


def _in_force(pair: Pair, around: Around, table: MappingTable) -> bool:
    engine = Engine(table)
    engine.enter(around, 0.0)
    state = engine.state
    scopes = {"global", f"mode:{state.mode}", f"profile:{state.profile}"}
    return all(
        scope in scopes and all(condition.is_met(state) for condition in mapping.trigger.when)
        for (scope, _), mapping in zip(pair.places, pair.mappings, strict=True)
    )
