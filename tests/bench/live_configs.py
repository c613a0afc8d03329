"""Random configs whose actions can be seen from outside, and the hands that play them at a human pace."""

import random
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from conductor.devices.midi_messages import Decoder
from conductor.domain.config import Config
from conductor.domain.devices import PortInfo
from conductor.engine.simulate import Simulation, effects
from conductor.engine.state import EngineState, noon_on_monday
from conductor.engine.step import switch_mode
from conductor.engine.table import compile_table

Plain = dict[str, Any]
DEVICES = {"pads": "Pads", "keys": "Keys"}
"""The peers that play, by the aliases that configs begin with."""
CHANNELS = {"Pads": 0, "Keys": 1}
NOTES, FADER, PEDAL, ENCODER = (36, 38, 40), 1, 64, 20
RESET = 1
"""The note whose mapping, the last global one, sets the variables to what they are at the start."""
MODES = ("A", "B", "C")
LIMITS_MS = (120, 200, 300, 450)
OUTPUTS = ("Synth In", "Synth In", "Synth In", "Conductor Out", "keys")
JITTER_MS = 20
"""Each event may come so much earlier or later, live, without that anything else happens."""
JITTERS_TRIED = 10
SETTLE_S = 2.0
OSC_ADDRESS = "/live"


class Strike(NamedTuple):
    """A message of a player, and when it is sent."""

    at_ms: float
    peer: str
    message: bytes


def random_config(rng: random.Random, osc_port: int) -> Plain:
    """Return a config of three modes as plain data."""

    def rows(low: int, high: int) -> list[Plain]:
        return [random_row(rng, osc_port) for _ in range(rng.randint(low, high))]

    return {
        "devices": [
            {"alias": alias, "matchers": [{"type": "NameContains", "pattern": name}]}
            for alias, name in DEVICES.items()
        ],
        "modes": [{"name": "A", "mappings": rows(5, 8)}]
        + [{"name": name, "mappings": rows(2, 4)} for name in MODES[1:]],
        "global_mappings": [*rows(2, 4), reset_row()],
    }


def reset_row() -> Plain:
    values = {"x": False, "n": 0}
    actions = [
        {"type": "SetVariable", "name": name, "value": value} for name, value in values.items()
    ]
    return {
        "trigger": {"type": "Note", "note": RESET},
        "action": {"type": "Sequence", "actions": actions},
    }


def random_row(rng: random.Random, osc_port: int) -> Plain:
    trigger = random_trigger(rng)
    if rng.random() < 0.3:
        trigger["device"] = rng.choice(list(DEVICES))
    if rng.random() < 0.15:
        trigger["channel"] = rng.choice([1, 2])
    if rng.random() < 0.25:
        trigger["when"] = [random_condition(rng)]
    return {"trigger": trigger, "action": random_action(rng, osc_port)}


def random_trigger(rng: random.Random) -> Plain:
    note, limit = rng.choice(NOTES), rng.choice(LIMITS_MS)
    options = _options(rng)
    makers: list[tuple[int, Callable[[], Plain]]] = [
        (5, lambda: {"type": "Note", "note": note}),
        (1, lambda: {"type": "Note", "note": note, "velocity_min": 64}),
        (1, lambda: {"type": "VelocityRange", "note": note, "max_velocity": 63}),
        (2, lambda: {"type": "NoteRelease", "note": note}),
        (3, lambda: {"type": "LongPress", "note": note, "duration_ms": limit, **options}),
        (3, lambda: {"type": "DoubleTap", "note": note, "timeout_ms": limit, **_common(options)}),
        (2, lambda: _chord(rng, options)),
        (3, lambda: _fader(rng)),
        (1, lambda: {"type": "CC", "cc": PEDAL, "value_min": 64, "edge": "rising"}),
        (1, lambda: {"type": "EncoderTurn", "cc": ENCODER, "encoding": "offset_64"}),
        (1, lambda: {"type": "PitchBend", "dead_zone": rng.choice([0, 500])}),
        (1, lambda: {"type": "Aftertouch", "pressure_min": rng.choice([30, 60])}),
        (1, lambda: {"type": "ProgramChange", "program": rng.choice([5, 6])}),
    ]
    weights = [weight for weight, _ in makers]
    return rng.choices([make for _, make in makers], weights)[0]()


