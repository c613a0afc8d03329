"""Plans with a real config, history and database: allowed and forbidden status changes."""

from datetime import timedelta

import pytest
from tests.config.plan_world import AGENT, NEW_MODE, TEXT, USER, World

from conductor.domain.actions.keystroke import KeystrokeAction
from conductor.domain.actions.text import TextAction
from conductor.domain.change_kinds import CreateMapping, CreateMode, DeleteMode, UpdateSettings
from conductor.domain.control_names import ControlNames, NamedControl
from conductor.domain.keys import resolve_cmd_key
from conductor.domain.plan import (
    SLASH_COMMAND_CLIENT,
    TERMINAL_CLIENT,
    ActionRequest,
    Example,
    Requester,
    StoredPlan,
    SysexRequest,
)
from conductor.errors import (
    ActionFailed,
    ConfigError,
    ExamplesFailed,
    InvalidParams,
    NotAllowed,
    NotApproved,
    NotAvailable,
    PlanExpired,
    PlanStale,
    StaleConfig,
    UnknownPlan,
)

SLASH_COMMAND = Requester(caller="chat", client=SLASH_COMMAND_CLIENT)
TERMINAL = Requester(caller="cli", client=TERMINAL_CLIENT)


def test_an_approved_plan_makes_one_change_with_its_reason_in_the_history(world: World):
    plan = world.plans.propose_plan(NEW_MODE, AGENT)
    assert '+ name = "DJ"' in plan.diff_preview
    assert world.plans.approve_plan(plan.plan_id, USER).status == "approved"
    assert world.plans.apply_plan(plan.plan_id, AGENT).status == "applied"
    assert world.plans.apply_plan(plan.plan_id, AGENT).status == "applied"
    assert world.modes() == ["Default", "DJ"]
    assert world.store.config_text.startswith('# mine\n[[modes]]\nname = "Default" # first\n')
    versions = world.history.list()
    assert len(versions) == 2
    assert (versions[0].reason, versions[0].author) == ("Create mode DJ", AGENT)


@pytest.mark.parametrize("proposed_by", [TERMINAL, SLASH_COMMAND])
def test_the_user_s_own_plan_is_by_the_user_where_it_was_applied(
    world: World, proposed_by: Requester
):
    plan = world.plans.propose_plan(NEW_MODE, proposed_by)
    world.plans.approve_plan(plan.plan_id, USER)
    world.plans.apply_plan(plan.plan_id, USER)
    assert world.history.list()[0].author == USER


def test_the_first_eight_characters_of_an_id_name_a_plan(world: World):
    plan = world.plans.propose_plan(NEW_MODE, AGENT)
    short = plan.plan_id[:8]
    assert world.plans.approve_plan(short, USER).plan_id == plan.plan_id
    assert world.plans.apply_plan(short, AGENT).status == "applied"
    for unknown in (plan.plan_id[:7], "", "xxxxxxxx"):
        with pytest.raises(UnknownPlan):
            world.plans.get_plan(unknown)


def test_a_program_that_asks_for_much_takes_neither_the_user_s_room_nor_that_of_others(
    world: World,
):
    for number in range(40):
        world.plans.propose_plan((CreateMode(name=f"M{number}"),), AGENT)
    with pytest.raises(NotAllowed, match="40 plans of this program are already waiting"):
        world.plans.propose_plan(NEW_MODE, AGENT)
    for other in (USER, Requester(caller="chat"), Requester(caller="mcp", client="other")):
        assert world.plans.propose_plan(NEW_MODE, other).status == "pending"


def test_agents_on_other_computers_with_the_same_name_have_room_of_their_own(world: World):
    one, other = (
        Requester(caller="remote", client="Agent", program=f"grant {number}") for number in (1, 2)
    )
    for number in range(40):
        world.plans.propose_plan((CreateMode(name=f"M{number}"),), one)
    with pytest.raises(NotAllowed, match="40 plans of this program are already waiting"):
        world.plans.propose_plan(NEW_MODE, one)
    assert world.plans.propose_plan(NEW_MODE, other).status == "pending"


def test_without_approval_nothing_is_applied(world: World):
    plan = world.plans.propose_plan(NEW_MODE, AGENT)
    with pytest.raises(NotApproved, match="conductor plans approve"):
        world.plans.apply_plan(plan.plan_id, AGENT)
    for by in (Requester(caller="bare"), Requester(caller="http"), AGENT):
        with pytest.raises(NotAllowed):
            world.plans.approve_plan(plan.plan_id, by)
    assert world.modes() == ["Default"]


