"""The kinds of config versions, for every reason that Conductor writes."""

from datetime import UTC, datetime

import pytest

from conductor.domain.plan import Requester
from conductor.domain.versions import (
    FILE_CHANGED_REASON,
    FOUND_AT_START_REASON,
    WINDOW_EDIT_REASON,
    VersionKind,
    format_mapping_restore_reason,
    format_restore_reason,
    get_version_kind,
)

WINDOW, CHAT = Requester(caller="window"), Requester(caller="chat", client="anthropic/model")
AT = datetime(2026, 1, 2, 10, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("reason", "author", "kind"),
    [
        (FOUND_AT_START_REASON, None, "start"),
        (FILE_CHANGED_REASON, None, "file"),
        (WINDOW_EDIT_REASON, WINDOW, "edit"),
        ("Delete Mute microphone", WINDOW, "edit"),
        ("Switch the server lamp on", Requester(caller="cli"), "edit"),
        (format_restore_reason(AT), WINDOW, "restore"),
        (format_mapping_restore_reason("mode:Live"), WINDOW, "restore"),
        ("Map pad 2 to Copy", CHAT, "plan"),
        ("Map pad 2 to Copy", Requester(caller="mcp", client="Cursor"), "plan"),
        ("Map pad 2", Requester(caller="bare"), "plan"),
    ],
)
def test_a_version_has_the_kind_of_its_reason_and_author(
    reason: str, author: Requester | None, kind: VersionKind
):
    assert get_version_kind(reason, author) == kind


@pytest.mark.parametrize(
    "reason", [FOUND_AT_START_REASON, FILE_CHANGED_REASON, format_restore_reason(AT)]
)
def test_an_agent_cannot_choose_the_kind_by_its_reason(reason: str):
    assert get_version_kind(reason, CHAT) == "plan"


def test_versions_from_before_authors_were_stored_have_a_kind():
    assert get_version_kind("Map pad 2 (asked by claude (mcp))", None) == "plan"
    assert get_version_kind("Rename the mode A", None) == "edit"
    assert get_version_kind("restored the version of 01 Jan 10:00", None) == "restore"
