"""Explanations of random gestures with random options: every event has a reason."""

import random
import re

from tests.engine.explained import Stage
from tests.support.prove import proves, scaled
from tests.support.simulate import config

from conductor.domain.config import Config
from conductor.domain.events import CONTROL_CLASS

CHANCE = ("true", "false")
GAPS = (1, 9, 20, 49, 50, 60, 99, 100, 150)
NOTES = (36, 38, 40, 41)
QUIET = "require_prior_idle_ms={idle} keep_order={order}"
ROWS = (
    "LongPress note={note} duration_ms=100 hold_on_other_press={a} permissive_hold={b} quick_tap_ms={quick} "
    + QUIET,
    "DoubleTap note={note} timeout_ms=100 " + QUIET,
    "NoteChord notes=[36,38] timeout_ms=50 fire_when_complete={a} " + QUIET,
    "NoteChord notes=[36,38,40] timeout_ms=60 fire_when_complete={a} " + QUIET,
    "Note note={note}",
    "NoteRelease note={note}",
)


def some_config(chance: random.Random) -> Config:
    """Return a config of two modes with gestures, where a hold may be a layer."""

    def rows(count: int) -> list[str]:
        return [
            chance.choice(ROWS).format(
                note=chance.choice(NOTES[:3]),
                a=chance.choice(CHANCE),
                b=chance.choice(CHANCE),
                quick=chance.choice((0, 150)),
                idle=chance.choice((0, 0, 60)),
                order=chance.choice(CHANCE),
            )
            + f" -> {chance.choice('abcdefgh')}"
            for _ in range(count)
        ]

    layer = (
        "LongPress note=41 duration_ms=100 keep_order=true -> ModeChange mode=B behaviour=momentary"
    )
    return config([*rows(2), layer], modes={"A": rows(4), "B": rows(3)})


def some_playing(chance: random.Random) -> str:
    """Return presses of the notes that end with all of them up."""
    at, down, items = 0, set[int](), list[str]()
    for _ in range(12):
        at += chance.choice(GAPS)
        note = chance.choice(NOTES)
        down ^= {note}
        items.append(f"{'down' if note in down else 'up'} {note} @{at}")
    return "; ".join([*items, *(f"up {note} @{at + 200}" for note in sorted(down))])


def pressed_before(text: str, script: str) -> bool:
    """Return whether some press of a script came just so long after a press of the note that is named."""
    found = re.match(r"note (\d+) was pressed (\d+) ms before", text)
    assert found is not None, text
    note, gap_ms = found.groups()
    presses = re.findall(r"down (\d+) @(\d+)", script)
    earlier = {int(at) for each, at in presses if each == note}
    return any(each != note and int(at) - int(gap_ms) in earlier for each, at in presses)


@proves
def test_every_event_has_a_reason_and_every_firing_is_reported():
    for seed in range(scaled(60)):
        chance = random.Random(seed)
        what, script = some_config(chance), some_playing(chance)
        stage = Stage(what).play(script)
        traces = list(stage.recorder.traces)
        for trace in traces:
            told = stage.explain(trace.sequence)
            here = (seed, script, trace.sequence, told)
            assert "not remembered" not in told.verdict, here
            assert "nothing was due" not in told.verdict, here
            assert told.outcome != "undecided", here
            assert not {"other", "dropped"} & {one.kind for one in told.reasons}, here
            if trace.event.kind in CONTROL_CLASS:
                assert told.outcome != "info", here
            for one in told.reasons:
                if one.kind == "prior_idle":
                    assert pressed_before(one.text, script), here
            named = {(one.scope, one.index) for one in told.fired}
            assert {(ref.scope, ref.index) for ref in trace.fired} <= named, here
            acted = {(ref.scope, ref.index) for each in traces for ref in each.fired}
            assert named <= acted, here
            waits = {
                one.sequence
                for one in traces
                if one.note is not None and str(one.note[0]).startswith("waited")
            }
            moments = {moment.sequence for moment in told.timeline}
            assert (" ms for the gesture of " in told.verdict) == bool(waits & moments), here
