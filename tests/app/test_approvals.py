"""The approval desk: who may say yes to a call of a skill, how long it counts, and for which calls."""

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import pytest

from conductor.app.approvals import WAITING_AT_MOST, Approvals
from conductor.config.parse import read
from conductor.domain.approvals import ApprovalView, Decision
from conductor.domain.config import Config
from conductor.domain.plan import Requester
from conductor.errors import InvalidParams, NotAllowed, NotApproved, UnknownApproval
from conductor.storage.database import Database
from conductor.storage.grants import Grants
from conductor.tools.context import SkillContext
from conductor.tools.params import Params
from conductor.tools.permission import PermissionRequest
from conductor.tools.registry import Registry, Tool

WINDOW = Requester(caller="window", client="Conductor")
TERMINAL = Requester(caller="cli", client="terminal")
CHAT = Requester(caller="chat", conversation_id="c1")
OTHER_CHAT = Requester(caller="chat", conversation_id="c2")
AGENT = Requester(caller="mcp", client="claude", pid=7, executable="/usr/bin/node")
BARE = Requester(caller="bare", pid=8, executable="/usr/bin/nc")
PAD = Requester(caller="pad")
PLUGINS = """
[[modes]]
name = "Default"
[[modes.mappings]]
trigger = { type = "Note", note = 36 }
action = { type = "Sequence", actions = [
  { type = "Plugin", server = "lamp", tool = "set" },
  { type = "Repeat", count = 2, action = { type = "Plugin", server = "obs", tool = "scene" } },
] }
[[modes.mappings]]
enabled = false
trigger = { type = "Note", note = 37 }
action = { type = "Plugin", server = "lamp", tool = "explode" }
"""
T = TypeVar("T")
registry = Registry()


class Anything(Params):
    url: str = ""


@registry.skill("fetch", "Web page", "network", "network", requires_approval=True)
async def fetch(params: Anything, context: SkillContext) -> Anything:
    """Read a web page."""
    return params


@registry.skill("search", "Web search", "network", "network")
async def search(params: Anything, context: SkillContext) -> Anything:
    """Search the web."""
    return params


@registry.skill("fetch", "Web page", "network", "network", requires_approval=True)
async def forget(params: Anything, context: SkillContext) -> Anything:
    """Delete what is kept of a web page."""
    return params


@registry.skill("sums", "Calculator", "core", "productivity")
async def sums(params: Anything, context: SkillContext) -> Anything:
    """Calculate."""
    return params


def tool(name: str) -> Tool:
    found = registry.get(f"conductor_{name}")
    assert found is not None
    return found


def foreign(server: str, name: str, identity: str = "sha256:1") -> Tool:
    full = f"mcp:{server}:{name}"
    return replace(
        tool("fetch"),
        name=full,
        skill_id=full,
        title=name,
        skill_tier="integration",
        identity=identity,
        origin=f"MCP server {server}",
    )


FETCH, SEARCH, SUMS = tool("fetch"), tool("search"), tool("sums")
LAMP = foreign("lamp", "set")
PAGE = {"url": "https://example.org/a"}
SAME_HOST = {"url": "https://example.org/b"}
OTHER_HOST = {"url": "https://example.com/a"}


class Desk:
    """A desk over a real database, with a user who answers what is told."""

    def __init__(self, home: Path, ask_for_s: float = 30.0) -> None:
        self.grants = Grants(Database(home / "conductor.db"))
        self.config: Config = read(PLUGINS).config
        self.told: list[ApprovalView] = []
        self.answers: list[Callable[[ApprovalView], object]] = []
        self.approvals = Approvals(lambda: self.grants, lambda: self.config, ask_for_s=ask_for_s)
        self.approvals.on_change = self._tell
        self.approvals.somebody = lambda: True

    def _tell(self, view: ApprovalView) -> None:
        self.told.append(view)
        if view.state == "pending" and self.answers:
            answer = self.answers.pop(0)
            asyncio.get_running_loop().call_soon(answer, view)

    def user(self, *decisions: Decision, by: Requester = WINDOW) -> None:
        """Have the next questions answered so."""
        for decision in decisions:
            self.answers.append(
                lambda view, decision=decision: self.approvals.decide(
                    view.approval_id, decision, by
                )
            )

    async def ask(self, of: Tool, by: Requester = CHAT, /, **arguments: Any) -> str:
        return await self.approvals.require(PermissionRequest(of, arguments, by))

    @property
    def questions(self) -> int:
        return len([view for view in self.told if view.state == "pending"])


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def run(work: Coroutine[Any, Any, T]) -> T:
    return asyncio.run(asyncio.wait_for(work, 30))