def test_time_runs_out_for_pending_and_approved_plans_also_over_a_restart(world: World):
    pending, approved = (
        world.plans.propose_plan((CreateMode(name=name),), AGENT).plan_id for name in ("A", "B")
    )
    world.plans.approve_plan(approved, USER)
    world.now += timedelta(seconds=299)
    plans = world.start()
    assert [plans.get_plan(one).status for one in (pending, approved)] == ["pending", "approved"]
    world.now += timedelta(seconds=1)
    with pytest.raises(PlanExpired):
        plans.apply_plan(approved, AGENT)
    with pytest.raises(PlanExpired):
        plans.approve_plan(pending, USER)
    assert [plan.status for plan in world.start().list_plans()] == ["expired", "expired"]


@pytest.mark.parametrize(
    "by", [USER, Requester(caller="chat", client="openai/gpt"), SLASH_COMMAND, TERMINAL]
)
def test_a_plan_of_the_user_or_the_chat_is_open_until_what_it_changes_has_changed(
    world: World, by: Requester
):
    plans = [
        world.plans.propose_plan((CreateMode(name="A", color=color),), by)
        for color in ("red", "blue")
    ]
    world.now += timedelta(days=1)
    world.start()
    assert [plan.status for plan in world.plans.list_plans()] == ["pending", "pending"]
    first, second = plans
    world.plans.approve_plan(first.plan_id, USER)
    assert world.plans.apply_plan(first.plan_id, USER).status == "applied"
    assert world.plans.get_plan(second.plan_id).status == "stale"
    with pytest.raises(PlanStale):
        world.plans.approve_plan(second.plan_id, USER)


def test_an_action_of_the_chat_expires_and_so_does_a_plan_of_an_unproven_command(world: World):
    chat, command = Requester(caller="chat"), Requester(caller="cli")
    plans = [
        world.plans.propose_plan(ActionRequest(TextAction(text="hi")), chat),
        world.plans.propose_plan(NEW_MODE, command),
    ]
    world.now += timedelta(seconds=300)
    assert [world.plans.get_plan(plan.plan_id).status for plan in plans] == ["expired"] * 2


def test_a_change_of_the_file_makes_a_plan_stale_for_good(world: World):
    plan = world.plans.propose_plan(NEW_MODE, AGENT)
    world.plans.approve_plan(plan.plan_id, USER)
    world.store.path.write_text(TEXT + "# more\n")
    for _ in range(2):
        with pytest.raises(PlanStale):
            world.plans.apply_plan(plan.plan_id, AGENT)
    assert world.store.path.read_text() == TEXT + "# more\n"
    world.store.path.write_text(TEXT)
    world.store.reload_file()
    with pytest.raises(PlanStale):
        world.plans.apply_plan(plan.plan_id, AGENT)


def test_a_crash_after_the_change_and_before_the_note_is_made_good(world: World):
    plan = world.plans.propose_plan(NEW_MODE, AGENT)
    world.plans.approve_plan(plan.plan_id, USER)
    world.store.commit_changes(
        NEW_MODE, plan.base_state_hash, "as if the app had died right after this"
    )
    plans = world.start()
    assert plans.apply_plan(plan.plan_id, AGENT).status == "applied"
    assert world.modes() == ["Default", "DJ"]


def test_failing_examples_bar_a_plan_and_passing_ones_are_kept(world: World):
    bad = world.plans.propose_plan(NEW_MODE, AGENT, (Example(name="Other", gesture="tap 1"),))
    with pytest.raises(ExamplesFailed, match="Other"):
        world.plans.approve_plan(bad.plan_id, USER)
    good = world.plans.propose_plan(NEW_MODE, AGENT, (Example(name="DJ", gesture="tap 1"),))
    world.plans.approve_plan(good.plan_id, USER)
    world.plans.apply_plan(good.plan_id, AGENT)
    assert [one.name for one in world.kept.list_examples()] == ["DJ"]
    breaking = world.plans.propose_plan((DeleteMode(name="DJ"),), AGENT)
    assert breaking.warnings[0] == "This breaks your example `DJ`: no mode"
    assert world.kept.delete_example("DJ")
    assert not world.kept.delete_example("DJ")


def test_a_rejected_plan_is_done_with(world: World):
    plan = world.plans.propose_plan(NEW_MODE, AGENT)
    rejected = world.plans.reject_plan(plan.plan_id, USER, "not now")
    assert rejected.reason == "rejected by the user: not now"
    assert world.plans.reject_plan(plan.plan_id, USER) == rejected
    for attempt in (world.plans.approve_plan, world.plans.apply_plan):
        with pytest.raises(NotApproved, match="not now"):
            attempt(plan.plan_id, USER)


