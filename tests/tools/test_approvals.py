"""The approval desk: how the user is asked about a call of a skill, and whose word counts."""

import asyncio
import sqlite3
import threading
from pathlib import Path
from typing import Any

import pytest
from tests.tools.approval_world import (
    AGENT,
    BARE,
    CHAT,
    FETCH,
    LAMP,
    OTHER_CHAT,
    OTHER_HOST,
    PAD,
    PAGE,
    SUMS,
    TERMINAL,
    WINDOW,
    ApprovalStage,
    run,
)

from conductor.domain.approvals import ApprovalView
from conductor.domain.plan import Requester
from conductor.errors import InvalidParams, NotAllowed, NotApproved, NotAvailable, UnknownApproval
from conductor.storage.database import Database
from conductor.storage.grants import Grant, Grants
from conductor.tools.approval.approvals import MAX_PENDING_PROGRAM_REQUESTS, MAX_PENDING_REQUESTS


@pytest.fixture
def desk(tmp_path: Path) -> ApprovalStage:
    return ApprovalStage(tmp_path)


def test_what_needs_no_approval_asks_nobody(desk: ApprovalStage):
    assert run(desk.ask(SUMS)) == "not needed"
    assert desk.told == []


def test_once_counts_for_one_call(desk: ApprovalStage):
    async def work() -> None:
        desk.user("once", "deny")
        assert await desk.ask(FETCH, **PAGE) == "once"
        with pytest.raises(NotAllowed, match="does not allow this call of Web page"):
            await desk.ask(FETCH, **PAGE)

    run(work())
    assert desk.approvals.list_grants() == []
    assert [view.state for view in desk.told] == ["pending", "allowed", "pending", "denied"]


def test_the_question_shows_the_whole_call_and_what_always_would_cover(desk: ApprovalStage):
    desk.user("once")
    run(desk.ask(FETCH, **PAGE, body="x" * 3_000))
    asked = desk.told[0]
    assert asked.arguments == {**PAGE, "body": "x" * 3_000}
    assert asked.shape == (
        "url: any address at https://example.org; body: exactly this text of 3000 characters"
    )
    assert (asked.title, asked.tier, asked.caller) == ("Web page", "network", "chat")
    assert asked.choices == ("once", "conversation", "always", "deny", "never")
    assert (asked.expires_at - asked.requested_at).total_seconds() == 30


def test_nobody_answers_in_time(tmp_path: Path):
    desk = ApprovalStage(tmp_path, timeout_s=0.05)
    with pytest.raises(NotAllowed, match="not approved in time"):
        run(desk.ask(FETCH, **PAGE))
    assert [view.state for view in desk.told] == ["pending", "expired"]
    assert desk.approvals.list_pending() == []


def test_where_nobody_can_answer_the_call_ends_at_once_with_what_to_do(desk: ApprovalStage):
    desk.is_user_present = False
    with pytest.raises(NotAllowed, match="open Conductor's window"):
        run(desk.ask(FETCH, **PAGE))
    assert desk.told == []


def test_a_stopped_call_takes_its_question_along(desk: ApprovalStage):
    async def work() -> None:
        call = asyncio.create_task(desk.ask(FETCH, **PAGE))
        desk.answers.append(lambda _view: call.cancel())
        with pytest.raises(asyncio.CancelledError):
            await call
        with pytest.raises(UnknownApproval):
            desk.approvals.decide_request(desk.told[0].approval_id, "once", WINDOW)

    run(work())
    assert [view.state for view in desk.told] == ["pending", "denied"]


def test_what_waits_is_denied_when_the_last_page_is_closed(desk: ApprovalStage):
    async def work() -> None:
        desk.answers.append(lambda _view: desk.approvals.deny_after_last_page_closed())
        with pytest.raises(NotAllowed, match="does not allow"):
            await desk.ask(FETCH, **PAGE)

    run(work())


def test_what_a_program_asked_can_be_answered_at_a_terminal_when_the_last_page_is_closed(
    desk: ApprovalStage,
):
    async def work() -> None:
        with pytest.raises(NotApproved):
            await desk.ask(FETCH, AGENT, **PAGE)
        desk.approvals.deny_after_last_page_closed()
        [question] = desk.approvals.list_pending()
        desk.approvals.decide_request(question.approval_id, "once", TERMINAL)
        assert await desk.ask(FETCH, AGENT, **PAGE) == "once"

    run(work())


