"""Decides which changes must not be approved by a form in an agent's client, where the
agent could answer the form.

Every kind of action that is not listed here as harmless must be approved in the window, so that a new kind
is never forgotten. Typing is checked over the whole config, because one control may type a line and
another may press Enter.
"""

import ipaddress
import json
from collections.abc import Iterable, Iterator
from typing import Any

from conductor.base.invisible_chars import EMOJI_SELECTOR, RARE_SPACES, has_hidden
from conductor.domain.actions import Action, walk_actions
from conductor.domain.actions.keystroke import KeystrokeAction
from conductor.domain.actions.midi_forward import MidiForwardAction
from conductor.domain.actions.osc_send import OscSendAction
from conductor.domain.actions.send_midi import SendMidiAction
from conductor.domain.actions.text import TextAction
from conductor.domain.change_kinds import Change
from conductor.domain.config import Config, Mapping
from conductor.domain.devices import SOFTWARE_PORT_NAMES, ExactName, NameContains
from conductor.domain.keys import MODIFIER_KEYS
from conductor.domain.plan import HistoryStep, RestoreVersion
from conductor.domain.value import convert_to_plain

PROGRAM_ACTION_TYPES = ("Shell", "Launch")
HARMLESS_ACTION_TYPES = (
    "Sequence",
    "Delay",
    "Repeat",
    "Conditional",
    "VolumeControl",
    "ModeChange",
    "SetVariable",
    "Led",
    "MouseMove",
    "MouseScroll",
)
LOOPBACK_PORT_WORDS = (
    "through",
    "thru",
    "loop",
    "iac",
    "virtual",
    "conductor",
    "network",
    "rtp",
    "bus ",
)
"""Words that occur in the names of ports that return messages to their sender."""
LOOPBACK_PORT_NAMES = (
    *SOFTWARE_PORT_NAMES,
    "Conductor In",
    "Midi Through Port-0",
    "loopMIDI Port",
    "IAC Driver Bus 1",
)
ENTER_KEYS = ("enter", "numenter")
READLINE_ENTER_KEYS = ("j", "m", "o")
"""Letters that act as Enter in a terminal if they are pressed together with Ctrl."""
TYPING_KEYS = ("space", "plus", "minus", "numadd", "numsub", "nummul", "numdiv", "numdecimal")
COMMAND_MODIFIERS = ("ctrl", "cmd", "super")
"""Modifiers with which a letter is a shortcut and not text. Alt is missing, because it types
letters on many layouts."""
ProposedChanges = tuple[Change, ...] | HistoryStep | RestoreVersion


def list_window_only_reasons(old: Config, new: Config, changes: ProposedChanges) -> tuple[str, ...]:
    """Return the reasons why a change must be approved in the window or a terminal; empty if a form is enough.

    A form is shown by the client of an agent.
    """
    found = (
        *_list_kind_reasons(changes),
        *_list_setting_reasons(old, new),
        *_list_mapping_reasons(old, new),
        *_list_program_trigger_reasons(old, new),
    )
    return tuple(dict.fromkeys(found))


def _list_kind_reasons(changes: ProposedChanges) -> Iterator[str]:
    if isinstance(changes, HistoryStep | RestoreVersion):
        yield "it goes to another version of the config, which may delete something"
        return
    for change in changes:
        if change.change_type.startswith("Delete") or change.change_type == "ReplaceConfig":
            yield "it deletes something"


def _list_setting_reasons(old: Config, new: Config) -> Iterator[str]:
    before, after = old.settings, new.settings
    if (
        before.engine != after.engine
        or before.ui.start_at_login != after.ui.start_at_login
        or (old.llm, old.skills, old.knowledge) != (new.llm, new.skills, new.knowledge)
    ):
        yield "it changes settings of the engine, the assistant or the start"


def find_changed_actions(old: Config, new: Config) -> list[Action]:
    """Return the actions of all mappings that are new, changed, or moved to another mode or profile."""
    # An edit keeps the objects of unchanged mappings, which are skipped, because serializing a
    # thousand mappings is slow.
    shared = {(place, id(row)) for place, row in _iterate_placed_mappings(old)}
    fresh = [
        (place, row)
        for place, row in _iterate_placed_mappings(new)
        if (place, id(row)) not in shared
    ]
    places = {place for place, _ in fresh}
    known = {
        _build_row_key(place, row)
        for place, row in _iterate_placed_mappings(old)
        if place in places
    }
    return [row.action for place, row in fresh if _build_row_key(place, row) not in known]


def _list_mapping_reasons(old: Config, new: Config) -> Iterator[str]:
    changed = find_changed_actions(old, new)
    may_start = any(_starts_program(row.action) for _, row in _iterate_placed_mappings(new))
    for part in _walk_actions(changed):
        yield from _list_action_reasons(part, new, may_start=may_start)
    every = [row.action for _, row in _iterate_placed_mappings(new)]
    if (
        _any_action_matches(_types_text, changed) and _any_action_matches(_submits_line, every)
    ) or (_any_action_matches(_submits_line, changed) and _any_action_matches(_types_text, every)):
        yield "typed text and Enter together could run a command line"


