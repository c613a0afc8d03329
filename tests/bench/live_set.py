"""A config of 1,000 mappings as a performer has it, and ten minutes of playing on it, recorded as the product does."""

import random
from collections.abc import Callable, Iterator
from typing import Any

from conductor.domain.config import Config
from conductor.domain.devices import PortInfo
from conductor.domain.events import EventKind, InputEvent
from conductor.domain.recording import RecordedDevice
from conductor.domain.trace import Trace
from conductor.engine.config_transfer import compute_config_id
from conductor.engine.recording.segment_recorder import SegmentRecorder
from conductor.engine.state import EngineState
from conductor.engine.step import feed_event, load_table, run_due_deadlines
from conductor.engine.table import compile_table

MAPPINGS = 1_000
MODES = ("Default", "Mix", "Lights", "Video", "Keys", "Drums", "Loops", "Talk")
PADS, KNOBS, KEYS = "Pads", "Knobs", "Keys"
EVENTS, SECONDS = 5_000, 600.0
TICK_S = 0.25
MONDAY_NOON_S = 12 * 3600.0
Row = dict[str, Any]


def build_config() -> Config:
    """Build the config: 110 mappings in each of 8 modes, 120 for all of them."""
    return Config.model_validate(plain_config())


def plain_config() -> dict[str, Any]:
    """Return the config as it would be read from a file."""
    return {
        "devices": [
            {"alias": name, "matchers": [{"type": "ExactName", "pattern": f"{name} 1"}]}
            for name in (PADS, KNOBS, KEYS)
        ],
        "modes": [
            {"name": name, "mappings": _mode_rows(number)} for number, name in enumerate(MODES)
        ],
        "global_mappings": _global_rows(),
    }


def _mode_rows(mode: int) -> list[Row]:
    """Return 110 mappings: pads with taps, holds, double taps and chords, knobs, encoders and keys."""
    rows = [_pad(pad, mode) for pad in range(36, 68)]
    rows += [
        _row(LONG, note=pad, duration_ms=400, device=PADS, does=_keys(pad + 1))
        for pad in range(36, 44)
    ]
    rows += [_row(DOUBLE, note=pad, device=PADS, does=_keys(pad + 2)) for pad in range(44, 50)]
    rows += [
        _row(CHORD, notes=[pad, pad + 1], device=PADS, does=_keys(pad)) for pad in range(50, 58, 2)
    ]
    rows += [
        _row("CC", cc=cc, channel=mode + 1, device=KNOBS, does=_send(cc)) for cc in range(16, 40)
    ]
    rows += [
        _row("EncoderTurn", cc=cc, direction=way, device=KNOBS, does=_turn(way))
        for cc in range(48, 56)
        for way in ("clockwise", "counterclockwise")
    ]
    rows += [_row("Note", note=key, device=KEYS, does=_note(key, mode)) for key in range(72, 92)]
    return rows


def _global_rows() -> list[Row]:
    rows = [
        _row("Note", note=note, device=PADS, does={"type": "ModeChange", "mode": name})
        for note, name in enumerate(MODES, start=100)
    ]
    rows += [_row("Note", note=key, device=KEYS, does=_keys(key)) for key in range(24, 60)]
    rows += [
        _row(
            "VelocityRange",
            note=note,
            min_velocity=low,
            max_velocity=low + 42,
            device=PADS,
            does=_keys(low),
        )
        for note in range(110, 120)
        for low in (1, 44)
    ]
    rows += [
        _row("CC", cc=cc, value_min=64, edge="rising", device=KNOBS, does=_switch(cc))
        for cc in range(80, 100)
    ]
    rows += [_row("CC", cc=cc, device=KEYS, does=_send(cc)) for cc in range(1, 24)]
    rows += [_row("PitchBend", device=device, does=_send(9)) for device in (KEYS, KNOBS)]
    rows += [_row("Aftertouch", device=KEYS, does=_send(10))]
    while len(rows) < MAPPINGS - 110 * len(MODES):
        rows.append(_row("ProgramChange", program=len(rows), does=_keys(len(rows))))
    return rows


LONG, DOUBLE, CHORD = "LongPress", "DoubleTap", "NoteChord"


def _row(kind: str, does: Row, **fields: Any) -> Row:
    return {"trigger": {"type": kind, **fields}, "action": does}


def _pad(pad: int, mode: int) -> Row:
    if pad % 8 == 0:
        when = [{"type": "VariableIs", "name": "shift", "value": True}]
        return _row("Note", note=pad, device=PADS, when=when, does=_keys(pad))
    if pad % 8 == 1:
        toggle = {"type": "SetVariable", "name": "shift", "operation": "toggle"}
        return _row("Note", note=pad, device=PADS, does=toggle)
    if pad % 8 == 2:
        steps = [_keys(pad), {"type": "Delay", "duration_ms": 50}, _send(pad)]
        return _row("Note", note=pad, device=PADS, does={"type": "Sequence", "actions": steps})
    return _row("Note", note=pad, device=PADS, does=_note(pad, mode))


def _keys(number: int) -> Row:
    return {"type": "Keystroke", "keys": f"ctrl+{'abcdefghijklmnopqrstuvwxyz'[number % 26]}"}


def _send(cc: int) -> Row:
    value = {"from": "value"}
    return {
        "type": "SendMidi",
        "port": "out",
        "message_type": "CC",
        "controller": cc,
        "value": value,
    }


def _note(number: int, mode: int) -> Row:
    channel = mode + 1
    return {
        "type": "SendMidi",
        "port": "out",
        "message_type": "NoteOn",
        "note": number,
        "channel": channel,
    }


def _turn(way: str) -> Row:
    return {"type": "MouseScroll", "dy": 1 if way == "clockwise" else -1}