def test_the_first_word_counts(desk: ApprovalStage):
    def both(view: ApprovalView) -> None:
        desk.approvals.decide_request(view.approval_id, "deny", TERMINAL)
        with pytest.raises(NotAllowed, match="already denied"):
            desk.approvals.decide_request(view.approval_id, "always", WINDOW)

    desk.answers.append(both)
    with pytest.raises(NotAllowed):
        run(desk.ask(FETCH, **PAGE))
    assert desk.approvals.list_grants() == []


@pytest.mark.parametrize("by", [AGENT, BARE, CHAT, PAD, Requester(caller="http")])
def test_only_the_user_decides(desk: ApprovalStage, by: Requester):
    def tries(view: ApprovalView) -> None:
        for decision in view.choices:
            with pytest.raises(NotAllowed, match="only the user"):
                desk.approvals.decide_request(view.approval_id, decision, by)
        desk.approvals.decide_request(view.approval_id, "deny", WINDOW)

    desk.answers.append(tries)
    with pytest.raises(NotAllowed):
        run(desk.ask(FETCH, **PAGE))
    assert desk.approvals.list_grants() == []


def test_the_call_of_a_program_does_not_wait_and_goes_through_once_when_it_comes_again(
    desk: ApprovalStage,
):
    async def work() -> None:
        for _ in range(3):
            with pytest.raises(NotApproved, match="conductor approvals allow"):
                await desk.ask(FETCH, AGENT, **PAGE)
        assert desk.questions == 1, "the same call is asked about once"
        (waiting,) = desk.approvals.list_pending()
        desk.approvals.decide_request(waiting.approval_id, "once", TERMINAL)
        with pytest.raises(NotApproved):
            await desk.ask(FETCH, AGENT, **OTHER_HOST)
        with pytest.raises(NotApproved):
            await desk.ask(FETCH, BARE, **PAGE)
        assert await desk.ask(FETCH, AGENT, **PAGE) == "once"
        with pytest.raises(NotApproved):
            await desk.ask(FETCH, AGENT, **PAGE)

    run(work())


def test_an_answer_to_a_process_over_http_is_not_for_another_of_the_same_name(desk: ApprovalStage):
    agent = Requester(caller="http", client="x", pid=7, executable="/usr/bin/python3", program="a")

    async def work() -> None:
        with pytest.raises(NotApproved):
            await desk.ask(FETCH, agent, **PAGE)
        (waiting,) = desk.approvals.list_pending()
        desk.approvals.decide_request(waiting.approval_id, "once", TERMINAL)
        for other in (
            {"pid": 8},
            {"pid": 8, "program": "b"},
            {"pid": None, "program": "session 1"},
        ):
            with pytest.raises(NotApproved):
                await desk.ask(FETCH, agent.model_copy(update=other), **PAGE)
        assert await desk.ask(FETCH, agent, **PAGE) == "once"

    run(work())


def test_the_user_is_not_asked_about_a_client_that_cannot_be_told_from_others(desk: ApprovalStage):
    with pytest.raises(NotAllowed, match="connect with `conductor mcp`"):
        run(desk.ask(FETCH, Requester(caller="http", client="x"), **PAGE))
    assert desk.questions == 0


def test_a_program_that_was_refused_is_not_asked_about_again(desk: ApprovalStage):
    async def work() -> None:
        with pytest.raises(NotApproved):
            await desk.ask(FETCH, AGENT, **PAGE)
        desk.approvals.decide_request(desk.approvals.list_pending()[0].approval_id, "deny", WINDOW)
        for _ in range(2):
            with pytest.raises(NotAllowed, match="do not call it again"):
                await desk.ask(FETCH, AGENT, **PAGE)

    run(work())
    assert desk.questions == 1