def _options(rng: random.Random) -> Plain:
    """Return gesture options of a long press, mostly none."""
    if rng.random() < 0.5:
        return {}
    kinds: list[Plain] = [
        {"hold_on_other_press": True},
        {"permissive_hold": True},
        {"quick_tap_ms": rng.choice(LIMITS_MS)},
        {"require_prior_idle_ms": rng.choice(LIMITS_MS)},
        {"keep_order": True},
    ]
    return {name: value for kind in rng.sample(kinds, 2) for name, value in kind.items()}


def _common(options: Plain) -> Plain:
    """Return the options that all gestures have."""
    return {
        name: value
        for name, value in options.items()
        if name in ("keep_order", "require_prior_idle_ms")
    }


def _chord(rng: random.Random, options: Plain) -> Plain:
    more = {"fire_when_complete": True} if rng.random() < 0.3 else {}
    notes = rng.sample(NOTES, 2)
    return {"type": "NoteChord", "notes": notes, "timeout_ms": 100, **_common(options), **more}


def _fader(rng: random.Random) -> Plain:
    limits: list[Plain] = [{}, {"value_min": 64}, {"value_max": 40}, {"value_min": 30}]
    edge = rng.choice(["any", "any", "rising", "falling"])
    return {"type": "CC", "cc": FADER, **rng.choice(limits), "edge": edge}


def random_condition(rng: random.Random) -> Plain:
    return rng.choice(
        [
            {"type": "ModeIs", "mode": rng.choice(MODES)},
            {"type": "VariableIs", "name": "x", "value": rng.choice([True, False])},
            {"type": "VariableIs", "name": "n", "value": rng.choice([0, 1, 2])},
            {"type": "ControlHeld", "note": rng.choice(NOTES)},
            {"type": "ControlHeld", "cc": PEDAL},
            {"type": "Not", "condition": {"type": "ControlHeld", "note": rng.choice(NOTES)}},
        ]
    )


def random_action(rng: random.Random, osc_port: int, depth: int = 0) -> Plain:
    def inner() -> Plain:
        return random_action(rng, osc_port, depth + 1)

    delay = rng.choice(LIMITS_MS)
    makers: list[tuple[float, Callable[[], Plain]]] = [
        (5, lambda: _send(rng)),
        (2, lambda: _forward(rng)),
        (1, lambda: _osc(rng, osc_port)),
        (1.5, lambda: _mode(rng)),
        (1.5, lambda: _variable(rng)),
    ]
    if depth < 2:
        makers += [
            (
                1,
                lambda: {
                    "type": "Sequence",
                    "actions": [inner(), {"type": "Delay", "duration_ms": delay}, inner()],
                },
            ),
            (0.7, lambda: {"type": "Sequence", "actions": [inner(), inner()]}),
            (0.7, lambda: {"type": "Repeat", "action": _send(rng), "count": 3, "delay_ms": delay}),
            (0.7, lambda: _until_release(_send(rng), delay)),
            (
                1.5,
                lambda: {
                    "type": "Conditional",
                    "condition": random_condition(rng),
                    "then": inner(),
                    **({"else": inner()} if rng.random() < 0.5 else {}),
                },
            ),
        ]
    weights = [weight for weight, _ in makers]
    return rng.choices([make for _, make in makers], weights)[0]()


def _until_release(action: Plain, delay_ms: int) -> Plain:
    return {"type": "Repeat", "action": action, "delay_ms": delay_ms, "until_release": True}


def random_value(rng: random.Random) -> Any:
    curves: list[Any] = [
        "PassThrough",
        {"type": "Linear", "min": 127, "max": 0},
        {"type": "Linear", "in_min": 20, "in_max": 90, "min": 10, "max": 120},
        {"type": "Fixed", "value": rng.randint(1, 127)},
    ]
    return rng.choice([rng.randint(1, 127), {"from": "value", "curve": rng.choice(curves)}])


