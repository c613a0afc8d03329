"""The gate: each step of a call, in its order, refuses what it should and leaves an audit entry."""

import asyncio
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, get_args

import pytest
from tests.tools.gate_world import (
    BARE,
    CHAT,
    PAD,
    Said,
    User,
    World,
    registry,
)

from conductor.domain.plan import SLASH_COMMAND_CLIENT, Requester
from conductor.domain.remote_access import REMOTE_SCOPES
from conductor.domain.settings import LlmChat, LlmMcp, SkillsSettings, SkillTiers
from conductor.errors import InvalidParams, NotAvailable
from conductor.tools.catalog import REGISTRY
from conductor.tools.executor import ToolOutcome
from conductor.tools.limits import RATE_BY_CALLER, SHARED_RATE, TOKEN_COST_BY_TIER, RateLimits
from conductor.tools.registry import ToolRegistry


def test_a_read_runs_and_is_audited_once_with_who_and_how_long():
    world = World()
    outcome = world.call("look", number=3)
    assert outcome.to_plain() == {"word": "3"}
    assert world.entries == [("conductor_look", "ok")]
    assert world.last is not None
    assert (world.last.pid, world.last.executable, world.last.tier) == (
        7,
        "/usr/bin/nc",
        "read_only",
    )
    assert world.last.duration_ms is not None


def test_what_is_not_a_read_is_audited_before_and_after():
    world = World()
    world.call("poke")
    assert world.entries == [("conductor_poke", "started"), ("conductor_poke", "ok")]


@pytest.mark.parametrize("name", ["poke", "change", "wipe", "send", "apply"])
def test_what_cannot_be_recorded_is_done_for_nobody_but_the_user(name: str):
    for caller in get_args(Requester.model_fields["caller"].annotation):
        world = World()
        world.records = False
        by = Requester(caller=caller, client="nc", pid=7, scopes=REMOTE_SCOPES)
        is_users = caller in ("window", "page", "cli")
        error = world.call(name, by, **({"plan_id": "p"} if name == "apply" else {})).error
        if is_users or (caller == "pad" and name != "poke"):  # a pad may not call the others at all
            assert not isinstance(error, NotAvailable), caller
        else:
            assert isinstance(error, NotAvailable), caller
            assert "could not be recorded" in str(error)
            assert world.last is not None
            assert world.last.outcome == "not_available"
            assert world.proposed == []


def test_a_read_runs_even_when_nothing_can_be_recorded():
    world = World()
    world.records = False
    assert world.code("look", number=1) == "ok"


def test_an_older_name_leads_to_the_same_tool():
    world = World()
    assert world.call("old_look", number=1).to_plain() == {"word": "1"}
    assert world.entries == [("conductor_look", "ok")]


@pytest.mark.parametrize("name", ["lok", "l\u043eok", "zzzzzzzzzzzz", "look;rm"])
def test_an_unknown_tool_is_refused(name: str):
    world = World()
    assert world.code(name) == "tool_not_found"
    assert world.entries == [(f"conductor_{name}", "tool_not_found")]


def test_a_mapping_whose_tool_is_gone_leaves_the_reason_in_the_log_and_others_learn_nothing():
    world = World(missing=lambda name: "it is stopped" if name == "mcp:time:now" else None)
    for name, by, told in (
        ("mcp:time:now", PAD, "it is stopped"),
        ("mcp:time:nown", PAD, "Method not found: mcp:time:nown"),
        ("mcp:time:now", CHAT, "Method not found: mcp:time:now"),
    ):
        error = asyncio.run(world.executor.call_tool(name, {}, by)).error
        assert str(error) == told
        assert world.last is not None
        assert (world.last.outcome, world.last.detail) == ("tool_not_found", told)


def test_read_only_mode_wins_over_everything():
    world = World()
    world.settings = LlmMcp(read_only=True, allowed_tools=("conductor_poke", "conductor_look"))
    assert world.code("poke") == "not_allowed"
    assert world.code("look", number=1) == "ok"
    assert [tool.name for tool in world.executor.list_offered_tools()] == ["conductor_look"]


