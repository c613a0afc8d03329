"""Derives the title of a conversation from the user's first words, without a model."""

import re
from collections.abc import Sequence

from conductor.base.invisible_chars import remove_hidden
from conductor.domain.chat.messages import (
    FilePart,
    ImagePart,
    MentionPart,
    TextPart,
    UserPart,
)

MAX_TITLE_LENGTH = 60
UNTITLED_CONVERSATION_TITLE = "New conversation"


def build_title(parts: Sequence[UserPart]) -> str:
    """Return a title of at most 60 characters, which ends at a word if possible."""
    text = " ".join(_extract_part_text(part) for part in parts)
    line = re.sub(r"\s+", " ", remove_hidden(text)).strip(" #*`>-")
    if not line:
        attached = next((part.name for part in parts if isinstance(part, FilePart | ImagePart)), "")
        line = remove_hidden(attached) or UNTITLED_CONVERSATION_TITLE
    if len(line) <= MAX_TITLE_LENGTH:
        return line
    cut = line[: MAX_TITLE_LENGTH - 1]
    return f"{cut.rsplit(' ', 1)[0] if ' ' in cut[20:] else cut}…"


def _extract_part_text(part: UserPart) -> str:
    match part:
        case TextPart():
            return part.text[:500]
        case MentionPart():
            return part.label
        case _:
            return ""
