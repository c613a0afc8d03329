"""Parses slash commands such as `/map pad 1 to cmd+c`.

A command becomes a text or a tool call. The executor runs that call and creates the same plan as for the
call of a model. The result depends only on the config, the active mode and the recent input events.
"""

import difflib
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, get_args

from pydantic import ValidationError

from conductor.agent.slash.action import ACTION_EXAMPLES as ACTIONS
from conductor.agent.slash.answer import (
    SlashAnswer,
    SlashCall,
    SlashCommand,
    SlashSkill,
    SlashText,
    SlashView,
    WindowView,
)
from conductor.agent.slash.context import CommandContext
from conductor.agent.slash.do import plan_named_action
from conductor.agent.slash.lexer import SlashSyntaxError, WordReader, split_words
from conductor.agent.slash.map import map_control, move_mapping, unmap_control
from conductor.agent.slash.scope import MappingPlace, list_mappings
from conductor.agent.slash.trigger import TRIGGER_EXAMPLES as TRIGGERS
from conductor.base.suggestions import format_suggestion
from conductor.config.explain_invalid import explain_invalid
from conductor.domain.config import Config
from conductor.domain.control_names import NO_CONTROL_NAMES, ControlNames
from conductor.domain.events import InputEvent
from conductor.tools.catalog import REGISTRY

MAX_COMMAND_LENGTH = 4_000
RAW_DEVICE_PREFIX = "raw:"


class _CommandRow(NamedTuple):
    """A slash command with its description, its examples and the function that parses its arguments."""

    command: SlashCommand
    read: Callable[[WordReader, CommandContext], SlashAnswer]


def is_slash_command(text: str) -> bool:
    """Return whether a message starts with a slash command. A message that starts with a path does not."""
    first = text.lstrip().split(maxsplit=1)[:1]
    return bool(first) and first[0].startswith("/") and "/" not in first[0][1:]


def parse_command(
    text: str,
    config: Config,
    events: Sequence[InputEvent],
    names: ControlNames = NO_CONTROL_NAMES,
    mode: str = "",
) -> SlashAnswer:
    """Parse a slash command. `events` are the recent input events, oldest first; `names` are the names that
    are printed on the controls; `mode` is the active mode, to which a new mapping is added.

    An invalid command never raises an exception. The result is then a text that explains the mistake.
    """
    words = WordReader(split_words(text[:MAX_COMMAND_LENGTH].strip().removeprefix("/")))
    if not words:
        return SlashText(text=_format_help())
    name = words.words.pop(0).get_casefolded_text()
    row = _COMMAND_ROWS.get(_COMMAND_ALIASES.get(name, name))
    if row is None:
        return SlashText(text=_describe_unknown_command(name), ok=False)
    try:
        answer = row.read(words, CommandContext(config, events, names, mode=mode))
        words.require_no_more_words()
        if isinstance(answer, SlashCall):
            _validate_call(answer)
    except SlashSyntaxError as unclear:
        usage = f"`{row.command.name} {row.command.usage}`".replace(" `", "`")
        return SlashText(text=f"{format_sentence(str(unclear))}\n\n{usage}", ok=False)
    return answer


def _validate_call(call: SlashCall) -> None:
    """Check the arguments of a tool call that a command produced.

    Raises:
        SlashSyntaxError: The tool would reject the arguments, for example a name that looks like a path.
    """
    tool = REGISTRY.find_tool(call.tool)
    if tool is None:
        raise SlashSyntaxError(f"there is no tool {call.tool}")
    try:
        tool.params.model_validate(call.arguments)
    except ValidationError as error:
        raise SlashSyntaxError(explain_invalid(error, tool.params.model_fields)) from None


def format_sentence(text: str) -> str:
    """Return the text with a capital first letter and a full stop at the end of its first line."""
    first, _, rest = text.partition("\n")
    first = first[:1].upper() + first[1:]
    first = first if first.endswith((".", "?", ":", "!")) else f"{first}."
    return f"{first}\n{rest}" if rest else first


def _describe_unknown_command(name: str) -> str:
    near = difflib.get_close_matches(name, [*_COMMAND_ROWS, *_COMMAND_ALIASES], n=1, cutoff=0.6)
    hint = f"Did you mean `/{near[0]}`?" if near else "`/help` lists them."
    return f"There is no command `/{name[:40]}`. {hint}"