@pytest.mark.parametrize(
    ("by", "name"),
    [
        (Requester(caller="page", client="page 1, in a browser", pid=27796), "the user"),
        (Requester(caller="cli", client=TERMINAL_CLIENT, pid=8), "the user"),
        (Requester(caller="chat", client=SLASH_COMMAND_CLIENT), "the user"),
        (AGENT, "agent"),
        (Requester(caller="mcp", pid=4, executable="/usr/bin/agent"), "agent"),
        (Requester(caller="cli", pid=8, executable="/usr/bin/python3"), "the command line"),
    ],
)
def test_a_rejection_names_who_made_it_without_a_process(by: Requester, name: str):
    assert by.describe_briefly() == name


def test_a_plan_is_applied_for_its_own_client_or_the_user_only(world: World):
    plan = world.plans.propose_plan(NEW_MODE, AGENT)
    world.plans.approve_plan(plan.plan_id, USER)
    with pytest.raises(NotAllowed, match="another program"):
        world.plans.apply_plan(plan.plan_id, Requester(caller="mcp", client="other"))
    with pytest.raises(UnknownPlan):
        world.plans.apply_plan("nothing", AGENT)
    assert world.plans.apply_plan(plan.plan_id, AGENT).status == "applied"


SCRIPT = Requester(
    caller="mcp", client="x", pid=4, executable="/usr/bin/python3", program="agent.py"
)
OTHER_RUN = SCRIPT.model_copy(update={"pid": 99})
OTHER_SCRIPT = SCRIPT.model_copy(update={"pid": 99, "program": "evil.py"})


@pytest.mark.parametrize("other", [OTHER_RUN, OTHER_SCRIPT])
def test_another_process_that_gives_the_same_name_has_no_part_in_a_plan(
    world: World, other: Requester
):
    world.running = {4, 99}
    plan = world.plans.propose_plan(NEW_MODE, SCRIPT)
    world.plans.approve_plan(plan.plan_id, USER)
    asks = (
        world.plans.apply_plan,
        world.plans.get_plan,
        world.plans.reject_plan,
        world.plans.mark_plan_used,
    )
    for ask in asks:
        with pytest.raises(NotAllowed, match="proposed by another program"):
            ask(plan.plan_id, other)
    assert world.plans.list_plans(other) == []
    unknown = Requester(caller="bare")  # the system does not identify the process, as on macOS
    for by in (SCRIPT, USER, Requester(caller="cli"), Requester(caller="chat"), unknown):
        assert world.plans.get_plan(plan.plan_id, by).status == "approved"
        assert len(world.plans.list_plans(by)) == 1
    assert world.plans.apply_plan(plan.plan_id, SCRIPT).status == "applied"


def test_a_client_that_was_started_again_goes_on_with_its_plan_and_another_script_does_not(
    world: World,
):
    plan = world.plans.propose_plan(NEW_MODE, SCRIPT)
    world.plans.approve_plan(plan.plan_id, USER)
    world.running = {99}  # the process that proposed has ended
    with pytest.raises(NotAllowed, match="proposed by another program"):
        world.plans.apply_plan(plan.plan_id, OTHER_SCRIPT)
    assert world.plans.apply_plan(plan.plan_id, OTHER_RUN).status == "applied"


HTTP = Requester(caller="http", client="x")


@pytest.mark.parametrize("program", [None, "session 2"])
def test_a_client_over_http_whose_process_is_unknown_is_known_by_its_session(
    world: World, program: str | None
):
    owner = HTTP.model_copy(update={"program": "session 1"})
    other = HTTP.model_copy(update={"program": program})
    plan = world.plans.propose_plan(NEW_MODE, owner)
    world.plans.approve_plan(plan.plan_id, USER)
    for ask in (
        world.plans.apply_plan,
        world.plans.get_plan,
        world.plans.reject_plan,
        world.plans.mark_plan_used,
    ):
        with pytest.raises(NotAllowed, match="proposed by another program"):
            ask(plan.plan_id, other)
    assert world.plans.list_plans(other) == []
    assert len(world.plans.list_plans(owner)) == 1
    assert world.plans.apply_plan(plan.plan_id, owner).status == "applied"


def test_an_anonymous_client_over_http_needs_the_whole_id_that_it_was_given(world: World):
    plan = world.plans.propose_plan(NEW_MODE, HTTP)
    world.plans.approve_plan(plan.plan_id, USER)
    assert world.plans.list_plans(HTTP) == []
    for ask in (
        world.plans.apply_plan,
        world.plans.get_plan,
        world.plans.reject_plan,
        world.plans.mark_plan_used,
    ):
        with pytest.raises(UnknownPlan):
            ask(plan.plan_id[:8], HTTP)
    assert world.plans.apply_plan(plan.plan_id, HTTP).status == "applied"


