"""`/map`, `/unmap` and `/move`: from words to the call that plans the change."""

from typing import Any

from conductor.agent.slash.action import read_action
from conductor.agent.slash.answer import SlashAnswer, SlashCall
from conductor.agent.slash.context import Facts
from conductor.agent.slash.lexer import Unclear, Word, Words, joined, whole
from conductor.agent.slash.scope import (
    Found,
    MappingPlace,
    answers,
    equal_triggers,
    mappings_of,
    read_place,
    the_mapping,
    usual_place,
)
from conductor.agent.slash.trigger import read_trigger
from conductor.domain.phrases import action_words, trigger_words
from conductor.domain.triggers import Trigger

ON_IS_ITS_OWN = ("light", "type", "write", "text", "run", "shell")
TO = ("to", "->", "→", "=>", "=")


def map_control(words: Words, facts: Facts) -> SlashAnswer:
    """Plan a mapping; one that is there already for this very trigger gets the new action."""
    before = words.cut_at(*TO)
    if before is None:
        raise Unclear("write `/map <control> to <action>`, such as `/map pad 36 to cmd+c`")
    description = _description(words)
    place = read_place(before, facts) or (read_place(words, facts) if words else None)
    description = description or _description(words)
    before.words += _device(words, facts)
    trigger, action = read_trigger(before, facts), read_action(words, facts)
    goal = place or usual_place(facts.config)
    there = _there(trigger, goal, facts)
    does = action_words(action.to_plain())
    more: dict[str, Any] = {} if description is None else {"description": description}
    if len(there) > 1:
        raise Unclear(
            f"several mappings {goal.words()} wait for {trigger_words(trigger)}:"
            " say `on <device>` or `channel <number>`, or change one in the window"
        )
    if there:
        return _changed(there[0], does, {"action": action.to_plain(), **more})
    return SlashCall(
        tool="conductor_create_mapping",
        arguments={
            **goal.arguments(),
            "trigger": trigger.to_plain(),
            "action": action.to_plain(),
            **more,
        },
        words=f"Map {trigger_words(trigger)} to {does} {goal.words()}",
    )


def _there(trigger: Trigger, goal: MappingPlace, facts: Facts) -> list[Found]:
    """Return the mappings of this very gesture; else the first that answers it for more devices or channels."""
    here = [one for one in mappings_of(facts.config) if one.place == goal]
    equal = [one for one in here if equal_triggers(trigger, one.mapping.trigger)]
    wider = [one for one in here if one.mapping.enabled and answers(trigger, one.mapping.trigger)]
    return equal or wider[:1]


def _device(words: Words, facts: Facts) -> list[Word]:
    """Take `on <device>` off the end of an action that names no device itself."""
    at = max((i for i, word in enumerate(words.words) if word.low() == "on"), default=0)
    name = joined(words.words[at + 1 :])
    if not at or words.words[0].low() in ON_IS_ITS_OWN or facts.maybe_device(name) is None:
        return []
    taken = words.words[at:]
    del words.words[at:]
    return taken


def _changed(found: Found, does: str, changes: dict[str, Any]) -> SlashCall:
    is_for = f"#{found.number} {found.place.words()}, {trigger_words(found.mapping.trigger)}"
    enabled = {} if found.mapping.enabled else {"enabled": True}
    return SlashCall(
        tool="conductor_update_mapping",
        arguments={**found.place.arguments(), "index": found.number, **changes, **enabled},
        words=f"Change {is_for}, to {does}",
    )


def _description(words: Words) -> str | None:
    """Take `as "description"` off the end."""
    tail = words.words[-2:]
    if len(tail) == 2 and tail[0].low() in ("as", "called", "named") and tail[1].quoted:
        del words.words[-2:]
        return tail[1].text or None
    return None


def unmap(words: Words, facts: Facts) -> SlashAnswer:
    """Plan to delete a mapping."""
    found = _which(words, facts)
    return SlashCall(
        tool="conductor_delete_mapping",
        arguments={**found.place.arguments(), "index": found.number},
        words=f"Delete {found.words()}",
    )


def move(words: Words, facts: Facts) -> SlashAnswer:
    """Plan to move a mapping to another mode, or to another place in its list."""
    before = words.cut_at(*TO)
    if before is None or not words:
        raise Unclear("write `/move <control> to <mode>`, such as `/move pad 36 to everywhere`")
    index = _index(words)
    if index is not None:
        found = _which(before, facts)
        return SlashCall(
            tool="conductor_update_mapping",
            arguments={**found.place.arguments(), "index": found.number, "to_index": index},
            words=f"Move {found.words()} to #{index}",
        )
    goal = _goal(words, facts)
    return _moved(_which(before, facts), goal)


def _goal(words: Words, facts: Facts) -> MappingPlace:
    if words.take("everywhere", "every mode", "all modes", "global", "globally"):
        words.end()
        return MappingPlace()
    if words.take("profile"):
        name = words.rest("the profile's name")
        profile = facts.maybe_profile(name)
        if profile is None:
            raise Unclear(f"no profile is called `{name[:64]}`")
        return MappingPlace(profile=profile)
    words.take("mode")
    return MappingPlace(mode=facts.mode(words.rest("the mode's name")))


def _moved(found: Found, goal: MappingPlace) -> SlashCall:
    if found.place == goal:
        raise Unclear(f"it stands {goal.words()} already; `/move ... to #2` changes the order")
    mapping = found.mapping
    more = {} if mapping.description is None else {"description": mapping.description}
    create = {
        **goal.arguments(),
        "trigger": mapping.trigger.to_plain(),
        "action": mapping.action.to_plain(),
        **more,
    }
    delete = {**found.place.arguments(), "index": found.number}
    return SlashCall(
        tool="conductor_batch",
        arguments={
            "operations": [
                {"tool": "conductor_create_mapping", "arguments": create},
                {"tool": "conductor_delete_mapping", "arguments": delete},
            ]
        },
        words=f"Move {trigger_words(mapping.trigger)} from {found.place.words()} to {goal.words()}",
    )


def _which(words: Words, facts: Facts) -> Found:
    place = read_place(words, facts)
    index = _index(words)
    if index is not None:
        return _by_index(index, place or usual_place(facts.config), facts)
    return the_mapping(read_trigger(words, facts), place, facts.config)


def _index(words: Words) -> int | None:
    """Take `#3` when it is all there is."""
    text = words.words[0].text if len(words.words) == 1 else ""
    index = whole(text[1:]) if text.startswith("#") else None
    if index is None or index < 0:
        return None
    words.words = []
    return index


def _by_index(index: int, place: MappingPlace, facts: Facts) -> Found:
    here = [one for one in mappings_of(facts.config) if one.place == place]
    if index >= len(here):
        have = f"they are numbered from 0 to {len(here) - 1}" if here else "there are none"
        raise Unclear(f"there is no mapping #{index} {place.words()}; {have}")
    return here[index]
