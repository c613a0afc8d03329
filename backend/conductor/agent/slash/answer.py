"""The results that parsing a slash command can have: a tool call, a text, a view or a skill."""

from typing import Annotated, Literal

from pydantic import Field

from conductor.base.json_types import JsonObject
from conductor.domain.value import Value

WindowView = Literal[
    "controller",
    "mappings",
    "modes",
    "profiles",
    "devices",
    "learn",
    "monitor",
    "plans",
    "history",
    "activity",
    "settings",
]
"""The views of the window that `/open` can show."""


class SlashCall(Value):
    """A tool call that runs like one of a model, with the same checks and the same plans."""

    type: Literal["call"] = "call"
    tool: str
    arguments: JsonObject = Field(default_factory=JsonObject)
    words: str
    """The user's request as a sentence, which is shown above the result."""
    note: str = ""
    """A sentence that follows the result of a proposal."""
    view: WindowView | None = None
    """The view of the window that shows the result, or None if the conversation shows it."""


class SlashText(Value):
    """A text to show to the user, such as help, a list or the explanation of a mistake."""

    type: Literal["text"] = "text"
    text: str
    """The text in Markdown."""
    ok: bool = True
    """False if the command could not be parsed, so that nothing was done."""


class SlashView(Value):
    """A view that the window opens. A terminal, which has no views, prints the text instead."""

    type: Literal["view"] = "view"
    view: WindowView
    text: str


class SlashSkill(Value):
    """A skill to activate in this conversation. Without a name, the reply lists all skills."""

    type: Literal["skill"] = "skill"
    name: str | None = None


SlashAnswer = Annotated[SlashCall | SlashText | SlashView | SlashSkill, Field(discriminator="type")]


class SlashCommand(Value):
    """The name and description of a slash command, for `/help` and for completion while the user types."""

    name: str
    """The name of the command, including the slash."""
    usage: str
    """The arguments that follow the name, with placeholders such as `<mode>`."""
    help: str
    examples: tuple[str, ...] = ()
