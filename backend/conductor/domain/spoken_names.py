"""Lists the names that a user can say to act: the mappings and modes that are in use."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from conductor.domain.actions import Action, walk_actions
from conductor.domain.actions.mode_change import ModeChangeAction
from conductor.domain.actions.push_to_talk import PushToTalkAction
from conductor.domain.config import Config, Mapping

MODE_PREFIX = "mode"
"""The word before the name of a mode, in the spoken name and in `/do`."""


class SpokenName(NamedTuple):
    """A name that a user can say, and the action that is meant."""

    name: str
    kind: Literal["mapping", "mode"]
    action: Action
    place: str = ""
    """Where the mapping is, as `/do` expects it: `in mode Live`; empty for a mode."""


def list_spoken_names(config: Config, mode: str, profile: str | None) -> tuple[SpokenName, ...]:
    """Return what can be said in a mode: its mappings, those of the profile, the global ones, and all modes.

    If two mappings have the same name, the one is meant that would also win on the same control.
    """
    found: dict[str, SpokenName] = {}
    for place, mapping in _iterate_active_mappings(config, mode, profile):
        if mapping.description and mapping.enabled and not _talks(mapping):
            spoken = SpokenName(mapping.description, "mapping", mapping.action, place)
            found.setdefault(normalize_spoken(mapping.description), spoken)
    for other in config.modes:
        name = f"{MODE_PREFIX} {other.name}"
        action = ModeChangeAction(mode=other.name)
        found.setdefault(normalize_spoken(name), SpokenName(name, "mode", action))
    found.pop("", None)
    return tuple(found.values())


def find_spoken_name(names: Sequence[SpokenName], text: str) -> SpokenName | None:
    """Return the name that a text consists of, ignoring capitals, accents and punctuation, or None."""
    wanted = normalize_spoken(text)
    return next((one for one in names if normalize_spoken(one.name) == wanted), None)


def normalize_spoken(text: str) -> str:
    """Return a text as lower-case words, so that a name equals its transcription."""
    plain = unicodedata.normalize("NFKD", text.casefold())
    plain = "".join(char for char in plain if not unicodedata.combining(char))
    return " ".join(re.findall(r"\w+", plain))


def format_do_command(config: Config, spoken: SpokenName) -> str:
    """Return the slash command that plans to perform the action: `/do mute microphone`.

    The place is added if several mappings have the name.
    """
    wanted = normalize_spoken(spoken.name)
    found = sum(
        normalize_spoken(row.description or "") == wanted
        for _, _, row in config.list_all_mappings()
    )
    name = re.sub(r"[\"\\\u0000-\u001f]", "", spoken.name)
    return f"/do {name} {spoken.place}" if found > 1 and spoken.place else f"/do {name}"


def _iterate_active_mappings(
    config: Config, mode: str, profile: str | None
) -> Iterator[tuple[str, Mapping]]:
    """Yield the mappings that are in use with their place, those that win first."""
    for app in config.profiles:
        if app.name == profile:
            yield from ((f"in profile {app.name}", mapping) for mapping in app.mappings)
    for active in config.modes:
        if active.name == mode:
            yield from ((f"in mode {active.name}", mapping) for mapping in active.mappings)
    yield from (("everywhere", mapping) for mapping in config.global_mappings)


def _talks(mapping: Mapping) -> bool:
    return any(isinstance(part, PushToTalkAction) for part in walk_actions(mapping.action))