def test_what_needs_no_approval_asks_nobody(desk: Desk):
    assert run(desk.ask(SUMS)) == "not needed"
    assert desk.told == []


def test_once_counts_for_one_call(desk: Desk):
    async def work() -> None:
        desk.user("once", "deny")
        assert await desk.ask(FETCH, **PAGE) == "once"
        with pytest.raises(NotAllowed, match="does not allow this call of Web page"):
            await desk.ask(FETCH, **PAGE)

    run(work())
    assert desk.approvals.grants() == []
    assert [view.state for view in desk.told] == ["pending", "allowed", "pending", "denied"]


def test_the_question_shows_the_whole_call_and_what_always_would_cover(desk: Desk):
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


def test_this_conversation_counts_for_the_same_shape_in_this_one_only(desk: Desk):
    async def work() -> None:
        desk.user("conversation", "deny", "deny")
        assert await desk.ask(FETCH, **PAGE) == "conversation"
        assert await desk.ask(FETCH, **SAME_HOST) == "conversation"
        with pytest.raises(NotAllowed):
            await desk.ask(FETCH, **OTHER_HOST)
        with pytest.raises(NotAllowed):
            await desk.ask(FETCH, OTHER_CHAT, **SAME_HOST)

    run(work())
    (grant,) = desk.approvals.grants()
    assert (grant.scope, grant.verdict, grant.conversation_id, grant.uses) == (
        "conversation",
        "allow",
        "c1",
        1,
    )
    assert grant.shape == "url: any address at https://example.org"
    assert grant.last_used_at is not None


def test_always_outlives_a_restart_and_ends_when_it_is_taken_back(tmp_path: Path):
    async def first(desk: Desk) -> None:
        desk.user("always")
        assert await desk.ask(FETCH, **PAGE) == "always"

    async def second(desk: Desk) -> None:
        assert await desk.ask(FETCH, OTHER_CHAT, **SAME_HOST) == "always"
        desk.approvals.revoke(desk.approvals.grants()[0].grant_id)
        desk.user("deny")
        with pytest.raises(NotAllowed):
            await desk.ask(FETCH, **PAGE)

    run(first(Desk(tmp_path)))
    run(second(Desk(tmp_path)))


def test_an_answer_covers_who_asked_and_nobody_else(desk: Desk):
    async def work() -> None:
        desk.user("always")
        await desk.ask(FETCH, **PAGE)
        for other in (AGENT, BARE, Requester(caller="http", client="claude")):
            with pytest.raises(NotApproved):
                await desk.ask(FETCH, other, **PAGE)

    run(work())


def test_never_wins_over_everything_and_covers_every_call(desk: Desk):
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
    assert [one.verdict for one in desk.approvals.grants()] == ["never"], "the other one has ended"


def test_an_answer_about_one_tool_of_a_skill_says_nothing_of_another(desk: Desk):
    async def work() -> None:
        desk.user("always", "never", "once")
        await desk.ask(FETCH, **PAGE)
        with pytest.raises(NotAllowed):
            await desk.ask(tool("forget"), **PAGE)
        assert await desk.ask(FETCH, **PAGE) == "always"

    run(work())


def test_never_can_be_taken_back(desk: Desk):
    async def work() -> None:
        desk.user("never", "once")
        with pytest.raises(NotAllowed):
            await desk.ask(FETCH, **PAGE)
        desk.approvals.revoke(desk.approvals.grants()[0].grant_id)
        assert await desk.ask(FETCH, **PAGE) == "once"
        with pytest.raises(UnknownApproval):
            desk.approvals.revoke("no such answer")

    run(work())


def test_an_answer_ends_when_the_tool_is_another_one(desk: Desk):
    async def work() -> None:
        desk.user("always", "deny", "deny")
        await desk.ask(LAMP, **PAGE)
        with pytest.raises(NotAllowed):
            await desk.ask(foreign("lamp", "set", "sha256:2"), **PAGE)
        assert desk.approvals.grants() == []
        with pytest.raises(NotAllowed):
            await desk.ask(LAMP, **PAGE)

    run(work())


def test_a_tool_that_nothing_tells_from_another_is_allowed_once_at_most(desk: Desk):
    async def work() -> None:
        desk.user("always")
        with pytest.raises(NotAllowed, match="nobody answered"):
            await desk.ask(foreign("lamp", "set", ""), **PAGE)

    desk.approvals = Approvals(lambda: desk.grants, lambda: desk.config, ask_for_s=0.2)
    desk.approvals.somebody = lambda: True
    desk.approvals.on_change = desk.told.append
    run(work())
    assert desk.told[0].choices == ("once", "deny", "never")
    assert desk.approvals.grants() == []


