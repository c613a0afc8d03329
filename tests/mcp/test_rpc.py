"""Parsing of JSON-RPC lines."""

import json

import pytest

from conductor.mcp.server import rpc


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999"])
def test_an_id_that_is_no_number_of_json_is_refused(number: str) -> None:
    line = f'{{"jsonrpc":"2.0","method":"conductor_get_status","id":{number}}}'
    with pytest.raises(rpc.InvalidMessageLine) as bad:
        rpc.parse_message(line.encode())
    assert bad.value.answer["error"]["code"] == rpc.INVALID_REQUEST
    assert json.loads(rpc.encode_message(bad.value.answer))["id"] is None