def test_the_asking_program_never_allows_its_own_call(desk: ApprovalStage):
    async def work() -> None:
        with pytest.raises(NotApproved):
            await desk.ask(FETCH, AGENT, **PAGE)
        approval_id = desk.approvals.list_pending()[0].approval_id
        assert "conversation" not in desk.approvals.get_approval(approval_id).choices
        for decision in ("once", "always", "deny"):
            with pytest.raises(NotAllowed, match="only the user"):
                desk.approvals.decide_request(approval_id, decision, AGENT)
        with pytest.raises(InvalidParams, match="not with conversation"):
            desk.approvals.decide_request(approval_id, "conversation", WINDOW)
        desk.approvals.decide_request(approval_id, "once", WINDOW)
        assert await desk.ask(FETCH, AGENT, **PAGE) == "once"

    run(work())


def test_an_answer_that_is_not_used_in_time_is_worth_nothing(tmp_path: Path):
    async def work(desk: ApprovalStage) -> None:
        with pytest.raises(NotApproved):
            await desk.ask(FETCH, AGENT, **PAGE)
        approval_id = desk.approvals.list_pending()[0].approval_id
        desk.approvals.decide_request(approval_id, "once", WINDOW)
        await asyncio.sleep(1.0)  # set after the question's own time, so it ends after that
        with pytest.raises(UnknownApproval):
            desk.approvals.get_approval(approval_id)
        with pytest.raises(NotApproved):
            await desk.ask(FETCH, AGENT, **PAGE)

    run(work(ApprovalStage(tmp_path, timeout_s=1.0)))


def test_what_cannot_be_shown_as_it_would_be_sent_is_refused(desk: ApprovalStage):
    with pytest.raises(InvalidParams, match="finite"):
        run(desk.ask(FETCH, count=float("nan")))
    assert desk.told == []


def test_a_page_that_a_server_brought_along_asks_in_its_own_name(desk: ApprovalStage):
    async def work() -> None:
        desk.user("always")
        assert await desk.ask(LAMP, WINDOW, **PAGE) == "always"
        assert await desk.ask(LAMP, WINDOW, **PAGE) == "always"
        desk.user("deny")
        with pytest.raises(NotAllowed):
            await desk.ask(LAMP, **PAGE)

    run(work())
    assert desk.told[0].requester == "a page of MCP server lamp in the window"
    assert desk.told[0].choices == ("once", "always", "deny", "never")


def test_a_flood_of_questions_shuts_out_who_makes_it_and_nobody_else(desk: ApprovalStage):
    async def work() -> None:
        for at in range(MAX_PENDING_REQUESTS):
            with pytest.raises(NotApproved):
                await desk.ask(FETCH, AGENT, url=f"https://example.org/{at}")
        with pytest.raises(NotAllowed, match="decide those first"):
            await desk.ask(FETCH, AGENT, url="https://example.org/more")
        assert desk.questions == MAX_PENDING_REQUESTS
        with pytest.raises(NotApproved):
            await desk.ask(FETCH, BARE, **PAGE)
        desk.user("once")
        assert await desk.ask(FETCH, **PAGE) == "once", "the chat is not shut out"

    run(work())


def test_a_program_that_calls_itself_another_each_time_is_refused_too(desk: ApprovalStage):
    async def work() -> None:
        for at in range(MAX_PENDING_PROGRAM_REQUESTS):
            with pytest.raises(NotApproved):
                await desk.ask(FETCH, AGENT.model_copy(update={"client": f"x{at}"}), **PAGE)
        with pytest.raises(NotAllowed, match="decide those first"):
            await desk.ask(FETCH, AGENT, **PAGE)
        desk.user("once")
        assert await desk.ask(FETCH, **PAGE) == "once", "the chat is not shut out"

    run(work())


class Busy(Grants):
    """A real database that another program writes to, from the first answer on that is to be kept."""

    def __init__(self, home: Path) -> None:
        super().__init__(Database(home / "conductor.db"))
        self.list_grants()
        self.other = sqlite3.connect(
            home / "conductor.db", isolation_level=None, check_same_thread=False
        )
        self.waits = threading.Event()

    def add_grant(self, grant: Grant) -> None:
        self.other.execute("BEGIN IMMEDIATE")
        self.waits.set()
        super().add_grant(grant)

    def end_other(self) -> None:
        self.other.execute("ROLLBACK")
        self.other.close()


