"""Finds actions whose MIDI output, program or UDP listener is missing on this computer.

The results are warnings instead of errors, because an output or program may appear later.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from conductor.base.loopback import is_loopback_host
from conductor.base.suggestions import format_suggestion
from conductor.domain.actions import Action, walk_actions
from conductor.domain.actions.launch import LaunchAction
from conductor.domain.actions.led import LedAction
from conductor.domain.actions.midi_forward import MidiForwardAction
from conductor.domain.actions.osc_send import OscSendAction
from conductor.domain.actions.send_midi import SendMidiAction
from conductor.domain.actions.shell import ShellAction
from conductor.domain.config import Config
from conductor.domain.lights import Light
from conductor.domain.validate import Problem, iterate_placed_mappings
from conductor.profiles.catalog import ProfileCatalog
from conductor.profiles.light_check import explain_unlit


class MidiOutput(NamedTuple):
    """A MIDI output that can be used, with its two names."""

    alias: str
    name: str


class ComputerLookups(NamedTuple):
    """Functions that look up on this computer what actions need: MIDI outputs, UDP listeners, apps,
    programs and lights.
    """

    outputs: Callable[[], Sequence[MidiOutput] | None]
    """Returns the MIDI outputs, or None if they are not known."""
    udp_ports: Callable[[], frozenset[int] | None]
    """Returns the UDP ports on which local programs listen, or None if they are not known."""
    why_not_launched: Callable[[str], str | None]
    """Returns why an app cannot be started, or None if it can."""
    why_not_run: Callable[[str], str | None]
    """Returns why a program cannot be run, or None if it can."""
    why_not_lit: Callable[[Config, str, Light], str | None]
    """Returns why a device cannot show a light, or None if it can."""


def find_missing_parts(config: Config, lookups: ComputerLookups) -> Iterator[Problem]:
    """Yield a warning for each action that would fail on this computer now."""
    known: dict[tuple[str, str], str | None] = {}
    for path, mapping in iterate_placed_mappings(config):
        for action in walk_actions(mapping.action):
            requirement = _find_required_part(action)
            if isinstance(action, LedAction):
                message = lookups.why_not_lit(config, action.device, action.light)
                if message is not None:
                    yield Problem(path=f"{path}.action", message=message)
            if requirement is None:
                continue
            # looked up once, because a config may contain the same app a hundred times
            if requirement not in known:
                known[requirement] = _explain_missing_part(*requirement, config, lookups)
            message = known[requirement]
            if message is not None:
                yield Problem(path=f"{path}.action", message=message)


def explain_unlit_device(
    catalog: ProfileCatalog,
    config: Config,
    device: str,
    light: Light,
    outputs: Sequence[MidiOutput],
) -> str | None:
    """Return why a device cannot show a light, or None if it can.

    `device` is the alias of the device or the name of an output.
    """
    part = device.casefold()
    ports = [
        output.name
        for output in outputs
        if device == output.alias or part in output.name.casefold()
    ]
    return explain_unlit(catalog, config, device, light, ports)


def _find_required_part(action: Action) -> tuple[str, str] | None:
    match action:
        case SendMidiAction() | MidiForwardAction():
            return "output", action.port
        case LedAction():
            return "output", action.device
        case LaunchAction():
            return "app", action.app
        case ShellAction():
            return "program", action.argv[0]
        case OscSendAction() if is_loopback_host(action.host):
            return "udp", str(action.port)
        case _:
            return None


def _explain_missing_part(
    kind: str, name: str, config: Config, lookups: ComputerLookups
) -> str | None:
    match kind:
        case "output":
            return _explain_missing_output(name, config, lookups.outputs())
        case "app":
            return lookups.why_not_launched(name)
        case "program":
            return lookups.why_not_run(name)
        case _:
            return _explain_missing_listener(int(name), lookups.udp_ports())


def _explain_missing_output(
    name: str, config: Config, outputs: Sequence[MidiOutput] | None
) -> str | None:
    if outputs is None:
        return None
    part, own = name.casefold(), config.settings.engine.virtual_output
    # Where there is no output at all, not even Conductor's own could be opened.
    names = [output.name for output in outputs] + ([own] if own and outputs else [])
    if any(name == output.alias for output in outputs):
        return None
    if any(part in known.casefold() for known in names):
        return None
    if any(device.alias == name for device in config.devices):
        return f"no MIDI output of the device `{name}` is connected now"
    aliases = [output.alias for output in outputs if output.alias not in names]
    hint = format_suggestion(name, [*names, *aliases]) or "; there are no outputs"
    return f"no MIDI output is called `{name}` now{hint}"


def _explain_missing_listener(port: int, ports: frozenset[int] | None) -> str | None:
    if ports is None or port in ports:
        return None
    return f"no program on this computer listens on UDP port {port} now: start it, or check its OSC port"