def _list_action_reasons(part: Action, config: Config, *, may_start: bool) -> Iterator[str]:
    match part:
        case TextAction():
            if has_line_end(part):
                yield "it types a text that ends a line or has invisible characters"
        case KeystrokeAction():
            return
        case OscSendAction():
            if _may_reach_this_computer(part.host, config):
                yield "it may send OSC to this computer, where it could start something"
        case SendMidiAction() | MidiForwardAction():
            if may_start or _may_return_messages(part.port, config):
                yield "it sends MIDI that may come back and start something"
        case _ if part.type in PROGRAM_ACTION_TYPES:
            yield f"it starts a program ({part.type})"
        case _ if part.type == "Plugin":
            yield "it calls a tool of another program (Plugin)"
        case _ if part.type == "MouseClick":
            yield "it clicks on whatever is under the pointer"
        case _ if part.type not in HARMLESS_ACTION_TYPES:
            yield f"a form does not approve {part.type} actions"
        case _:
            return


def _list_program_trigger_reasons(old: Config, new: Config) -> Iterator[str]:
    """Yield a reason if a changed mapping, mode or device gives the user another way to start a program.

    This concerns mappings that start programs and are themselves unchanged.
    """
    if not any(_starts_program(row.action) for _, row in _iterate_placed_mappings(new)):
        return
    kept = {place for place, row in _iterate_placed_mappings(old) if _starts_program(row.action)}
    now = {place for place, row in _iterate_placed_mappings(new) if _starts_program(row.action)}
    if (
        old.devices != new.devices
        or [(profile.match, profile.mode, profile.enabled) for profile in old.profiles]
        != [(profile.match, profile.mode, profile.enabled) for profile in new.profiles]
        or kept != now
    ):
        yield "it changes what can set off a mapping that starts a program"


def _iterate_placed_mappings(config: Config) -> Iterator[tuple[str, Mapping]]:
    for place, _, row in config.list_all_mappings():
        yield place, row


def _build_row_key(place: str, row: Mapping) -> str:
    return f"{place} {json.dumps(convert_to_plain(row), sort_keys=True)}"


def types_and_submits(action: Action) -> bool:
    """Return whether an action both types text and presses Enter, in any order, because
    the action may be repeated.
    """
    parts = (action,)
    return _any_action_matches(_types_text, parts) and _any_action_matches(_presses_enter, parts)


def _walk_actions(actions: Iterable[Action]) -> Iterator[Action]:
    for action in actions:
        yield from walk_actions(action)


def _any_action_matches(check: Any, actions: Iterable[Action]) -> bool:
    return any(check(part) for part in _walk_actions(actions))


def _starts_program(action: Action) -> bool:
    return any(
        part.type in (*PROGRAM_ACTION_TYPES, "Plugin")
        or (isinstance(part, TextAction) and has_line_end(part))
        for part in walk_actions(action)
    )


def has_line_end(action: TextAction) -> bool:
    """Return whether an action types line ends, which a terminal would run, or hidden characters."""
    return has_hidden(action.text, keep=f"\t{EMOJI_SELECTOR}{RARE_SPACES}")


def _types_text(part: Action) -> bool:
    if not isinstance(part, KeystrokeAction):
        return isinstance(part, TextAction)
    keys = set(part.keys)
    if keys.intersection(COMMAND_MODIFIERS):
        return "v" in keys  # these keys paste the clipboard, which may contain anything
    return (
        any(
            key not in MODIFIER_KEYS and (len(key) == 1 or key in TYPING_KEYS or key[3:].isdigit())
            for key in keys
        )
        or {"shift", "insert"} <= keys
    )


def _submits_line(part: Action) -> bool:
    return _presses_enter(part) or (isinstance(part, TextAction) and has_line_end(part))


def _presses_enter(part: Action) -> bool:
    if not isinstance(part, KeystrokeAction):
        return False
    keys = set(part.keys)
    control = keys.intersection(("ctrl", "cmd"))
    return bool(
        keys.intersection(ENTER_KEYS) or (control and keys.intersection(READLINE_ENTER_KEYS))
    )


def _may_reach_this_computer(host: str, config: Config) -> bool:
    """Return whether OSC messages to a host may reach this computer; a host name may mean any address."""
    listens = config.settings.engine
    is_closed = listens.osc_port is None or listens.osc_host in ("127.0.0.1", "::1", "localhost")
    return not is_closed or _is_this_computer(host)


def _is_this_computer(host: str) -> bool:
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return True
    address = getattr(address, "ipv4_mapped", None) or address
    return address.is_loopback or address.is_unspecified


def _may_return_messages(port: str, config: Config) -> bool:
    """Return whether messages that are sent to a MIDI output may come back to Conductor."""
    alias = next((device for device in config.devices if device.alias == port), None)
    if alias is None:
        return _is_loopback_port(port, config)
    return any(
        not isinstance(matcher, NameContains | ExactName)
        or _is_loopback_port(matcher.pattern, config)
        for matcher in alias.matchers
    )


def _is_loopback_port(name: str, config: Config) -> bool:
    """Return whether the name of a port, or a part of it, may mean a port that
    returns messages to the sender.
    """
    part, engine = name.casefold(), config.settings.engine
    ours = (*LOOPBACK_PORT_NAMES, engine.virtual_input, engine.virtual_output)
    return returns_messages(name) or any(part in own.casefold() for own in ours)


def returns_messages(port_name: str) -> bool:
    """Return whether the full name of a port says that the port returns messages to the sender."""
    return any(word in port_name.casefold() for word in LOOPBACK_PORT_WORDS)
