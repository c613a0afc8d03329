"""`conductor audit` in words."""

import pytest

from conductor.cli.audit import format_caller
from conductor.domain.plan import Requester
from conductor.storage.audit import AuditEntry


@pytest.mark.parametrize(
    ("by", "words"),
    [
        (
            Requester(caller="pad", client="sum, mapping 1 of mode Default"),
            "a control (sum, mapping 1 of mode Default)",
        ),
        (Requester(caller="bare", executable="/usr/bin/socat", pid=7), "socat (bare, process 7)"),
        (
            Requester(caller="cli", executable="/usr/bin/python3.11", pid=7),
            "conductor (cli, process 7)",
        ),
        (Requester(caller="mcp", client="an editor"), "an editor (mcp)"),
        (Requester(caller="bare"), "unknown program (bare)"),
    ],
)
def test_who_called_is_said_without_what_is_not_known(by: Requester, words: str) -> None:
    entry = AuditEntry.create_for_call(by, "conductor_get_status", "read_only", {})
    assert format_caller(entry.to_plain()) == words