def _parse_help_command(words: WordReader, _context: CommandContext) -> SlashAnswer:
    if not words:
        return SlashText(text=_format_help())
    name = words.take_word("").get_casefolded_text().removeprefix("/")
    row = _COMMAND_ROWS.get(_COMMAND_ALIASES.get(name, name))
    if row is None:
        return SlashText(text=_describe_unknown_command(name), ok=False)
    command = row.command
    lines = [f"`{command.name} {command.usage}`".replace(" `", "`"), command.help]
    if command.name == "/map":
        lines += [f"Controls: {TRIGGERS}.", f"Actions: {ACTIONS}; `then` makes a sequence."]
    lines += [f"- `{example}`" for example in command.examples]
    return SlashText(text="\n\n".join(lines[:2]) + "\n\n" + "\n".join(lines[2:]))


def _format_help() -> str:
    rows = [row.command for row in _COMMAND_ROWS.values()]
    lines = [f"- `{row.name} {row.usage}`: {row.help}".replace(" `:", "`:") for row in rows]
    return "These commands need no model:\n\n" + "\n".join(lines)


def _parse_mode_command(words: WordReader, context: CommandContext) -> SlashAnswer:
    operation = words.take_phrase(
        "new", "create", "add", "delete", "remove", "rename", "color", "colour"
    )
    match operation:
        case "new" | "create" | "add":
            return _parse_mode_creation(words)
        case "delete" | "remove":
            name = context.require_mode_to_change(words.take_remaining_text("the mode's name"))
            return _build_tool_call("delete_mode", f"Delete mode {name}", mode=name)
        case "rename":
            before = words.split_at_first_word("to", "->")
            if before is None:
                raise SlashSyntaxError("write `/mode rename Live to Stage`")
            old = context.require_mode_to_change(before.take_remaining_text("the mode's name"))
            new = words.take_remaining_text("the new name")
            return _build_tool_call(
                "update_mode", f"Rename mode {old} to {new}", mode=old, new_name=new
            )
        case "color" | "colour":
            color = words.words.pop().text if len(words.words) > 1 else None
            if color is None:
                raise SlashSyntaxError("write `/mode color Live red`")
            name = context.require_mode_to_change(words.take_remaining_text("the mode's name"))
            return _build_tool_call(
                "update_mode", f"Change the color of mode {name} to {color}", mode=name, color=color
            )
        case _:
            raise SlashSyntaxError(
                "say what to do: new, delete, rename or color; `/switch <mode>` activates one"
            )


NEW_MODE_COLORS = ("blue", "green", "red", "yellow", "purple", "orange", "white", "cyan", "pink")


def _parse_mode_creation(words: WordReader) -> SlashAnswer:
    color = words.take_last_phrase(*NEW_MODE_COLORS) if len(words.words) > 1 else None
    name = words.take_remaining_text("the new mode's name")
    colored = {} if color is None else {"color": color}
    return _build_tool_call("create_mode", f"Create mode {name}", name=name, **colored)


def _parse_mode_switch(words: WordReader, context: CommandContext) -> SlashAnswer:
    words.take_phrase("to mode", "to", "mode")
    name = context.require_mode(words.take_remaining_text("the mode's name"))
    return _build_tool_call("switch_mode", f"Switch to mode {name}", mode=name)


def _parse_alias_command(words: WordReader, context: CommandContext) -> SlashAnswer:
    if len(words.words) < 2:
        raise SlashSyntaxError(
            'write `/alias pads for that`, or `/alias pads for "Maschine Mikro"`'
        )
    alias = words.take_word("the alias").text
    words.take_phrase("for", "is", "=", "to", "->")
    part = words.take_remaining_text("the device's name, or a part of it")
    matcher = {"type": "NameContains", "pattern": part}
    if part.casefold() in ("that", "this"):
        device = context.find_last_device()
        if device is None or not device.startswith(RAW_DEVICE_PREFIX):
            raise SlashSyntaxError(_require_alias(device))
        matcher = {"type": "ExactName", "pattern": device.removeprefix(RAW_DEVICE_PREFIX)}
    if any(device.alias == alias for device in context.config.devices):
        raise SlashSyntaxError(f"device `{alias}` already exists; choose another alias")
    request = f"Name the device {matcher['pattern']} {alias}"
    return _build_tool_call("create_device_identity", request, alias=alias, matchers=[matcher])