@pytest.mark.parametrize(
    ("rules", "refused", "message"),
    [
        ({"read_only": True}, {"poke", "change"}, "`llm.{}.read_only` is on"),
        ({"denied_tools": ("conductor_old_look",)}, {"look"}, "is in `llm.{}.denied_tools`"),
        (
            {"allowed_tools": ("conductor_look",)},
            {"poke", "change"},
            "not in `llm.{}.allowed_tools`",
        ),
        ({"toolsets": ("status",)}, {"poke", "change"}, "which `llm.{}.toolsets` leaves out"),
    ],
)
def test_agents_and_the_chat_have_rules_of_their_own_and_the_user_has_none(
    rules: dict[str, Any], refused: set[str], message: str
):
    world = World()
    names = ("look", "poke", "change")

    def list_refused(by: Requester) -> dict[str, str]:
        arguments = {"look": {"number": 1}}
        errors = {name: world.call(name, by, **arguments.get(name, {})).error for name in names}
        return {name: str(error) for name, error in errors.items() if error is not None}

    agents = [Requester(caller=caller) for caller in ("mcp", "http", "bare", "cli")]
    users = [Requester(caller=caller) for caller in ("window", "page")]
    users.append(Requester(caller="chat", client=SLASH_COMMAND_CLIENT))
    for section in ("mcp", "chat"):
        world.settings = LlmMcp(**rules) if section == "mcp" else LlmMcp()
        world.chat = LlmChat(**rules) if section == "chat" else LlmChat()
        bound, free = (agents, [CHAT]) if section == "mcp" else ([CHAT], agents)
        for by in bound:
            found = list_refused(by)
            assert set(found) == refused
            assert all(message.format(section) in text for text in found.values())
        assert [list_refused(by) for by in (*free, *users)] == [{}] * len([*free, *users])
        offered = {tool.name for tool in world.executor.list_offered_tools()}
        in_chat = {tool.name for tool in world.executor.list_chat_tools()}
        limited, whole = (offered, in_chat) if section == "mcp" else (in_chat, offered)
        assert not {f"conductor_{name}" for name in refused} & limited
        assert {f"conductor_{name}" for name in names} <= whole


def test_toolsets_leave_the_others_out():
    world = World()
    world.settings = LlmMcp(toolsets=("status",))
    assert (world.code("look", number=1), world.code("poke")) == ("ok", "not_allowed")


def test_allowed_and_denied_tools_go_by_any_of_their_names():
    world = World()
    world.settings = LlmMcp(denied_tools=("conductor_old_look",))
    assert world.code("look", number=1) == "not_allowed"
    world.settings = LlmMcp(allowed_tools=("conductor_old_look",))
    assert (world.code("look", number=1), world.code("poke")) == ("ok", "not_allowed")


def test_arguments_that_do_not_fit_are_refused():
    world = World()
    outcome = world.call("look", nmber=3)
    assert "`nmber` - did you mean `number`?" in str(outcome.error)
    assert world.code("look", number="many") == "params_invalid"


def test_too_many_calls_are_refused_until_time_passes():
    at = [0.0]
    world = World(RateLimits(lambda: at[0]))
    most = int(RATE_BY_CALLER["pad"].burst)
    looks = [world.code("look", PAD, number=1) for _ in range(most + 1)]
    assert looks == [*["ok"] * most, "rate_limited"]
    assert world.code("look", number=1) == "ok", "another caller has a bucket of its own"
    at[0] += 1.0
    assert world.code("look", PAD, number=1) == "ok"


