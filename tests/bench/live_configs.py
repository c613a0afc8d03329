"""Random configs whose actions can be seen from outside: MIDI, OSC and keystrokes."""

import random
from collections.abc import Callable
from typing import Any

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
OSC_ADDRESS = "/live"
LETTERS = "abcdefghijklmnopqrstuvwxyz"


def random_config(rng: random.Random, osc_port: int) -> Plain:
    """Return a config of three modes as plain data."""

    def rows(low: int, high: int) -> list[Plain]:
        return [random_row(rng, osc_port) for _ in range(rng.randint(low, high))]

    plain = blank_config()
    for number, mode in enumerate(plain["modes"]):
        mode["mappings"] = rows(2, 4) if number else rows(5, 8)
    plain["global_mappings"][:0] = rows(2, 4)
    return plain


def resting_config() -> Plain:
    """Return the config under which controls and variables are put back: it does nothing else.

    It listens to all controls that have a value, since what nothing listens to is not remembered.
    """
    plain = blank_config()
    triggers: list[Plain] = [{"type": "CC", "cc": number} for number in (FADER, PEDAL, ENCODER)]
    triggers += [{"type": "PitchBend"}, {"type": "Aftertouch"}]
    nothing = {"type": "SetVariable", "name": "unused"}
    plain["modes"][0]["mappings"] = [{"trigger": one, "action": nothing} for one in triggers]
    return plain


def blank_config() -> Plain:
    """Return a config with the devices and modes of all others, which only sets the variables back."""
    return {
        "devices": [
            {"alias": alias, "matchers": [{"type": "NameContains", "pattern": name}]}
            for alias, name in DEVICES.items()
        ],
        "modes": [{"name": name, "mappings": []} for name in MODES],
        "global_mappings": [reset_row()],
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
        (1, lambda: {"type": "Keystroke", "keys": [rng.choice(LETTERS)], "hold": "tap"}),
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
