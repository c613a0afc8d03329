"""Parses `/do <name>`, which plans to perform the action of a mapping, or a change of the mode, once."""

from conductor.agent.slash.answer import SlashCall
from conductor.agent.slash.context import CommandContext
from conductor.agent.slash.lexer import SlashSyntaxError, WordReader, join_words
from conductor.agent.slash.scope import LocatedMapping, list_mappings, parse_mapping_place
from conductor.base.suggestions import format_suggestion
from conductor.domain.actions import Action
from conductor.domain.actions.mode_change import ModeChangeAction
from conductor.domain.phrases import describe_action
from conductor.domain.spoken_names import MODE_PREFIX, normalize_spoken


def plan_named_action(words: WordReader, context: CommandContext) -> SlashCall:
    """Return the call that plans to perform the action with a name once.

    Raises:
        SlashSyntaxError: No mapping has this name, or several that do different things.
    """
    rest = WordReader(words.words)
    words.words = []
    name = join_words(rest.words)
    if not name:
        raise SlashSyntaxError("write the description of a mapping: `/do mute microphone`")
    found = _find_mappings(name, context)
    # After the whole text, because a name such as `Zoom in` may end like a place.
    if not found and (place := parse_mapping_place(rest, context)) is not None:
        name = join_words(rest.words)
        found = [row for row in _find_mappings(name, context) if row.place == place]
    actions = {row.mapping.action.model_dump_json(): row.mapping.action for row in found}
    if len(actions) > 1:
        listed = "\n".join(row.format_list_item(context) for row in found)
        raise SlashSyntaxError(
            f"several mappings are called `{name[:64]}`; add the place, such as `in <mode>`:\n{listed}"
        )
    if not actions:
        return _build_call(_find_mode_change(name, context), name)
    return _build_call(next(iter(actions.values())), name)


def _find_mappings(name: str, context: CommandContext) -> list[LocatedMapping]:
    wanted = normalize_spoken(name)
    return [
        row
        for row in list_mappings(context.config)
        if normalize_spoken(row.mapping.description or "") == wanted
    ]


def _find_mode_change(name: str, context: CommandContext) -> ModeChangeAction:
    wanted = normalize_spoken(name)
    for mode in context.config.modes:
        if normalize_spoken(f"{MODE_PREFIX} {mode.name}") == wanted:
            return ModeChangeAction(mode=mode.name)
    names = [row.mapping.description for row in list_mappings(context.config)]
    hint = format_suggestion(name, [known for known in names if known])
    raise SlashSyntaxError(f"no mapping is called `{name[:64]}`{hint}")


def _build_call(action: Action, name: str) -> SlashCall:
    plain = action.to_plain()
    return SlashCall(
        tool="conductor_preview_action",
        arguments={"action": plain},
        words=f"Do “{name}” once: {describe_action(plain)}",
    )