async def half_decided(
    desk: ApprovalStage, grants: Busy
) -> "tuple[Any, asyncio.Task[str], asyncio.Task[Any]]":
    """Create a question whose answer waits for the disk; return its id, its call and the answering thread."""
    desk.grants = grants
    call = asyncio.create_task(desk.ask(FETCH, **PAGE))
    asked: asyncio.Future[ApprovalView] = asyncio.get_running_loop().create_future()
    desk.answers.append(asked.set_result)
    which = (await asked).approval_id
    answer = asyncio.to_thread(desk.approvals.decide_request, which, "always", WINDOW)
    user = asyncio.create_task(answer)
    assert await asyncio.to_thread(grants.waits.wait, 20)
    return which, call, user


def test_an_answer_that_waits_for_the_disk_holds_nobody_up_and_counts(
    desk: ApprovalStage, tmp_path: Path
):
    async def work() -> None:
        grants = Busy(tmp_path)
        which, call, user = await half_decided(desk, grants)
        desk.user("deny")
        with pytest.raises(NotAllowed, match="does not allow"):
            await desk.ask(FETCH, OTHER_CHAT, **OTHER_HOST)
        desk.approvals.deny_after_last_page_closed()
        with pytest.raises(NotAllowed, match="already answered"):
            desk.approvals.decide_request(which, "deny", TERMINAL)
        assert not user.done()
        assert not call.done()
        grants.end_other()
        assert (await user).state == "allowed"
        assert await call == "always"

    run(work())
    assert [one.verdict for one in desk.approvals.list_grants()] == ["allow"]


def test_an_answer_in_time_counts_when_it_waits_for_the_disk_longer(tmp_path: Path):
    async def work(desk: ApprovalStage) -> None:
        grants = Busy(tmp_path)
        _, call, user = await half_decided(desk, grants)
        await asyncio.sleep(1.5)  # set after the question's own time, so it ends after that
        grants.end_other()
        assert (await user).state == "allowed"
        assert await call == "always"

    run(work(ApprovalStage(tmp_path, timeout_s=1.5)))


def test_a_call_that_is_stopped_while_its_answer_is_kept_is_not_made(
    desk: ApprovalStage, tmp_path: Path
):
    async def work() -> None:
        grants = Busy(tmp_path)
        _, call, user = await half_decided(desk, grants)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        grants.end_other()
        assert (await user).state == "denied"

    run(work())


class Full(Grants):
    def add_grant(self, grant: Grant) -> None:
        raise NotAvailable("the disk is full")


def test_an_answer_that_cannot_be_kept_leaves_the_question_open(
    desk: ApprovalStage, tmp_path: Path
):
    def tries(view: ApprovalView) -> None:
        with pytest.raises(NotAvailable, match="the disk is full"):
            desk.approvals.decide_request(view.approval_id, "always", WINDOW)
        desk.approvals.decide_request(view.approval_id, "once", WINDOW)

    desk.grants = Full(Database(tmp_path / "conductor.db"))
    desk.answers.append(tries)
    assert run(desk.ask(FETCH, **PAGE)) == "once"


def test_the_question_about_a_call_is_found_by_what_a_repeated_call_must_be_the_same_in(
    desk: ApprovalStage,
):
    async def work() -> None:
        with pytest.raises(NotApproved):
            await desk.ask(FETCH, AGENT, url="x", count=1)
        again = AGENT.model_copy(update={"pid": 99})
        found: list[int] = []
        for by, arguments in (
            (again, {"count": 1, "url": "x"}),
            (AGENT, {"url": "x", "count": True}),
            (BARE, {"url": "x", "count": 1}),
        ):
            with pytest.raises(NotApproved):
                await desk.ask(FETCH, by, **arguments)
            found.append(desk.questions)
        assert found == [1, 2, 3]

    run(work())


def test_a_key_or_a_hidden_character_in_the_arguments_is_warned_of(desk: ApprovalStage):
    desk.user("deny")
    with pytest.raises(NotAllowed):
        run(desk.ask(FETCH, url="sk-abcdefghijklmnopqrstuvwx", more=["a\u202eb\n"]))
    assert [one.split(" contain ")[1] for one in desk.told[0].warnings] == [
        "what looks like a key or password",
        "characters that cannot be seen",
    ]
