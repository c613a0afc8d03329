"""Leaves the settings of the window, `[settings.ui]`, out of the history of the config."""

import re
from functools import lru_cache

from conductor.config.blocks import TomlBlock, join_blocks, remove_blocks, split_blocks
from conductor.config.document import edit_document
from conductor.config.lines import KeyPositions
from conductor.config.parse import load_config_with_notes
from conductor.domain.config import Config
from conductor.domain.settings import UiSettings
from conductor.errors import ConfigError

_TABLE = ("settings", "ui")
_MENTION = re.compile(r"\bui\b")
"""Matches the settings of the window in whichever form. A text without it needs not be parsed."""


def replace_window_settings(config: Config, ui: UiSettings) -> Config:
    """Return a config with other settings of the window."""
    settings = config.settings.model_copy(update={"ui": ui})
    return config.model_copy(update={"settings": settings})


def keep_window_settings(text: str, current: str) -> str:
    """Return the text of an older config with the settings of the window that the current text has, and
    their comments.

    An unreadable text is returned as it is; loading it raises the error.
    """
    theirs = _find_table(_split(current))
    if theirs is None or _find_table(_split(text)) is None:
        if not _MENTION.search(text) and not _MENTION.search(current):
            return text
        try:
            ui = load_config_with_notes(current).config.settings.ui
            text = _edit_window_settings(text, ui)
        except ConfigError:
            return text
    blocks = _split(text)
    ours = _find_table(blocks)
    if ours is None or theirs is None:
        return text
    ours.lead, ours.body = theirs.lead, theirs.body
    return join_blocks(blocks)


def differ_only_in_window_settings(old: str, new: str) -> bool:
    """Return whether two texts of the config are the same apart from the settings of the window."""
    try:
        return _list_other_lines(old) == _list_other_lines(new)
    except ConfigError:
        return False


@lru_cache(maxsize=2)
def _list_other_lines(text: str) -> list[str]:
    """Return the lines of a text without the settings of the window. Blank lines do not count, since a new
    table is separated by one.
    """
    if _MENTION.search(text):
        blocks = _split(text)
        if _find_table(blocks) is None:
            blocks = _split(_edit_window_settings(text, UiSettings()))
        remove_blocks(blocks, [block for block in blocks if block.path == _TABLE])
        text = join_blocks(blocks)
    return [line for line in text.splitlines() if line.strip()]


def _edit_window_settings(text: str, ui: UiSettings) -> str:
    config = load_config_with_notes(text).config
    return edit_document(text, config, replace_window_settings(config, ui))


def _split(text: str) -> list[TomlBlock]:
    return split_blocks(text, KeyPositions(text, within_rows=False))


def _find_table(blocks: list[TomlBlock]) -> TomlBlock | None:
    return next((block for block in blocks if block.path == _TABLE), None)
