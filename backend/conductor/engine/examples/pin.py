"""Pins an example when it is saved: stores its result with everything that the result depends on."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, cast

from conductor.base.json_types import JsonObject
from conductor.domain.events import CONTROL_CLASSES_WITH_CHANNEL
from conductor.domain.examples import (
    DEFAULT_TIME_TOLERANCE_MS,
    PINNED_TIME_TOLERANCE_MS,
    Example,
    ExpectedAction,
    PlayedControl,
)
from conductor.engine.examples.check import find_mismatch
from conductor.engine.examples.devices import describe_devices
from conductor.engine.examples.play import (
    ExamplePlayer,
    PlayedAction,
    PlayedExample,
    format_control_name,
    parse_gesture,
)
from conductor.engine.examples.situations import (
    ExampleSituation,
    SituationFinder,
    pin_situations,
    select_situations,
)
from conductor.engine.script import ScriptedModeSwitch
from conductor.errors import BadScript

NO_DEVICE_PORTS: Mapping[str, str] = {}


def pin_example_with_player(
    player: ExamplePlayer, example: Example, ports: Mapping[str, str] = NO_DEVICE_PORTS
) -> Example:
    """Return an example with its result and everything that the result depends on.

    The example is returned unchanged if it is already pinned or does not pass.
    """
    if example.pinned:
        return example
    try:
        played = _play_in_default_situation(player, example)
    except BadScript:
        return example
    if find_mismatch(example, played) is not None:
        return example
    fixed = _pin_controls(_pin_effects(example, played), player)
    items = player.list_script_items(fixed.model_copy(update={"devices": ()}))
    names = {item.device for item in items if not isinstance(item, ScriptedModeSwitch)}
    names |= set(_list_expected_devices(example.expect)) | set(
        _list_expected_devices(example.effects or ())
    )
    fixed = fixed.model_copy(update={"devices": describe_devices(names, player.config, ports)})
    found: list[SituationFinder] = []
    for _ in player.play_example(fixed, lambda finder: found.append(finder) or ()):
        pass
    return pin_situations(
        fixed, found[0], lambda situation: _passes_in_situation(player, fixed, situation)
    )


def _play_in_default_situation(player: ExamplePlayer, example: Example) -> PlayedExample:
    def select_default_situation(finder: SituationFinder) -> list[ExampleSituation]:
        return select_situations(example, finder)[:1]

    return next(played for _, played in player.play_example(example, select_default_situation))


def _passes_in_situation(
    player: ExamplePlayer, example: Example, situation: ExampleSituation
) -> bool:
    played = next(played for _, played in player.play_example(example, lambda _known: [situation]))
    return find_mismatch(example, played) is None


def _pin_effects(example: Example, played: PlayedExample) -> Example:
    expected = (*example.expect, *(example.effects or ()))
    tolerances = [item.tolerance_ms for item in expected if item.tolerance_ms is not None]
    has_any_time = any(item.any_time for item in expected)
    done = played.list_pinned_effects()
    if has_any_time:
        done = tuple(item.model_copy(update={"at_ms": None}) for item in done)
    effects = example.effects
    return example.model_copy(
        update={
            "pinned": True,
            "expect": _fill_measured_times(example.expect, played.list_fired_mappings()),
            "effects": None
            if effects is None
            else _fill_measured_times(effects, played.list_effects()),
            "mode": played.mode,
            "from_start": example.mode is None,
            "done": done,
            "done_tolerance_ms": max(
                [PINNED_TIME_TOLERANCE_MS, *tolerances, *_list_author_tolerances(expected)]
            ),
            "ends_in": None if played.ended_in == played.mode else played.ended_in,
        }
    )


def _list_author_tolerances(expected: tuple[ExpectedAction, ...]) -> Iterator[float]:
    """Yield the tolerance in ms for each time that the author of an example gave without a tolerance."""
    for action in expected:
        if action.at_ms is not None and action.tolerance_ms is None:
            yield DEFAULT_TIME_TOLERANCE_MS


def _fill_measured_times(
    expected: tuple[ExpectedAction, ...], happened: list[PlayedAction]
) -> tuple[ExpectedAction, ...]:
    """Return expected actions in which the times that the author did not give are the measured times."""
    return tuple(
        action
        if action.any_time or action.at_ms is not None
        else action.model_copy(
            update={
                "at_ms": played.time_ms,
                "tolerance_ms": PINNED_TIME_TOLERANCE_MS
                if action.tolerance_ms is None
                else action.tolerance_ms,
            }
        )
        for action, played in zip(expected, happened, strict=False)
    )


def _pin_controls(example: Example, player: ExamplePlayer) -> Example:
    """Return an example that names the device and the channel of each control, where a default was assumed."""
    assumed = player.list_script_items(example.model_copy(update={"pinned": False}))
    written = parse_gesture(example.gesture)
    places: dict[str, tuple[str, int]] = {}
    for before, after in zip(written, assumed, strict=True):
        control = format_control_name(after)
        if (
            control is None
            or isinstance(after, ScriptedModeSwitch)
            or isinstance(before, ScriptedModeSwitch)
        ):
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
        if own != device or (number != channel and _has_channel(control))
    )
    return example.model_copy(update={"device": device, "channel": channel, "controls": controls})


def _has_channel(control: str) -> bool:
    return control.split(" ", 1)[0] in CONTROL_CLASSES_WITH_CHANNEL


def _list_expected_devices(expected: tuple[ExpectedAction, ...]) -> Iterator[str]:
    for action in expected:
        yield from _list_device_names(action.fields)


def _list_device_names(item: Any) -> Iterator[str]:
    """Yield the device names in the fields of an action."""
    if isinstance(item, list | tuple):
        for each in cast("list[Any]", item):
            yield from _list_device_names(each)
    elif isinstance(item, dict):
        for key, each in cast(JsonObject, item).items():
            if key in ("port", "device") and isinstance(each, str):
                yield each
            else:
                yield from _list_device_names(each)
