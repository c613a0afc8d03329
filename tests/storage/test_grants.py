"""Stored answers to permission questions about skills."""

from pathlib import Path

import pytest

from conductor.errors import NotAvailable
from conductor.storage.database import Database
from conductor.storage.grants import Grant, Grants, create_grant_id


def grant(tool: str = "conductor_fetch", at: float = 1.0, **more: object) -> Grant:
    return Grant.model_validate(
        {
            "grant_id": create_grant_id(),
            "skill_id": "fetch",
            "tool": tool,
            "identity": "",
            "title": "Fetch",
            "origin": None,
            "verdict": "allow",
            "scope": "always",
            "conversation_id": None,
            "whose": "chat",
            "requester": "the chat",
            "shape": {"keys": {"url": {"origin": "https://example.org:443"}}},
            "words": "any",
            "created_at": at,
            **more,
        }
    )


@pytest.fixture
def grants(tmp_path: Path) -> Grants:
    return Grants(Database(tmp_path / "conductor.db"), max_rows=3)


def test_grants_are_returned_as_stored_newest_first(grants: Grants) -> None:
    first, second = grant(at=1.0), grant("conductor_other", at=2.0)
    grants.add_grant(first)
    grants.add_grant(second)
    assert grants.list_grants() == [second, first]
    assert grants.list_for_tool("conductor_fetch") == [first]


def test_a_grant_replaces_only_an_equal_one(grants: Grants) -> None:
    grants.add_grant(grant())
    again = grant(at=2.0)
    grants.add_grant(again)
    assert grants.list_grants() == [again]
    grants.add_grant(grant(scope="conversation", conversation_id="c1"))
    grants.add_grant(grant(scope="conversation", conversation_id="c2"))
    assert len(grants.list_grants()) == 3


def test_the_number_of_grants_is_limited(grants: Grants) -> None:
    for at in range(3):
        grants.add_grant(grant(f"tool_{at}"))
    with pytest.raises(NotAvailable, match="there are already 3 permissions"):
        grants.add_grant(grant("tool_4"))
    assert grants.revoke_grants([grants.list_grants()[0].grant_id]) == 1
    grants.add_grant(grant("tool_4"))


def test_a_grant_can_be_replaced_at_the_limit(grants: Grants) -> None:
    for at in range(3):
        grants.add_grant(grant(f"tool_{at}"))
    again = grant("tool_1", at=9.0)
    grants.add_grant(again)
    assert grants.list_for_tool("tool_1") == [again]
    assert len(grants.list_grants()) == 3


def test_each_use_is_counted_and_a_revoked_grant_is_ignored(grants: Grants) -> None:
    kept = grant()
    grants.add_grant(kept)
    grants.count_use(kept.grant_id)
    grants.count_use(kept.grant_id)
    grants.count_use("gone")
    assert grants.list_grants()[0].uses == 2
    assert grants.list_grants()[0].last_used_at is not None


def test_a_deleted_conversation_takes_its_grants_and_sources_along(grants: Grants) -> None:
    grants.add_grant(grant())
    grants.add_grant(grant(scope="conversation", conversation_id="c1"))
    grants.record_outside_source("c1", "conductor_fetch", "Fetch")
    grants.record_outside_source("c1", "conductor_fetch", "Fetch")
    assert grants.list_outside_sources("c1") == {"conductor_fetch": "Fetch"}
    assert grants.list_outside_sources("c2") == {}
    grants.forget_conversation("c1")
    assert grants.list_outside_sources("c1") == {}
    assert [one.scope for one in grants.list_grants()] == ["always"]
