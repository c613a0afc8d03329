"""Lists what a replay cannot test about a change: inputs, apps, devices and programs that were not recorded."""

from collections.abc import Iterator, Sequence

from conductor.domain.config import Config
from conductor.domain.events import InputEvent
from conductor.domain.recording import Segment
from conductor.engine.watched_apps import depends_on_app, depends_on_window_title


def list_uncovered_parts(old: Config, new: Config, segments: Sequence[Segment]) -> tuple[str, ...]:
    """Return a sentence for each part of a change that no replay of the recorded segments can test."""
    return tuple(_find_uncovered_parts(old, new, segments))


def _find_uncovered_parts(old: Config, new: Config, segments: Sequence[Segment]) -> Iterator[str]:
    before, after = old.settings.engine, new.settings.engine
    if after.open_inputs == "all" and before.open_inputs == "configured":
        yield "MIDI inputs without an alias would be opened; what they send was not recorded."
    if after.osc_port is not None and (before.osc_port, before.osc_host) != (
        after.osc_port,
        after.osc_host,
    ):
        yield f"OSC would be received on port {after.osc_port}; nothing was recorded there."
    if after.gamepads and not before.gamepads:
        yield "Gamepads would be read; what they do was not recorded."
    if after.virtual_input != before.virtual_input and after.virtual_input:
        yield (
            f"The MIDI input `{after.virtual_input}` would be new; programs that send to"
            f" `{before.virtual_input}` have to connect to it."
            if before.virtual_input
            else f"The MIDI input `{after.virtual_input}` would be new."
        )
    if after.virtual_output != before.virtual_output and after.virtual_output:
        yield (
            f"The MIDI output `{after.virtual_output}` would be new; programs have to connect to it."
        )
    if after.action_timeout_s != before.action_timeout_s:
        yield (
            f"Actions would be stopped after {after.action_timeout_s:g} s instead of"
            f" {before.action_timeout_s:g} s."
        )
    yield from _find_unrecorded_apps(old, new, segments)
    yield from _find_unrecorded_devices(old, new, segments)


def _find_unrecorded_apps(old: Config, new: Config, segments: Sequence[Segment]) -> Iterator[str]:
    if not depends_on_app(new) or not segments:
        return
    apps = [segment.start.app for segment in segments] + [
        entry.input.data
        for segment in segments
        for entry in segment.entries
        if isinstance(entry.input, InputEvent) and entry.input.kind == "app"
    ]
    is_changed = not depends_on_app(old) or old.profiles != new.profiles
    if not any(any(app) for app in apps):
        if is_changed:
            yield "Which app was in front was not recorded, so profiles and app conditions are not shown."
    elif (
        depends_on_window_title(new)
        and not depends_on_window_title(old)
        and not any(app[2] for app in apps)
    ):
        yield "Window titles were not recorded, so conditions on them are not shown."


def _find_unrecorded_devices(
    old: Config, new: Config, segments: Sequence[Segment]
) -> Iterator[str]:
    """Yield a sentence for each new or changed alias that no recorded input matches."""
    old_matchers = {device.alias: device.matchers for device in old.devices}
    ports = [device.port for segment in segments for device in segment.devices]
    for device in new.devices:
        if (
            old_matchers.get(device.alias) == device.matchers
            or device.matchers in old_matchers.values()
        ):
            continue
        if not any(device.get_match_specificity(port) for port in ports):
            yield f"No recorded device matches the alias `{device.alias}`."
