"""Answers to questions about skills, as they are kept."""

from pathlib import Path

import pytest

from conductor.errors import NotAvailable
from conductor.storage.database import Database
from conductor.storage.grants import Grant, Grants, new_grant_id


def grant(tool: str = "conductor_fetch", at: float = 1.0, **more: object) -> Grant:
    return Grant.model_validate(
        {
            "grant_id": new_grant_id(),
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
    return Grants(Database(tmp_path / "conductor.db"), keep=3)


def test_an_answer_comes_back_as_it_was_kept_the_newest_first(grants: Grants) -> None:
    first, second = grant(at=1.0), grant("conductor_other", at=2.0)
    grants.add(first)
    grants.add(second)
    assert grants.all() == [second, first]
    assert grants.of("conductor_fetch") == [first]


def test_the_same_answer_replaces_the_one_before_and_another_does_not(grants: Grants) -> None:
    grants.add(grant())
    again = grant(at=2.0)
    grants.add(again)
    assert grants.all() == [again]
    grants.add(grant(scope="conversation", conversation_id="c1"))
    grants.add(grant(scope="conversation", conversation_id="c2"))
    assert len(grants.all()) == 3


def test_there_is_an_end_to_how_many_are_kept(grants: Grants) -> None:
    for at in range(3):
        grants.add(grant(f"tool_{at}"))
    with pytest.raises(NotAvailable, match="3 answers are kept already"):
        grants.add(grant("tool_4"))
    assert grants.end([grants.all()[0].grant_id]) == 1
    grants.add(grant("tool_4"))


def test_an_answer_can_be_given_anew_when_no_more_can_be_kept(grants: Grants) -> None:
    for at in range(3):
        grants.add(grant(f"tool_{at}"))
    again = grant("tool_1", at=9.0)
    grants.add(again)
    assert grants.of("tool_1") == [again]
    assert len(grants.all()) == 3


def test_each_use_is_counted_and_one_of_an_answer_that_is_gone_is_no_fault(grants: Grants) -> None:
    kept = grant()
    grants.add(kept)
    grants.used(kept.grant_id)
    grants.used(kept.grant_id)
    grants.used("gone")
    assert grants.all()[0].uses == 2
    assert grants.all()[0].last_used_at is not None


def test_what_is_known_of_a_conversation_goes_with_it(grants: Grants) -> None:
    grants.add(grant())
    grants.add(grant(scope="conversation", conversation_id="c1"))
    grants.note_source("c1", "conductor_fetch", "Fetch")
    grants.note_source("c1", "conductor_fetch", "Fetch")
    assert grants.sources("c1") == {"conductor_fetch": "Fetch"}
    assert grants.sources("c2") == {}
    grants.forget_conversation("c1")
    assert grants.sources("c1") == {}
    assert [one.scope for one in grants.all()] == ["always"]
