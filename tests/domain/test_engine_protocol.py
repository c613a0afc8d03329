"""Messages between app and engine survive the wire, and what is unknown or incomplete is refused."""

import json
from typing import Any, get_args

import pytest

from conductor.domain.engine_protocol import (
    FromEngine,
    Ready,
    SendMidi,
    SwitchMode,
    ToEngine,
    parse_message_from_engine,
    parse_message_to_engine,
)

EXAMPLES: dict[Any, Any] = {int: 7, str: "text", bool: True, float: 1.5}


def example(kind: Any) -> Any:
    """Build a message of this kind."""
    values = (EXAMPLES.get(hint, []) for hint in kind.__annotations__.values())
    return kind(*values)


@pytest.mark.parametrize("kind", get_args(ToEngine))
def test_a_message_of_the_app_is_read_as_it_was_sent(kind: Any):
    message = example(kind)
    plain = json.loads(json.dumps({"op": message.op, **message._asdict()}))
    assert parse_message_to_engine(plain) == message
    assert type(parse_message_to_engine(plain)) is kind


@pytest.mark.parametrize("kind", get_args(FromEngine))
def test_a_message_of_the_engine_is_read_as_it_was_sent(kind: Any):
    message = example(kind)
    plain = json.loads(json.dumps({"op": message.op, **message._asdict()}))
    assert type(parse_message_from_engine(plain)) is kind
    assert parse_message_from_engine(plain) == message


def test_each_message_of_a_direction_has_an_op_of_its_own():
    for union in (ToEngine, FromEngine):
        ops = [kind.op for kind in get_args(union)]
        assert sorted(ops) == sorted(set(ops))


def test_the_id_of_a_request_is_not_a_field_of_it():
    assert parse_message_to_engine({"op": "mode", "id": 3, "mode": "Live"}) == SwitchMode("Live")


def test_a_field_that_was_not_sent_keeps_its_default():
    plain = {"op": "send_midi", "port": "Synth", "messages": ["903c64"]}
    assert parse_message_to_engine(plain) == SendMidi("Synth", ["903c64"], approved=False)


def test_an_unknown_message_is_none_and_an_incomplete_one_an_error():
    assert parse_message_to_engine({"op": "dance"}) is None
    assert parse_message_from_engine({}) is None
    with pytest.raises(TypeError, match="pid"):
        parse_message_from_engine({"op": Ready.op})