def test_nobody_answers_in_time(tmp_path: Path):
    desk = Desk(tmp_path, ask_for_s=0.05)
    with pytest.raises(NotAllowed, match="nobody answered in time"):
        run(desk.ask(FETCH, **PAGE))
    assert [view.state for view in desk.told] == ["pending", "expired"]
    assert desk.approvals.pending() == []


def test_where_nobody_can_answer_the_call_ends_at_once_with_what_to_do(desk: Desk):
    desk.approvals.somebody = lambda: False
    with pytest.raises(NotAllowed, match="open Conductor's window"):
        run(desk.ask(FETCH, **PAGE))
    assert desk.told == []


def test_a_stopped_call_takes_its_question_along(desk: Desk):
    async def work() -> None:
        call = asyncio.create_task(desk.ask(FETCH, **PAGE))
        desk.answers.append(lambda _view: call.cancel())
        with pytest.raises(asyncio.CancelledError):
            await call
        with pytest.raises(UnknownApproval):
            desk.approvals.decide(desk.told[0].approval_id, "once", WINDOW)

    run(work())
    assert [view.state for view in desk.told] == ["pending", "denied"]


def test_what_waits_is_denied_when_the_last_page_is_closed(desk: Desk):
    async def work() -> None:
        desk.answers.append(lambda _view: desk.approvals.deny_all())
        with pytest.raises(NotAllowed, match="does not allow"):
            await desk.ask(FETCH, **PAGE)

    run(work())


def test_the_first_word_counts(desk: Desk):
    def both(view: ApprovalView) -> None:
        desk.approvals.decide(view.approval_id, "deny", TERMINAL)
        with pytest.raises(NotAllowed, match="denied already"):
            desk.approvals.decide(view.approval_id, "always", WINDOW)

    desk.answers.append(both)
    with pytest.raises(NotAllowed):
        run(desk.ask(FETCH, **PAGE))
    assert desk.approvals.grants() == []


@pytest.mark.parametrize("by", [AGENT, BARE, CHAT, PAD, Requester(caller="http")])
def test_only_the_user_decides(desk: Desk, by: Requester):
    def tries(view: ApprovalView) -> None:
        for decision in view.choices:
            with pytest.raises(NotAllowed, match="only the user"):
                desk.approvals.decide(view.approval_id, decision, by)
        desk.approvals.decide(view.approval_id, "deny", WINDOW)

    desk.answers.append(tries)
    with pytest.raises(NotAllowed):
        run(desk.ask(FETCH, **PAGE))
    assert desk.approvals.grants() == []


def test_the_call_of_a_program_does_not_wait_and_goes_through_once_when_it_comes_again(desk: Desk):
    async def work() -> None:
        for _ in range(3):
            with pytest.raises(NotApproved, match="conductor approvals allow"):
                await desk.ask(FETCH, AGENT, **PAGE)
        assert desk.questions == 1, "the same call is asked about once"
        (waiting,) = desk.approvals.pending()
        assert desk.approvals.asked("conductor_fetch", PAGE, AGENT) == waiting
        assert desk.approvals.asked("conductor_fetch", OTHER_HOST, AGENT) is None
        desk.approvals.decide(waiting.approval_id, "once", TERMINAL)
        with pytest.raises(NotApproved):
            await desk.ask(FETCH, AGENT, **OTHER_HOST)
        with pytest.raises(NotApproved):
            await desk.ask(FETCH, BARE, **PAGE)
        assert await desk.ask(FETCH, AGENT, **PAGE) == "once"
        with pytest.raises(NotApproved):
            await desk.ask(FETCH, AGENT, **PAGE)

    run(work())


def test_a_program_that_was_refused_is_not_asked_about_again(desk: Desk):
    async def work() -> None:
        with pytest.raises(NotApproved):
            await desk.ask(FETCH, AGENT, **PAGE)
        desk.approvals.decide(desk.approvals.pending()[0].approval_id, "deny", WINDOW)
        for _ in range(2):
            with pytest.raises(NotAllowed, match="do not call it again"):
                await desk.ask(FETCH, AGENT, **PAGE)

    run(work())
    assert desk.questions == 1


