"""A control calls a tool of an MCP server: OSC in, through engine and app, to a server that really runs."""

import json
import os
import signal
import sys
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from tests.support.page import CommandFailed, Page, running_page
from tests.support.processes import descendants
from tests.support.running import RunningConductor, free_udp_port, mapped, send_osc, wait_for

from conductor.errors import ConductorError

LAMP = str(Path(__file__).parents[1] / "support" / "lamp_server.py")
PORT = free_udp_port()
GO = "{ type = 'OscMessage', address = '/go' }"
KNOB = "{ type = 'OscMessage', address = '/knob' }"
LEVEL = (
    "{ type = 'Plugin', server = 'lamp', tool = 'set_level',"
    " args = { level = { from = 'value', max = 255 } } }"
)
ON = "[skills]\nservers = ['lamp']\n"
Rig = tuple[RunningConductor, Page, Path]


def plugin(tool: str, args: str = "{}", more: str = "") -> str:
    return f"{{ type = 'Plugin', server = 'lamp', tool = '{tool}', args = {args}{more} }}"


@pytest.fixture(scope="module")
def rig(tmp_path_factory: pytest.TempPathFactory) -> Generator[Rig]:
    notes = tmp_path_factory.mktemp("lamp") / "notes.jsonl"
    with running_page(config()) as (conductor, page):
        entry = {"command": sys.executable, "args": [LAMP, str(notes)]}
        page.call("servers.add", name="lamp", entry=entry)
        consent(page)
        yield conductor, page, notes


def config(*rows: tuple[str, str], more: str = ON) -> str:
    return mapped(*rows, settings=f"osc_port = {PORT}", more=more)


def consent(page: Page) -> None:
    page.call("servers.consent", name="lamp", digest=lamp(page)["digest"])
    wait_for(lambda: lamp(page), lambda one: one["state"] == "ready")


def lamp(page: Page) -> dict[str, Any]:
    return next(one for one in page.call("servers.list")["servers"] if one["name"] == "lamp")


def use(rig: Rig, *rows: tuple[str, str], more: str = ON) -> None:
    """Run this config with the lamp forgetting what it was asked."""
    conductor, page, notes = rig
    conductor.use(config(*rows, more=more))
    conductor.wait_for_device("osc", "osc")
    if more == ON:
        wait_for(lambda: lamp(page), lambda one: one["state"] == "ready")
    notes.write_text("")


def seen(rig: Rig) -> list[dict[str, Any]]:
    return [json.loads(line) for line in rig[2].read_text().splitlines()]


def called(rig: Rig, tool: str) -> list[dict[str, Any]]:
    """Wait until the lamp was asked for this, and give with what."""
    return wait_for(lambda: [one for one in seen(rig) if one["tool"] == tool], bool)


def failure(rig: Rig, tool: str) -> dict[str, Any]:
    """Wait for the failure of a tool in the monitor."""
    news = rig[1].wait_news("failure", lambda one: one["action"]["tool"] == tool)
    rig[1].news.clear()
    return news


def reason(rig: Rig, tool: str) -> str:
    return failure(rig, tool)["reason"]


def test_a_press_calls_the_tool_with_its_arguments(rig: Rig):
    use(rig, (GO, plugin("set_scene", "{ scene = { desk = [1, 2.5], on = true } }")))
    send_osc(PORT, "/go", 1)
    [call] = called(rig, "set_scene")
    assert (call["tool"], call["scene"]) == ("set_scene", {"desk": [1, 2.5], "on": True})


def test_a_knob_is_followed_at_the_rate_and_to_where_it_came_to_rest(rig: Rig):
    use(rig, (KNOB, LEVEL))
    for number in range(400):
        send_osc(PORT, "/knob", number / 399)
    wait_for(lambda: seen(rig), lambda calls: calls and calls[-1]["level"] == 255)
    calls = seen(rig)
    assert len(calls) < 100
    assert [one["level"] for one in calls] == sorted(one["level"] for one in calls)
    span_s = calls[-1]["at"] - calls[0]["at"]
    assert len(calls) <= 2 + span_s * 20 * 1.5, "more than the rate allows"


