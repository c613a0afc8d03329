"""SysEx patterns: their notation and the messages that they match."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from conductor.domain.events import InputEvent
from conductor.domain.triggers.base import TriggerMemory
from conductor.domain.triggers.sysex import SysexTrigger


def matches(pattern: str, message: str) -> bool:
    data = bytes.fromhex(message)
    event = InputEvent("sysex", "synth", 0, 0, len(data), 0.0, data)
    return SysexTrigger(pattern=pattern).judge_event(event, TriggerMemory()).fires


@pytest.mark.parametrize(
    ("pattern", "message", "expected"),
    [
        ("F0 7E 7F 06 01 F7", "F0 7E 7F 06 01 F7", True),
        ("F0 7E 7F 06 01 F7", "F0 7E 7F 06 02 F7", False),
        ("F0 7E ?? 06 02 *", "F0 7E 10 06 02 00 20 F7", True),
        ("F0 7E ?? 06 02 *", "F0 7E 10 06 01 00 20 F7", False),
        ("F0 7E ?? F7", "F0 7E 10 20 F7", False),
        ("7E ??", "F0 7E 10 F7", True),
        ("F0 7E 7F 06 *", "F0 7E", False),
    ],
)
def test_a_pattern_matches_the_bytes_it_says(pattern: str, message: str, expected: bool):
    assert matches(pattern, message) == expected


@pytest.mark.parametrize(
    "pattern", ["F0 7E 06 F7", "7e06", "0x7E, 0x06", "f0 7e 06", "7E 06 F7", " 7E  06 "]
)
def test_a_pattern_is_written_back_in_one_way(pattern: str):
    assert SysexTrigger(pattern=pattern).pattern == "F0 7E 06 F7"


@pytest.mark.parametrize("pattern", ["F0 7", "hello", "F0 * 7E", "  ", "F0 F7", "?"])
def test_what_is_no_pattern_is_refused(pattern: str):
    with pytest.raises(ValidationError):
        SysexTrigger(pattern=pattern)


@given(st.binary(min_size=1, max_size=40))
def test_a_pattern_made_of_a_message_matches_that_message(body: bytes):
    message = b"\xf0" + bytes(byte & 0x7F for byte in body) + b"\xf7"
    assert matches(message.hex(" "), message.hex())
    assert not matches(message.hex(" "), message.hex() + "00")