def _send(rng: random.Random) -> Plain:
    plain: Plain = {"type": "SendMidi", "port": rng.choice(OUTPUTS), "channel": rng.randint(3, 16)}
    match rng.choice(["NoteOn", "NoteOn", "CC", "ProgramChange", "PitchBend"]):
        case "NoteOn":
            own = {"note": rng.randint(50, 100), "velocity": random_value(rng)}
            return {**plain, "message_type": "NoteOn", **own}
        case "CC":
            own = {"controller": rng.randint(70, 119), "value": random_value(rng)}
            return {**plain, "message_type": "CC", **own}
        case "ProgramChange":
            return {**plain, "message_type": "ProgramChange", "program": random_value(rng)}
        case _:
            return {**plain, "message_type": "PitchBend", "pitch": {"from": "value"}}


def _forward(rng: random.Random) -> Plain:
    return {
        "type": "MidiForward",
        "port": rng.choice(OUTPUTS),
        "channel": rng.randint(3, 16),
        "transpose": rng.choice([0, 12, -5]),
        **({"curve": {"type": "Linear", "min": 40, "max": 120}} if rng.random() < 0.4 else {}),
    }


def _osc(rng: random.Random, port: int) -> Plain:
    args = [rng.randint(1, 999), {"from": "value"}]
    return {"type": "OscSend", "port": port, "address": OSC_ADDRESS, "args": args}


def _mode(rng: random.Random) -> Plain:
    behaviour = rng.choice(["switch", "momentary", "momentary", "toggle", "next", "previous"])
    named = behaviour in ("switch", "momentary", "toggle")
    mode = {"mode": rng.choice(MODES)} if named else {}
    return {"type": "ModeChange", "behaviour": behaviour, **mode}


def _variable(rng: random.Random) -> Plain:
    kinds: list[Plain] = [
        {"name": "x", "operation": "toggle"},
        {"name": "x", "operation": "set", "value": rng.choice([True, False])},
        {"name": "n", "operation": "add", "value": 1},
        {"name": "n", "operation": "set", "value": rng.choice([0, 2])},
    ]
    return {"type": "SetVariable", **rng.choice(kinds)}