def test_each_press_counts_when_the_server_is_slower_than_the_hand(rig: Rig):
    use(rig, (GO, plugin("fade", "{ seconds = 0.05 }", ", rate_per_s = 100")))
    for _ in range(8):
        send_osc(PORT, "/go", 1)
    wait_for(lambda: seen(rig), lambda calls: len(calls) == 8)


def test_the_audit_log_has_the_caller_tool_and_mapping_of_a_call(rig: Rig):
    use(rig, (GO, plugin("set_level", "{ level = 7 }")))
    send_osc(PORT, "/go", 1)
    called(rig, "set_level")
    rows = rig[1].call("activity.list")["entries"]
    row = next(one for one in rows if one["tool"] == "mcp:lamp:set_level")
    assert row["caller"] == "pad"
    assert "mapping 1 of mode Default" in json.dumps(row)


@pytest.mark.parametrize(
    ("action", "tool", "words"),
    [
        (plugin("burn_out"), "burn_out", "the bulb is broken"),
        (plugin("set_levl"), "set_levl", "has no tool set_levl - did you mean `set_level`?"),
        (plugin("set_level", "{ level = 'high' }"), "set_level", "level"),
        (plugin("fade", "{ seconds = 60 }", ", timeout_s = 0.3"), "fade", "within 0.3 s"),
        (plugin("x").replace("'lamp'", "'lmp'"), "x", "no MCP server called lmp"),
    ],
    ids=["its error", "no such tool", "wrong arguments", "too slow", "no such server"],
)
def test_what_fails_is_shown_in_the_monitor_with_its_reason(
    rig: Rig, action: str, tool: str, words: str
):
    use(rig, (GO, action))
    rig[1].news.clear()
    send_osc(PORT, "/go", 1)
    told = failure(rig, tool)
    assert words in told["reason"]
    assert told["scope"] == "mode:Default"
    status = rig[0].wait_status(
        lambda s: s["failures"] and s["failures"][-1]["action"]["tool"] == tool
    )
    assert status["failures"][-1]["reason"] == told["reason"]


def test_a_call_that_took_too_long_is_cancelled_at_the_server(rig: Rig):
    use(rig, (GO, plugin("fade", "{ seconds = 60 }", ", timeout_s = 0.3")))
    send_osc(PORT, "/go", 1)
    assert "within 0.3 s" in reason(rig, "fade")
    called(rig, "fade cancelled")


def test_a_panic_cancels_the_call_under_way(rig: Rig):
    use(rig, (GO, plugin("fade", "{ seconds = 60 }", ", timeout_s = 60")))
    send_osc(PORT, "/go", 1)
    called(rig, "fade")
    rig[1].call("engine.panic")
    assert reason(rig, "fade") == "cancelled"
    called(rig, "fade cancelled")


def test_a_sequence_waits_for_the_tool_and_stops_when_it_fails(rig: Rig):
    steps = ", ".join([plugin("fade", "{ seconds = 0.1 }"), plugin("set_level", "{ level = 1 }"),
                       plugin("burn_out"), plugin("set_level", "{ level = 2 }")])  # fmt: skip
    use(rig, (GO, f"{{ type = 'Sequence', actions = [{steps}] }}"))
    send_osc(PORT, "/go", 1)
    assert "broken" in reason(rig, "burn_out")
    assert [(one["tool"], one.get("level")) for one in seen(rig)] == [
        ("fade", None),
        ("set_level", 1),
    ]


def test_a_tool_that_the_user_switched_off_is_not_called(rig: Rig):
    use(rig, (GO, plugin("set_level", "{ level = 7 }")),
        more=ON + "tools = { 'mcp:lamp:set_level' = false }\n")  # fmt: skip
    send_osc(PORT, "/go", 1)
    assert "switched off" in reason(rig, "set_level")