def _require_alias(device: str | None) -> str:
    if device is None:
        return "no device was used recently: touch it, then send the command again"
    return f"the last used device is already called `{device}`"


def _parse_explain_command(words: WordReader, _context: CommandContext) -> SlashAnswer:
    words.take_phrase("last event", "last", "that", "this")
    if not words:
        return _build_tool_call("explain_event", "Explain the last event", "monitor")
    number = words.take_number("an event's number", 0, 99_999)
    return _build_tool_call("explain_event", f"Explain event {number}", "monitor", sequence=number)


def _parse_learn_command(words: WordReader, _context: CommandContext) -> SlashAnswer:
    words.take_phrase("for")
    duration = words.take_duration_ms()
    if duration is not None and not 100 <= duration <= 600_000:
        raise SlashSyntaxError("MIDI Learn listens for 0.1 to 600 seconds: `/learn 10 s`")
    time = {} if duration is None else {"timeout_ms": duration}
    return _build_tool_call("start_midi_learn", "Start MIDI Learn", "learn", **time)


def _build_history_parser(step: str) -> Callable[[WordReader, CommandContext], SlashAnswer]:
    request = {"undo": "Undo the last change", "redo": "Redo the last undone change"}[step]
    return lambda _words, _context: _build_tool_call(step, request, "history")


def _parse_devices_command(_words: WordReader, _context: CommandContext) -> SlashAnswer:
    return _build_tool_call("list_device_bindings", "List the devices", "devices")


def _parse_status_command(_words: WordReader, _context: CommandContext) -> SlashAnswer:
    return _build_tool_call("get_status", "Show the status")


def _parse_plans_command(_words: WordReader, _context: CommandContext) -> SlashAnswer:
    return _build_tool_call("list_plans", "List the plans", "plans")


def _parse_shell_command(words: WordReader, _context: CommandContext) -> SlashAnswer:
    word = words.take_phrase("on", "off")
    if word is None:
        raise SlashSyntaxError("write `/shell on` or `/shell off`")
    settings = {"engine": {"allow_shell": word == "on"}}
    return _build_tool_call(
        "update_settings", f"Turn Shell actions {word}", "settings", settings=settings
    )


def _parse_open_command(words: WordReader, _context: CommandContext) -> SlashAnswer:
    name = words.take_remaining_text("the view").casefold()
    if name not in get_args(WindowView):
        raise SlashSyntaxError(
            f"the window has no view `{name[:40]}`{format_suggestion(name, get_args(WindowView))}"
        )
    return SlashView.model_validate({"view": name, "text": f"The window shows {name}."})


def _parse_skill_command(words: WordReader, _context: CommandContext) -> SlashAnswer:
    return SlashSkill(
        name=words.take_remaining_text("the skill's name").casefold() if words else None
    )


def _parse_mappings_command(words: WordReader, context: CommandContext) -> SlashAnswer:
    words.take_phrase("in", "of")
    words.take_phrase("mode", "profile")
    place = None
    if words:
        name = words.take_remaining_text("the mode's name")
        mode, profile = context.find_mode(name), context.find_profile(name)
        if mode is None and profile is None:
            raise SlashSyntaxError(context.describe_unknown_mode(name))
        place = MappingPlace(mode=mode) if mode is not None else MappingPlace(profile=profile)
    return SlashText(text=_format_mappings(context, place))


def _format_mappings(context: CommandContext, place: MappingPlace | None) -> str:
    lines: list[str] = []
    heading = ""
    for row in list_mappings(context.config):
        if place not in (None, row.place):
            continue
        if heading != row.place.format_phrase():
            heading = row.place.format_phrase()
            lines += ["", f"**{_format_title(heading)}**", ""]
        lines.append(f"- {row.number} {context.describe_mapping(row.mapping)}")
    if not lines:
        where = "" if place is None else f" {place.format_phrase()}"
        return f"Nothing is mapped{where} yet: `/map pad 1 to cmd+c`."
    return "\n".join(lines).strip()


