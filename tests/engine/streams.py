"""Random configs with all kinds of triggers and actions on few controls, and random event streams."""

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any, NamedTuple

from hypothesis import strategies as st

from conductor.domain.config import Config
from conductor.domain.events import EventKind, InputEvent
from conductor.domain.trace import Trace
from conductor.engine.state import EngineState
from conductor.engine.step import (
    feed_event,
    load_table,
    mute_device,
    release_everything,
    run_due_deadlines,
    switch_mode,
)
from conductor.engine.table import compile_table

DEVICES = ("left", "right")
MODES = ("A", "B", "C")
NOTES, CCS, BUTTONS = (36, 38), (1, 64), ("south", "east")
APPS = (("firefox", "", "News"), ("code", "", "main.py"), ("", "", ""))

note, cc, button = st.sampled_from((36, 36, 38)), st.sampled_from(CCS), st.sampled_from(BUTTONS)
duration_ms = st.sampled_from([50, 80, 150, 300])
yes, some_ms = st.sampled_from([None, True]), st.sampled_from([None, 50, 150])
_LIMITS = [*[None] * 5, 0, 30, 64, 100, 127]


def table(**fields: st.SearchStrategy[Any] | Any) -> st.SearchStrategy[dict[str, Any]]:
    """Return tables of these fields; a field that is None is left out."""
    drawn = {name: it for name, it in fields.items() if isinstance(it, st.SearchStrategy)}
    # constants that are drawn too would take as much time as choices
    return st.fixed_dictionaries(drawn).map(
        lambda raw: {
            name: item
            for name, given in fields.items()
            if (item := raw[name] if name in drawn else given) is not None
        }
    )


def ranges(kind: str, low: str, high: str, **fields: Any) -> st.SearchStrategy[dict[str, Any]]:
    """Return triggers whose range is in order."""
    ends = st.sampled_from(
        [
            (first, last) if first is None or last is None or first <= last else (last, first)
            for first, last in product(_LIMITS, _LIMITS)
        ]
    )
    return st.tuples(table(type=kind, **fields), ends).map(
        lambda both: {
            **both[0],
            **{n: e for n, e in zip((low, high), both[1], strict=True) if e is not None},
        }
    )


conditions = st.recursive(
    st.one_of(
        st.just({"type": "Always"}),
        st.just({"type": "Never"}),
        table(type="ModeIs", mode=st.sampled_from(MODES)),
        st.just({"type": "AppFrontmost", "app": "firefox"}),
        st.just({"type": "TimeRange", "start": "09:00", "end": "17:00"}),
        table(type="ControlHeld", cc=64, device=st.sampled_from([None, None, *DEVICES])),
        table(type="ControlHeld", note=note),
        table(type="VariableIs", name="x", value=st.booleans()),
    ),
    lambda inner: st.one_of(
        table(type="Not", condition=inner),
        table(
            type=st.sampled_from(["And", "Or"]), conditions=st.lists(inner, min_size=1, max_size=2)
        ),
    ),
    max_leaves=3,
)

edge = st.sampled_from(["any", "rising", "falling"])
triggers = st.one_of(
    table(type="Note", note=note),
    table(type="Note", note=note, velocity_min=st.sampled_from([None, 60])),
    table(type="VelocityRange", note=note, max_velocity=60),
    table(type="LongPress", note=note, duration_ms=duration_ms),
    table(type="LongPress", button=button, duration_ms=duration_ms),
    table(type="LongPress", note=note, duration_ms=duration_ms, hold_on_other_press=yes,
          permissive_hold=yes, quick_tap_ms=some_ms, require_prior_idle_ms=some_ms, keep_order=yes),
    table(type="DoubleTap", note=note, timeout_ms=duration_ms, require_prior_idle_ms=some_ms, keep_order=yes),
    table(type="NoteChord", notes=NOTES, timeout_ms=duration_ms, fire_when_complete=yes,
          require_prior_idle_ms=some_ms, keep_order=yes),
    table(type="DoubleTap", note=note, timeout_ms=duration_ms),
    table(type="DoubleTap", button=button, timeout_ms=duration_ms),
    table(type="NoteChord", notes=NOTES, timeout_ms=duration_ms),
    table(type="GamepadButtonChord", buttons=BUTTONS, timeout_ms=duration_ms),
    table(type="NoteRelease", note=note),
    table(type="GamepadButton", button=button),
    ranges("CC", "value_min", "value_max", cc=cc, edge=edge),
    table(type="EncoderTurn", cc=cc, encoding=st.sampled_from(["auto", "absolute", "offset_64"])),
    ranges("Aftertouch", "pressure_min", "pressure_max", note=st.sampled_from([None, None, None, 36, 36, 38])),
    ranges("PitchBend", "value_min", "value_max", dead_zone=st.sampled_from([0, 40])),
    ranges("Nrpn", "value_min", "value_max", parameter=5, registered=st.booleans(), edge=edge),
    ranges("OscMessage", "value_min", "value_max", address="/x"),
    table(type="ProgramChange", program=5),
    table(type="Sysex", pattern="F0 7E *"),
    table(type="GamepadAnalogStick", axis="left_x", direction=st.sampled_from(["left", "right", "any"]),
          threshold=st.sampled_from([0, 0.5])),
    table(type="GamepadTrigger", trigger="left", threshold=st.sampled_from([0, 0.5])),
)  # fmt: skip

