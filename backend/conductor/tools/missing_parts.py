"""Warns of actions whose MIDI output, program or listener is not there now. Never an error: it may come."""

import ipaddress
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from conductor.domain.actions import Action, parts_of
from conductor.domain.actions.launch import LaunchAction
from conductor.domain.actions.led import LedAction
from conductor.domain.actions.midi_forward import MidiForwardAction
from conductor.domain.actions.osc_send import OscSendAction
from conductor.domain.actions.send_midi import SendMidiAction
from conductor.domain.actions.shell import ShellAction
from conductor.domain.config import Config
from conductor.domain.validate import Problem, did_you_mean, placed


class Output(NamedTuple):
    """A MIDI output that is there, by both of its names."""

    alias: str
    name: str


class Surroundings(NamedTuple):
    """What of this computer actions need, looked up when an action needs it; None where it is not known."""

    outputs: Callable[[], Sequence[Output] | None]
    udp_ports: Callable[[], frozenset[int] | None]
    why_not_launched: Callable[[str], str | None]
    why_not_run: Callable[[str], str | None]


def missing_parts(config: Config, around: Surroundings) -> Iterator[Problem]:
    """Return a warning for each action that would fail on this computer as it is now."""
    known: dict[tuple[str, str], str | None] = {}
    for path, mapping in placed(config):
        for action in parts_of(mapping.action):
            wanted = _wanted(action)
            if wanted is None:
                continue
            if wanted not in known:  # a config may have one app a hundred times
                known[wanted] = _why(*wanted, config, around)
            message = known[wanted]
            if message is not None:
                yield Problem(path=f"{path}.action", message=message)


def _wanted(action: Action) -> tuple[str, str] | None:
    match action:
        case SendMidiAction() | MidiForwardAction():
            return "output", action.port
        case LedAction():
            return "output", action.device
        case LaunchAction():
            return "app", action.app
        case ShellAction():
            return "program", action.argv[0]
        case OscSendAction() if _is_here(action.host):
            return "udp", str(action.port)
        case _:
            return None


def _why(kind: str, name: str, config: Config, around: Surroundings) -> str | None:
    match kind:
        case "output":
            return _no_output(name, config, around.outputs())
        case "app":
            return around.why_not_launched(name)
        case "program":
            return around.why_not_run(name)
        case _:
            return _nobody_listens(int(name), around.udp_ports())


def _no_output(name: str, config: Config, outputs: Sequence[Output] | None) -> str | None:
    if outputs is None:
        return None
    part, own = name.casefold(), config.settings.engine.virtual_output
    names = [one.name for one in outputs] + ([own] if own else [])
    if any(name == one.alias for one in outputs) or any(part in one.casefold() for one in names):
        return None
    if any(one.alias == name for one in config.devices):
        return f"no MIDI output of the device `{name}` is connected now"
    aliases = [one.alias for one in outputs if one.alias not in names]
    hint = did_you_mean(name, [*names, *aliases]) or "; there is none"
    return f"no MIDI output is called `{name}` now{hint}"


def _nobody_listens(port: int, ports: frozenset[int] | None) -> str | None:
    if ports is None or port in ports:
        return None
    return f"no program on this computer listens on UDP port {port} now: start it, or look up its OSC port"


def _is_here(host: str) -> bool:
    if host.casefold() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
