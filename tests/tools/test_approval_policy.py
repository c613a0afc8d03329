"""What the user said about skills before: for which calls it counts, how long, and when it is asked again."""

import asyncio
from pathlib import Path

import pytest
from tests.tools.approval_world import (
    AGENT,
    BARE,
    CHAT,
    FETCH,
    FILES,
    LAMP,
    OTHER_CHAT,
    OTHER_HOST,
    PAD,
    PAGE,
    PLUGINS,
    SAME_HOST,
    SEARCH,
    SUMS,
    TERMINAL,
    WINDOW,
    ApprovalStage,
    foreign,
    run,
    tool,
)

from conductor.config.parse import load_config_with_notes
from conductor.domain.plan import Requester
from conductor.errors import InvalidParams, NotAllowed, NotApproved, UnknownApproval
from conductor.tools.approval.approvals import Approvals

HTTP = Requester(
    caller="http", client="claude", pid=9, executable="/usr/bin/node", program="claude"
)


@pytest.fixture
def desk(tmp_path: Path) -> ApprovalStage:
    return ApprovalStage(tmp_path)


def test_this_conversation_counts_for_the_same_shape_in_this_one_only(desk: ApprovalStage):
    async def work() -> None:
        desk.user("conversation", "deny", "deny")
        assert await desk.ask(FETCH, **PAGE) == "conversation"
        assert await desk.ask(FETCH, **SAME_HOST) == "conversation"
        with pytest.raises(NotAllowed):
            await desk.ask(FETCH, **OTHER_HOST)
        with pytest.raises(NotAllowed):
            await desk.ask(FETCH, OTHER_CHAT, **SAME_HOST)

    run(work())
    (grant,) = desk.approvals.list_grants()
    assert (grant.scope, grant.verdict, grant.conversation_id, grant.uses) == (
        "conversation",
        "allow",
        "c1",
        1,
    )
    assert grant.shape == "url: any address at https://example.org"
    assert grant.last_used_at is not None


def test_always_outlives_a_restart_and_ends_when_it_is_taken_back(tmp_path: Path):
    async def first(desk: ApprovalStage) -> None:
        desk.user("always")
        assert await desk.ask(FETCH, **PAGE) == "always"

    async def second(desk: ApprovalStage) -> None:
        assert await desk.ask(FETCH, OTHER_CHAT, **SAME_HOST) == "always"
        desk.approvals.revoke_grant(desk.approvals.list_grants()[0].grant_id)
        desk.user("deny")
        with pytest.raises(NotAllowed):
            await desk.ask(FETCH, **PAGE)

    run(first(ApprovalStage(tmp_path)))
    run(second(ApprovalStage(tmp_path)))


def test_an_answer_covers_who_asked_and_nobody_else(desk: ApprovalStage):
    async def work() -> None:
        desk.user("always")
        await desk.ask(FETCH, **PAGE)
        for other in (AGENT, BARE, HTTP):
            with pytest.raises(NotApproved):
                await desk.ask(FETCH, other, **PAGE)

    run(work())


@pytest.mark.parametrize("by", [BARE, HTTP, TERMINAL])
def test_a_caller_that_is_not_known_again_is_allowed_once_at_most(
    desk: ApprovalStage, by: Requester
):
    async def work() -> None:
        with pytest.raises(NotApproved):
            await desk.ask(FETCH, by, **PAGE)
        (waiting,) = desk.approvals.list_pending()
        assert waiting.choices == ("once", "deny", "never")
        with pytest.raises(InvalidParams):
            desk.approvals.decide_request(waiting.approval_id, "always", WINDOW)

    run(work())


def test_always_for_an_agent_covers_that_agent(desk: ApprovalStage):
    async def work() -> None:
        with pytest.raises(NotApproved):
            await desk.ask(FETCH, AGENT, **PAGE)
        desk.approvals.decide_request(
            desk.approvals.list_pending()[0].approval_id, "always", WINDOW
        )
        again = AGENT.model_copy(update={"pid": 99})
        assert await desk.ask(FETCH, AGENT, **PAGE) == "always"
        assert await desk.ask(FETCH, again, **SAME_HOST) == "always"
        for other in ({"client": "other"}, {"executable": "/usr/bin/python"}):
            with pytest.raises(NotApproved):
                await desk.ask(FETCH, AGENT.model_copy(update=other), **PAGE)

    run(work())


def test_never_wins_over_everything_and_covers_every_call(desk: ApprovalStage):
    async def work() -> None:
        desk.user("always", "never")
        await desk.ask(LAMP, **PAGE)
        with pytest.raises(NotAllowed):
            await desk.ask(LAMP, **OTHER_HOST)
        for by in (CHAT, AGENT, PAD):
            with pytest.raises(NotAllowed, match="never allows set"):
                await desk.ask(LAMP, by, **PAGE)
        with pytest.raises(NotAllowed, match="never allows set"):
            await desk.ask(foreign("lamp", "set", "sha256:2"), **PAGE)

    run(work())
    assert [one.verdict for one in desk.approvals.list_grants()] == ["never"], (
        "the other one has ended"
    )


def test_an_answer_about_one_tool_of_a_skill_says_nothing_of_another(desk: ApprovalStage):
    async def work() -> None:
        desk.user("always", "never", "once")
        await desk.ask(FETCH, **PAGE)
        with pytest.raises(NotAllowed):
            await desk.ask(tool("forget"), **PAGE)
        assert await desk.ask(FETCH, **PAGE) == "always"

    run(work())