def test_a_server_that_is_switched_off_is_not_called_and_the_config_is_warned_of(rig: Rig):
    use(rig, (GO, plugin("set_level", "{ level = 7 }")), more="")

    def refused() -> str:
        send_osc(PORT, "/go", 1)
        return reason(rig, "set_level")

    wait_for(refused, lambda why: "the MCP server lamp is switched off" in why)
    checked = rig[0].call("conductor_validate_config")
    assert any("`lamp` is not switched on" in one for one in checked["warnings"])


def test_the_config_is_warned_of_tools_and_servers_that_are_not_there(rig: Rig):
    rows = [(GO, plugin("set_levl")), (KNOB, plugin("x").replace("'lamp'", "'lmp'"))]
    use(rig, *rows)
    warnings = rig[0].call("conductor_validate_config")["warnings"]
    assert any("has no tool `set_levl` - did you mean `set_level`?" in one for one in warnings)
    assert any(
        "no MCP server in mcp.json is called `lmp` - did you mean" in one for one in warnings
    )


def test_the_config_is_warned_of_a_tool_that_a_server_did_not_have_when_it_last_ran(rig: Rig):
    use(rig, (GO, plugin("set_level")))
    use(rig, (GO, plugin("set_levl")), (KNOB, LEVEL), more="")
    warnings = rig[0].call("conductor_validate_config")["warnings"]
    told = "`lamp` had no tool `set_levl` when it last ran - did you mean `set_level`?"
    assert len([one for one in warnings if told in one]) == 1
    assert len([one for one in warnings if "when it last ran" in one]) == 1


def test_a_server_that_dies_in_a_call_is_a_failure_and_the_next_press_works_again(rig: Rig):
    use(rig, (GO, plugin("fade", "{ seconds = 60 }", ", timeout_s = 30")), (KNOB, LEVEL))
    send_osc(PORT, "/go", 1)
    called(rig, "fade")
    os.kill(pid_of_lamp(rig), signal.SIGKILL)
    assert reason(rig, "fade")

    def works() -> bool:
        send_osc(PORT, "/knob", 0.5)
        return any(one["tool"] == "set_level" for one in seen(rig))

    wait_for(works, bool)


def pid_of_lamp(rig: Rig) -> int:
    for pid in reversed(descendants(rig[0].pid)):
        if (
            LAMP in Path(f"/proc/{pid}/cmdline").read_text()
            and "reaper" not in Path(f"/proc/{pid}/cmdline").read_text()
        ):
            return pid
    raise AssertionError("no lamp runs")


def test_a_killed_engine_leaves_no_call_behind_and_controls_work_again(rig: Rig):
    use(rig, (GO, plugin("fade", "{ seconds = 60 }", ", timeout_s = 30")), (KNOB, LEVEL))
    send_osc(PORT, "/go", 1)
    called(rig, "fade")
    os.kill(rig[0].engine_pid, signal.SIGKILL)
    called(rig, "fade cancelled")

    def works() -> bool:
        send_osc(PORT, "/knob", 1.0)
        return any(one.get("level") == 255 for one in seen(rig))

    wait_for(works, bool)


def approved(rig: Rig, plan: dict[str, Any]) -> dict[str, Any]:
    """Approve and apply a plan as the user does in the window."""
    return rig[1].call("plans.apply", plan_id=plan["plan_id"])


def test_the_plan_of_a_mapping_says_what_it_will_call(rig: Rig):
    use(rig)
    plan = rig[0].call(
        "conductor_create_mapping",
        mode="Default",
        trigger={"type": "CC", "cc": 7},
        action={
            "type": "Plugin",
            "server": "lamp",
            "tool": "set_level",
            "args": {"level": {"from": "value", "max": 255}, "lamp": "desk"},
        },
    )
    assert (
        "This mapping calls the tool `set_level` of the MCP server `lamp` with `level`"
        " (from the control), `lamp`; once applied, the control does so without asking"
    ) in plan["warnings"]


def test_an_action_that_no_mapping_holds_is_performed_once_when_its_plan_is_approved(rig: Rig):
    use(rig)
    action = {"type": "Plugin", "server": "lamp", "tool": "set_level", "args": {"level": 99}}
    plan = rig[0].call("conductor_preview_action", action=action)
    assert any("calls the tool `set_level`" in one for one in plan["warnings"])
    approved(rig, plan)
    wait_for(lambda: seen(rig), lambda calls: any(one.get("level") == 99 for one in calls))