def test_the_form_of_a_client_allows_its_own_call_and_only_once(desk: Desk):
    async def work() -> None:
        with pytest.raises(NotApproved):
            await desk.ask(FETCH, AGENT, **PAGE)
        approval_id = desk.approvals.pending()[0].approval_id
        assert "conversation" not in desk.approvals.get(approval_id).choices
        with pytest.raises(NotAllowed):
            desk.approvals.decide(approval_id, "always", AGENT)
        stranger = AGENT.model_copy(update={"executable": "/usr/bin/python"})
        with pytest.raises(NotAllowed):
            desk.approvals.decide(approval_id, "once", stranger)
        with pytest.raises(InvalidParams, match="not by conversation"):
            desk.approvals.decide(approval_id, "conversation", WINDOW)
        desk.approvals.decide(approval_id, "once", AGENT)
        assert await desk.ask(FETCH, AGENT, **PAGE) == "once"

    run(work())


def test_an_answer_that_is_not_used_in_time_is_worth_nothing(tmp_path: Path):
    async def work(desk: Desk) -> None:
        with pytest.raises(NotApproved):
            await desk.ask(FETCH, AGENT, **PAGE)
        approval_id = desk.approvals.pending()[0].approval_id
        desk.approvals.decide(approval_id, "once", WINDOW)
        await asyncio.sleep(1.0)  # set after the question's own time, so it ends after that
        with pytest.raises(UnknownApproval):
            desk.approvals.get(approval_id)
        with pytest.raises(NotApproved):
            await desk.ask(FETCH, AGENT, **PAGE)

    run(work(Desk(tmp_path, ask_for_s=1.0)))


def test_what_cannot_be_shown_as_it_would_be_sent_is_refused(desk: Desk):
    with pytest.raises(InvalidParams, match="finite"):
        run(desk.ask(FETCH, count=float("nan")))
    assert desk.told == []


def test_a_page_that_a_server_brought_along_asks_in_its_own_name(desk: Desk):
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


def test_a_flood_of_questions_is_refused(desk: Desk):
    async def work() -> None:
        for at in range(WAITING_AT_MOST):
            with pytest.raises(NotApproved):
                await desk.ask(FETCH, AGENT, url=f"https://example.org/{at}")
        with pytest.raises(NotAllowed, match="answer those first"):
            await desk.ask(FETCH, AGENT, url="https://example.org/more")

    run(work())
    assert desk.questions == WAITING_AT_MOST


def test_a_pad_calls_what_a_mapping_that_is_on_holds_and_nothing_else(desk: Desk):
    async def work() -> None:
        assert await desk.ask(LAMP, PAD) == "mapping"
        assert await desk.ask(foreign("obs", "scene"), PAD) == "mapping"
        for other in (foreign("lamp", "explode"), foreign("obs", "set"), FETCH, SUMS):
            with pytest.raises(NotAllowed, match="no mapping"):
                await desk.ask(other, PAD)
        odd = PLUGINS.replace('server = "lamp", tool = "set"', 'server = "lamp", tool = "x:set"')
        desk.config = read(odd).config
        for other in (LAMP, foreign("lamp:x", "set")):
            with pytest.raises(NotAllowed, match="no mapping"):
                await desk.ask(other, PAD)

    run(work())
    assert desk.told == [], "a pad waits for nobody"


def test_after_content_from_elsewhere_a_kept_answer_waits_for_one_more_word(desk: Desk):
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


def test_what_a_conversation_has_read_is_remembered_over_a_restart(tmp_path: Path):
    async def first(desk: Desk) -> None:
        desk.user("always")
        await desk.ask(LAMP, **PAGE)
        await desk.ask(SEARCH)

    async def second(desk: Desk) -> None:
        desk.user("deny")
        with pytest.raises(NotAllowed):
            await desk.ask(LAMP, **PAGE)

    run(first(Desk(tmp_path)))
    run(second(Desk(tmp_path)))


def test_a_key_or_a_hidden_character_in_the_arguments_is_warned_of(desk: Desk):
    desk.user("deny")
    with pytest.raises(NotAllowed):
        run(desk.ask(FETCH, url="sk-abcdefghijklmnopqrstuvwx", more=["a\u202eb\n"]))
    assert [one.split(" hold ")[1] for one in desk.told[0].warnings] == [
        "what looks like a key or password",
        "characters that cannot be seen",
    ]


def test_the_same_answer_twice_is_kept_once(desk: Desk):
    async def work() -> None:
        desk.user("always", "always")
        await asyncio.gather(desk.ask(FETCH, **PAGE), desk.ask(FETCH, **SAME_HOST))

    run(work())
    (grant,) = desk.grants.all()
    assert grant.shape == {"keys": {"url": {"origin": "https://example.org:443"}}}
