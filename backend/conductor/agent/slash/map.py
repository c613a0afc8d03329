"""Parses `/map`, `/unmap` and `/move` into tool calls that plan the change."""

from conductor.agent.slash.action import parse_action
from conductor.agent.slash.answer import SlashAnswer, SlashCall
from conductor.agent.slash.context import CommandContext
from conductor.agent.slash.lexer import SlashSyntaxError, Word, WordReader, join_words, parse_int
from conductor.agent.slash.scope import (
    LocatedMapping,
    MappingPlace,
    are_triggers_equal,
    choose_default_place,
    complete_times,
    covers_trigger,
    find_mapping,
    list_mappings,
    parse_mapping_place,
)
from conductor.agent.slash.trigger import parse_trigger
from conductor.base.json_types import JsonObject
from conductor.domain.actions import Action
from conductor.domain.actions.send_midi import SendMidiAction
from conductor.domain.phrases import describe_action
from conductor.domain.triggers import Trigger

ACTIONS_WITH_ON_PHRASE = ("light", "type", "write", "text", "run", "shell")
ACTION_SEPARATOR_WORDS = ("to", "->", "→", "=>", "=")
GERMAN_SEPARATOR_WORDS = ("auf", "nach", "zu")
"""German words for `to`, looked for second, because an English command may contain one in a name."""


def map_control(words: WordReader, context: CommandContext) -> SlashAnswer:
    """Parse `/map` into a tool call that plans a new mapping.

    If a mapping already has the trigger, the call plans a new action for that mapping instead.
    """
    before = _split_at_separator(words)
    if before is None:
        raise SlashSyntaxError(_describe_missing_separator(words, context))
    description = _extract_description(words)
    place = parse_mapping_place(before, context) or (
        parse_mapping_place(words, context) if words else None
    )
    description = description or _extract_description(words)
    before.words += _extract_device_words(words, context)
    trigger = parse_trigger(before, context)
    action = _end_note_with_press(parse_action(words, context), trigger)
    # A mapping of every mode that the control has already is meant, unless the active mode has one.
    places = [choose_default_place(context), MappingPlace()] if place is None else [place]
    target = places[0]
    found = (_find_existing_mappings(trigger, one, context) for one in places)
    existing = next(filter(None, found), [])
    trigger = complete_times(trigger, context)
    action_text = describe_action(action.to_plain())
    more: JsonObject = {} if description is None else {"description": description}
    if len(existing) > 1:
        raise SlashSyntaxError(
            f"several mappings {existing[0].place.format_phrase()} have the trigger "
            f"{context.describe_trigger(trigger)}:"
            " add `on <device>` or `channel <number>`, or edit one in the window"
        )
    if existing:
        return _build_update_call(
            existing[0], action_text, {"action": action.to_plain(), **more}, context
        )
    return SlashCall(
        tool="conductor_create_mapping",
        arguments={
            **target.build_arguments(),
            "trigger": trigger.to_plain(),
            "action": action.to_plain(),
            **more,
        },
        words=f"Map {context.describe_trigger(trigger)} to {action_text} {target.format_phrase()}",
    )


def _split_at_separator(words: WordReader) -> WordReader | None:
    """Remove the first word for `to`, and return a reader of the words before it, or None without one."""
    before = words.split_at_first_word(*ACTION_SEPARATOR_WORDS)
    return words.split_at_first_word(*GERMAN_SEPARATOR_WORDS) if before is None else before


def _describe_missing_separator(words: WordReader, context: CommandContext) -> str:
    """Return what is missing in a command without `to`, after the first words that are not understood."""
    hint = "write `/map <control> to <action>`, such as `/map pad 1 to cmd+c`"
    try:
        if words:
            parse_trigger(words, context)
    except SlashSyntaxError as error:
        return f"{error}; {hint}"
    return hint


def _end_note_with_press(action: Action, trigger: Trigger) -> Action:
    """Return a note that ends when its control is released, if it is one and the control can be held.

    Nothing else in the command could end the note.
    """
    if not isinstance(action, SendMidiAction) or action.message_type != "NoteOn":
        return action
    return action.model_copy(update={"hold": "while_held"}) if trigger.can_be_held() else action


def _find_existing_mappings(
    trigger: Trigger, target: MappingPlace, context: CommandContext
) -> list[LocatedMapping]:
    """Return the mappings that have this trigger. Those with the default time of its gesture take precedence.

    If there is none, return the first mapping whose trigger is wider because it names no device or no
    channel.
    """
    here = [row for row in list_mappings(context.config) if row.place == target]
    default = complete_times(trigger, context)
    equal = [row for row in here if are_triggers_equal(default, row.mapping.trigger)]
    equal = equal or [row for row in here if are_triggers_equal(trigger, row.mapping.trigger)]
    wider = [
        row for row in here if row.mapping.enabled and covers_trigger(row.mapping.trigger, trigger)
    ]
    return equal or wider[:1]


def _extract_device_words(words: WordReader, context: CommandContext) -> list[Word]:
    """Remove `on <device>` from the end of an action and return these words.

    The words stay if the action itself names a device, as the action of a light does.
    """
    at = max(
        (i for i, word in enumerate(words.words) if word.get_casefolded_text() == "on"), default=0
    )
    name = join_words(words.words[at + 1 :])
    if (
        not at
        or words.words[0].get_casefolded_text() in ACTIONS_WITH_ON_PHRASE
        or context.find_device(name) is None
    ):
        return []
    taken = words.words[at:]
    del words.words[at:]
    return taken