value = {"from": "value"}
held_key = table(
    type="Keystroke", keys=st.sampled_from(["a", "shift", "shift+a"]), hold="while_held"
)
momentary = table(type="ModeChange", mode=st.sampled_from(MODES), behaviour="momentary")
leaves = st.one_of(
    table(type="Keystroke", keys=st.sampled_from(["a", "shift", "shift+a"]),
          hold=st.sampled_from(["tap", "while_held"])),
    table(type="ModeChange", mode=st.sampled_from(MODES),
          behaviour=st.sampled_from(["switch", "momentary", "momentary", "toggle", "next", "previous"])),
    table(type="SetVariable", name="x", operation=st.sampled_from(["set", "add", "toggle"]),
          value=st.sampled_from([True, 3, value])),
    table(type="MidiForward", port="out", transpose=st.sampled_from([0, 12])),
    st.just({"type": "SendMidi", "port": "out", "message_type": "CC", "value": value}),
    st.just({"type": "Led", "device": "pads", "control": "note 36"}),
    st.just({"type": "OscSend", "port": 9000, "address": "/y", "args": [value]}),
    st.just({"type": "MouseClick"}),
    st.just({"type": "MouseMove", "x": 3, "relative": True}),
    st.just({"type": "MouseScroll", "dy": {"from": "steps"}}),
    st.just({"type": "Text", "text": "hi"}),
    st.just({"type": "Launch", "app": "code"}),
    st.just({"type": "Shell", "argv": ["ls"]}),
    st.just({"type": "VolumeControl", "operation": "Set"}),
    st.just({"type": "Plugin", "server": "s", "tool": "t"}),
    table(type="Delay", duration_ms=duration_ms),
)  # fmt: skip
nested = st.recursive(
    st.one_of(held_key, momentary, leaves),
    lambda inner: st.one_of(
        table(type="Sequence", actions=st.lists(inner, min_size=1, max_size=3)),
        table(type="Repeat", action=inner, until_release=True, delay_ms=duration_ms,
              count=st.sampled_from([None, 3])),
        table(type="Repeat", action=inner, count=st.integers(1, 3), delay_ms=st.sampled_from([0, 80])),
        table(type="Conditional", condition=conditions, then=inner, **{"else": st.none() | inner}),
    ),
    max_leaves=4,
)  # fmt: skip
actions = st.one_of(held_key, held_key, momentary, leaves, nested, nested)
trigger_rows = st.tuples(
    triggers,
    table(device=st.sampled_from([None, None, "left"]), channel=st.sampled_from([None, None, 1])),
    st.sampled_from([False, False, True]).flatmap(
        lambda some: st.lists(conditions, min_size=1, max_size=1) if some else st.just([])
    ),
).map(lambda parts: {**parts[0], **parts[1], "when": parts[2]})
rows = table(trigger=trigger_rows, action=actions)
mappings = st.lists(rows, max_size=3)

configs = table(
    global_mappings=st.lists(rows, min_size=5, max_size=10),
    modes=st.tuples(mappings, mappings, mappings).map(
        lambda each: [{"name": n, "mappings": m} for n, m in zip(MODES, each, strict=True)]
    ),
    profiles=mappings.map(
        lambda rows: [
            {"name": "web", "match": {"executable": "firefox"}, "mode": "B", "mappings": rows}
        ]
    ),
    devices=st.booleans().map(
        lambda on: [
            {"alias": "right", "matchers": [{"type": "ExactName", "pattern": "R"}], "enabled": on}
        ]
    ),
).map(Config.model_validate)


class Outside(NamedTuple):
    """Something done to the engine that is not an event."""

    what: str
    """`mode`, `mute`, `unmute`, `load`, `panic`, or `time`, which only passes."""
    name: Any
    time: float


Item = InputEvent | Outside