def test_who_tries_an_action_is_told_why_the_tool_failed(rig: Rig):
    use(rig)
    action = {"type": "Plugin", "server": "lamp", "tool": "burn_out"}
    with pytest.raises(CommandFailed, match="the bulb is broken"):
        rig[1].call("actions.test", action=action)
    plan = rig[0].call("conductor_preview_action", action=action)
    with pytest.raises(CommandFailed, match="the bulb is broken"):
        approved(rig, plan)


def test_the_window_tests_an_action_that_no_mapping_holds_yet(rig: Rig):
    use(rig)
    action = {"type": "Plugin", "server": "lamp", "tool": "set_level", "args": {"level": 98}}
    rig[1].call("actions.test", action=action)
    wait_for(lambda: seen(rig), lambda calls: any(one.get("level") == 98 for one in calls))


def test_a_call_of_a_mapping_that_the_running_config_does_not_hold_is_refused(rig: Rig):
    """The engine's word alone is not enough: an event for a mapping of the config before this one."""
    use(rig, (GO, plugin("fade", "{ seconds = 0.3 }")))
    send_osc(PORT, "/go", 1)
    send_osc(PORT, "/go", 1)
    called(rig, "fade")
    rig[1].news.clear()
    rig[0].use(config())
    assert "no enabled mapping calls mcp:lamp:fade" in reason(rig, "fade")


def test_plugins_are_listed_and_switched_off_and_on_by_plans(rig: Rig):
    use(rig)
    [row] = rig[0].call("conductor_list_plugins")["plugins"]
    assert row == {"name": "lamp", "enabled": True, "state": "ready", "tools": 4, "problem": None}
    off = rig[0].call("conductor_disable_plugin", plugin="lamp")
    assert off["privileged"]
    approved(rig, off)
    [row] = wait_for(
        lambda: rig[0].call("conductor_list_plugins")["plugins"],
        lambda rows: rows[0]["state"] == "off",
    )
    assert not row["enabled"]
    on = rig[0].call("conductor_enable_plugin", plugin="lamp")
    assert any("`lamp` might be started" in one for one in on["warnings"])
    approved(rig, on)
    wait_for(lambda: lamp(rig[1]), lambda one: one["state"] == "ready")


@pytest.mark.parametrize(
    ("tool", "plugin_name", "words"),
    [
        ("enable", "lmp", "'lmp' is not installed - did you mean `lamp`?"),
        ("enable", "x" * 500, "is not installed; there is `lamp`"),
        ("disable", "lmp", "'lmp' is not switched on - did you mean `lamp`?"),
        ("enable", "lamp", "changes nothing"),
    ],
)
def test_plugins_that_are_not_there_are_refused(rig: Rig, tool: str, plugin_name: str, words: str):
    use(rig)
    with pytest.raises(ConductorError) as caught:
        rig[0].call(f"conductor_{tool}_plugin", plugin=plugin_name)
    assert words in str(caught.value)


def test_an_agent_cannot_switch_a_server_on_by_the_settings_that_is_not_installed(rig: Rig):
    use(rig)
    with pytest.raises(ConductorError, match="'evil' is not installed"):
        rig[0].call("conductor_update_settings", settings={"skills": {"servers": ["evil"]}})


def test_a_plan_whose_tool_has_not_answered_is_not_called_applied(rig: Rig):
    use(rig)
    fade = {"type": "Plugin", "server": "lamp", "tool": "fade", "args": {"seconds": 60}}
    plan = rig[0].call("conductor_preview_action", action={**fade, "timeout_s": 0.3})
    done = approved(rig, plan)
    assert done["status"] == "unknown"
    assert "outcome is unknown" in done["reason"]
    other = {"type": "Plugin", "server": "lamp", "tool": "set_level", "args": {"level": 97}}
    again = rig[0].call("conductor_preview_action", action=other)
    assert approved(rig, again)["status"] == "applied"