def _build_update_call(
    found: LocatedMapping, action_text: str, changes: JsonObject, context: CommandContext
) -> SlashCall:
    name = found.mapping.description
    mapping = f"“{name}”" if name else context.describe_trigger(found.mapping.trigger)
    enabled = {} if found.mapping.enabled else {"enabled": True}
    is_named = bool(name) and "description" not in changes
    return SlashCall(
        tool="conductor_update_mapping",
        arguments={**found.place.build_arguments(), "index": found.position, **changes, **enabled},
        words=f"Change {mapping} {found.place.format_phrase()} to {action_text}",
        note=f"It keeps the name “{name}”." if is_named else "",
    )


def _extract_description(words: WordReader) -> str | None:
    """Remove `as "description"` from the end and return the description, or None without these words."""
    tail = words.words[-2:]
    if (
        len(tail) == 2
        and tail[0].get_casefolded_text() in ("as", "called", "named")
        and tail[1].quoted
    ):
        del words.words[-2:]
        return tail[1].text or None
    return None


def unmap_control(words: WordReader, context: CommandContext) -> SlashAnswer:
    """Parse `/unmap` into a tool call that plans to delete a mapping."""
    found = _find_mapping(words, context)
    return SlashCall(
        tool="conductor_delete_mapping",
        arguments={**found.place.build_arguments(), "index": found.position},
        words=f"Delete {found.describe(context)}",
    )


def move_mapping(words: WordReader, context: CommandContext) -> SlashAnswer:
    """Parse `/move` into a tool call that plans to move a mapping to another mode or position."""
    before = _split_at_separator(words)
    if before is None or not words:
        raise SlashSyntaxError(
            "write `/move <control> to <mode>`, such as `/move pad 36 to everywhere`"
        )
    index = _extract_mapping_index(words)
    if index is not None:
        found = _find_mapping(before, context)
        return SlashCall(
            tool="conductor_update_mapping",
            arguments={**found.place.build_arguments(), "index": found.position, "to_index": index},
            words=f"Move {found.describe(context)} to place {index + 1}",
        )
    target = _parse_target_place(words, context)
    return _build_move_call(_find_mapping(before, context), target, context)


def _parse_target_place(words: WordReader, context: CommandContext) -> MappingPlace:
    if words.take_phrase("everywhere", "every mode", "all modes", "global", "globally"):
        words.require_no_more_words()
        return MappingPlace()
    if words.take_phrase("profile"):
        name = words.take_remaining_text("the profile's name")
        profile = context.find_profile(name)
        if profile is None:
            raise SlashSyntaxError(f"no profile is called `{name[:64]}`")
        return MappingPlace(profile=profile)
    words.take_phrase("mode")
    return MappingPlace(mode=context.require_mode(words.take_remaining_text("the mode's name")))


def _build_move_call(
    found: LocatedMapping, target: MappingPlace, context: CommandContext
) -> SlashCall:
    if found.place == target:
        raise SlashSyntaxError(
            f"it is already {target.format_phrase()}; `/move ... to #2` changes the order"
        )
    mapping = found.mapping
    more = {} if mapping.description is None else {"description": mapping.description}
    create = {
        **target.build_arguments(),
        "trigger": mapping.trigger.to_plain(),
        "action": mapping.action.to_plain(),
        **more,
    }
    delete = {**found.place.build_arguments(), "index": found.position}
    return SlashCall(
        tool="conductor_batch",
        arguments={
            "operations": [
                {"tool": "conductor_create_mapping", "arguments": create},
                {"tool": "conductor_delete_mapping", "arguments": delete},
            ]
        },
        words=f"Move {context.describe_trigger(mapping.trigger)} from {found.place.format_phrase()} "
        f"to {target.format_phrase()}",
    )


def _find_mapping(words: WordReader, context: CommandContext) -> LocatedMapping:
    place = parse_mapping_place(words, context)
    index = _extract_mapping_index(words)
    if index is not None:
        return _find_mapping_by_index(index, place or choose_default_place(context), context)
    return find_mapping(complete_times(parse_trigger(words, context), context), place, context)


def _extract_mapping_index(words: WordReader) -> int | None:
    """Return the index that a number such as `#3` stands for if it is the only word left, and remove it.

    Otherwise return None. Numbers count from 1, as in the window.

    Raises:
        SlashSyntaxError: The number is less than 1.
    """
    text = words.words[0].text if len(words.words) == 1 else ""
    number = parse_int(text[1:]) if text.startswith("#") else None
    if number is None:
        return None
    if number < 1:
        raise SlashSyntaxError(f"there is no mapping `{text}`; mappings are numbered from 1")
    words.words = []
    return number - 1


def _find_mapping_by_index(
    index: int, place: MappingPlace, context: CommandContext
) -> LocatedMapping:
    here = [row for row in list_mappings(context.config) if row.place == place]
    if index >= len(here):
        have = f"the last one is #{len(here)}" if here else "there are none"
        raise SlashSyntaxError(f"there is no mapping #{index + 1} {place.format_phrase()}; {have}")
    return here[index]
