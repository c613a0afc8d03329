"""Pins an example when it is kept: writes all into it that it was played with, and what came of it."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, cast

from conductor.domain.config import Config
from conductor.domain.events import ON_A_CHANNEL
from conductor.domain.examples import (
    PINNED_TOLERANCE_MS,
    TOLERANCE_MS,
    Example,
    ExpectedAction,
    PlayedControl,
)
from conductor.engine.examples.check import find_problem
from conductor.engine.examples.devices import keep_devices
from conductor.engine.examples.play import Happened, Played, Stage, control_name, script_items
from conductor.engine.examples.situations import (
    Circumstances,
    Situation,
    pin_situations,
    situations,
)
from conductor.engine.script import ModeChoice
from conductor.errors import BadScript

NO_PORTS: Mapping[str, str] = {}


def pin(example: Example, config: Config, ports: Mapping[str, str] = NO_PORTS) -> Example:
    """Return an example that keeps its meaning; one that does not hold now is returned as it is.

    `ports` says on which port each alias is plugged in, as far as that is known.
    """
    return pin_on(Stage(config), example, ports)


def pin_on(stage: Stage, example: Example, ports: Mapping[str, str] = NO_PORTS) -> Example:
    """Pin an example on a config that is compiled already."""
    if example.pinned:
        return example
    try:
        played = _play(stage, example)
    except BadScript:
        return example
    if find_problem(example, played) is not None:
        return example
    fixed = _pin_places(_pin_outcome(example, played), stage)
    items = stage.items(fixed.model_copy(update={"devices": ()}))
    names = {item.device for item in items if not isinstance(item, ModeChoice)}
    names |= set(_names(example.expect)) | set(_names(example.effects or ()))
    fixed = fixed.model_copy(update={"devices": keep_devices(names, stage.config, ports)})
    found: list[Circumstances] = []
    for _ in stage.play(fixed, lambda known: found.append(known) or ()):
        pass
    return pin_situations(fixed, found[0], lambda one: _holds(stage, fixed, one))


def _play(stage: Stage, example: Example) -> Played:
    def usual(known: Circumstances) -> list[Situation]:
        return situations(example, known)[:1]

    return next(played for _, played in stage.play(example, usual))


def _holds(stage: Stage, example: Example, situation: Situation) -> bool:
    played = next(played for _, played in stage.play(example, lambda _known: [situation]))
    return find_problem(example, played) is None


def _pin_outcome(example: Example, played: Played) -> Example:
    every = (*example.expect, *(example.effects or ()))
    given = [one.tolerance_ms for one in every if one.tolerance_ms is not None]
    loose = any(one.any_time for one in every)
    done = played.done()
    if loose:
        done = tuple(one.model_copy(update={"at_ms": None}) for one in done)
    effects = example.effects
    return example.model_copy(
        update={
            "pinned": True,
            "expect": _timed(example.expect, played.fired()),
            "effects": None if effects is None else _timed(effects, played.effects()),
            "mode": played.mode,
            "from_start": example.mode is None,
            "done": done,
            "done_tolerance_ms": max([PINNED_TOLERANCE_MS, *given, *_written(every)]),
            "ends_in": None if played.ended_in == played.mode else played.ended_in,
        }
    )


def _written(expected: tuple[ExpectedAction, ...]) -> Iterator[float]:
    """Return how far off the times are that the author wrote; what is done may be as far off."""
    for one in expected:
        if one.at_ms is not None and one.tolerance_ms is None:
            yield TOLERANCE_MS


def _timed(
    expected: tuple[ExpectedAction, ...], happened: list[Happened]
) -> tuple[ExpectedAction, ...]:
    """Write the measured times where the author wrote none."""
    return tuple(
        one
        if one.any_time or one.at_ms is not None
        else one.model_copy(
            update={
                "at_ms": found.time_ms,
                "tolerance_ms": PINNED_TOLERANCE_MS
                if one.tolerance_ms is None
                else one.tolerance_ms,
            }
        )
        for one, found in zip(expected, happened, strict=False)
    )


def _pin_places(example: Example, stage: Stage) -> Example:
    """Write the device and channel that were assumed for each control."""
    assumed = stage.items(example.model_copy(update={"pinned": False}))
    written = script_items(example.gesture)
    places: dict[str, tuple[str, int]] = {}
    for before, after in zip(written, assumed, strict=True):
        control = control_name(after)
        if control is None or isinstance(after, ModeChoice) or isinstance(before, ModeChoice):
            continue
        if not before.device or (not before.channel and after.channel):
            places.setdefault(control, (after.device, after.channel))
    devices = Counter(device for device, _ in places.values())
    channels = Counter(channel for _, channel in places.values() if channel)
    device = example.device or (devices.most_common(1)[0][0] if devices else None)
    channel = example.channel or (channels.most_common(1)[0][0] if channels else None)
    controls = tuple(
        PlayedControl(control=control, device=own, channel=number)
        for control, (own, number) in places.items()
        if own != device or (number != channel and _on_a_channel(control))
    )
    return example.model_copy(update={"device": device, "channel": channel, "controls": controls})


def _on_a_channel(control: str) -> bool:
    return control.split(" ", 1)[0] in ON_A_CHANNEL


def _names(expected: tuple[ExpectedAction, ...]) -> Iterator[str]:
    for one in expected:
        yield from _device_names(one.fields)


def _device_names(item: Any) -> Iterator[str]:
    """Return every device that fields of an action name."""
    if isinstance(item, list | tuple):
        for each in cast("list[Any]", item):
            yield from _device_names(each)
    elif isinstance(item, dict):
        for key, each in cast("dict[str, Any]", item).items():
            if key in ("port", "device") and isinstance(each, str):
                yield each
            else:
                yield from _device_names(each)
