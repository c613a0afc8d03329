"""Descriptions of types for agents, and the examples in errors."""

from typing import Any

import pytest
from pydantic import TypeAdapter

from conductor.domain.actions import ACTION_KINDS, Action
from conductor.domain.conditions import Condition
from conductor.domain.curves import AnyCurve, FromControl
from conductor.domain.examples import Example
from conductor.domain.keys import KEY_NAMES
from conductor.domain.kind_examples import (
    ACTION_EXAMPLES,
    CONDITION_EXAMPLES,
    CURVE_EXAMPLES,
    FROM_CONTROL_EXAMPLE,
    GESTURE_EXAMPLE,
    KIND_EXAMPLES,
    TRIGGER_EXAMPLES,
)
from conductor.domain.triggers import TRIGGER_KINDS, Trigger
from conductor.errors import InvalidParams
from conductor.tools.describe import (
    CONDITION_KIND_BY_TAG,
    CURVE_KIND_BY_TAG,
    KIND_BY_TAG,
    describe_topic,
    list_explained_topics,
)

PAIRS: list[tuple[Any, Any, Any]] = [
    (Trigger, TRIGGER_KINDS, TRIGGER_EXAMPLES),
    (Action, ACTION_KINDS, ACTION_EXAMPLES),
    (Condition, CONDITION_KIND_BY_TAG, CONDITION_EXAMPLES),
    (AnyCurve, CURVE_KIND_BY_TAG, CURVE_EXAMPLES),
]


@pytest.mark.parametrize(("union", "kinds", "examples"), PAIRS)
def test_every_kind_has_a_valid_example(union: Any, kinds: Any, examples: Any) -> None:
    assert set(examples) == set(kinds)
    for tag, one in examples.items():
        assert TypeAdapter[Any](union).validate_python(one).to_plain()["type"] == tag


def test_a_value_from_a_control_has_a_valid_example() -> None:
    assert FromControl.model_validate(FROM_CONTROL_EXAMPLE).to_plain() == FROM_CONTROL_EXAMPLE
    assert Example.model_validate(GESTURE_EXAMPLE).expect
    assert len(KIND_EXAMPLES) == len(KIND_BY_TAG), "two kinds share a name"


@pytest.mark.parametrize("topic", [*list_explained_topics(), *KIND_BY_TAG])
def test_each_topic_is_told_in_few_words(topic: str) -> None:
    assert 0 < len(describe_topic(topic)) / 4 < 400


@pytest.mark.parametrize(
    ("topic", "words"),
    [
        ("longpress", "duration_ms 50-60000, default 2000"),
        ("Note", "Also device, channel (1-16), when."),
        ("when", '"when":[{"type":"AppFrontmost","app":"spotify"}]'),
        ("from", "invert, default false"),
        ("from", '{"from":"value","min":0,"max":50,"invert":true}'),
        ("Keystroke", "hold tap|while_held, default"),
        ("TimeRange", '{"type":"TimeRange","start":"22:00","end":"06:00"}'),
    ],
)
def test_fields_ranges_defaults_and_an_example_are_told(topic: str, words: str) -> None:
    assert words in describe_topic(topic)


def test_every_key_name_is_told() -> None:
    told = describe_topic("keys")
    named = {name for name in KEY_NAMES if not (name[0] == "f" and name[1:].isdigit())}
    assert [name for name in named if name not in told] == []


def test_an_unknown_topic_names_the_nearest() -> None:
    with pytest.raises(
        InvalidParams, match="there is no type or topic `LongPres` - did you mean `LongPress`"
    ):
        describe_topic("LongPres")