def test_many_programs_together_get_no_more_than_one_alone_and_the_user_does_not_wait_for_them():
    at = [0.0]
    world = World(RateLimits(lambda: at[0]))
    one, other = (Requester(caller="mcp", client="agent", pid=pid) for pid in (1, 2))
    most = int(SHARED_RATE.burst / TOKEN_COST_BY_TIER["config_change"])
    assert {world.code("change", one) for _ in range(most // 2)} == {"ok"}
    assert {world.code("change", other) for _ in range(most - most // 2)} == {"ok"}

    refused = world.call("change", other)

    assert "too many calls from all programs together" in str(refused.error)
    assert world.code("change", Requester(caller="chat")) == "rate_limited"
    for caller in ("window", "page", "cli"):
        assert world.code("change", Requester(caller=caller)) == "ok"
    assert world.code("look", PAD, number=1) == "ok"
    at[0] += 1.0
    assert world.code("change", other) == "ok"


def test_agents_on_other_computers_with_the_same_name_have_limits_of_their_own():
    world = World(RateLimits(lambda: 0.0))
    one, other = (
        Requester(caller="remote", client="Agent", program=f"grant {number}", scopes=REMOTE_SCOPES)
        for number in (1, 2)
    )
    while world.code("look", one, number=1) == "ok":
        pass
    assert world.code("look", one, number=1) == "rate_limited"
    assert world.code("look", other, number=1) == "ok"


def test_tools_inside_a_call_must_be_allowed_too():
    world = World()
    world.settings = LlmMcp(denied_tools=("conductor_wipe",))
    assert world.code("change", tools=["conductor_wipe"]) == "not_allowed"
    assert world.code("change", tools=["conductor_nothing"]) == "tool_not_found"
    assert world.code("change", tools=["conductor_poke"]) == "ok"


def test_a_pad_calls_no_tool_that_changes_the_config_nor_is_it_told_what_it_did_wrong():
    world = World(user=User())
    refused = {name: world.call(name, PAD, nonsense=1).error for name in ("change", "wipe", "send")}
    assert {name: str(error) for name, error in refused.items()} == {
        name: f"a pad cannot call conductor_{name}" for name in refused
    }


def test_a_change_becomes_a_plan_and_a_privileged_part_makes_it_privileged():
    world = World()
    world.call("change")
    world.call("wipe")
    world.call("change", tools=["conductor_wipe"])
    assert [privileged for _, privileged in world.proposed] == [False, True, True]
    assert world.last is not None
    assert world.last.detail == "plan 1 pending"


def test_hardware_and_requests_are_handed_their_own_context():
    world = World()
    assert world.call("send").to_plain() == {"word": "sent"}
    assert world.call("apply", plan_id="1").to_plain() == {"word": BARE.describe()}


def test_a_tool_that_fails_is_an_outcome_and_its_secrets_are_hidden():
    world = World()
    with pytest.raises(InvalidParams):
        world.call("look", number=13).to_plain()
    assert world.last is not None
    assert world.last.detail == "Invalid params: 13 token=[hidden]"
    assert world.code("look", number=14) == "error"
    assert ToolOutcome(None).to_plain() == {}


def test_a_cancelled_call_is_audited_and_stays_cancelled():
    world = World()
    with pytest.raises(asyncio.CancelledError):
        world.call("look", number=15)
    assert world.entries[-1] == ("conductor_look", "cancelled")


def test_a_skill_runs_after_the_users_approval_which_is_logged():
    user = User()
    world = World(user=user)
    assert world.call("guess", CHAT, number=3).to_plain() == {"word": "guessed"}
    (asked,) = user.asked
    assert (asked.tool.skill_id, asked.arguments, asked.by) == ("guess", {"number": 3}, CHAT)
    assert world.entries == [("conductor_guess", "started"), ("conductor_guess", "ok")]
    assert world.last is not None
    assert world.last.permission == "once"


def test_a_skill_that_the_user_refuses_does_not_run_nor_does_one_with_wrong_arguments():
    user = User(yes=False)
    world = World(user=user)
    assert world.code("guess", CHAT, number=3) == "not_allowed"
    assert world.entries == [("conductor_guess", "not_allowed")]
    assert world.code("guess", CHAT, number="x") == "params_invalid"
    assert len(user.asked) == 1, "nobody is asked about a call that cannot be made"


def test_the_time_that_a_user_takes_to_answer_does_not_count_as_the_tools(
    monkeypatch: pytest.MonkeyPatch,
):
    at = [0.0]

    def think() -> None:
        at[0] += 60

    monkeypatch.setattr("conductor.storage.audit.now", lambda: at[0])
    world = World(user=User(think))
    assert world.code("guess", CHAT, number=3) == "ok"
    assert world.last is not None
    assert world.last.duration_ms == 0


def test_where_nobody_can_be_asked_what_needs_a_yes_is_refused():
    assert World().code("guess", CHAT, number=3) == "not_allowed"


def test_a_skill_that_is_switched_off_is_refused_whoever_calls():
    world = World(user=User())
    world.skills = SkillsSettings(tools={"guess": False})
    assert [world.code("guess", by, number=1) for by in (CHAT, PAD, BARE)] == ["not_allowed"] * 3
    assert "conductor_guess" not in [tool.name for tool in world.executor.list_chat_tools()]
    world.skills = SkillsSettings(tiers=SkillTiers(core=False), tools={"guess": True})
    assert world.code("guess", CHAT, number=1) == "ok"


@pytest.mark.parametrize("caller", ["mcp", "http", "bare", "cli"])
def test_an_outside_program_calls_no_skill_that_it_is_not_offered(
    caller: Literal["mcp", "http", "bare", "cli"],
):
    world, outside = World(user=User()), Requester(caller=caller, client="agent")
    refused = world.call("guess", outside, number=1).error
    assert "`llm.mcp.toolsets`" in str(refused)
    assert (world.code("guess", outside, number=1), world.code("guess", CHAT, number=1)) == (
        "not_allowed",
        "ok",
    )
    assert world.code("change", outside, tools=["conductor_guess"]) == "not_allowed"
    assert "conductor_guess" not in [tool.name for tool in world.executor.list_offered_tools()]
    world.settings = LlmMcp(toolsets=("skills",))
    assert world.code("guess", outside, number=1) == "ok"
    assert "conductor_guess" in [tool.name for tool in world.executor.list_offered_tools()]


def test_a_tool_for_a_page_alone_is_called_by_nobody_outside():
    tools = ToolRegistry()
    hidden = registry.find_tool("conductor_look")
    assert hidden is not None
    tools.add_tool(replace(hidden, for_model=False))
    world = World(tools=tools)
    assert world.code("look", BARE, number=1) == "not_allowed"
    assert world.code("look", Requester(caller="window"), number=1) == "ok"


def test_the_rules_for_agents_and_tiers_of_the_assistant_are_not_for_the_users_own_mappings():
    world = World(user=User())
    world.settings = LlmMcp(read_only=True, toolsets=("status",), denied_tools=("conductor_guess",))
    world.chat = LlmChat(denied_tools=("conductor_guess",))
    world.skills = SkillsSettings(tiers=SkillTiers(core=False))
    codes = {by.caller: world.code("guess", by, number=1) for by in (CHAT, PAD)}
    assert codes == {"chat": "not_allowed", "pad": "ok"}


def test_the_arguments_of_anothers_tool_are_held_to_its_own_schema_before_anybody_is_asked():
    def check(arguments: dict[str, Any]) -> None:
        if arguments["number"] > 9:
            raise InvalidParams("Invalid params: 9 is the most")

    asked = registry.find_tool("conductor_guess")
    assert asked is not None
    tools, user = ToolRegistry(), User()
    tools.add_tool(replace(asked, check=check))
    world = World(user=user, tools=tools)
    assert world.code("guess", CHAT, number=10) == "params_invalid"
    assert user.asked == []
    assert world.code("guess", CHAT, number=9) == "ok"


@pytest.mark.parametrize(
    ("url", "code"),
    [
        ("http://127.0.0.1:33677/", "not_allowed"),
        ("http://169.254.169.254/latest/meta-data", "not_allowed"),
        ("http://2130706433/", "not_allowed"),
        ("http://0x7f.1/", "not_allowed"),
        ("http://[::1]/", "not_allowed"),
        ("http://[::ffff:10.0.0.1]/", "not_allowed"),
        ("http://127.0.0.1./", "not_allowed"),
        ("https://LOCALHOST/", "not_allowed"),
        ("file:///etc/passwd", "params_invalid"),
        ("https://me:secret@example.com/", "params_invalid"),
    ],
)
def test_an_address_that_is_never_fetched_is_refused_before_anybody_is_asked(url: str, code: str):
    fetch = REGISTRY.find_tool("conductor_web_fetch")
    assert fetch is not None
    tools, user = ToolRegistry(), User()
    tools.add_tool(fetch)
    world = World(user=user, tools=tools)
    world.skills = SkillsSettings(tiers=SkillTiers(network=True))
    assert world.code("web_fetch", CHAT, url=url) == code
    assert user.asked == []


@pytest.mark.parametrize("change", ["tool", "off", "denied"])
def test_a_yes_counts_only_for_what_was_asked_about(change: str):
    tools = ToolRegistry()
    asked = registry.find_tool("conductor_guess")
    assert asked is not None
    tools.add_tool(asked)

    def meanwhile() -> None:
        if change == "tool":
            tools.remove_tool(asked.name)
            tools.add_tool(replace(asked, description="Something else."))
        elif change == "off":
            world.skills = SkillsSettings(tools={"guess": False})
        else:
            world.chat = LlmChat(denied_tools=("conductor_guess",))

    world = World(user=User(meanwhile), tools=tools)
    assert world.code("guess", CHAT, number=1) == "not_allowed"
    assert world.entries == [("conductor_guess", "not_allowed")]


@pytest.mark.parametrize(
    ("identity", "word"),
    [
        ("sha256:1", "by the server that runs now"),
        ("sha256:2", "changed or was removed"),
        (None, "changed or was removed"),
    ],
)
def test_a_yes_counts_for_the_same_tool_of_a_server_that_was_started_again_meanwhile(
    identity: str | None, word: str
):
    guess = registry.find_tool("conductor_guess")
    assert guess is not None
    asked, tools = replace(guess, identity="sha256:1"), ToolRegistry()
    tools.add_tool(asked)

    async def run(_params: Any, _context: Any) -> Said:
        return Said(word="by the server that runs now")

    def meanwhile() -> None:
        tools.remove_tool(asked.name)
        if identity is not None:
            tools.add_tool(replace(asked, identity=identity, run=run))

    outcome = World(user=User(meanwhile), tools=tools).call("guess", CHAT, number=1)
    assert word in str(outcome.error or outcome.result)


def test_every_branch_of_the_gate_is_tested(tmp_path: Path):
    """Runs the tests above once more, under coverage."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", __file__]
    options = ["-k", "not every_branch", "--cov=conductor.tools.executor", "--cov-branch"]
    done = subprocess.run(
        [*command, *options, "--cov-fail-under=100", "--cov-report=term-missing"],
        cwd=Path(__file__).resolve().parents[2],
        env={**os.environ, "COVERAGE_FILE": str(tmp_path / "coverage")},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout
