"""Finds mistakes in a config that its schema cannot express, such as unknown names and impossible gestures.

`Report.to_summary` is what `conductor validate --json` prints: `valid`, `errors`, `warnings`, `coverage`.
"""

import difflib
from collections.abc import Iterator

from conductor.base.suggestions import format_suggestion
from conductor.domain.actions import walk_actions
from conductor.domain.actions.flow import ConditionalAction
from conductor.domain.actions.keystroke import KeystrokeAction
from conductor.domain.actions.led import LedAction
from conductor.domain.actions.midi_forward import MidiForwardAction
from conductor.domain.actions.mode_change import ModeChangeAction
from conductor.domain.actions.plugin import PluginAction
from conductor.domain.actions.push_to_talk import PushToTalkAction
from conductor.domain.actions.send_midi import SendMidiAction
from conductor.domain.command_checks import find_disabled_commands, find_forms_without_clients
from conductor.domain.conditions import Condition, ControlHeld, ModeIs
from conductor.domain.conditions import walk_conditions as condition_parts
from conductor.domain.config import Config, Mapping
from conductor.domain.events import CONTROL_CLASSES_WITH_CHANNEL
from conductor.domain.granted_folders import explain_too_broad_folder, warn_about_broad_folder
from conductor.domain.validate_gestures import find_ineffective_options
from conductor.domain.value import Value

PlacedMappings = tuple[tuple[str, Mapping], ...]
"""Mappings, each with its path in the config file."""
VIRTUAL_DEVICES = ("virtual", "osc")


class Problem(Value):
    """An error or a warning about a config, with its path in the file."""

    path: str
    """The path of the value in the config, such as `modes[0].mappings[3].trigger`."""
    message: str
    line: int | None = None
    first: str | None = None
    """For a duplicate, the path of the first occurrence; otherwise None."""

    def format(self) -> str:
        """Return the problem as one line of text, with its path and, if known, its line."""
        place = f"line {self.line}: " if self.line else ""
        return f"{place}{self.path}: {self.message}" if self.path else f"{place}{self.message}"


class MidiCoverage(Value):
    notes_used: int = 0
    cc_used: int = 0


class HidCoverage(Value):
    buttons_used: int = 0


class OscCoverage(Value):
    addresses_used: int = 0


class Coverage(Value):
    """Counts the different controls of each kind that a config uses."""

    midi: MidiCoverage = MidiCoverage()
    hid: HidCoverage = HidCoverage()
    osc: OscCoverage = OscCoverage()


class Report(Value):
    valid: bool
    errors: tuple[Problem, ...] = ()
    warnings: tuple[Problem, ...] = ()
    coverage: Coverage = Coverage()

    def to_summary(self) -> dict[str, object]:
        """Return the report as JSON data, in which errors and warnings are texts."""
        return {
            "valid": self.valid,
            "errors": [problem.format() for problem in self.errors],
            "warnings": [problem.format() for problem in self.warnings],
            "coverage": self.coverage.model_dump(),
        }


def format_unknown_mode(config: Config, name: str) -> str:
    """Return the error message for an unknown mode, which names the existing modes
    and suggests a similar one.
    """
    names = [mode.name for mode in config.modes]
    hint = format_suggestion(name, names)
    listed = f" Modes are {', '.join(f'`{mode}`' for mode in names)}" if "?" in hint else ""
    return f"Invalid mode: '{name[:64]}' does not exist{hint}{listed}"


def check_config(config: Config) -> Report:
    """Return all errors and warnings about a parsed config."""
    rows = tuple(iterate_placed_mappings(config))
    errors = [*_find_duplicate_names(config), *_find_unknown_modes(config, rows)]
    warnings = [
        *_find_unknown_devices(config, rows),
        *_check_gestures(rows),
        *_check_command_settings(config, rows),
        *_check_osc_mappings(config, rows),
        *_check_plugin_actions(config),
        *_check_granted_folders(config),
    ]
    return Report(
        valid=not errors,
        errors=tuple(errors),
        warnings=tuple(warnings),
        coverage=count_coverage(config),
    )


