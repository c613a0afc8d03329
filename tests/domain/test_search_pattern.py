"""Patterns of configs and profiles: searched in linear time, or rejected with advice."""

import os
import random
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from conductor.domain.config import Config, ProfileMatch
from conductor.domain.devices import NameRegex, PortInfo

CASES = int(os.environ.get("CONDUCTOR_PROVE_CASES", "500"))
DEVICES = Path(__file__).parents[2] / "knowledge" / "devices"
EXPLODING = [r"^(\w+\s?)+ - Video$", r"(a+)+$", r"(a|aa)+$", r"(.*a){12}$", "(?:(?:a*)*)*b"]
"""Python's own engine would need longer than the age of the universe for some of these."""


def found(pattern: str, title: str) -> bool:
    return ProfileMatch(title_regex=pattern).matches_app(("", "", title))


@pytest.mark.timeout(5)
@pytest.mark.parametrize("pattern", EXPLODING)
def test_a_title_made_to_explode_a_pattern_is_answered_at_once(pattern: str):
    assert not found(pattern, "a" * 40 + "!")


@pytest.mark.timeout(5)
def test_a_port_name_made_to_explode_a_pattern_is_answered_at_once():
    matcher = NameRegex(pattern=r"^(\w+\s?)+ - Pad$")
    assert not matcher.matches_port(PortInfo(name="a" * 40 + "!"))


@pytest.mark.parametrize(
    ("pattern", "title", "expected"),
    [
        (r"\bÜbersicht\b", "Die Übersicht.", True),
        (r"^\w+$", "Größe", True),
        ("(?i)größe", "GRÖSSE GRÖẞE größe", True),
        (r"\.py\b", "main.py - code", True),
        (r"^DaVinci", "My DaVinci", False),
        (r"[^\W\d]+ \d{4}", "März 2026", True),
    ],
)
def test_letters_of_every_language_count_as_letters(pattern: str, title: str, expected: bool):
    assert found(pattern, title) is expected


def test_only_the_first_256_characters_of_a_title_are_looked_at():
    assert found("b$", "a" * 255 + "b" + "c" * 10_000)
    assert not found("c", "a" * 256 + "c")


@pytest.mark.parametrize(
    ("pattern", "advice"),
    [
        (r"(a)\1", "backreference"),
        ("(?P<x>a)(?P=x)", "backreference"),
        ("(?<=a)b", "write `ab`"),
        ("(?<!a)b", "look-behind"),
        ("a(?=b)", "write `ab`"),
        ("(a(?!b)|c)", "parentheses"),
        ("a(?!b)|c", "parentheses"),
        ("a*+", "possessive"),
        ("(?>a+)b", "(?:"),
        (r"end\Z", "`$`"),
        ("[[a]", r"`\[`"),
        ("[a&&b]", "twice"),
        (r"\<a", "`<`"),
        ("a{", r"`\{`"),
        ("(", "regular expression"),
        ("a" * 250 + "{99}", "too large"),
        ("((a{0,100}){0,100}){0,10}b", "too large"),
        (r"\w{300}", "too large"),
    ],
)
def test_what_cannot_be_searched_in_linear_time_is_refused_with_advice(pattern: str, advice: str):
    for refused in (
        lambda: ProfileMatch(title_regex=pattern),
        lambda: NameRegex(pattern=pattern),
    ):
        with pytest.raises(ValidationError) as raised:
            refused()
        assert advice in str(raised.value)


def test_what_must_not_follow_may_be_said_once_outside_of_parentheses():
    pattern = r"(?i)\bbeatstep(?! ?pro)\b"
    assert found(pattern, "Arturia BeatStep MIDI 1")
    assert not found(pattern, "Arturia BeatStep Pro")
    assert not found(pattern, "BeatSteps")
    assert not found(pattern, "BeatStep, BeatStep Pro")


def _shipped() -> list[str]:
    patterns: list[str] = []
    for path in sorted(DEVICES.glob("*.toml")):
        patterns += [one["pattern"] for one in _matchers(tomllib.loads(path.read_text()))]
    return patterns


def _matchers(node: Any) -> list[dict[str, Any]]:
    if isinstance(node, dict):
        own = [node] if node.get("type") == "NameRegex" else []
        return [*own, *(one for item in node.values() for one in _matchers(item))]
    return [one for item in node for one in _matchers(item)] if isinstance(node, list) else []


def test_the_patterns_of_the_shipped_devices_find_what_pythons_engine_finds():
    rnd = random.Random(5)
    patterns = _shipped()
    assert len(patterns) > 20
    words = sorted({word for one in patterns for word in re.findall(r"[a-z]+|\d+", one.lower())})
    for _ in range(CASES):
        pattern = rnd.choice(patterns)
        name = _name(rnd, pattern, words)
        expected = re.search(pattern, name) is not None
        assert NameRegex(pattern=pattern).matches_port(PortInfo(name=name)) is expected, (
            pattern,
            name,
        )


def _name(rnd: random.Random, pattern: str, words: list[str]) -> str:
    own = re.findall(r"[a-z]+|\d+", re.sub(r"\(\?i\)|\\[bd]", "", pattern))
    others = [word for word in words if word not in own]  # a name twice is read by the rule below
    parts = [
        *dict.fromkeys(own[: rnd.randint(0, len(own))]),
        *rnd.sample(others, rnd.randint(0, 2)),
    ]
    if rnd.random() < 0.3:
        rnd.shuffle(parts)
    name = "".join(part + rnd.choice(["", " ", " ", ":", " midi "]) for part in parts).strip()
    return rnd.choice([name, name.title(), name.upper()])


def test_random_plain_patterns_find_what_pythons_engine_finds():
    rnd = random.Random(7)
    pieces = ["a", "b", "ü", " ", ".", r"\w", r"\d", r"\s", r"\b", "[ab]", "[^a]", r"\-", "7"]
    for _ in range(CASES):
        pattern = "".join(
            rnd.choice(pieces[:8] + pieces[9:]) + rnd.choice(["", "", "*", "+?", "?", "{1,3}"])
            for _ in range(rnd.randint(1, 5))
        )
        pattern = rnd.choice(["", "^", r"\b", "(?i)"]) + pattern + rnd.choice(["", "$", r"\b"])
        title = "".join(rnd.choices("abAü 7-é", k=rnd.randint(0, 12)))
        assert found(pattern, title) is (re.search(pattern, title) is not None), (pattern, title)


def test_so_many_title_patterns_that_a_title_takes_long_are_refused():
    def config(count: int) -> Config:
        return Config.model_validate(
            {
                "profiles": [
                    {"name": f"p{n}", "match": {"title_regex": f"(?:.?){{32}}{n}"}}
                    for n in range(count)
                ]
            }
        )

    assert len(config(20).profiles) == 20
    with pytest.raises(ValidationError, match="title patterns"):
        config(60)
