"""Parses the mode or profile in a command, such as `in Live`, and finds the mapping that the command means."""

from collections.abc import Iterator
from typing import NamedTuple

from conductor.agent.slash.context import CommandContext
from conductor.agent.slash.lexer import SlashSyntaxError, WordReader, join_words
from conductor.base.json_types import JsonObject
from conductor.domain.config import Config, Mapping
from conductor.domain.gesture_phrases import describe_trigger
from conductor.domain.scopes import parse_scope
from conductor.domain.triggers import Trigger

EVERY_MODE_PHRASES = ("in every mode", "in all modes", "everywhere", "globally", "in global")
FREE_TEXT_WORDS = ("type", "write", "text", "launch", "open", "start", "run", "shell")
"""Words before a free text. The text may contain the word `in`, so a mode is not searched after them."""
_TIME_FIELDS = ("duration_ms", "timeout_ms")
"""The trigger fields with the time of a hold, a double tap or a chord."""


class MappingPlace(NamedTuple):
    """Where a mapping is: in a mode, in a profile, or, if both are None, in the list that applies in every
    mode.
    """

    mode: str | None = None
    profile: str | None = None

    def build_arguments(self) -> JsonObject:
        """Return the tool arguments that name the mode or the profile; empty for the list that applies in
        every mode.
        """
        return {key: name for key, name in self._asdict().items() if name is not None}

    def format_phrase(self) -> str:
        """Return a phrase for the user, such as `in mode Live`."""
        if self.mode is not None:
            return f"in mode {self.mode}"
        return "in every mode" if self.profile is None else f"in profile {self.profile}"


class LocatedMapping(NamedTuple):
    """A mapping with the mode or the profile that contains it."""

    place: MappingPlace
    position: int
    """The index of the mapping in its list, counted from 0."""
    mapping: Mapping

    @property
    def number(self) -> str:
        """The number of the mapping for the user, such as `#1`, counted from 1 as in the window."""
        return f"#{self.position + 1}"

    def describe(self, context: CommandContext) -> str:
        """Return the mapping and its place as in the window, such as `Pad 1 → Ctrl+C in mode Default`."""
        return f"{context.describe_mapping(self.mapping)} {self.place.format_phrase()}"

    def format_list_item(self, context: CommandContext) -> str:
        """Return a list item for the user that names the mapping by its number, place, trigger and action."""
        mapping = context.describe_mapping(self.mapping)
        return f"- {self.number} {self.place.format_phrase()}: {mapping}"


def parse_mapping_place(words: WordReader, context: CommandContext) -> MappingPlace | None:
    """Remove a phrase such as `in <mode>` from the end and return where it points. Return None without such
    a phrase.

    Raises:
        SlashSyntaxError: No mode or profile has this name.
    """
    if words.take_last_phrase(*EVERY_MODE_PHRASES):
        return MappingPlace()
    # An `in` that is the last word belongs to a name, such as that of the port `DAW In`.
    at = max(
        (i for i, word in enumerate(words.words[:-1]) if word.get_casefolded_text() == "in"),
        default=None,
    )
    if at is None:
        return None
    tail = WordReader(words.words[at + 1 :])
    kind = tail.take_phrase("mode", "profile", "the mode", "the profile") or ""
    name = join_words(tail.words)
    found = _find_named_place(kind, name, context)
    if found is None:
        if words.words[0].get_casefolded_text() in FREE_TEXT_WORDS:
            return None
        raise SlashSyntaxError(_describe_missing_place(kind, name, context))
    words.words = words.words[:at]
    return found


def _find_named_place(kind: str, name: str, context: CommandContext) -> MappingPlace | None:
    mode = None if kind.endswith("profile") else context.find_mode(name)
    if mode is not None:
        return MappingPlace(mode=mode)
    profile = None if kind.endswith("mode") else context.find_profile(name)
    return None if profile is None else MappingPlace(profile=profile)


def _describe_missing_place(kind: str, name: str, context: CommandContext) -> str:
    if kind.endswith("profile"):
        known = ", ".join(f"`{profile.name}`" for profile in context.config.profiles) or "none"
        return f"no profile is called `{name[:64]}`; there is {known}"
    return context.describe_unknown_mode(name)


