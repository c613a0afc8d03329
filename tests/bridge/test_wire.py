"""What goes to a page is JSON that JavaScript reads, whatever is in it."""

import json
import math
from typing import Any

import pytest

from conductor.bridge.wire import encode_json


def nested(levels: int) -> list[Any]:
    item: list[Any] = []
    for _ in range(levels):
        item = [item]
    return item


@pytest.mark.parametrize(
    "message",
    [
        {"id": 1, "result": {"a": [1, 2.5, True, None, "x"], "b": {}}},
        'quotes " and \\ and \n and \u2028 and </script> and \x00',
        "ñ 日本 😀",
        "half \ud83d of one",
        {"\udc00": 1},
        2**70,
        1e300,
        5e-324,
        nested(300),
    ],
)
def test_what_is_told_is_read_as_it_was(message: Any) -> None:
    assert json.loads(encode_json(message)) == message


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("beside", ["", "half \ud83d of one"])
def test_a_number_that_json_cannot_hold_is_null(number: float, beside: str) -> None:
    message = {"a": [number, 1.0], "b": beside}
    assert json.loads(encode_json(message)) == {"a": [None, 1.0], "b": beside}


def test_a_text_takes_no_more_than_its_own_bytes() -> None:
    assert encode_json({"text": "日本 ñ"}) == '{"text":"日本 ñ"}'
