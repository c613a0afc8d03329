"""What a slash command comes to: a tool's call, words, or a view of the window."""

from typing import Annotated, Any, Literal

from pydantic import Field

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
    """A tool is to be called; it goes through the executor like every other call."""

    type: Literal["call"] = "call"
    tool: str
    arguments: dict[str, Any] = Field(default_factory=dict[str, Any])
    words: str
    """What is asked for, in a sentence."""
    view: View | None = None
    """Where the window shows more of it."""


class SlashText(Value):
    """There is only something to say: help, a list, or why the command cannot be read."""

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
    """A skill is to be in force from here on, or all are listed."""

    type: Literal["skill"] = "skill"
    name: str | None = None


SlashAnswer = Annotated[SlashCall | SlashText | SlashView | SlashSkill, Field(discriminator="type")]


class SlashCommand(Value):
    """One command, for help and for suggestions while it is typed."""

    name: str
    """With its slash."""
    usage: str
    """What follows the name."""
    help: str
    examples: tuple[str, ...] = ()
