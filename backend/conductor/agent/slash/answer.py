"""The possible results of parsing a slash command."""

from typing import Annotated, Literal

from pydantic import Field

from conductor.base.json_types import JsonObject
from conductor.domain.value import Value

View = Literal[
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
"""The window's views, as `/open` names them."""


class SlashCall(Value):
    """A tool call; it goes through the executor like every other call."""

    type: Literal["call"] = "call"
    tool: str
    arguments: JsonObject = Field(default_factory=JsonObject)
    words: str
    """The request as a sentence."""
    view: View | None = None
    """The view of the window that shows the result."""


class SlashText(Value):
    """The text result of a slash command: help, a list or a parse error."""

    type: Literal["text"] = "text"
    text: str
    """Markdown."""
    ok: bool = True
    """False: the command could not be read, and nothing was done."""


class SlashView(Value):
    """The window is to show a view; a terminal says the text instead."""

    type: Literal["view"] = "view"
    view: View
    text: str


class SlashSkill(Value):
    """A skill to activate in this conversation; all are listed when there is no name."""

    type: Literal["skill"] = "skill"
    name: str | None = None


SlashAnswer = Annotated[SlashCall | SlashText | SlashView | SlashSkill, Field(discriminator="type")]


class SlashCommand(Value):
    """A command as shown in help and in suggestions while typing."""

    name: str
    """Including the slash."""
    usage: str
    """The arguments that follow the name."""
    help: str
    examples: tuple[str, ...] = ()