class Hands:
    """Plays gestures one after the other; everything is let go at the end."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self._at_ms = 0.0
        self.strikes: list[Strike] = []

    def play(self, until_ms: float = 2800) -> list[Strike]:
        struck = [self._tap, self._press, self._double, self._chord, self._nested] * 3
        others = [self._sweep, self._pedal, self._turn, self._bend, self._squeeze, self._program]
        gestures = [*struck, *others]
        while self._at_ms < until_ms:
            peer = self._rng.choice(list(CHANNELS))
            self._rng.choice(gestures)(peer)
            self._wait(60, 400)
        return self.strikes

    def _wait(self, low_ms: float, high_ms: float) -> None:
        self._at_ms += self._rng.uniform(low_ms, high_ms)

    def _send(self, peer: str, status: int, *data: int) -> None:
        message = bytes((status | CHANNELS[peer], *data))
        self.strikes.append(Strike(self._at_ms, peer, message))

    def _down(self, peer: str, note: int) -> None:
        self._send(peer, 0x90, note, self._rng.choice([30, 50, 80, 110]))

    def _up(self, peer: str, note: int) -> None:
        self._send(peer, 0x80, note, 0)

    def _hold(self, peer: str, note: int, low_ms: float, high_ms: float) -> None:
        self._down(peer, note)
        self._wait(low_ms, high_ms)
        self._up(peer, note)

    def _tap(self, peer: str) -> None:
        self._hold(peer, self._rng.choice(NOTES), 50, 90)

    def _press(self, peer: str) -> None:
        self._hold(peer, self._rng.choice(NOTES), 200, 600)

    def _double(self, peer: str) -> None:
        note = self._rng.choice(NOTES)
        self._hold(peer, note, 40, 60)
        self._wait(40, 200)
        self._hold(peer, note, 50, 90)

    def _chord(self, peer: str) -> None:
        one, other = self._rng.sample(NOTES, 2)
        self._down(peer, one)
        self._wait(12, 20)
        self._down(peer, other)
        self._wait(60, 300)
        self._up(peer, one)
        self._wait(40, 60)
        self._up(peer, other)

    def _nested(self, peer: str) -> None:
        """Hold one note while another is tapped, sometimes on the other device."""
        one, other = self._rng.sample(NOTES, 2)
        other_peer = peer if self._rng.random() < 0.7 else self._rng.choice(list(CHANNELS))
        self._down(peer, one)
        self._wait(60, 300)
        self._hold(other_peer, other, 50, 120)
        self._wait(50, 200)
        self._up(peer, one)

    def _sweep(self, peer: str) -> None:
        top = self._rng.choice([45, 90, 127])
        for value in (*range(15, top, 25), top, top // 2, 0):
            self._send(peer, 0xB0, FADER, value)
            self._wait(40, 70)

    def _pedal(self, peer: str) -> None:
        self._send(peer, 0xB0, PEDAL, 127)
        self._wait(60, 200)
        self._hold(peer, self._rng.choice(NOTES), 50, 90)
        self._wait(60, 200)
        self._send(peer, 0xB0, PEDAL, 0)

    def _turn(self, peer: str) -> None:
        for value in self._rng.choices([62, 63, 65, 66], k=4):
            self._send(peer, 0xB0, ENCODER, value)
            self._wait(40, 90)

    def _bend(self, peer: str) -> None:
        for value in (self._rng.randint(0, 16383), self._rng.randint(0, 16383), 8192):
            self._send(peer, 0xE0, value & 0x7F, value >> 7)
            self._wait(40, 90)

    def _squeeze(self, peer: str) -> None:
        for value in (20, 50, 90, 40, 0):
            self._send(peer, 0xD0, value)
            self._wait(40, 70)

    def _program(self, peer: str) -> None:
        self._send(peer, 0xC0, self._rng.choice([5, 6]))


def device_name(config: Config, peer: str) -> str | None:
    """Return what the input of a peer is called under a config; None when it is not opened."""
    port = PortInfo(name=f"{peer}:out", platform_id=f"{peer}:out")
    best, name = 0, f"raw:{peer}:out"
    for identity in config.devices:
        if identity.specificity(port) > best:
            best, name = identity.specificity(port), identity.alias
    is_open = not name.startswith("raw:") or config.settings.engine.open_inputs == "all"
    return name if is_open else None


def simulated(config: Config, strikes: Sequence[Strike], mode: str) -> list[Plain]:
    """Return what a config does with strikes, in order, without anything being done."""
    state = EngineState(compile_table(config), noon_on_monday)
    if mode in state.table.modes:
        switch_mode(state, mode, 0.0)
    decoders = {peer: Decoder(device_name(config, peer) or "") for peer in CHANNELS}
    events = [
        event
        for one in sorted(strikes)
        for event in decoders[one.peer].feed(one.message, 10 + one.at_ms / 1000)
    ]
    heard = [event for event in events if event.device]
    return effects(Simulation(config, state=state).play(heard, settle_s=SETTLE_S))


def is_steady(config: Config, strikes: Sequence[Strike], mode: str, rng: random.Random) -> bool:
    """Check that a config does the same when every strike comes a little earlier or later."""
    wanted = _done(config, strikes, mode)
    return all(_done(config, _shaken(strikes, rng), mode) == wanted for _ in range(JITTERS_TRIED))


def _shaken(strikes: Sequence[Strike], rng: random.Random) -> list[Strike]:
    """Move each strike a little; those of one peer stay in order."""
    latest: dict[str, float] = {}
    shaken: list[Strike] = []
    for one in strikes:
        moved = one.at_ms + rng.choice([-1.0, 1.0, rng.uniform(-1, 1)]) * JITTER_MS
        latest[one.peer] = max(moved, latest.get(one.peer, moved) + 0.1)
        shaken.append(one._replace(at_ms=latest[one.peer]))
    return shaken


def _done(config: Config, strikes: Sequence[Strike], mode: str) -> Counter[str]:
    return Counter(
        repr({name: item for name, item in one.items() if name != "time_ms"})
        for one in simulated(config, strikes, mode)
    )
