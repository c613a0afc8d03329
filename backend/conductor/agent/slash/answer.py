"""The possible results of parsing a slash command: a tool call, a text, a view or a skill."""

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
"""The views of the window, as named by `/open`."""


class SlashCall(Value):
    """A tool call to execute, in the same way as a model's tool call."""

    type: Literal["call"] = "call"
    tool: str
    arguments: JsonObject = Field(default_factory=JsonObject)
    words: str
    """The user's request as a sentence."""
    view: WindowView | None = None
    """The view of the window in which the result appears."""


class SlashText(Value):
    """A text to display, such as help, a list or a parse error."""

    type: Literal["text"] = "text"
    text: str
    """Markdown."""
    ok: bool = True
    """False if the command could not be parsed, in which case nothing was done."""


class SlashView(Value):
    """A view that the window is asked to open. A terminal prints the text instead."""

    type: Literal["view"] = "view"
    view: WindowView
    text: str


class SlashSkill(Value):
    """The skill to activate in this conversation. Without a name, all skills are listed."""

    type: Literal["skill"] = "skill"
    name: str | None = None


SlashAnswer = Annotated[SlashCall | SlashText | SlashView | SlashSkill, Field(discriminator="type")]


class SlashCommand(Value):
    """The name and description of a command, for help and for suggestions while typing."""

    name: str
    """The name of the command, including the slash."""
    usage: str
    """The arguments that follow the name."""
    help: str
    examples: tuple[str, ...] = ()
