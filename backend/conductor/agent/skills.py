"""Selects the Agent Skills whose texts are sent to the model.

An activated skill stays active in its branch, where a note records the activation. If the context window is
too small for all active skills, the oldest are left out first.
"""

import logging
from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple, Protocol

from conductor.agent.untrusted import format_one_line
from conductor.base.suggestions import format_suggestion
from conductor.base.token_estimate import estimate_token_count
from conductor.domain.chat.messages import ChatMessage, NotePart
from conductor.errors import ConductorError

log = logging.getLogger(__name__)

MAX_ACTIVE_SKILLS = 3
SKILLS_FOR_AGENTS = ("conductor-midi-mapping",)
"""Skills for agents that do not have the core reference.

The chat has it, so it uses these skills only if the user names them.
"""
MIN_SKILL_TOKENS = 1_700
"""The smallest budget for which skills are offered, because a smaller one cannot hold the list of skills
and one text.
"""


class Skill(Protocol):
    """An installed Agent Skill with its name and description."""

    @property
    def name(self) -> str: ...
    @property
    def description(self) -> str: ...


class SkillCatalog(Protocol):
    """The installed Agent Skills, implemented by `skills.library`."""

    def list_skills(self) -> Sequence[Skill]:
        """Return the skills that may be used, sorted by name."""
        ...

    def render_catalog(self) -> str:
        """Return the names and descriptions of all skills as a text for the system prompt."""
        ...

    def choose_for_message(self, message: str, active: Collection[str] = ()) -> tuple[str, ...]:
        """Return the names of the skills that fit a message, best match first.

        Skills in `active` are left out.
        """
        ...

    def render_content(self, name: str) -> str:
        """Return the text of a skill as it is sent to a model.

        Raises:
            ConductorError: No skill has this name, or it changed and the user has not approved the change.
        """
        ...


class SkillSelection(NamedTuple):
    """The skills that were selected for a request, with the texts that are sent to the model."""

    texts: tuple[str, ...] = ()
    """The list of all skills, followed by the text of each active skill in the order of activation."""
    new: tuple[str, ...] = ()
    """The names of the skills that this message activated."""
    left_out: tuple[str, ...] = ()
    """The names of the active skills that are left out because they do not fit the budget."""


def list_active_skills(branch: Iterable[ChatMessage]) -> tuple[str, ...]:
    """Return the names of the skills that are active in a branch, the most recently activated last."""
    names = [
        part.skill
        for message in branch
        for part in message.parts
        if isinstance(part, NotePart) and part.skill is not None
    ]
    newest_first = list(dict.fromkeys(reversed(names)))
    return tuple(reversed(newest_first[:MAX_ACTIVE_SKILLS]))


def choose_skills(
    catalog: SkillCatalog, branch: Sequence[ChatMessage], message: str, budget: int
) -> SkillSelection:
    """Select the skills for a message, as many as fit the budget in tokens."""
    before = list_active_skills(branch)
    catalog_text = catalog.render_catalog()
    if not catalog_text or budget < MIN_SKILL_TOKENS:
        return SkillSelection(left_out=before)
    activated = catalog.choose_for_message(message, before)
    new = tuple(name for name in activated if name not in SKILLS_FOR_AGENTS or name in message)
    known = {name: load_skill_text(catalog, name) for name in (*before, *new)[-MAX_ACTIVE_SKILLS:]}
    remaining = budget - estimate_token_count(catalog_text)
    texts = _select_fitting_texts({name: text for name, text in known.items() if text}, remaining)
    return SkillSelection(
        (catalog_text, *texts.values()),
        tuple(name for name in new if name in texts),
        tuple(name for name in before if known.get(name) and name not in texts),
    )


def render_skill_list(catalog: SkillCatalog, active: Collection[str]) -> str:
    """Return the list of skills as Markdown for the user, with the active ones marked."""
    rows = [
        f"- `{skill.name}`{' (in use)' if skill.name in active else ''}: {skill.description}"
        for skill in catalog.list_skills()
    ]
    return "\n".join(rows) or "There are no skills; add one with `conductor skills install`."


def activate_skill_by_name(
    catalog: SkillCatalog, wanted: str, active: Collection[str]
) -> tuple[str, str | None]:
    """Find the skill that the user named.

    Return a reply to the user, and the name of the skill to activate or None if there is nothing to
    activate.
    """
    names = [skill.name for skill in catalog.list_skills()]
    name = wanted if wanted in names else f"conductor-{wanted}"
    if name not in names:
        hint = format_suggestion(wanted, names)
        return (
            f"There is no skill `{format_one_line(wanted, 40)}`{hint}. `/skill` lists them.",
            None,
        )
    if name in active:
        return f"The skill {name} is already in use.", None
    return f"Using the skill {name}.", name


def _select_fitting_texts(texts: dict[str, str], budget: int) -> dict[str, str]:
    """Return the skill texts that fit the budget, preferring the newest. Their order is unchanged."""
    kept: set[str] = set()
    for name, text in reversed(texts.items()):
        budget -= estimate_token_count(text)
        if budget < 0:
            break
        kept.add(name)
    return {name: text for name, text in texts.items() if name in kept}


def load_skill_text(catalog: SkillCatalog, name: str) -> str:
    """Return the text of a skill as it is sent to a model.

    Return an empty text if the skill was removed, or changed without the user's approval, since it was
    activated.
    """
    try:
        return catalog.render_content(name)
    # the skill was removed, or it changed and the change is not approved
    except ConductorError as error:
        log.info("the skill %s that a conversation uses is unavailable: %s", name, error)
        return ""
