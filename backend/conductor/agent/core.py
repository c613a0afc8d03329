"""The core reference in parts: a base for every request, and the rest behind the message that first needs it.

What was put behind a message stays there for the rest of the branch, so that a conversation only grows at its
end and what a provider has cached of it stays good.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache

from conductor.agent.needs import kinds_for, sections_for
from conductor.agent.texts import core_reference
from conductor.base.token_estimate import approximate_tokens
from conductor.domain.chat.messages import ChatMessage, TextPart

TAG = "core_reference"
MORE = (
    f"More of this reference comes in `<{TAG}>` behind a message that needs it; "
    "`conductor_search_knowledge` has all."
)
BASIC = ("Note", "Keystroke")
"""Kinds that the base explains."""
CONDITIONS_SHOWN = ("ControlHeld", "AppFrontmost")
HEADINGS = {
    "conditions": "## Conditions",
    "modes": "## Modes",
    "curves": "## Velocity curves",
    "toml": "## config.toml",
}
CHOICES = {
    "EncoderTurn": "A control that stops at both ends sends its position: `CC`. One that turns for ever: "
    "`EncoderTurn`. Where it is not known, ask.",
    "LongPress": 'To hold can mean after a while (`LongPress`) or for as long as (`hold = "while_held"`). '
    "Where both fit, ask.",
}
"""What is easily confused with a kind."""
_KIND = re.compile(r"- `(\w+)`")
_TYPE = re.compile(r'"type":"(\w+)"')


@cache
def base() -> str:
    """Return what every request has: the words, the keys, a first pattern and how plans work."""
    parts = _sections()
    head = parts["# Conductor: core reference"]
    [keys] = [line for line in parts["## Actions"].splitlines() if line.startswith("Keys: ")]
    [first] = [line for line in parts["## Patterns"].splitlines() if line.startswith("1. ")]
    pattern = f"As trigger -> action: {first.removeprefix('1. ')}"
    return "\n\n".join([head, f"{pattern}\n{keys}", parts["## Working with plans"], MORE])


def with_reference(messages: Sequence[ChatMessage]) -> list[ChatMessage]:
    """Return the messages, each of the user's with the parts of the reference that nothing before it has."""
    told: set[str] = set()
    return [_with_new(one, told) if one.role == "user" else one for one in messages]


def needed(text: str) -> tuple[str, ...]:
    """Return the parts of the core reference beyond the base that a message needs, in the order of the text."""
    kinds, sections = kinds_for(text), sections_for(text)
    chosen = [name for name in _pieces() if name in kinds or name in sections]
    return (*chosen, *(name for name in _patterns() if _shows(name, kinds, sections)))


def of_needed(text: str) -> int:
    """Estimate the tokens of what a message brings of the reference."""
    known = {**_pieces(), **_patterns()}
    return sum(approximate_tokens(known[name]) for name in needed(text))


def _with_new(message: ChatMessage, told: set[str]) -> ChatMessage:
    said = " ".join(part.text for part in message.parts if isinstance(part, TextPart))
    new = [name for name in needed(said) if name not in told]
    told.update(new)
    if not new:
        return message
    known = {**_pieces(), **_patterns()}
    text = "\n".join([f"<{TAG}>", *(known[name] for name in new), f"</{TAG}>"])
    return message.model_copy(update={"parts": (*message.parts, TextPart(text=text))})


def _shows(pattern: str, kinds: Iterable[str], sections: Iterable[str]) -> bool:
    """Check whether a pattern shows something that was asked for."""
    text = _patterns()[pattern]
    if '"while_held"' in text:
        return "while_held" in sections
    shown = {*_TYPE.findall(text)} - {*BASIC}
    conditions = CONDITIONS_SHOWN if "conditions" in sections else ()
    return bool(shown) and shown <= {*kinds, *conditions}


@cache
def _pieces() -> Mapping[str, str]:
    """Return the parts by name: each kind's line, then whole sections."""
    parts = _sections()
    lines = [*parts["## Triggers"].splitlines(), *parts["## Actions"].splitlines()]
    rows = ((kind[1], line) for line in lines if (kind := _KIND.match(line)))
    found = {
        kind: "\n".join([line, *([CHOICES[kind]] if kind in CHOICES else [])])
        for kind, line in rows
        if kind not in BASIC
    }
    [gestures] = [line for line in lines if line.startswith("**Gestures of one control.**")]
    return {**found, "gestures": gestures, **{name: parts[head] for name, head in HEADINGS.items()}}


@cache
def _patterns() -> Mapping[str, str]:
    """Return the patterns but the first by their numbers."""
    rows = re.findall(r"(?m)^(\d+)\. (.+)$", _sections()["## Patterns"])
    return {f"pattern {number}": line for number, line in rows if number != "1"}


@cache
def _sections() -> Mapping[str, str]:
    """Return the core reference by headings."""
    parts = re.split(r"\n+(?=## )", core_reference())
    return {part.splitlines()[0]: part for part in parts}
