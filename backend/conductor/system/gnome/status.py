"""Defines the state of Conductor's extension of GNOME Shell."""

from typing import Literal, NamedTuple

ExtensionState = Literal["active", "missing", "not_loaded", "off", "failed"]


class ExtensionStatus(NamedTuple):
    """The state of the extension, and what is wrong and how to fix it, or an empty text."""

    state: ExtensionState
    problem: str = ""