def _format_title(heading: str) -> str:
    return heading[:1].upper() + heading[1:]


def _build_tool_call(
    tool: str, words: str, view: WindowView | None = None, /, **arguments: Any
) -> SlashCall:
    return SlashCall(tool=f"conductor_{tool}", arguments=arguments, words=words, view=view)


def _build_command_row(
    name: str,
    usage: str,
    text: str,
    read: Callable[[WordReader, CommandContext], SlashAnswer],
    *examples: str,
) -> tuple[str, _CommandRow]:
    command = SlashCommand(name=f"/{name}", usage=usage, help=text, examples=examples)
    return name, _CommandRow(command, read)


_COMMAND_ROWS: dict[str, _CommandRow] = dict(
    (
        _build_command_row(
            "map",
            '<control> to <action> [in <mode>] [as "description"]',
            "Plan a mapping",
            map_control,
            "/map pad 1 to cmd+c",
            "/map hold pad 36 500ms to launch firefox in Default",
            "/map that to volume from the knob",
            '/map chord 36+40 to type "hello" then wait 200 ms then key enter as "greet"',
            "/map encoder 16 clockwise on pads to volume up",
        ),
        _build_command_row("unmap", "<control> [in <mode>]", "Plan to delete a mapping", unmap_control,
             "/unmap pad 36"),
        _build_command_row("move", "<control> [in <mode>] to <mode>", "Plan to move a mapping", move_mapping,
             "/move pad 36 to everywhere", "/move #3 in Default to #1"),
        _build_command_row("do", "<name> [in <mode>]", "Plan to perform the action of a mapping once",
             plan_named_action, "/do mute microphone", "/do mode Live"),
        _build_command_row("mode", "new|delete|rename|color <name> ...", "Plan a change to the modes",
             _parse_mode_command,
             "/mode new Live red", "/mode rename Live to Stage", "/mode color Stage blue"),
        _build_command_row("switch", "<mode>", "Activate a mode now", _parse_mode_switch),
        _build_command_row("alias", "<alias> for that|<part of the port's name>", "Plan a name for a device",
             _parse_alias_command, "/alias pads for that", '/alias pads for "Maschine Mikro"'),
        _build_command_row("mappings", "[<mode>]", "List the mappings", _parse_mappings_command),
        _build_command_row("explain", "[<number>]", "Explain why the last event did or did not trigger",
             _parse_explain_command),
        _build_command_row("learn", "[10 s]", "Start MIDI Learn and suggest triggers", _parse_learn_command),
        _build_command_row("undo", "", "Plan to undo the last change", _build_history_parser("undo")),
        _build_command_row("redo", "", "Plan to redo the last undone change", _build_history_parser("redo")),
        _build_command_row("plans", "", "List the plans", _parse_plans_command),
        _build_command_row("status", "", "Show Conductor's status", _parse_status_command),
        _build_command_row("devices", "", "List the devices", _parse_devices_command),
        _build_command_row("shell", "on|off", "Plan to turn Shell actions on or off", _parse_shell_command),
        _build_command_row("open", "<view>", "Show a view of the window", _parse_open_command, "/open monitor"),
        _build_command_row("skill", "[<name>]", "Use a skill in this conversation, or list all skills",
             _parse_skill_command, "/skill conductor-midi-learn"),
        _build_command_row("help", "[<command>]", "Show the commands", _parse_help_command),
    )
)  # fmt: skip
_COMMAND_ALIASES = {"bind": "map", "unbind": "unmap", "delete": "unmap", "why": "explain", "list": "mappings",
          "modes": "mode", "device": "devices", "?": "help", "commands": "help",
          "skills": "skill"}  # fmt: skip

COMMANDS: tuple[SlashCommand, ...] = tuple(row.command for row in _COMMAND_ROWS.values())
"""All slash commands, for `/help` and for completion while the user types."""

__all__ = [
    "COMMANDS",
    "SlashAnswer",
    "SlashCall",
    "SlashCommand",
    "SlashSkill",
    "SlashText",
    "SlashView",
    "format_sentence",
    "is_slash_command",
    "parse_command",
]
