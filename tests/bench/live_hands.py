"""Hands that play the controls of a live config at a human pace, and what a config makes of them in theory."""

import random
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from tests.bench.live_configs import CHANNELS, ENCODER, FADER, NOTES, PEDAL, Plain

from conductor.devices.midi.messages import MidiDecoder
from conductor.domain.config import Config
from conductor.domain.devices import PortInfo
from conductor.engine.simulate import Simulation, list_fired_effects
from conductor.engine.state import EngineState, get_noon_on_monday
from conductor.engine.step import switch_mode
from conductor.engine.table import compile_table

JITTER_MS = 20
"""Each strike may come so much earlier or later, live, without that anything else happens."""
JITTERS_TRIED = 10
SETTLE_S = 2.0
"""How long the hands rest afterwards, until everything that they began has ended."""
HANDS_BEGIN_MS = 10_000
"""On the clock of the simulation."""


class Strike(NamedTuple):
    """A message of a player, and when it is sent."""

    at_ms: float
    peer: str
    message: bytes


class Hands:
    """Plays gestures one after the other; everything is released at the end."""

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
        if identity.get_match_specificity(port) > best:
            best, name = identity.get_match_specificity(port), identity.alias
    is_open = not name.startswith("raw:") or config.settings.engine.open_inputs == "all"
    return name if is_open else None


def simulated(config: Config, strikes: Sequence[Strike], mode: str) -> list[Plain]:
    """Return what a config does with strikes, in order, without anything being done."""
    state = EngineState(compile_table(config), get_noon_on_monday)
    if mode in state.table.modes:
        switch_mode(state, mode, 0.0)
    decoders = {peer: MidiDecoder(device_name(config, peer) or "") for peer in CHANNELS}
    events = [
        event
        for one in sorted(strikes)
        for event in decoders[one.peer].decode_bytes(
            one.message, (HANDS_BEGIN_MS + one.at_ms) / 1000
        )
    ]
    heard = [event for event in events if event.device]
    return [
        {**effect}
        for effect in list_fired_effects(
            Simulation(config, state=state).play_items(heard, settle_s=5 * SETTLE_S)
        )
    ]


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