def test_a_refusal_does_not_complete_the_id_of_a_plan(world: World):
    plan = world.plans.propose_plan(NEW_MODE, HTTP)
    with pytest.raises(NotAllowed) as refused:
        world.plans.get_plan(plan.plan_id[:8], SCRIPT)
    assert plan.plan_id not in str(refused.value)


def test_a_process_that_changes_its_own_command_line_keeps_its_plan(world: World):
    world.running = {4}
    plan = world.plans.propose_plan(NEW_MODE, SCRIPT)
    world.plans.approve_plan(plan.plan_id, USER)
    renamed = SCRIPT.model_copy(update={"program": "agent: idle"})
    assert world.plans.apply_plan(plan.plan_id, renamed).status == "applied"


def test_an_approved_plan_of_a_conversation_is_used_by_whichever_model_goes_on_with_it(
    world: World,
):
    asked, other_model, typed, elsewhere = (
        Requester(caller="chat", client=client, conversation_id=conversation)
        for client, conversation in (
            ("anthropic/claude", "c"),
            ("ollama/qwen", "c"),
            ("slash command", "c"),
            ("anthropic/claude", "d"),
        )
    )
    for by in (other_model, typed):
        plan = world.plans.propose_plan(SysexRequest("Synth", b"\xf0\x7e\xf7"), asked)
        world.plans.approve_plan(plan.plan_id, USER)
        with pytest.raises(NotAllowed):
            world.plans.mark_plan_used(plan.plan_id, elsewhere)
        assert world.plans.mark_plan_used(plan.plan_id, by).status == "applied"


def test_the_command_without_a_terminal_reads_plans_and_uses_none(world: World):
    plan = world.plans.propose_plan(NEW_MODE, SCRIPT)
    world.plans.approve_plan(plan.plan_id, USER)
    command = Requester(caller="cli", pid=8, executable="/usr/bin/python3", program="tools call")
    assert world.plans.get_plan(plan.plan_id, command) == world.plans.list_plans(command)[0]
    for use in (world.plans.apply_plan, world.plans.mark_plan_used, world.plans.reject_plan):
        with pytest.raises(NotAllowed, match="at a terminal"):
            use(plan.plan_id, command)
    with pytest.raises(NotAllowed):
        world.plans.approve_plan(world.plans.propose_plan(NEW_MODE, SCRIPT).plan_id, command)
    at_terminal = command.model_copy(update={"client": "terminal"})
    assert world.plans.apply_plan(plan.plan_id, at_terminal).status == "applied"


def test_an_action_is_performed_at_most_once(world: World):
    plan = world.plans.propose_plan(ActionRequest(TextAction(text="hi")), AGENT)
    world.plans.approve_plan(plan.plan_id, USER)
    world.plans.apply_plan(plan.plan_id, AGENT)
    world.plans.apply_plan(plan.plan_id, AGENT)
    assert [one.action for one in world.performed] == [{"type": "Text", "text": "hi"}]
    world.fails = True
    other = world.plans.propose_plan(ActionRequest(TextAction(text="hi")), AGENT)
    world.plans.approve_plan(other.plan_id, USER)
    with pytest.raises(ActionFailed):
        world.plans.apply_plan(other.plan_id, AGENT)
    assert world.plans.get_plan(other.plan_id).status == "failed"
    with pytest.raises(NotApproved, match="no screen"):
        world.plans.apply_plan(other.plan_id, AGENT)


def test_a_plan_names_the_control_with_its_number_in_the_row_and_the_history(world: World):
    world.names = ControlNames({"pads": [NamedControl("note", 36, None, "Pad 1")]})
    mapping = {"trigger": {"type": "Note", "note": 36}, "action": {"type": "Text", "text": "a"}}
    added = CreateMapping.model_validate({"mode": "Default", "mapping": mapping})
    plan = world.plans.propose_plan((added,), USER)
    assert plan.description == "Pad 1 -> Type “a”, in mode Default"
    assert [row.description for row in plan.changes] == [plan.description]
    world.names = ControlNames()
    world.plans.approve_plan(plan.plan_id, USER)
    world.plans.apply_plan(plan.plan_id, USER)
    assert world.history.list()[0].reason == plan.description