def iterate_placed_mappings(config: Config) -> Iterator[tuple[str, Mapping]]:
    """Yield each mapping in a config with its path in the file."""
    for kind, owners in (("profiles", config.profiles), ("modes", config.modes)):
        for number, owner in enumerate(owners):
            for index, mapping in enumerate(owner.mappings):
                yield f"{kind}[{number}].mappings[{index}]", mapping
    for index, mapping in enumerate(config.global_mappings):
        yield f"global_mappings[{index}]", mapping


def count_coverage(config: Config) -> Coverage:
    """Return how many different notes, controllers, buttons and addresses the mappings use."""
    used: dict[str, set[int | str]] = {}
    for _, mapping in iterate_placed_mappings(config):
        for control_class, number in mapping.trigger.list_controls():
            used.setdefault(control_class, set()).add(number)

    def count_controls(*classes: str) -> int:
        return sum(len(used.get(name, ())) for name in classes)

    return Coverage(
        midi=MidiCoverage(notes_used=count_controls("note"), cc_used=count_controls("cc")),
        hid=HidCoverage(buttons_used=count_controls("button")),
        osc=OscCoverage(addresses_used=count_controls("osc")),
    )


def _find_duplicate_names(config: Config) -> Iterator[Problem]:
    groups: tuple[tuple[str, str, list[str]], ...] = (
        ("devices", "alias", [device.alias for device in config.devices]),
        ("modes", "name", [mode.name for mode in config.modes]),
        ("profiles", "name", [profile.name for profile in config.profiles]),
    )
    for table, field, names in groups:
        remedy = (
            "give this one another alias, or add its matchers to the first"
            if table == "devices"
            else "put its mappings under it and delete this header"
        )
        first: dict[str, int] = {}
        for index, name in enumerate(names):
            if first.setdefault(name, index) != index:
                yield Problem(
                    path=f"{table}[{index}].{field}",
                    message=f"{table[:-1]} `{name}` already exists: {remedy}",
                    first=f"{table}[{first[name]}].{field}",
                )


def _find_unknown_modes(config: Config, rows: PlacedMappings) -> Iterator[Problem]:
    names = [mode.name for mode in config.modes]

    def find_missing(path: str, name: str) -> Iterator[Problem]:
        if name not in names:
            hint = format_suggestion(name, names)
            yield Problem(path=path, message=f"Invalid mode: '{name}' does not exist{hint}")

    start = config.settings.engine.start_mode
    if start is not None:
        yield from find_missing("settings.engine.start_mode", start)
    for number, profile in enumerate(config.profiles):
        if profile.mode is not None:
            yield from find_missing(f"profiles[{number}].mode", profile.mode)
    for path, mapping in rows:
        for action in walk_actions(mapping.action):
            if isinstance(action, ModeChangeAction) and action.mode is not None:
                yield from find_missing(f"{path}.action", action.mode)
        for place, condition in _iterate_conditions(path, mapping):
            if isinstance(condition, ModeIs):
                yield from find_missing(place, condition.mode)


def _iterate_conditions(path: str, mapping: Mapping) -> Iterator[tuple[str, Condition]]:
    """Yield each condition of a mapping with its path in the file."""
    for condition in mapping.trigger.when:
        for part in condition_parts(condition):
            yield f"{path}.trigger.when", part
    for action in walk_actions(mapping.action):
        if isinstance(action, ConditionalAction):
            for part in condition_parts(action.condition):
                yield f"{path}.action.condition", part


