"""Splits the core reference into a base that every request contains and sections that are added when a
message needs them.

A section that was added to a message stays there in all later requests. A conversation therefore only grows
at its end, and the provider's prompt cache stays valid.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache

from conductor.agent.needs import find_mentioned_kinds, find_mentioned_sections
from conductor.agent.texts import load_core_reference
from conductor.base.token_estimate import estimate_token_count
from conductor.domain.chat.messages import ChatMessage, TextPart

CORE_REFERENCE_TAG = "core_reference"
MORE_REFERENCE_NOTE = (
    f"`<{CORE_REFERENCE_TAG}>` after a message has more of this reference; "
    "`conductor_search_knowledge` has all of it."
)
ALWAYS_DOCUMENTED_KINDS = ("Note", "Keystroke")
"""The kinds of triggers and actions that the base explains, because most mappings use them."""
ALWAYS_DOCUMENTED_CONDITIONS = ("ControlHeld", "AppFrontmost")
SECTION_HEADINGS = {
    "conditions": "## Conditions",
    "modes": "## Modes",
    "curves": "## Velocity curves",
}
RULE_LINE_PREFIXES = {
    "gestures": "**Gestures of one control.**",
    "ranges": "**Ranges.**",
    "held_keys": "**Held keys**",
    "commands": "**Commands.**",
    "gamepad_names": "**Gamepad names.**",
    "limits": "**Limits.**",
}
"""The first words of the lines in the core reference that are added separately, by the name of the rule."""
KIND_CHOICE_HINTS = {
    "EncoderTurn": "A control that stops at both ends sends its position: `CC`. An endless one: "
    "`EncoderTurn`. If you do not know, ask.",
    "LongPress": '"Hold" can mean after a while (`LongPress`) or as long as (`hold = "while_held"`). '
    "If both fit, ask.",
}
"""Sentences that help the model choose between two kinds of triggers that users describe in the same words."""
_KIND_PATTERN = re.compile(r"- `(\w+)`")
_TYPE_PATTERN = re.compile(r'"type":"(\w+)"')


@cache
def build_base_reference() -> str:
    """Return the part of the core reference that every model request contains."""
    parts = _load_sections()
    head = parts["# Conductor: core reference"]
    [keys] = [line for line in parts["## Actions"].splitlines() if line.startswith("Keys: ")]
    [first] = [line for line in parts["## Patterns"].splitlines() if line.startswith("1. ")]
    pattern = f"As trigger -> action: {first.removeprefix('1. ')}"
    return "\n\n".join(
        [head, f"{pattern}\n{keys}", parts["## Working with plans"], MORE_REFERENCE_NOTE]
    )


def add_needed_reference(messages: Sequence[ChatMessage]) -> list[ChatMessage]:
    """Return the messages with each section of the reference added to the first user message that needs it."""
    included: set[str] = set()
    return [
        _add_missing_parts(message, included) if message.role == "user" else message
        for message in messages
    ]


def find_needed_parts(text: str) -> tuple[str, ...]:
    """Return the names of the kinds, rules, sections and example mappings that a message needs beyond the
    base.
    """
    kinds, sections = find_mentioned_kinds(text), find_mentioned_sections(text)
    chosen = [name for name in _load_reference_parts() if name in kinds or name in sections]
    return (
        *chosen,
        *(name for name in _load_patterns() if _is_pattern_needed(name, kinds, sections)),
    )


def estimate_needed_reference(text: str) -> int:
    """Return the approximate number of tokens of the sections that a message needs beyond the base."""
    known = {**_load_reference_parts(), **_load_patterns()}
    return sum(estimate_token_count(known[name]) for name in find_needed_parts(text))


def _add_missing_parts(message: ChatMessage, included: set[str]) -> ChatMessage:
    user_text = " ".join(part.text for part in message.parts if isinstance(part, TextPart))
    missing = [name for name in find_needed_parts(user_text) if name not in included]
    included.update(missing)
    if not missing:
        return message
    known = {**_load_reference_parts(), **_load_patterns()}
    text = "\n".join(
        [f"<{CORE_REFERENCE_TAG}>", *(known[name] for name in missing), f"</{CORE_REFERENCE_TAG}>"]
    )
    return message.model_copy(update={"parts": (*message.parts, TextPart(text=text))})


def _is_pattern_needed(pattern: str, kinds: Iterable[str], sections: Iterable[str]) -> bool:
    """Return whether an example mapping helps with this message.

    It does if it uses only kinds that the base explains and kinds that the message mentions.
    """
    text = _load_patterns()[pattern]
    if '"while_held"' in text:
        return "held_keys" in sections
    shown = {*_TYPE_PATTERN.findall(text)} - {*ALWAYS_DOCUMENTED_KINDS}
    conditions = ALWAYS_DOCUMENTED_CONDITIONS if "conditions" in sections else ()
    return bool(shown) and shown <= {*kinds, *conditions}


@cache
def _load_reference_parts() -> Mapping[str, str]:
    """Return the texts that can be added to a message, by name: the line of each kind, the rules, then the
    sections.
    """
    parts = _load_sections()
    lines = [*parts["## Triggers"].splitlines(), *parts["## Actions"].splitlines()]
    rows = ((kind[1], line) for line in lines if (kind := _KIND_PATTERN.match(line)))
    found = {
        kind: "\n".join([line, *([KIND_CHOICE_HINTS[kind]] if kind in KIND_CHOICE_HINTS else [])])
        for kind, line in rows
        if kind not in ALWAYS_DOCUMENTED_KINDS
    }
    rules = {name: _find_rule(lines, start) for name, start in RULE_LINE_PREFIXES.items()}
    return {
        **found,
        **rules,
        **{name: parts[head] for name, head in SECTION_HEADINGS.items()},
    }


def _find_rule(lines: Sequence[str], start: str) -> str:
    [line] = [line for line in lines if line.startswith(start)]
    return line


@cache
def _load_patterns() -> Mapping[str, str]:
    """Return the example mappings by names such as `pattern 2`.

    The first is part of the base and left out.
    """
    rows = re.findall(r"(?m)^(\d+)\. (.+)$", _load_sections()["## Patterns"])
    return {f"pattern {number}": line for number, line in rows if number != "1"}


@cache
def _load_sections() -> Mapping[str, str]:
    """Return the sections of the core reference by their heading."""
    parts = re.split(r"\n+(?=## )", load_core_reference())
    return {part.splitlines()[0]: part for part in parts}