def list_mappings(config: Config) -> Iterator[LocatedMapping]:
    """Yield every mapping of a config with the mode or the profile that contains it."""
    for scope, index, mapping in config.list_all_mappings():
        kind, name = parse_scope(scope)
        place = MappingPlace(**{kind: name}) if name else MappingPlace()
        yield LocatedMapping(place, index, mapping)


def choose_default_place(context: CommandContext) -> MappingPlace:
    """Return where to add a mapping if the command names no mode: in the active mode, as in the window, or
    else in the only mode or in every mode.
    """
    names = [mode.name for mode in context.config.modes]
    if context.mode in names:
        return MappingPlace(mode=context.mode)
    return MappingPlace(mode=names[0]) if len(names) == 1 else MappingPlace()


def are_triggers_equal(wanted: Trigger, trigger: Trigger) -> bool:
    """Return whether two triggers are equal.

    A device, channel or time that `wanted` does not name is not compared.
    """
    if type(wanted) is not type(trigger):
        return False
    loose = {"when": ()}
    loose |= {n: None for n in ("device", "channel") if getattr(wanted, n) is None}
    loose |= {
        n: item for n, item in _list_times(wanted).items() if n not in wanted.model_fields_set
    }
    return trigger.model_copy(update=loose) == wanted.model_copy(update={"when": ()})


def complete_times(trigger: Trigger, context: CommandContext) -> Trigger:
    """Return the trigger with the default time of its gesture, unless the command states a time."""
    defaults = {**_list_times(trigger), "duration_ms": context.config.settings.learn.long_press_ms}
    unset = _list_times(trigger).keys() - trigger.model_fields_set
    return trigger.model_copy(update={name: defaults[name] for name in unset})


def _list_times(trigger: Trigger) -> dict[str, int]:
    return {name: getattr(trigger, name) for name in _TIME_FIELDS if hasattr(trigger, name)}


def covers_trigger(trigger: Trigger, wanted: Trigger) -> bool:
    """Return whether a trigger equals `wanted`, or is wider because it names no device or no channel."""
    loose = {n: None for n in ("device", "channel") if getattr(trigger, n) is None}
    return are_triggers_equal(wanted.model_copy(update=loose), trigger)


def is_same_control(wanted: Trigger, trigger: Trigger) -> bool:
    """Return whether two triggers have the same kind and listen to the same control."""
    return (
        type(wanted) is type(trigger)
        and wanted.list_controls() == trigger.list_controls()
        and wanted.device in (None, trigger.device)
        and wanted.channel in (None, trigger.channel)
    )


def find_mapping(
    wanted: Trigger, place: MappingPlace | None, context: CommandContext
) -> LocatedMapping:
    """Return the only mapping that has this trigger.

    Raises:
        SlashSyntaxError: No mapping has this trigger, or several have it. The message lists the candidates.
    """
    here = [row for row in list_mappings(context.config) if place in (None, row.place)]
    found = [row for row in here if are_triggers_equal(wanted, row.mapping.trigger)]
    found = found or [row for row in here if is_same_control(wanted, row.mapping.trigger)]
    if len(found) == 1:
        return found[0]
    if found:
        raise SlashSyntaxError(
            "several mappings match; choose one with `in <mode>` or `#<number>`:\n"
            f"{_format_mappings(found, context)}"
        )
    near = [
        row
        for row in here
        if set(row.mapping.trigger.list_controls()) & set(wanted.list_controls())
    ]
    where = "" if place is None else f" {place.format_phrase()}"
    hint = (
        f". This control has:\n{_format_mappings(near, context)}"
        if near
        else "; `/mappings` lists them"
    )
    raise SlashSyntaxError(f"nothing is mapped to {describe_trigger(wanted)}{where}{hint}")


def _format_mappings(found: list[LocatedMapping], context: CommandContext) -> str:
    return "\n".join(row.format_list_item(context) for row in found[:10])
