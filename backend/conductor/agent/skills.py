"""Agent Skills in a conversation: which are in force, which a message asks for, and which of them fit.

A skill that was taken up stays for the rest of its branch: the notes in the branch say which. The newest are
in force, and the oldest of those goes first where the window is too small for all.
"""

import logging
from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple, Protocol

from conductor.agent.untrusted import one_line
from conductor.base.token_estimate import approximate_tokens
from conductor.domain.chat.messages import ChatMessage, NotePart
from conductor.domain.validate import did_you_mean
from conductor.errors import ConductorError

log = logging.getLogger(__name__)

AT_MOST = 3
EXPLAINED = ("conductor-midi-mapping",)
"""Skills for agents that have no core reference: in the chat they come only when the user names them."""
ROOM_TOKENS = 1_800
"""With less than this no skill is spoken of: the list of them and one text would not fit."""


class Skill(Protocol):
    """One that is there."""

    @property
    def name(self) -> str: ...
    @property
    def description(self) -> str: ...


class SkillCatalog(Protocol):
    """The skills that are there; `skills.library.Library` is the real one."""

    def catalogue(self) -> Sequence[Skill]:
        """Return every one that can be used, by name."""
        ...

    def catalogue_text(self) -> str:
        """Return name and description of each, as the prompt has them."""
        ...

    def activate(self, message: str, active: Collection[str] = ()) -> tuple[str, ...]:
        """Choose those that a message asks for, best first, without those in force already."""
        ...

    def content(self, name: str) -> str:
        """Return one as a model is told it.

        Raises:
            ConductorError: there is none of this name, or it must not be used.
        """
        ...


class Guidance(NamedTuple):
    """What of the skills goes into a prompt."""

    texts: tuple[str, ...] = ()
    """The list of all, then each that is in force, in the order in which they were taken up."""
    new: tuple[str, ...] = ()
    """Those that this message made come."""
    left_out: tuple[str, ...] = ()
    """Those in force for which there is no room."""


def in_force(branch: Iterable[ChatMessage]) -> tuple[str, ...]:
    """Return the skills that a branch uses, the newest last."""
    names = [
        part.skill
        for message in branch
        for part in message.parts
        if isinstance(part, NotePart) and part.skill is not None
    ]
    newest_first = list(dict.fromkeys(reversed(names)))
    return tuple(reversed(newest_first[:AT_MOST]))


def guidance(shelf: SkillCatalog, branch: Sequence[ChatMessage], said: str, room: int) -> Guidance:
    """Choose for a message, with at most so many tokens."""
    before = in_force(branch)
    listed = shelf.catalogue_text()
    room -= approximate_tokens(listed)
    if not listed or room + approximate_tokens(listed) < ROOM_TOKENS:
        return Guidance(left_out=before)
    fit = shelf.activate(said, before)
    new = tuple(name for name in fit if name not in EXPLAINED or name in said)
    known = {name: text_of(shelf, name) for name in (*before, *new)[-AT_MOST:]}
    texts = _fitting({name: text for name, text in known.items() if text}, room)
    return Guidance(
        (listed, *texts.values()),
        tuple(name for name in new if name in texts),
        tuple(name for name in before if known.get(name) and name not in texts),
    )


def listed(shelf: SkillCatalog, before: Collection[str]) -> str:
    """Say in Markdown which skills there are, for the user."""
    rows = [
        f"- `{one.name}`{' (in use)' if one.name in before else ''}: {one.description}"
        for one in shelf.catalogue()
    ]
    return "\n".join(rows) or "There are no skills; `conductor skills install` brings them."


def named(shelf: SkillCatalog, wanted: str, before: Collection[str]) -> tuple[str, str | None]:
    """Return what to say when the user asks for a skill, and its name when it comes into force now."""
    names = [one.name for one in shelf.catalogue()]
    name = wanted if wanted in names else f"conductor-{wanted}"
    if name not in names:
        hint = did_you_mean(wanted, names)
        return f"There is no skill `{one_line(wanted, 40)}`{hint}. `/skill` lists them.", None
    if name in before:
        return f"The skill {name} is in use already.", None
    return f"Using the skill {name}.", name


def _fitting(texts: dict[str, str], room: int) -> dict[str, str]:
    """Keep the newest that fit, in their order."""
    kept: set[str] = set()
    for name, text in reversed(texts.items()):
        room -= approximate_tokens(text)
        if room < 0:
            break
        kept.add(name)
    return {name: text for name, text in texts.items() if name in kept}


def text_of(shelf: SkillCatalog, name: str) -> str:
    """Return one as a model is told it; nothing when it cannot be used any more."""
    try:
        return shelf.content(name)
    except ConductorError as error:  # it was removed, or changed into what must not be used
        log.info("the skill %s of a conversation cannot be used: %s", name, error)
        return ""
