"""`conductor audit` in words."""

from typing import Any

import pytest

from conductor.cli.audit import caller_words

NOBODY: dict[str, Any] = {"client": None, "executable": None, "caller": "bare", "pid": None}


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ({"caller": "pad", "client": "mode:Default #0, sum"}, "a control (mode:Default #0, sum)"),
        ({"executable": "/usr/bin/socat", "pid": 7}, "socat (bare, process 7)"),
        (
            {"caller": "cli", "executable": "/usr/bin/python3.11", "pid": 7},
            "conductor (cli, process 7)",
        ),
        ({"caller": "mcp", "client": "an editor"}, "an editor (mcp)"),
        ({}, "unknown program (bare)"),
    ],
)
def test_who_called_is_said_without_what_is_not_known(entry: dict[str, Any], words: str) -> None:
    assert caller_words({**NOBODY, **entry}) == words