def _event(
    kind: EventKind, numbers: Sequence[Any], values: Sequence[Any], data: Any = None
) -> st.SearchStrategy[InputEvent]:
    """Return events of a kind; one choice among all of them is drawn several times as fast as one per field."""
    channels = [0] if kind in _OF_PADS else [1, 1, 1, 1, 2]
    fields = product(["left"] * 4 + ["right"], channels, numbers, values)
    return st.sampled_from([InputEvent(kind, *each, 0.0, data) for each in fields])


_OF_PADS = {"button_down", "button_up", "axis", "gamepad_trigger", "sysex", "osc"}
_SEVEN_BITS = (0, 1, 30, 63, 64, 65, 100, 127)
_strikes = st.one_of(
    _event("note_on", (36, 36, 38), (50, 100)),
    _event("note_off", (36, 36, 38), (0,)),
)
_events = st.one_of(
    _event("button_down", BUTTONS, (1,)),
    _event("button_up", BUTTONS, (0,)),
    _event("cc", CCS, _SEVEN_BITS),
    _event("nrpn", (5,), _SEVEN_BITS),
    _event("rpn", (5,), _SEVEN_BITS),
    _event("poly_pressure", (36, 36, 38), _SEVEN_BITS),
    _event("channel_pressure", (0,), _SEVEN_BITS),
    _event("pitch_bend", (0,), (0, 50, 100, 8180, 8192, 16383)),
    _event("program_change", (5,), (5,)),
    _event("sysex", (0,), (4,), b"\xf0\x7e\x01\xf7"),
    _event("axis", ("left_x",), (-1.0, -0.3, 0.0, 0.45, 1.0)),
    _event("gamepad_trigger", ("left",), (0.0, 0.45, 1.0)),
    _event("osc", ("/x",), (0.0, 50.0, 200.0), (1.0,)),
    _event("device_gone", (0,), (0,)),
    _event("device_back", (0,), (0,)),
    _event("clock", (0,), (0xF8,)),
    _event("completed", range(21), (0, 1), "it failed"),
)
_apps = st.sampled_from([InputEvent("app", "", 0, 0, 0, 0.0, app) for app in APPS])
_outside = st.one_of(
    st.sampled_from([Outside("mode", mode, 0.0) for mode in MODES]),
    st.sampled_from([Outside(what, device, 0.0) for what in ("mute", "unmute") for device in DEVICES]),
    st.just(Outside("panic", None, 0.0)),
)  # fmt: skip
_loads = st.builds(Outside, st.just("load"), configs, st.just(0.0))
_gaps_ms = st.sampled_from([1, 5, 5, 20, 20, 49.9, 50, 80, 150, 300, 700, 0, -30])


def _timed(steps: Sequence[tuple[Item, float]]) -> list[Item]:
    """Return each a time; now and then one comes late, with a time before the last."""
    now_ms, items = 1000.0, list[Item]()
    for item, gap_ms in steps:
        now_ms += gap_ms
        items.append(item._replace(time=now_ms / 1000))
    return items


def streams(
    *, outside: bool = True, loads: bool = True, min_size: int = 20, max_size: int = 60
) -> st.SearchStrategy[list[Item]]:
    """Return streams of events, mostly played, with what else may happen in between.

    `loads` are among what happens outside: each costs as much time to draw as all the rest of a stream.
    """
    played = st.one_of(_strikes, _strikes, _events)
    others = [_outside, *([_loads] if loads else [])] if outside else []
    rare = st.one_of(*[played] * 12, _apps, *others)
    return st.lists(st.tuples(rare, _gaps_ms), min_size=min_size, max_size=max_size).map(_timed)


class Player:
    """Plays a stream; workers succeed at once, fail, or never answer."""

    def __init__(self, config: Config, answers: str = "done") -> None:
        self.state = EngineState(compile_table(config))
        self.answers = answers
        self.traces: list[Trace] = []

    def play(self, items: Sequence[Item]) -> None:
        for item in items:
            if isinstance(item, InputEvent):
                self.take(feed_event(self.state, item))
            else:
                self.take(run_due_deadlines(self.state, item.time))
                self.take(list(self._done(item)))

    def _done(self, item: Outside) -> Iterator[Trace]:
        match item.what:
            case "mode":
                yield switch_mode(self.state, item.name, item.time)
            case "mute" | "unmute":
                yield mute_device(self.state, item.name, item.time, muted=item.what == "mute")
            case "load":
                yield load_table(self.state, compile_table(item.name), item.time)
            case "panic":
                yield release_everything(self.state, item.time)
            case _:
                pass

    def take(self, traces: Sequence[Trace]) -> None:
        self.traces.extend(traces)
        if self.answers == "never":
            return
        for effect in [effect for trace in traces for effect in trace.effects if effect.waits]:
            done = int(self.answers == "done")
            at = self.state.now
            self.take(
                feed_event(self.state, InputEvent("completed", "", 0, effect.run, done, at, "no"))
            )