def test_never_can_be_taken_back(desk: ApprovalStage):
    async def work() -> None:
        desk.user("never", "once")
        with pytest.raises(NotAllowed):
            await desk.ask(FETCH, **PAGE)
        desk.approvals.revoke_grant(desk.approvals.list_grants()[0].grant_id)
        assert await desk.ask(FETCH, **PAGE) == "once"
        with pytest.raises(UnknownApproval):
            desk.approvals.revoke_grant("no such answer")

    run(work())


def test_an_answer_ends_when_the_tool_is_another_one(desk: ApprovalStage):
    async def work() -> None:
        desk.user("always", "deny", "deny")
        await desk.ask(LAMP, **PAGE)
        with pytest.raises(NotAllowed):
            await desk.ask(foreign("lamp", "set", "sha256:2"), **PAGE)
        assert desk.approvals.list_grants() == []
        with pytest.raises(NotAllowed):
            await desk.ask(LAMP, **PAGE)

    run(work())


def test_a_tool_that_nothing_distinguishes_from_another_is_allowed_once_at_most(
    desk: ApprovalStage,
):
    async def work() -> None:
        desk.user("always")
        with pytest.raises(NotAllowed, match="not approved in time"):
            await desk.ask(foreign("lamp", "set", ""), **PAGE)

    desk.approvals = Approvals(
        lambda: desk.grants, lambda: desk.config, desk.told.append, lambda: True, timeout_s=0.2
    )
    run(work())
    assert desk.told[0].choices == ("once", "deny", "never")
    assert desk.approvals.list_grants() == []


def test_a_pad_calls_what_a_mapping_that_is_on_holds_and_nothing_else(desk: ApprovalStage):
    async def work() -> None:
        assert await desk.ask(LAMP, PAD) == "mapping"
        assert await desk.ask(foreign("obs", "scene"), PAD) == "mapping"
        for other in (foreign("lamp", "explode"), foreign("obs", "set"), FETCH, SUMS):
            with pytest.raises(NotAllowed, match="no enabled mapping"):
                await desk.ask(other, PAD)
        odd = PLUGINS.replace('server = "lamp", tool = "set"', 'server = "lamp", tool = "x:set"')
        desk.config = load_config_with_notes(odd).config
        for other in (LAMP, foreign("lamp:x", "set")):
            with pytest.raises(NotAllowed, match="no enabled mapping"):
                await desk.ask(other, PAD)

    run(work())
    assert desk.told == [], "a pad waits for nobody"


def test_an_action_that_is_performed_once_calls_its_own_tools_only(desk: ApprovalStage):
    def performing(number: int) -> Requester:
        return Requester(caller="pad", client=f"preview #0, preview {number}")

    async def work() -> None:
        desk.approvals.allow_action(1, frozenset(("mcp:lamp:explode",)))
        desk.approvals.allow_action(2, frozenset(("mcp:obs:set",)))
        assert await desk.ask(foreign("lamp", "explode"), performing(1)) == "plan"
        assert await desk.ask(foreign("obs", "set"), performing(2)) == "plan"
        for tool_of_other, by in ((foreign("obs", "set"), 1), (foreign("lamp", "explode"), 2)):
            with pytest.raises(NotAllowed, match="no enabled mapping"):
                await desk.ask(tool_of_other, performing(by))

    run(work())


def test_after_content_from_elsewhere_a_kept_answer_waits_for_one_more_word(desk: ApprovalStage):
    async def work() -> None:
        desk.user("always")
        await desk.ask(LAMP, **PAGE)
        assert await desk.ask(LAMP, **PAGE) == "always"
        assert await desk.ask(SEARCH) == "not needed"
        desk.user("once")
        assert await desk.ask(LAMP, **PAGE) == "once"
        assert await desk.ask(LAMP, **SAME_HOST) == "always", "only once in a conversation"
        assert await desk.ask(LAMP, OTHER_CHAT, **PAGE) == "always"

    run(work())
    first, again = [view for view in desk.told if view.state == "pending"]
    assert first.warnings == ()
    assert "has read content from Web search" in again.warnings[0]


def test_a_further_place_that_was_read_from_is_one_more_question(desk: ApprovalStage):
    async def work() -> None:
        desk.user("always", "once", "once")
        await desk.ask(LAMP, **PAGE)
        await desk.ask(FILES)
        assert await desk.ask(LAMP, **PAGE) == "once"
        assert await desk.ask(LAMP, **PAGE) == "always"
        await desk.ask(SEARCH)
        assert await desk.ask(LAMP, **PAGE) == "once"
        await desk.ask(SUMS)
        assert await desk.ask(LAMP, **PAGE) == "always", "the calculator's words are Conductor's"

    run(work())
    last = [view for view in desk.told if view.state == "pending"][-1]
    assert "has read content from File reading, Web search" in last.warnings[0]


def test_what_a_conversation_has_read_is_remembered_over_a_restart(tmp_path: Path):
    async def first(desk: ApprovalStage) -> None:
        desk.user("always")
        await desk.ask(LAMP, **PAGE)
        await desk.ask(SEARCH)

    async def second(desk: ApprovalStage) -> None:
        desk.user("deny")
        with pytest.raises(NotAllowed):
            await desk.ask(LAMP, **PAGE)

    run(first(ApprovalStage(tmp_path)))
    run(second(ApprovalStage(tmp_path)))


def test_the_same_answer_twice_is_kept_once(desk: ApprovalStage):
    async def work() -> None:
        desk.user("always", "always")
        await asyncio.gather(desk.ask(FETCH, **PAGE), desk.ask(FETCH, **SAME_HOST))

    run(work())
    (grant,) = desk.grants.list_grants()
    assert grant.shape == {"keys": {"url": {"origin": "https://example.org:443"}}}