def _switch(cc: int) -> Row:
    condition = {"type": "VariableIs", "name": "shift", "value": True}
    return {"type": "Conditional", "condition": condition, "then": _keys(cc), "else": _send(cc)}


def play_ten_minutes(seed: int = 1) -> list[InputEvent]:
    """Return about 5,000 events over ten minutes: pads, chords, sweeps of knobs, encoders, keys, modes."""
    chance = random.Random(seed)
    played: list[InputEvent] = []
    acts: tuple[tuple[Callable[[random.Random, float], Iterator[InputEvent]], int], ...] = (
        (_tap, 10), (_hold, 2), (_double_tap, 1), (_chord, 1), (_sweep, 4), (_encoder, 3), (_melody, 5), (_mode, 1),
    )  # fmt: skip
    whats, weights = zip(*acts, strict=True)
    at = 0.0
    while len(played) < EVENTS:
        (what,) = chance.choices(whats, weights)
        played += what(chance, at)
        at = played[-1].time + chance.uniform(0.05, 0.4)
    stretch = SECONDS / played[-1].time
    return [event._replace(time=1_000 + event.time) for event in _spread(played, stretch)]


def _spread(played: list[InputEvent], stretch: float) -> Iterator[InputEvent]:
    """Yield the events with longer pauses, where there were any, so that gestures keep their times."""
    shift = before = 0.0
    for event in sorted(played, key=lambda one: one.time):
        gap = event.time - before
        if gap > 0.3:
            shift += gap * (stretch - 1)
        before = event.time
        yield event._replace(time=event.time + shift)


def _press(
    kind: EventKind, device: str, number: int, value: int, at: float, channel: int = 1
) -> InputEvent:
    return InputEvent(kind, device, channel, number, value, at)


def _strike(
    device: str, note: int, velocity: int, at: float, held_s: float
) -> Iterator[InputEvent]:
    yield _press("note_on", device, note, velocity, at)
    yield _press("note_off", device, note, 0, at + held_s)


def _tap(chance: random.Random, at: float) -> Iterator[InputEvent]:
    note = chance.choice((*range(36, 68), *range(110, 120)))
    yield from _strike(PADS, note, chance.randint(20, 127), at, chance.uniform(0.03, 0.2))


def _hold(chance: random.Random, at: float) -> Iterator[InputEvent]:
    yield from _strike(PADS, chance.randint(36, 43), 90, at, chance.uniform(0.3, 0.9))


def _double_tap(chance: random.Random, at: float) -> Iterator[InputEvent]:
    note = chance.randint(44, 49)
    yield from _strike(PADS, note, 90, at, 0.05)
    yield from _strike(PADS, note, 90, at + 0.15, 0.05)


def _chord(chance: random.Random, at: float) -> Iterator[InputEvent]:
    note = chance.randrange(50, 58, 2)
    both = *_strike(PADS, note, 90, at, 0.2), *_strike(PADS, note + 1, 90, at + 0.01, 0.2)
    yield from sorted(both, key=lambda one: one.time)


def _sweep(chance: random.Random, at: float) -> Iterator[InputEvent]:
    cc = chance.choice((*range(16, 40), *range(80, 100)))
    channel, start, way = (
        chance.randint(1, len(MODES)),
        chance.randint(0, 100),
        chance.choice((-1, 1)),
    )
    for step in range(chance.randint(5, 25)):
        value = min(127, max(0, start + way * 3 * step))
        yield _press("cc", KNOBS, cc, value, at + step * 0.02, channel)


def _encoder(chance: random.Random, at: float) -> Iterator[InputEvent]:
    cc, value = chance.randint(48, 55), chance.choice((1, 127))
    for step in range(chance.randint(2, 10)):
        yield _press("cc", KNOBS, cc, value, at + step * 0.03)


def _melody(chance: random.Random, at: float) -> Iterator[InputEvent]:
    for step in range(chance.randint(2, 6)):
        key = chance.choice((*range(24, 60), *range(72, 92)))
        yield from _strike(KEYS, key, chance.randint(20, 127), at + step * 0.2, 0.15)


def _mode(chance: random.Random, at: float) -> Iterator[InputEvent]:
    yield from _strike(PADS, 100 + chance.randrange(len(MODES)), 100, at, 0.1)


class Performance:
    """The config in an engine with a recorder, played without waiting."""

    def __init__(self, config: Config, take: Callable[[Trace], None] = lambda _trace: None) -> None:
        self.recorder = SegmentRecorder()
        self.state = EngineState(compile_table(config))
        self.state.now = 999.0
        self._take = take
        self.recorder.configure(compute_config_id(config), 20)
        self.recorder.tick(self.state, self.state.now, MONDAY_NOON_S)
        self._record(load_table(self.state, self.state.table, self.state.now))
        ports = (PADS, KNOBS, KEYS)
        self.recorder.record_devices(
            tuple(RecordedDevice(name, "midi_input", PortInfo(name=f"{name} 1")) for name in ports),
            self.state,
        )

    def play(self, events: list[InputEvent]) -> None:
        """Play events at their times, with what comes due in between, and the ticks of the recorder."""
        tick_at = events[0].time
        for event in events:
            while tick_at < event.time:
                self._pass_time(tick_at)
                self.recorder.tick(self.state, tick_at, MONDAY_NOON_S + tick_at - 1_000)
                tick_at += TICK_S
            self._pass_time(event.time)
            for trace in feed_event(self.state, event):
                self._record(trace)
        self._pass_time(events[-1].time + 5)

    def _pass_time(self, until: float) -> None:
        while (due := self.state.get_due_time()) is not None and due <= until:
            for trace in run_due_deadlines(self.state, due):
                self._record(trace)

    def _record(self, trace: Trace) -> None:
        self._take(trace)
        self.recorder.record(trace, self.state)
