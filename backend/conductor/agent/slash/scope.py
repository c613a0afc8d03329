"""Where a mapping stands: `in Live`, `in profile Web`, `everywhere`; and which mapping is meant."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from conductor.agent.slash.context import Facts
from conductor.agent.slash.lexer import Unclear, Words, joined
from conductor.domain.config import Config, Mapping
from conductor.domain.phrases import action_words, trigger_words
from conductor.domain.triggers import Trigger

EVERYWHERE = ("in every mode", "in all modes", "everywhere", "globally", "in global")
OPEN_ENDED = ("type", "write", "text", "launch", "open", "start", "run", "shell")
"""What follows these may have an `in` of its own."""


class MappingPlace(NamedTuple):
    """The place of mappings, as tools take it."""

    mode: str | None = None
    profile: str | None = None

    def arguments(self) -> dict[str, Any]:
        """Return it as arguments of a tool."""
        return {key: name for key, name in self._asdict().items() if name is not None}

    def words(self) -> str:
        """Return it as a phrase."""
        if self.mode is not None:
            return f"in mode {self.mode}"
        return "in every mode" if self.profile is None else f"in profile {self.profile}"


class Found(NamedTuple):
    """A mapping with where it stands."""

    place: MappingPlace
    number: int
    """Its index, from 0."""
    mapping: Mapping

    def words(self) -> str:
        """Return it as a phrase."""
        does = action_words(self.mapping.action.to_plain())
        return (
            f"#{self.number} {self.place.words()}: {trigger_words(self.mapping.trigger)} → {does}"
        )


def read_place(words: Words, facts: Facts) -> MappingPlace | None:
    """Take `in <mode>` off the end; None when none is named.

    Raises:
        Unclear: there is no such mode.
    """
    if words.take_last(*EVERYWHERE):
        return MappingPlace()
    at = max((i for i, word in enumerate(words.words) if word.low() == "in"), default=None)
    if at is None:
        return None
    tail = Words(words.words[at + 1 :])
    kind = tail.take("mode", "profile", "the mode", "the profile") or ""
    name = joined(tail.words)
    found = _named(kind, name, facts)
    if found is None:
        if words.words[0].low() in OPEN_ENDED:
            return None
        raise Unclear(_no_place(kind, name, facts))
    words.words = words.words[:at]
    return found


def _named(kind: str, name: str, facts: Facts) -> MappingPlace | None:
    mode = None if kind.endswith("profile") else facts.maybe_mode(name)
    if mode is not None:
        return MappingPlace(mode=mode)
    profile = None if kind.endswith("mode") else facts.maybe_profile(name)
    return None if profile is None else MappingPlace(profile=profile)


def _no_place(kind: str, name: str, facts: Facts) -> str:
    if kind.endswith("profile"):
        known = ", ".join(f"`{profile.name}`" for profile in facts.config.profiles) or "none"
        return f"no profile is called `{name[:64]}`; there is {known}"
    return facts.no_mode(name)


def mappings_of(config: Config) -> Iterator[Found]:
    """Return every mapping with its place."""
    for scope, index, mapping in config.all_mappings():
        kind, _, name = scope.partition(":")
        place = MappingPlace(**{kind: name}) if name else MappingPlace()
        yield Found(place, index, mapping)


def usual_place(config: Config) -> MappingPlace:
    """Return where a new mapping goes when none is named: the only mode, or every mode."""
    return MappingPlace(mode=config.modes[0].name) if len(config.modes) == 1 else MappingPlace()


def equal_triggers(wanted: Trigger, trigger: Trigger) -> bool:
    """Return whether a trigger is the one that was named; a place that was not named fits any."""
    if type(wanted) is not type(trigger):
        return False
    loose = {"when": ()}
    loose |= {n: None for n in ("device", "channel") if getattr(wanted, n) is None}
    return trigger.model_copy(update=loose) == wanted.model_copy(update={"when": ()})


def answers(wanted: Trigger, trigger: Trigger) -> bool:
    """Return whether a trigger fires for the gesture that was named; one that names no place fires anywhere."""
    loose = {n: None for n in ("device", "channel") if getattr(trigger, n) is None}
    return equal_triggers(wanted.model_copy(update=loose), trigger)


def same_control(wanted: Trigger, trigger: Trigger) -> bool:
    """Return whether a trigger is of this kind and on this control."""
    return (
        type(wanted) is type(trigger)
        and wanted.controls() == trigger.controls()
        and wanted.device in (None, trigger.device)
        and wanted.channel in (None, trigger.channel)
    )


def the_mapping(wanted: Trigger, place: MappingPlace | None, config: Config) -> Found:
    """Return the one mapping that is meant.

    Raises:
        Unclear: there is none, or there are several.
    """
    here = [one for one in mappings_of(config) if place in (None, one.place)]
    found = [one for one in here if equal_triggers(wanted, one.mapping.trigger)]
    found = found or [one for one in here if same_control(wanted, one.mapping.trigger)]
    if len(found) == 1:
        return found[0]
    if found:
        raise Unclear(
            f"several mappings fit; say which with `in <mode>` or `#<number>`:\n{_list(found)}"
        )
    near = [one for one in here if set(one.mapping.trigger.controls()) & set(wanted.controls())]
    where = "" if place is None else f" {place.words()}"
    hint = f". On this control there is:\n{_list(near)}" if near else "; `/mappings` lists them"
    raise Unclear(f"nothing is mapped to {trigger_words(wanted)}{where}{hint}")


def _list(found: list[Found]) -> str:
    return "\n".join(f"- {one.words()}" for one in found[:10])