def _find_unknown_devices(config: Config, rows: PlacedMappings) -> Iterator[Problem]:
    known = [*(device.alias for device in config.devices), *VIRTUAL_DEVICES]
    for path, mapping in rows:
        named = [(f"{path}.trigger.device", mapping.trigger.device)]
        for place, condition in _iterate_conditions(path, mapping):
            if isinstance(condition, ControlHeld):
                named.append((place, condition.device))
        for place, name in named:
            if name is not None and name not in known and not name.startswith("raw:"):
                near = difflib.get_close_matches(name, VIRTUAL_DEVICES, n=1, cutoff=0.6)
                aliases = [alias for alias in known if alias not in VIRTUAL_DEVICES]
                hint = format_suggestion(name, [*aliases, *near])
                yield Problem(path=place, message=f"no device is called `{name}`{hint}")


def _check_gestures(rows: PlacedMappings) -> Iterator[Problem]:
    yield from (Problem(path=path, message=why) for path, why in find_ineffective_options(rows))
    for path, mapping in rows:
        trigger = mapping.trigger
        if (
            trigger.channel is not None
            and trigger.list_controls()[0][0] not in CONTROL_CLASSES_WITH_CHANNEL
        ):
            yield Problem(path=f"{path}.trigger.channel", message=f"{trigger.type} has no channel")
        for action in walk_actions(mapping.action):
            if not trigger.can_be_held() and _needs_release(action):
                message = (
                    f"{trigger.type} is never released, so `{action.type}` cannot wait for that"
                )
                yield Problem(path=f"{path}.action", message=message)
            if isinstance(action, MidiForwardAction | LedAction):
                yield from _check_forwarding(path, mapping, action)


def _check_forwarding(
    path: str, mapping: Mapping, action: MidiForwardAction | LedAction
) -> Iterator[Problem]:
    control_class = mapping.trigger.list_controls()[0][0]
    is_midi = control_class in CONTROL_CLASSES_WITH_CHANNEL or control_class == "sysex"
    if isinstance(action, MidiForwardAction) and not is_midi:
        yield Problem(
            path=f"{path}.action", message=f"{mapping.trigger.type} has no MIDI message to forward"
        )


def _needs_release(action: object) -> bool:
    if isinstance(action, KeystrokeAction):
        return action.hold == "while_held"
    if isinstance(action, SendMidiAction):
        return action.holds_note
    if isinstance(action, ModeChangeAction):
        return action.behaviour == "momentary"
    if isinstance(action, PushToTalkAction):
        return True
    return bool(getattr(action, "until_release", False))


def _check_osc_mappings(config: Config, rows: PlacedMappings) -> Iterator[Problem]:
    if config.settings.engine.osc_port is not None:
        return
    for path, mapping in rows:
        if mapping.trigger.type == "OscMessage":
            message = "OSC is not received; set `settings.engine.osc_port`, for example to 9001"
            yield Problem(path=f"{path}.trigger", message=message)


def _check_command_settings(config: Config, rows: PlacedMappings) -> Iterator[Problem]:
    for path, message in (
        *find_disabled_commands(config, rows),
        *find_forms_without_clients(config),
    ):
        yield Problem(path=path, message=message)


def find_plugin_actions(config: Config) -> Iterator[tuple[str, PluginAction]]:
    """Yield each action that calls a tool of an MCP server, with its path in the file."""
    for path, mapping in iterate_placed_mappings(config):
        for action in walk_actions(mapping.action):
            if isinstance(action, PluginAction):
                yield f"{path}.action", action


def _check_plugin_actions(config: Config) -> Iterator[Problem]:
    on = config.skills.servers
    for path, action in find_plugin_actions(config):
        if action.server not in on:
            near = difflib.get_close_matches(action.server, on, n=1, cutoff=0.6)
            hint = f" - did you mean `{near[0]}`?" if near else ""
            message = (
                f"the MCP server `{action.server}` is not switched on{hint}"
                " (Settings > MCP servers, or `skills.servers`)"
            )
            yield Problem(path=path, message=message)


def _check_granted_folders(config: Config) -> Iterator[Problem]:
    for index, folder in enumerate(config.skills.folders):
        message = explain_too_broad_folder(folder) or warn_about_broad_folder(folder)
        if message is not None:
            yield Problem(path=f"skills.folders[{index}]", message=message)