@pytest.mark.parametrize(
    ("setting", "keys"),
    [("auto", f"{resolve_cmd_key('auto').capitalize()}+C"), ("ctrl", "Ctrl+C"), ("alt", "Alt+C")],
)
def test_a_plan_names_the_key_that_cmd_presses_here(world: World, setting: str, keys: str):
    (world.folder / "config.toml").write_text(f'{TEXT}[settings.engine]\ncmd_key = "{setting}"\n')
    world.store.reload_file()
    copy = {"type": "Keystroke", "keys": ["cmd", "c"]}
    both = {"type": "Sequence", "actions": [copy, {"type": "Text", "text": "hi"}]}
    mapping = {"trigger": {"type": "Note", "note": 36}, "action": both}
    added = CreateMapping.model_validate({"mode": "Default", "mapping": mapping})
    plan = world.plans.propose_plan((added,), AGENT)
    once = world.plans.propose_plan(ActionRequest(KeystrokeAction.model_validate(copy)), AGENT)
    said = f"Note 36 (C1) -> {keys}, then Type “hi”, in mode Default"

    assert (plan.description, plan.changes[0].description) == (said, said)
    assert once.description == f"Do once: {keys}"


@pytest.mark.parametrize(
    ("reason", "status"), [(None, "applied"), ("the bulb is broken", "failed")]
)
def test_an_action_whose_end_is_not_known_is_neither_applied_nor_failed_until_it_is(
    world: World, reason: str | None, status: str
):
    world.is_known = False
    plan = world.plans.propose_plan(ActionRequest(TextAction(text="hi")), AGENT)
    world.plans.approve_plan(plan.plan_id, USER)
    for _ in range(2):
        open_end = world.plans.apply_plan(plan.plan_id, AGENT)
        assert (open_end.status, "outcome is unknown" in str(open_end.reason)) == ("unknown", True)
    assert len(world.performed) == 1
    assert world.start().get_plan(plan.plan_id).status == "unknown"
    with pytest.raises(NotApproved, match="check whether it was done"):
        world.plans.approve_plan(plan.plan_id, USER)
    world.plans.record_plan_outcome(plan.plan_id, reason)
    ended = world.plans.get_plan(plan.plan_id)
    assert (ended.status, ended.reason) == (status, reason)
    world.plans.record_plan_outcome(plan.plan_id, "too late")
    assert world.plans.get_plan(plan.plan_id) == ended


def test_a_crash_while_an_action_is_performed_leaves_its_end_unknown(world: World):
    def crash(stored: StoredPlan) -> bool:
        assert stored.action is not None
        raise KeyboardInterrupt

    world.perform = crash
    plans = world.start()
    plan = plans.propose_plan(ActionRequest(TextAction(text="hi")), AGENT)
    plans.approve_plan(plan.plan_id, USER)
    with pytest.raises(KeyboardInterrupt):
        plans.apply_plan(plan.plan_id, AGENT)
    assert world.start().get_plan(plan.plan_id).status == "unknown"


def test_a_sysex_plan_is_used_once_and_not_applied(world: World):
    plan = world.plans.propose_plan(SysexRequest("Synth", b"\xf0\x7e\xf7"), AGENT)
    assert plan.get_seconds_left(plan.created_at) == 60
    with pytest.raises(NotApproved):
        world.plans.mark_plan_used(plan.plan_id, AGENT)
    world.plans.approve_plan(plan.plan_id, USER)
    with pytest.raises(InvalidParams):
        world.plans.apply_plan(plan.plan_id, AGENT)
    world.plans.mark_plan_used(plan.plan_id, AGENT)
    with pytest.raises(NotApproved):
        world.plans.mark_plan_used(plan.plan_id, AGENT)


def test_what_changes_nothing_or_cannot_be_is_refused_at_once(world: World):
    with pytest.raises(ConfigError, match="already"):
        world.plans.propose_plan((UpdateSettings(settings={"ui": {"theme": "system"}}),), AGENT)
    with pytest.raises(ConfigError, match="last mode"):
        world.plans.propose_plan((DeleteMode(name="Default"),), AGENT)
    world.store.path.write_text("[[modes]\n")
    with pytest.raises(StaleConfig, match="mistake"):
        world.plans.propose_plan(NEW_MODE, AGENT)
    assert world.plans.list_plans() == []


def test_a_locked_config_is_not_written(world: World):
    plans = world.start(locked_because="this is the demo")
    plan = plans.propose_plan(NEW_MODE, AGENT)
    plans.approve_plan(plan.plan_id, USER)
    with pytest.raises(NotAvailable, match="demo"):
        plans.apply_plan(plan.plan_id, AGENT)
